"""
The server itself: who may connect, which games are played, and the clocks.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from typing import TYPE_CHECKING

import grpc.aio
import structlog

from referee.counting import Counts
from referee.hall import Hall, InstanceKey
from referee.office import NoOffice, Office
from referee.refusals import Reason
from referee.rules.judge import FAULTS, Code
from referee.server.addresses import check_address, connections_allowed, listen, release
from referee.server.clocks import Clocks, attend_only
from referee.server.conversation import Conversation, Stream
from referee.server.ends import REPLACED, REVOKED, ROTATED, End, Hearing, token_of
from referee.server.guard import Guard, is_news
from referee.server.limiter import Limiter, Shares, peer_of
from referee.server.places import Places
from referee.server.services import offer
from referee.server.settings import OPTIONS, Bot, Observer, Settings, nobody
from referee.server.tokens import Tokens
from referee.server.uploading import Uploads
from referee.server.watching import Watchers
from referee.wire.frames import FrameEncoder
from referee.wire.tournament import ReportWriter

if TYPE_CHECKING:
    from collections.abc import Sequence

    from grpc_health.v1 import health

    from referee.hall import FinishedGame
    from referee.server.ends import Context
    from referee.table import Table

_GATHER = 0.002
"""Seconds that news for a bot which still has something to work on may wait for more."""

_CALLS = 256
"""Calls with one answer that may be in progress."""

_LINES = 300
"""Instances of a bot that may come at once, and each is logged."""

_NO_END = 1e6
"""Seconds that gRPC gives to streams at the end: how many they get is measured here."""

_CUT = 3.0
"""Seconds that streams may take to end which are cut off."""


class RefereeServer:
    """
    A referee that can be dialled.

    Every method is called in the loop that `start` ran in.
    """

    def __init__(
        self,
        addresses: Sequence[str],
        settings: Settings | None = None,
        *,
        local: Sequence[str] = (),
        office: Office | None = None,
        observer: Observer = nobody,
    ) -> None:
        """
        Set up a server; nothing listens yet.

        Args:
            addresses: `unix:/path`, or `host:port` with port 0 for any free one.
            settings: Its limits.
            local: The same, for bots of this machine: never with TLS, never beyond loopback.
            office: What the tournament service asks.
            observer: Is told when instances come and go.
        """
        self.settings = settings or Settings()
        self.hall = Hall(self.settings.limits)
        self.encoder = FrameEncoder()
        """Of all frames."""
        self.addresses: tuple[str, ...] = (*local, *addresses)
        """Where it listens, local ones first; with the real ports once it has started."""
        self._local = len(local)
        self.commitment = ""
        """Hash of the secret of the league that is played; told to bots."""
        self.office: Office = office or NoOffice()
        """What the tournament service asks."""
        self.counts = Counts()
        """What its operators want to know."""
        self.reports = ReportWriter()
        """Of all standings."""
        self.watchers = Watchers(self)
        """Who watches the league."""
        self.draining = ""
        """Why nothing new is taken on; empty while it is."""
        self.uploads = Uploads()
        """Receives programs."""
        self.tokens = Tokens()
        """Who may connect."""
        self.places = Places(self.settings)
        """How many may, from where."""
        self.hearing = Hearing()
        """Of those who may not."""
        self.clocks = Clocks()
        """How long everything may take."""
        self._observer = observer
        self._streams: dict[InstanceKey, Stream] = {}
        self._games: dict[int, asyncio.Future[FinishedGame]] = {}
        self._lines = Shares(1.0, _LINES)
        self._closing = ""
        self._ticker: asyncio.Task[None] | None = None
        self._server: grpc.aio.Server | None = None
        self._health: health.aio.HealthServicer | None = None
        self._log = structlog.get_logger("server")

    async def start(self) -> None:
        """
        Listen.

        Raises:
            ConfigError: An address cannot be listened at.
        """
        settings = self.settings
        safe = settings.insecure_ok or settings.tls is not None
        for number, address in enumerate(self.addresses):
            check_address(address, beyond_loopback=safe and number >= self._local)
        logging.getLogger("grpc._cython.cygrpc").addFilter(is_news)
        server = grpc.aio.server(
            interceptors=[Guard(self, Limiter(settings, asyncio.get_running_loop().time()))],
            options=[
                *OPTIONS,
                ("grpc.max_receive_message_length", settings.max_message_bytes),
                ("grpc.max_allowed_incoming_connections", connections_allowed()),
            ],
            # The bound of last resort; everything has a nearer one of its own.
            maximum_concurrent_rpcs=settings.max_streams + settings.side_streams + _CALLS,
        )
        checks = await offer(self, server)
        bound: list[str] = []
        try:
            for number, address in enumerate(self.addresses):
                tls = settings.tls if number >= self._local else None
                bound.append(listen(server, address, tls))
            await server.start()
        except BaseException:
            await server.stop(None)
            release(bound)
            raise
        self.addresses = tuple(bound)
        self._server = server
        self._health = checks
        self._ticker = asyncio.create_task(self.clocks.run(self._look), name="clocks")

    async def drain(self, reason: str) -> None:
        """
        Take on nothing new: who looks for a referee is sent elsewhere from now on.

        Games in progress go on, and their instances may still come back to them.
        """
        self.draining = reason
        if self._health is not None:
            await self._health.enter_graceful_shutdown()

    async def stop(self, reason: str = "the referee shuts down", grace: float = 2.0) -> None:
        """
        Say farewell to everybody, and stop within about *grace* seconds.
        """
        self._closing = reason
        await self.drain(reason)
        self.watchers.close(reason)
        for stream in list(self._streams.values()):
            stream.end(End.farewell(reason))
        if self._ticker is not None:
            self._ticker.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._ticker
        if self._server is not None:
            # gRPC's own grace would be over when we are suspended in it and go on.
            await attend_only(self._server.stop(_NO_END), grace)
            # A handler that hangs would hold up `stop` for ever.
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._server.stop(None), _CUT)
        for future in self._games.values():
            future.cancel()

    # --- bots ----------------------------------------------------------------------------

    def admit(self, bot: Bot) -> None:
        """
        Let a bot connect with its token; a token that it had before is void, and its streams end.
        """
        if self.tokens.admit(bot):
            self._end_streams(bot.bot_id, ROTATED)

    def dismiss(self, bot_id: str) -> None:
        """
        Let a bot connect no more: its streams end, and nobody waits for it.
        """
        if not self.tokens.dismiss(bot_id):
            return
        now = asyncio.get_running_loop().time()
        self._end_streams(bot_id, REVOKED)
        for key in self.hall.instances(bot_id):
            self.hall.give_up(key, now)
        self.wake()

    def _end_streams(self, bot_id: str, how: End) -> None:
        for key, stream in self._streams.items():
            if key.bot == bot_id:
                stream.end(how)

    def connected(self, bot_id: str) -> tuple[str, ...]:
        """
        Return the names of the instances of a bot that are connected, sorted.
        """
        return self.hall.connected(bot_id)

    def give_up(self, key: InstanceKey) -> None:
        """
        Wait no longer for an instance that cannot come back.
        """
        self.hall.give_up(key, asyncio.get_running_loop().time())
        self.wake()

    @property
    def tables(self) -> int:
        """
        Games in progress.
        """
        return len(self._games)

    @property
    def instances(self) -> int:
        """
        Instances that are connected, of all bots.
        """
        return len(self._streams)

    # --- games ---------------------------------------------------------------------------

    async def play(
        self,
        table: Table,
        instances: tuple[InstanceKey, ...],
        names: tuple[str, ...],
        *,
        shared: bool = False,
    ) -> FinishedGame:
        """
        Play a game to its end. Cancelled, the game is forgotten.

        Args:
            table: Not yet started.
            instances: Who answers for N, E, S, W.
            names: Display names, N, E, S, W.
            shared: Whether one instance may answer for both seats of a side.
        """
        loop = asyncio.get_running_loop()
        future: asyncio.Future[FinishedGame] = loop.create_future()
        game_id = self.hall.seat(table, instances, names, loop.time(), shared=shared)
        self._games[game_id] = future
        self.wake()
        try:
            game = await future
        finally:
            self._games.pop(game_id, None)
            self.hall.drop(game_id)
            self.encoder.forget(game_id)
        self._log_faults(game, instances)
        return game

    def _log_faults(self, game: FinishedGame, instances: tuple[InstanceKey, ...]) -> None:
        """
        Log what went wrong with the bots; reneges are part of the game.
        """
        for number, deal in enumerate(game.record.deals, 1):
            for _, ruling in deal.rulings:
                if ruling.code in FAULTS or ruling.code is Code.FORFEIT:
                    self._log.info(
                        "ruling",
                        ruling=str(ruling.code),
                        bot=instances[ruling.seat].bot,
                        instance=instances[ruling.seat].name,
                        set=game.record.set_id,
                        sitting=game.record.sitting,
                        deal=number,
                        seat=ruling.seat.letter,
                    )

    def wake(self) -> None:
        """
        See to it that news are sent, and hand in what is over.

        A bot that still has something to work on would not look at news now, so they may
        wait a moment for more. Without that frames can fall apart: a small frame is
        answered soon, and brings small frames to others.
        """
        hall = self.hall
        for instance in hall.ready:
            stream = self._streams.get(instance.key)
            if stream is None or stream.news.is_set():
                continue
            if stream.since is None:
                stream.since = asyncio.get_running_loop().time()
            if not instance.open:
                stream.news.set()
            elif stream.later is None:
                stream.later = asyncio.get_running_loop().call_later(_GATHER, stream.send_now)
        if hall.finished:
            finished, hall.finished = hall.finished, []
            for game in finished:
                self.counts.add(game)
                future = self._games.get(game.game_id)
                if future is not None and not future.done():
                    future.set_result(game)

    def _look(self, now: float, late: float, held_up: float) -> None:
        """
        Look at the clocks of the hall.
        """
        self.counts.lag.add(late)
        if held_up:
            self.hall.stand_still(held_up, now)
        self.hall.expire(now)
        self.wake()

    # --- streams -------------------------------------------------------------------------

    async def converse(self, context: Context) -> None:
        """
        Serve one stream of `Play` from its first message to its end.
        """
        bot, peer = self.tokens.whose(token_of(context)), peer_of(context.peer())
        end = bot if isinstance(bot, End) else self._refusal(bot, peer)
        if end is not None:
            await self.hearing.out(context)
        elif isinstance(bot, Bot):
            try:
                with self.places.held(bot.bot_id, peer):
                    end = await Conversation(self, context, bot).run()
            except asyncio.CancelledError:
                # The connection broke.
                self.counts.ends["CONNECTION_LOST"] += 1
                raise
        if end is not None:
            self.counts.ends["OK" if end.refusal is None else end.refusal.reason.name] += 1
            await end.say(context)

    def _refusal(self, bot: Bot, peer: str) -> End | None:
        """
        Return why a stream is not wanted; None if it is.
        """
        if self._closing:
            return End.refused(Reason.SHUTTING_DOWN, self._closing)
        if self.draining and not self.hall.sits(bot.bot_id):
            return End.refused(Reason.SHUTTING_DOWN, self.draining)
        return self.places.refusal(bot.bot_id, peer)

    def knows(self, token: str) -> bool:
        """
        Whether a token is that of a bot that may connect.
        """
        return isinstance(self.tokens.whose(token), Bot)

    def enter(self, key: InstanceKey, max_asks: int) -> Stream | None:
        """
        Let an instance in, unless its bot has too many; a stream that it had is replaced.
        """
        old = self._streams.get(key)
        others = len(self.hall.connected(key.bot)) - (old is not None)
        if others >= self.settings.max_instances:
            return None
        if old is not None:
            old.end(REPLACED)
        instance = self.hall.connect(key, max_asks, asyncio.get_running_loop().time())
        stream = self._streams[key] = Stream(instance)
        if instance.has_news:
            stream.news.set()
        self._observer(key, connected=True)
        return stream

    def worth_a_line(self, bot_id: str) -> bool:
        """
        Whether the log should say that an instance has come: the first of a bot, then one a second.
        """
        return self._lines.take(bot_id, asyncio.get_running_loop().time()) == 0

    def depart(self, stream: Stream) -> None:
        """
        Take note that a stream has ended.
        """
        if stream.later is not None:
            stream.later.cancel()
        instance = stream.instance
        if self._streams.get(instance.key) is stream:
            del self._streams[instance.key]
            self._observer(instance.key, connected=False)
        now = asyncio.get_running_loop().time()
        self.hall.disconnect(instance, stream.generation, now)
        self.wake()
