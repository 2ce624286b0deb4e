"""
What a server counts for its operators: plain numbers, read by whoever shows them. Pure.

Decisions are never counted one by one here: a game brings what happened in it when
it is over, a frame what is in it. So counting costs nothing where speed matters.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from typing import TYPE_CHECKING

from referee.rules.deal import Ending
from referee.rules.judge import FAULTS, Code
from referee.timing import BUCKETS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from referee.hall import FinishedGame

SECONDS = (0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0)
"""Upper bounds for times of our own."""

ASKS = (0, 1, 2, 4, 8, 16, 32, 64, 128, 256)
"""Upper bounds for the asks in a frame."""

MAX_BOTS = 200
"""Bots that are counted by name; all others together are `OTHERS`."""

OTHERS = "(others)"
"""No id: ids have no parentheses."""


class Histogram:
    """
    Values in buckets, and their sum.
    """

    __slots__ = ("bounds", "counts", "total")

    def __init__(self, bounds: Sequence[float]) -> None:
        self.bounds = tuple(bounds)
        """Upper bounds; one more bucket is above them."""
        self.counts = [0] * (len(self.bounds) + 1)
        self.total = 0.0

    def add(self, value: float) -> None:
        """
        Count one value.
        """
        self.counts[bisect_left(self.bounds, value)] += 1
        self.total += value


class Counts:
    """
    The counts of one server.
    """

    def __init__(self) -> None:
        self.games: Counter[str] = Counter({str(each): 0 for each in Ending})
        """Games that are over, by ending."""
        self.rulings: Counter[str] = Counter({str(each): 0 for each in Code})
        """Rulings in them, by code."""
        self.faults: Counter[tuple[str, str]] = Counter()
        """Faults in them, by bot and code; few bots by name."""
        self._named: set[str] = set()
        self.times = [0] * BUCKETS
        """Decisions in them, by bucket of `referee.timing`."""
        self.frames = Histogram(ASKS)
        """Asks in each frame that was sent."""
        self.turnaround = Histogram(SECONDS)
        """Seconds from when there was something to tell an instance until it was sent."""
        self.lag = Histogram(SECONDS)
        """Seconds that the clocks were looked at too late."""
        self.ends: Counter[str] = Counter()
        """Streams of bots that have ended, by reason; `OK` where all is well."""
        self.calls: Counter[tuple[str, str]] = Counter()
        """Other calls, by method and status."""

    def add(self, game: FinishedGame) -> None:
        """
        Count a game that is over.
        """
        record = game.record
        void = game.error is not None or record.outcome is None
        ending = Ending.VOID if void or record.outcome is None else record.outcome.ending
        self.games[str(ending)] += 1
        for deal in record.deals:
            for _, ruling in deal.rulings:
                self.rulings[str(ruling.code)] += 1
                if ruling.code in FAULTS:
                    bot = self._name_of(record.seats[ruling.seat])
                    self.faults[bot, str(ruling.code)] += 1
        for times in game.times:
            for place, count in enumerate(times):
                if count:
                    self.times[place] += count

    def _name_of(self, bot: str) -> str:
        """
        Return what faults of *bot* are counted under.
        """
        if len(self._named) < MAX_BOTS:
            self._named.add(bot)
        return bot if bot in self._named else OTHERS
