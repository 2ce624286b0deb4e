"""
When has a match been played often enough? A sequential test on its sets. Pure.

Two claims about the margin of the first bot of a match, in points a game: it is `low`
or less, or it is `high` or more. After each set the test knows how much better one
claim explains the sets so far than the other (Wald's sequential probability ratio test;
the variance is that of the sets, as in the tests of chess engines on pairs of games).
When that is enough the match is decided, and with the same chances of being wrong as
if somebody had known in advance how many sets it would take.

A `Gate` reads the sets of each match in the order of their numbers, however they
come, and lets through what counts: everything up to the set that decided. So what
counts does not depend on how many games were played at a time.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Generic, TypeVar

from referee.errors import ConfigError
from tournaments.margins import Stopped

if TYPE_CHECKING:
    from collections.abc import Iterator

Item = TypeVar("Item")

_RANGES = {"alpha": (0.0001, 0.4), "beta": (0.0001, 0.4), "min_sets": (5, 1_000_000)}


@dataclass(frozen=True, slots=True, kw_only=True)
class Stop:
    """
    What a match is tested for.
    """

    low: float
    """Points a game: the lower claim is that the first bot's margin is this or less."""
    high: float
    """Points a game: the upper claim is that it is this or more."""
    alpha: float = 0.05
    """How often the upper claim may win although the lower one is true."""
    beta: float = 0.05
    """How often the lower claim may win although the upper one is true."""
    min_sets: int = 20
    """Sets that are played in any case: with fewer the variance is hardly known."""

    def __post_init__(self) -> None:
        for name, (least, most) in _RANGES.items():
            value = getattr(self, name)
            if not least <= value <= most:
                raise ConfigError(
                    f"must be from {least:g} to {most:g}, not {value:g}", key=f"stop.{name}"
                )
        if not -1000 <= self.low < self.high <= 1000:
            raise ConfigError(
                f"must be above low = {self.low:g}, and both within 1000 points of zero",
                key="stop.high",
                hint="low = -1, high = 1 asks which of the two is better",
            )


@dataclass(slots=True)
class Evidence:
    """
    The sets of a match so far.
    """

    sets: int = 0
    total: int = 0
    squares: int = 0

    def add(self, margin: int) -> None:
        """
        Take in the next set: its margin as the first bot sees it, in whole numbers.
        """
        self.sets += 1
        self.total += margin
        self.squares += margin * margin

    def ratio(self, stop: Stop, unit: int) -> float:
        """
        Return the logarithm of how much better the upper claim explains the sets.

        The sum of squares takes in two sets more, one that ended at each bound: so there is
        a variance when all sets ended alike, and the ratio is always finite. It is
        divided as for the variance of Student's distribution, by three less than there are
        sets: with few sets the variance is a guess, and guesses that are too small would
        decide too much.

        Args:
            stop: The claims.
            unit: What margins are multiplied by.
        """
        if not self.sets:
            return 0.0
        width = stop.high - stop.low
        spread = (self.sets * self.squares - self.total**2) / (self.sets * unit**2)
        variance = (spread + width**2 / 2) / max(1, self.sets - 3)
        surplus = self.total / unit - self.sets * (stop.high + stop.low) / 2
        return width * surplus / variance

    def decided(self, stop: Stop, unit: int) -> Stopped | None:
        """
        Return how the sets decide the match; None if they do not.
        """
        if self.sets < stop.min_sets:
            return None
        ratio = self.ratio(stop, unit)
        if ratio >= math.log((1 - stop.beta) / stop.alpha):
            return Stopped(self.sets, better=True)
        if ratio <= math.log(stop.beta / (1 - stop.alpha)):
            return Stopped(self.sets, better=False)
        return None


@dataclass(slots=True)
class _Match(Generic[Item]):
    """
    How far the sets of a match have been read.
    """

    evidence: Evidence = field(default_factory=Evidence)
    number: int = 1
    """The set that is read."""
    margins: list[int | None] = field(default_factory=list)
    """Of its sittings so far; None for a void one."""
    later: dict[int, list[tuple[Item, int | None]]] = field(default_factory=dict)
    """Sittings of later sets."""
    stopped: Stopped | None = None


class Gate(Generic[Item]):
    """
    Lets through, of the sittings that come, those that count.
    """

    def __init__(self, stop: Stop, *, unit: int, sittings: int) -> None:
        """
        Start with nothing.

        Args:
            stop: What matches are tested for.
            unit: What the margin of a set is multiplied by, if those of sittings are added.
            sittings: Of a set.
        """
        self.stop = stop
        self.beyond = 0
        """Sittings that came, and do not count since their match was decided before."""
        self._unit = unit
        self._sittings = sittings
        self._matches: dict[str, _Match[Item]] = {}

    @property
    def waiting(self) -> int:
        """
        Sittings that wait for earlier sets of their match.
        """
        return sum(len(each) for match in self._matches.values() for each in match.later.values())

    def stopped(self, match_id: str) -> Stopped | None:
        """
        Return how a match was decided; None if it is not.
        """
        match = self._matches.get(match_id)
        return None if match is None else match.stopped

    def add(self, match_id: str, number: int, item: Item, margin: int | None) -> Iterator[Item]:
        """
        Take in a sitting; yield what counts now: it, and others that have waited for it.

        Args:
            match_id: Its match.
            number: Of its set, from 1.
            item: What stands for it.
            margin: Of the first bot of the match; None if the game is void.
        """
        match = self._matches.setdefault(match_id, _Match())
        match.later.setdefault(number, []).append((item, margin))
        yield from self._read(match)

    def take(self, other: Gate[Item]) -> Iterator[Item]:
        """
        Take in what *other* has seen, which is nothing of this; yield what counts now.
        """
        self.beyond += other.beyond
        for match_id, theirs in other._matches.items():
            match = self._matches.setdefault(match_id, _Match())
            if theirs.number > match.number or theirs.stopped is not None:
                # Only one of the two can have had all sittings of the first set.
                match.evidence, match.number = replace(theirs.evidence), theirs.number
                match.margins, match.stopped = list(theirs.margins), theirs.stopped
            elif theirs.number == match.number:
                match.margins += theirs.margins
            for number, found in theirs.later.items():
                match.later.setdefault(number, []).extend(found)
            yield from self._read(match)

    def _read(self, match: _Match[Item]) -> Iterator[Item]:
        while match.stopped is None:
            # Whatever belongs to this set counts: no set before it has decided.
            for item, margin in match.later.pop(match.number, ()):
                match.margins.append(margin)
                yield item
            if len(match.margins) < self._sittings:
                return
            # A set with a void sitting tells nothing.
            margins = [margin for margin in match.margins if margin is not None]
            match.margins = []
            match.number += 1
            if len(margins) == self._sittings:
                match.evidence.add(sum(margins))
                match.stopped = match.evidence.decided(self.stop, self._unit)
                if match.stopped is not None:
                    # Void sets took a number too.
                    match.stopped = match.stopped._replace(after=match.number - 1)
        self.beyond += sum(map(len, match.later.values()))
        match.later.clear()
