"""
The places for streams of bots: so many in all, of one bot, and from one address.

A token is free to get in an open league, so what one bot may have does not bound what
one stranger may have; an address is not free. Who comes over a unix socket is on this
machine, mostly started by us, and has a share in nothing but the whole.
"""

from __future__ import annotations

from collections import Counter
from contextlib import contextmanager
from typing import TYPE_CHECKING

from referee.server.ends import CROWDED, CROWDED_ADDRESS, FULL, End
from referee.server.limiter import LOCAL

if TYPE_CHECKING:
    from collections.abc import Iterator

    from referee.server.settings import Settings


class Places:
    """
    The places of one server.
    """

    def __init__(self, settings: Settings) -> None:
        self.taken = 0
        """How many are."""
        self._of_bot: Counter[str] = Counter()
        self._from_peer: Counter[str] = Counter()
        self._most = settings.max_streams
        self._most_from_peer = settings.streams_of_one
        # Twice as many as it may have: streams that say hello and those that they replace.
        self._most_of_bot = 2 * settings.max_instances

    def of(self, bot_id: str) -> int:
        """
        Return how many a bot has.
        """
        return self._of_bot[bot_id]

    def refusal(self, bot_id: str, peer: str) -> End | None:
        """
        Return why there is none for a stream of a bot from an address; None if there is.
        """
        if self.taken >= self._most:
            return FULL
        if peer != LOCAL and self._from_peer[peer] >= self._most_from_peer:
            return CROWDED_ADDRESS
        if self._of_bot[bot_id] >= self._most_of_bot:
            return CROWDED
        return None

    @contextmanager
    def held(self, bot_id: str, peer: str) -> Iterator[None]:
        """
        Hold one of them for the time of the body.
        """
        counts = ((self._of_bot, bot_id), (self._from_peer, peer))
        self.taken += 1
        for count, name in counts:
            count[name] += 1
        try:
            yield
        finally:
            self.taken -= 1
            for count, name in counts:
                count[name] -= 1
                if not count[name]:
                    del count[name]
