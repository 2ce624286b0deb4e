"""
The schedule of an open league: what can be played now, as bots come and go. Pure.

How to think about it: whoever arrives brings a stream of fixtures, against those who
are there. Each fixture is in the stream of the last of its bots to arrive, so a
newcomer costs its own fixtures and nobody else's are looked at again. Who goes takes
its stream along, and brings a new one when it is back. Of all streams the lowest set
comes first, so a newcomer's first sets are played before the later ones of the others.
"""

from __future__ import annotations

import heapq
from typing import TYPE_CHECKING

from tournaments.pairing import newcomer_fixtures

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from tournaments.league import League
    from tournaments.pairing import Fixture


class Arrivals:
    """
    Fixtures of those who are there, each once.
    """

    def __init__(self, league: League, done: set[str]) -> None:
        """
        Begin with nobody there.

        Args:
            league: What is played.
            done: Ids of the fixtures that need not be played; grows.
        """
        self._league = league
        self._done = done
        self._here: dict[str, int] = {}
        """Who is there, and the number of its stream."""
        self._streams: list[tuple[int, int, str, Fixture, Iterator[Fixture]]] = []
        """A heap: number of the set, number of the stream, whose it is, its next fixture, it."""
        self._numbers = 0
        self.looked_at = 0
        """Fixtures that were looked at."""

    def update(self, here: Iterable[str]) -> None:
        """
        Take note of who is there now.
        """
        now = list(here)
        staying = set(now)
        for bot in [bot for bot in self._here if bot not in staying]:
            del self._here[bot]
        for bot in now:
            if bot not in self._here:
                stream = newcomer_fixtures(self._league, bot, list(self._here))
                self._numbers += 1
                self._here[bot] = self._numbers
                self._push(self._numbers, bot, stream)

    def next(self) -> Fixture | None:
        """
        Return the next fixture whose bots are all there; None if there is none now.
        """
        while self._streams:
            _, number, bot, fixture, stream = heapq.heappop(self._streams)
            if self._here.get(bot) != number:
                continue  # it went; what it still has to play is in its next stream
            self._push(number, bot, stream)
            if fixture.id not in self._done and all(each in self._here for each in fixture.seats):
                self._done.add(fixture.id)
                return fixture
        return None

    def _push(self, number: int, bot: str, stream: Iterator[Fixture]) -> None:
        fixture = next(stream, None)
        if fixture is not None:
            self.looked_at += 1
            heapq.heappush(self._streams, (fixture.set_number, number, bot, fixture, stream))
