"""
Runs fixtures: tables in, stored games out. Bounded, and nothing is lost.

One task a game, in one nursery, with a bound on how many there are. A game counts
when it is stored: what is played goes to one task that writes whatever has come
up in one transaction, and only then is it counted. A game that failed because of
us is played again once; if it fails again it is stored as void and the rest goes
on.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from typing import TYPE_CHECKING, NamedTuple

import structlog
import trio

from referee.counting import SECONDS, Histogram
from tournaments.faults import by_kind

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence

    from referee.hall import FinishedGame
    from tournaments.pairing import Fixture
    from tournaments.progress import Progress

_BATCH = 256
"""Games that are stored in one transaction, at most."""


class Played(NamedTuple):
    """
    A fixture and the game that came of it.
    """

    fixture: Fixture
    game: FinishedGame


class Runner:
    """
    Plays fixtures and stores what comes of them.
    """

    def __init__(
        self,
        play: Callable[[Fixture], Awaitable[FinishedGame]],
        store: Callable[[Sequence[Played]], None],
        *,
        tables: int,
        progress: Progress,
        stored: Callable[[], None] = lambda: None,
    ) -> None:
        """
        Be ready to run.

        Args:
            play: Plays one game to its end.
            store: Writes games in one transaction; called in a thread.
            tables: Games at once.
            progress: Is told of each game that is stored.
            stored: Called whenever games have been stored.
        """
        self._play = play
        self._store = store
        self._tables = trio.Semaphore(tables)
        self._progress = progress
        self._note_stored = stored
        self._draining = trio.Event()
        self._playing = trio.CancelScope()
        """Around all games in progress."""
        self._log = structlog.get_logger("runner")
        self.stored = 0
        """Games stored so far."""
        self.void = 0
        """Of these, games that are void because the referee failed."""
        self.batches = Histogram(SECONDS)
        """Seconds that each transaction took."""
        self.abandoned = 0
        """Games in progress that were given up; they are played again when the run goes on."""

    @property
    def draining(self) -> bool:
        """
        Whether no further game is begun.
        """
        return self._draining.is_set()

    def drain(self) -> None:
        """
        Begin no further game; `run` ends when those in progress are stored.
        """
        self._draining.set()

    def abandon(self) -> None:
        """
        Give up the games in progress; those that are over are still stored.
        """
        self.drain()
        self._playing.cancel()

    async def run(self, fixtures: Iterator[Fixture] | AsyncIterator[Fixture]) -> None:
        """
        Play all *fixtures*, in order as far as tables are free.

        Raises:
            StoreError: A game could not be stored. Games in progress are given up; they
                are played again when the run is resumed.
        """
        played, stored = trio.open_memory_channel[Played](_BATCH)
        async with trio.open_nursery() as nursery:
            nursery.start_soon(self._store_all, stored)
            async with played:
                with self._playing:
                    await self._play_all(fixtures, played)

    async def _play_all(
        self,
        fixtures: Iterator[Fixture] | AsyncIterator[Fixture],
        played: trio.MemorySendChannel[Played],
    ) -> None:
        async with trio.open_nursery() as games:
            while not self.draining:
                # The table first: what is to be played may depend on what was played.
                await self._tables.acquire()
                if self.draining:
                    break
                fixture = await self._next(fixtures)
                if fixture is None:
                    break
                games.start_soon(self._play_one, fixture, played.clone())

    async def _next(self, fixtures: Iterator[Fixture] | AsyncIterator[Fixture]) -> Fixture | None:
        """
        Wait for the next fixture; None if there is none, or the runner drains meanwhile.
        """
        if not isinstance(fixtures, AsyncIterator):
            return next(fixtures, None)
        found: Fixture | None = None

        async def stop_when_draining() -> None:
            await self._draining.wait()
            nursery.cancel_scope.cancel()

        async with trio.open_nursery() as nursery:
            nursery.start_soon(stop_when_draining)
            found = await anext(fixtures, None)
            nursery.cancel_scope.cancel()
        return found

    async def _play_one(self, fixture: Fixture, played: trio.MemorySendChannel[Played]) -> None:
        async with played:
            try:
                game = await self._play(fixture)
                if game.error is not None:
                    self._failed(fixture, game.error, "played again")
                    game = await self._play(fixture)
                    if game.error is not None:
                        self._failed(fixture, game.error, "void")
                # The table is kept meanwhile: games must not pile up while the store stalls.
                await played.send(Played(fixture, game))
            except trio.Cancelled:
                self.abandoned += 1
                raise
            finally:
                self._tables.release()

    def _failed(self, fixture: Fixture, error: BaseException, consequence: str) -> None:
        self._log.error("game_failed", fixture=fixture.id, consequence=consequence, exc_info=error)

    async def _store_all(self, games: trio.MemoryReceiveChannel[Played]) -> None:
        async for first in games:
            batch = [first]
            while len(batch) < _BATCH:
                try:
                    batch.append(games.receive_nowait())
                except (trio.WouldBlock, trio.EndOfChannel):
                    break
            began = trio.current_time()
            await trio.to_thread.run_sync(self._store, batch)
            self.batches.add(trio.current_time() - began)
            self.stored += len(batch)
            self.void += sum(played.game.error is not None for played in batch)
            self._note_stored()
            faulty = (played.game.record for played in batch if any(played.game.faults))
            self._progress.add(len(batch), by_kind(faulty))
