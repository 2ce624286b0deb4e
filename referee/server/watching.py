"""
Those who watch: standings whenever they change, games as they are stored.

How to think about it: what is sent is read from the office, in order, from where a
watcher stands; a version number only says that it is time to look again. So nothing
is lost or doubled, however slow a watcher is, and nothing is kept for it.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import structlog

from referee.errors import RefereeError
from referee.office import Closed
from referee.refusals import Reason
from referee.server.ends import Context, End, token_of
from referee.wire import tournament

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from referee.server.core import RefereeServer

_PAGE = 100
"""Games that are read from the office at a time."""

_INTERVAL = (1.0, 3600.0)
"""Seconds between two standings that may be asked for."""

NOBODY = End.refused(Reason.WATCHING_CLOSED)
STRANGER = End.refused(
    Reason.TOKEN_UNKNOWN, "only those who show a token of this league may watch it"
)
FULL = End.refused(Reason.TOO_MANY_STREAMS, "too many watch already; try again later", retry=30.0)
SLOW_WATCHER = End.refused(Reason.READS_TOO_SLOWLY, "the watcher does not read what it is sent")
AWAY = End("the watcher has gone")
BAD_INTERVAL = End.bad_field(
    "interval", f"must be from {_INTERVAL[0]:g} to {_INTERVAL[1]:g} seconds"
)
BAD_NUMBER = End.bad_field("after_game", "must not be negative")


class Watchers:
    """
    All that watch at one server.
    """

    def __init__(self, server: RefereeServer) -> None:
        self._server = server
        self.count = 0
        """How many watch now."""
        self._version = 0
        self._moved = asyncio.Event()
        self._closing = ""

    def changed(self) -> None:
        """
        Have everybody look again: games were stored, or a bot was entered.
        """
        self._version += 1
        self._moved.set()
        self._moved = asyncio.Event()

    def close(self, reason: str) -> None:
        """
        Send what there still is, then end all calls.
        """
        self._closing = reason
        self.changed()

    async def standings(self, request: Any, context: Context) -> None:
        """
        Serve a call of `WatchStandings`.
        """
        interval = request.interval if request.HasField("interval") else _INTERVAL[0]
        # Written so that a nan is refused too.
        bad = None if _INTERVAL[0] <= interval <= _INTERVAL[1] else BAD_INTERVAL
        await self._serve(context, bad, lambda: self._send_standings(context, interval))

    async def games(self, request: Any, context: Context) -> None:
        """
        Serve a call of `WatchGames`.
        """
        after = request.after_game if request.HasField("after_game") else None
        bad = BAD_NUMBER if after is not None and after < 0 else None
        await self._serve(context, bad, lambda: self._send_games(context, after))

    async def _serve(
        self, context: Context, bad: End | None, send: Callable[[], Awaitable[End]]
    ) -> None:
        end = bad or await self._refusal(context)
        if end is None:
            self.count += 1
            try:
                end = await send()
            except Closed:
                raise
            except RefereeError:
                # At the end the office may be gone before its last watcher is.
                if not self._closing:
                    raise
                end = self._closed()
            finally:
                self.count -= 1
        await end.say(context)

    async def _refusal(self, context: Context) -> End | None:
        settings = self._server.settings
        if settings.watch == "nobody":
            return NOBODY
        if settings.watch == "bots":
            # The office knows more tokens: the operator's, and those of owners of programs.
            token = token_of(context)
            if not (
                self._server.knows(token) or (token and await self._server.office.knows(token))
            ):
                return STRANGER
        if self.count >= settings.max_watchers:
            return FULL
        return None

    async def _send_standings(self, context: Context, interval: float) -> End:
        office, sent = self._server.office, None
        while True:
            version = self._version
            report = await office.newest_standings()
            if report != sent:
                message = self._server.reports.write_watched(report)
                if end := await self._write(context, message):
                    return end
                sent = report
            if self._closing:
                return self._closed()
            await self._pause(interval)
            await self._after(version)

    async def _send_games(self, context: Context, after: int | None) -> End:
        office = self._server.office
        if after is None:
            after = await office.last_game()
        # Headers now, so that a watcher knows from when on it misses nothing.
        await context.send_initial_metadata(())
        while True:
            version, closing = self._version, self._closing
            games = await office.games_after(after, _PAGE)
            for game in games:
                if end := await self._write(context, tournament.write_game(game)):
                    return end
                after = game.game
            if len(games) == _PAGE:
                continue
            if closing:
                return self._closed()
            await self._after(version)

    def _closed(self) -> End:
        return End.refused(Reason.SHUTTING_DOWN, self._closing)

    async def _after(self, version: int) -> None:
        """
        Wait until there is something newer than *version*.
        """
        while self._version == version:
            await self._moved.wait()

    async def _pause(self, seconds: float) -> None:
        """
        Wait for *seconds*, or until all calls shall end.
        """
        end = asyncio.get_running_loop().time() + seconds
        while not self._closing:
            try:
                async with asyncio.timeout_at(end):
                    await self._moved.wait()
            except TimeoutError:
                return

    async def _write(self, context: Context, message: Any) -> End | None:
        """
        Send a message; return how the call ends if that is impossible.
        """
        try:
            async with self._server.clocks.within(self._server.settings.write):
                await context.write(message)
        except TimeoutError:
            return SLOW_WATCHER
        except Exception as error:  # noqa: BLE001  (gRPC's own kinds are private)
            structlog.get_logger("server").debug("write_failed", kind=type(error).__name__)
            return AWAY
        return None
