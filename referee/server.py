"""
The gRPC server: streams of bots around one hall, and the tournament service.

Everything here runs in one asyncio loop, which also drives the hall: a reader per
stream passes answers to it, a writer per stream sends what lies in its
instance's tray when its turn comes, and one task lets the clocks run. Nothing in
the hall waits, so between two awaits the hall is always in order.
"""

from __future__ import annotations

import asyncio
import contextlib
import gc
import hashlib
import secrets
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

import grpc
import grpc.aio
import structlog
from euchre.referee.v1 import (
    referee_service_pb2_grpc,
    tournament_service_pb2_grpc,
)
from grpc_health.v1 import health, health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha import reflection

from referee.errors import ConfigError
from referee.hall import Hall, InstanceKey, Limits
from referee.office import Closed, NoOffice, Office
from referee.wire import decode, encode, tournament
from referee.wire.session import OutOfOrder, Session

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterable, Sequence

    from euchre.referee.v1 import referee_service_pb2

    from referee.hall import FinishedGame, Instance
    from referee.table import Table

_TICK = 0.025
"""Seconds between two looks at the clocks."""

_HELD_UP = 0.1
"""A look that comes so many seconds late says that we were held up, not the bots."""

_SERVICES = ("euchre.referee.v1.RefereeService", "euchre.referee.v1.TournamentService")

_OPTIONS: tuple[tuple[str, int], ...] = (
    # A second server on the same port must fail instead of sharing it.
    ("grpc.so_reuseport", 0),
    # Notice a frozen peer within seconds; all three are needed.
    ("grpc.keepalive_time_ms", 5000),
    ("grpc.keepalive_timeout_ms", 5000),
    ("grpc.http2.ping_timeout_ms", 5000),
    ("grpc.keepalive_permit_without_calls", 1),
    # Clients may ping as often as twice a second; by default they are thrown out for it.
    ("grpc.http2.min_recv_ping_interval_without_data_ms", 500),
    ("grpc.http2.max_ping_strikes", 0),
)


@dataclass(frozen=True, slots=True)
class Bot:
    """
    A bot that may connect.
    """

    bot_id: str
    name: str
    token_sha256: str
    """Hash of its token, in hexadecimal."""


def token_hash(token: str) -> str:
    """
    Return what is kept of a token.
    """
    return hashlib.sha256(token.encode()).hexdigest()


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """
    How a server is set up.
    """

    limits: Limits = field(default_factory=Limits)
    hello: float = 20.0
    """Seconds from the opening of a stream to its Hello."""
    max_instances: int = 64
    """Instances of one bot that may be connected."""
    max_streams: int = 4096
    """Streams in all."""
    max_message_bytes: int = 1 << 20
    """Size of one message of a bot."""
    messages_per_second: float = 1000.0
    """Messages that answer nothing which a stream may send, on average."""
    write: float = 5.0
    """Seconds that a bot may take to read what it is sent."""
    faults_to_forfeit: int = 3
    """What bots are told about it; the table keeps it."""


class Observer(Protocol):
    """
    Who is told when instances come and go, in the asyncio thread.
    """

    def __call__(self, key: InstanceKey, *, connected: bool) -> None:
        """
        Take note; must not block or raise.
        """


def _nobody(key: InstanceKey, *, connected: bool) -> None:
    del key, connected


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
        office: Office | None = None,
        observer: Observer = _nobody,
    ) -> None:
        """
        Set up a server; nothing listens yet.

        Args:
            addresses: `unix:/path`, or `host:port` with port 0 for any free one.
            settings: Its limits.
            office: What the tournament service asks.
            observer: Is told when instances come and go.
        """
        self.settings = settings or Settings()
        self.hall = Hall(self.settings.limits)
        self.addresses: tuple[str, ...] = tuple(addresses)
        """Where it listens; with the real ports once it has started."""
        self.commitment = ""
        """Hash of the secret of the league that is played; told to bots."""
        self.office: Office = office or NoOffice()
        """What the tournament service asks."""
        self._observer = observer
        self._encoder = encode.FrameEncoder()
        self._bots: dict[str, Bot] = {}
        self._by_token: dict[str, Bot] = {}
        self._streams: dict[InstanceKey, _Stream] = {}
        self._opened = 0
        self._games: dict[int, asyncio.Future[FinishedGame]] = {}
        self._came = asyncio.Event()
        self._closing = ""
        self._ticker: asyncio.Task[None] | None = None
        self._server: grpc.aio.Server | None = None
        self._log = structlog.get_logger("server")

    async def start(self) -> None:
        """
        Listen.

        Raises:
            ConfigError: An address cannot be listened at.
        """
        options = [*_OPTIONS, ("grpc.max_receive_message_length", self.settings.max_message_bytes)]
        server = grpc.aio.server(interceptors=[_Guard()], options=options)
        referee_service_pb2_grpc.add_RefereeServiceServicer_to_server(_Referee(self), server)
        tournament_service_pb2_grpc.add_TournamentServiceServicer_to_server(
            _Tournament(self), server
        )
        checks = health.aio.HealthServicer()
        health_pb2_grpc.add_HealthServicer_to_server(checks, server)
        for name in ("", *_SERVICES):
            await checks.set(name, health_pb2.HealthCheckResponse.SERVING)
        reflection.enable_server_reflection(
            (*_SERVICES, health.SERVICE_NAME, reflection.SERVICE_NAME), server
        )
        self.addresses = tuple(_listen(server, address) for address in self.addresses)
        await server.start()
        self._server = server
        # Views, asks and records hold no cycles. Looking for some every 700 objects costs a
        # tenth of the time of a decision.
        gc.set_threshold(20_000, 20, 20)
        self._ticker = asyncio.create_task(self._tick(), name="clocks")

    async def stop(self, reason: str = "the referee shuts down", grace: float = 2.0) -> None:
        """
        Say farewell to everybody, and stop within about *grace* seconds.
        """
        self._closing = reason
        for stream in list(self._streams.values()):
            stream.end(_End.farewell(reason))
        if self._ticker is not None:
            self._ticker.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._ticker
        if self._server is not None:
            # A handler that hangs would hold up `stop` for ever.
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._server.stop(grace), grace + 3)
        for future in self._games.values():
            future.cancel()

    # --- bots ----------------------------------------------------------------------------

    def admit(self, bot: Bot) -> None:
        """
        Let a bot connect with its token; a token that it had before is void.
        """
        self.dismiss(bot.bot_id)
        self._bots[bot.bot_id] = bot
        self._by_token[bot.token_sha256] = bot

    def dismiss(self, bot_id: str) -> None:
        """
        Let a bot connect no more. Streams that it has stay.
        """
        bot = self._bots.pop(bot_id, None)
        if bot is not None:
            self._by_token.pop(bot.token_sha256, None)

    def connected(self, bot_id: str) -> tuple[str, ...]:
        """
        Return the names of the instances of a bot that are connected, sorted.
        """
        return self.hall.connected(bot_id)

    async def wait_for(self, keys: Iterable[InstanceKey], timeout: float) -> set[InstanceKey]:  # noqa: ASYNC109  (a bound on waiting, not an error)
        """
        Wait until all *keys* are connected, at most *timeout* seconds; return who is missing.
        """
        wanted = set(keys)
        deadline = asyncio.get_running_loop().time() + timeout
        while missing := {key for key in wanted if key not in self._streams}:
            self._came.clear()
            left = deadline - asyncio.get_running_loop().time()
            if left <= 0:
                return missing
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._came.wait(), left)
        return set()

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
        self._wake()
        try:
            return await future
        finally:
            self._games.pop(game_id, None)
            self.hall.drop(game_id)
            self._encoder.forget(game_id)

    def _wake(self) -> None:
        """
        Wake the writers of those that have something to take, and hand in what is over.
        """
        hall = self.hall
        for instance in hall.ready:
            stream = self._streams.get(instance.key)
            if stream is not None:
                stream.news.set()
        if hall.finished:
            finished, hall.finished = hall.finished, []
            for game in finished:
                future = self._games.get(game.game_id)
                if future is not None and not future.done():
                    future.set_result(game)

    async def _tick(self) -> None:
        """
        Let the clocks run.
        """
        loop = asyncio.get_running_loop()
        last = loop.time()
        while True:
            await asyncio.sleep(_TICK)
            now = loop.time()
            late = now - last - _TICK
            last = now
            if late > _HELD_UP:
                self.hall.stand_still(late)
            self.hall.expire(now)
            self._wake()

    # --- streams -------------------------------------------------------------------------

    async def converse(self, context: _Context) -> None:
        """
        Serve one stream of `Play` from its first message to its end.
        """
        bot = self._authenticated(context)
        if bot is None:
            await _abort(context, grpc.StatusCode.UNAUTHENTICATED, "unknown token")
            return
        if self._closing:
            await _abort(context, grpc.StatusCode.UNAVAILABLE, self._closing)
            return
        if self._opened >= self.settings.max_streams:
            await _abort(context, grpc.StatusCode.RESOURCE_EXHAUSTED, "the referee is full")
            return
        self._opened += 1
        try:
            end = await self._play_stream(context, bot)
        finally:
            self._opened -= 1
        await end.say(context)

    async def _play_stream(self, context: _Context, bot: Bot) -> _End:
        session = Session()
        try:
            first = await asyncio.wait_for(context.read(), self.settings.hello)
        except TimeoutError:
            return _End(grpc.StatusCode.INVALID_ARGUMENT, "no Hello came in time")
        except decode.DecodeError:
            return _UNREADABLE
        if first is grpc.aio.EOF:
            return _End(grpc.StatusCode.INVALID_ARGUMENT, "the stream ended without a Hello")
        try:
            session.receive(first)
        except (decode.MessageFault, OutOfOrder) as fault:
            return _End.of(fault)
        hello = session.hello
        if hello is None:
            raise RuntimeError("a session that plays has a Hello")
        key = InstanceKey(bot.bot_id, hello.instance)
        others = len(self.hall.connected(bot.bot_id)) - (key in self._streams)
        if others >= self.settings.max_instances:
            return _End(grpc.StatusCode.RESOURCE_EXHAUSTED, "too many instances of this bot")
        stream = self._enter(key, hello.max_asks)
        log = self._log.bind(bot=bot.bot_id, instance=hello.instance)
        log.info("instance_connected", software=hello.software)
        end = _UNSAID
        try:
            await self._write(context, self._welcome(bot, hello, stream.instance))
            end = await self._serve(context, session, stream)
        finally:
            self._gone(stream)
            log.info("instance_lost", reason=end.text or "the connection broke")
        return end

    def _enter(self, key: InstanceKey, max_asks: int) -> _Stream:
        """
        Let an instance in; a stream that it had is replaced.
        """
        old = self._streams.pop(key, None)
        if old is not None:
            old.end(_REPLACED)
        now = asyncio.get_running_loop().time()
        instance = self.hall.connect(key, max_asks, now)
        stream = self._streams[key] = _Stream(instance)
        if instance.has_news:
            stream.news.set()
        self._came.set()
        self._observer(key, connected=True)
        return stream

    def _gone(self, stream: _Stream) -> None:
        instance = stream.instance
        if self._streams.get(instance.key) is stream:
            del self._streams[instance.key]
            self._observer(instance.key, connected=False)
        now = asyncio.get_running_loop().time()
        self.hall.disconnect(instance, stream.generation, now)
        self._wake()

    def _welcome(
        self, bot: Bot, hello: decode.Hello, instance: Instance
    ) -> referee_service_pb2.PlayResponse:
        settings = self.settings
        return encode.welcome(
            name=bot.name,
            instance=hello.instance,
            limits=settings.limits,
            max_asks=instance.max_asks,
            max_instances=settings.max_instances,
            max_message_bytes=settings.max_message_bytes,
            faults_to_forfeit=settings.faults_to_forfeit,
            commitment=self.commitment,
            open_games=sorted(instance.games),
        )

    async def _serve(self, context: _Context, session: Session, stream: _Stream) -> _End:
        """
        Read and write until one of both, or somebody else, ends the stream.
        """
        tasks = [
            asyncio.ensure_future(stream.ended),
            asyncio.create_task(self._read(context, session, stream), name="reader"),
            asyncio.create_task(self._send(context, stream), name="writer"),
        ]
        try:
            done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
            return next(task for task in tasks if task in done).result()
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    async def _read(self, context: _Context, session: Session, stream: _Stream) -> _End:
        hall, instance = self.hall, stream.instance
        loop = asyncio.get_running_loop()
        rate = _Rate(self.settings.messages_per_second, loop.time())
        while True:
            try:
                request = await context.read()
            except decode.DecodeError:
                return _UNREADABLE
            if request is grpc.aio.EOF:
                # No answer can come any more, whatever the bot still reads.
                return _UNSAID
            now = loop.time()
            try:
                kind = session.receive(request)
            except (decode.MessageFault, OutOfOrder) as fault:
                return _End.of(fault)
            if kind == "answers":
                judged = 0
                if instance.generation == stream.generation:
                    judged = hall.receive(instance, decode.read_answers(request.answers), now)
                # What answers open asks cannot be too much; only the rest is a flood.
                if not judged and not rate.allows(now):
                    return _End(
                        grpc.StatusCode.RESOURCE_EXHAUSTED, "too many messages that answer nothing"
                    )
            else:
                hall.leave(instance, stream.generation, now)
            self._wake()
            if kind == "leave":
                return _End(grpc.StatusCode.OK, "goodbye")

    async def _send(self, context: _Context, stream: _Stream) -> _End:
        hall, instance = self.hall, stream.instance
        loop = asyncio.get_running_loop()
        news = stream.news
        while True:
            await news.wait()
            # Answers that have arrived meanwhile are judged first, and the frame is fuller.
            await asyncio.sleep(0)
            news.clear()
            if not instance.has_news or instance.generation != stream.generation:
                continue
            frame = hall.take(instance, loop.time())
            try:
                await self._write(context, self._encoder.encode(frame))
            except TimeoutError:
                return _End(
                    grpc.StatusCode.RESOURCE_EXHAUSTED, "the bot does not read what it is sent"
                )

    async def _write(self, context: _Context, message: referee_service_pb2.PlayResponse) -> None:
        async with asyncio.timeout(self.settings.write):
            await context.write(message)

    def _authenticated(self, context: _Context) -> Bot | None:
        for key, value in context.invocation_metadata() or ():
            if key == "authorization" and isinstance(value, str):
                scheme, _, token = value.partition(" ")
                if scheme.lower() == "bearer":
                    # Hashes are looked up, so the time it takes says nothing of a token.
                    return self._by_token.get(token_hash(token.strip()))
        return None


class _Stream:
    """
    One connected instance.
    """

    __slots__ = ("ended", "generation", "instance", "news")

    def __init__(self, instance: Instance) -> None:
        self.instance = instance
        self.generation = instance.generation
        self.news = asyncio.Event()
        """Set when there is something to take."""
        self.ended: asyncio.Future[_End] = asyncio.get_running_loop().create_future()
        """How somebody else wants it to end."""

    def end(self, how: _End) -> None:
        if not self.ended.done():
            self.ended.set_result(how)


@dataclass(frozen=True, slots=True)
class _End:
    """
    How a stream ends.
    """

    code: grpc.StatusCode
    text: str
    polite: bool = False
    """Whether a Farewell comes first."""

    @classmethod
    def of(cls, fault: decode.MessageFault | OutOfOrder) -> _End:
        """
        The end that a message of the bot has brought about.
        """
        order = isinstance(fault, OutOfOrder)
        codes = grpc.StatusCode
        return cls(codes.FAILED_PRECONDITION if order else codes.INVALID_ARGUMENT, str(fault))

    @classmethod
    def farewell(cls, reason: str) -> _End:
        """
        The end that the referee wants.
        """
        return cls(grpc.StatusCode.OK, reason, polite=True)

    async def say(self, context: _Context) -> None:
        """
        End the stream.
        """
        if self.polite:
            with contextlib.suppress(Exception):
                await asyncio.wait_for(context.write(encode.farewell(self.text)), 1)
        elif self.code is not grpc.StatusCode.OK:
            await _abort(context, self.code, self.text)


async def _abort(context: _Context, code: grpc.StatusCode, text: str) -> None:
    """
    End a call with a status, if there is still somebody to tell.

    Raises:
        AbortError: It was told; gRPC wants it to pass.
    """
    try:
        await context.abort(code, text)
    except grpc.aio.AbortError:
        raise
    except Exception:  # noqa: BLE001  (gRPC's own kinds are private)
        # The client has gone; that is no incident.
        structlog.get_logger("server").debug("gone_before_the_end", status=code.name)


_UNSAID = _End(grpc.StatusCode.OK, "")
_REPLACED = _End(grpc.StatusCode.ABORTED, "a newer stream of this instance took over")
_UNREADABLE = _End(grpc.StatusCode.INVALID_ARGUMENT, "a message that cannot be parsed")


class _Rate:
    """
    A bucket of messages that fills with time.
    """

    def __init__(self, per_second: float, now: float) -> None:
        self._rate = per_second
        self._left = per_second
        self._last = now

    def allows(self, now: float) -> bool:
        self._left = min(self._rate, self._left + (now - self._last) * self._rate) - 1
        self._last = now
        return self._left >= 0


# --- the services, and what stands before them -------------------------------------------

_Context = Any  # grpc.aio.ServicerContext; its stubs are generic in ways that help nobody here


class _Referee(referee_service_pb2_grpc.RefereeServiceServicer):
    def __init__(self, server: RefereeServer) -> None:
        self._server = server

    async def Play(  # type: ignore[override]  # noqa: N802  (stubs know generators only; gRPC's name)
        self, request_iterator: object, context: _Context
    ) -> None:
        """
        Serve one stream.
        """
        del request_iterator
        await self._server.converse(context)


class _Tournament(tournament_service_pb2_grpc.TournamentServiceServicer):
    def __init__(self, server: RefereeServer) -> None:
        self._server = server

    async def SubmitBot(self, request: Any, context: _Context) -> Any:  # noqa: N802
        """
        Enter a bot.
        """
        submission = tournament.read_submission(request)
        try:
            return tournament.write_admission(await self._server.office.submit(submission))
        except ConfigError as error:
            await context.abort(grpc.StatusCode.INVALID_ARGUMENT, str(error))
        except Closed as error:
            await context.abort(grpc.StatusCode.FAILED_PRECONDITION, str(error))

    async def ListBots(self, request: Any, context: _Context) -> Any:  # noqa: N802
        """
        List the bots.
        """
        del request
        try:
            return tournament.write_listings(await self._server.office.bots())
        except Closed as error:
            await context.abort(grpc.StatusCode.FAILED_PRECONDITION, str(error))

    async def GetStandings(self, request: Any, context: _Context) -> Any:  # noqa: N802
        """
        Return the standings.
        """
        del request
        try:
            return tournament.write_report(await self._server.office.standings())
        except Closed as error:
            await context.abort(grpc.StatusCode.FAILED_PRECONDITION, str(error))


class _Guard(grpc.aio.ServerInterceptor):
    """
    Lets no text of an exception out: it could name cards.

    gRPC sends the text of what a handler raises to the client, and that of a
    request that cannot be parsed too. So requests are parsed here, and whatever
    is raised is logged under an incident id, which is all that a client gets.
    """

    async def intercept_service(
        self, continuation: Callable[..., Awaitable[Any]], details: grpc.HandlerCallDetails
    ) -> Any:
        """
        Wrap the handler of a call.
        """
        handler = await continuation(details)
        if handler is None:
            return None
        if handler.unary_unary is not None:
            return grpc.unary_unary_rpc_method_handler(
                _guarded(handler.unary_unary, details, handler.request_deserializer),
                request_deserializer=None,
                response_serializer=handler.response_serializer,
            )
        if handler.stream_stream is not None and _SERVICES[0] in details.method:
            return grpc.stream_stream_rpc_method_handler(
                _guarded(handler.stream_stream, details, None),
                request_deserializer=handler.request_deserializer,
                response_serializer=handler.response_serializer,
            )
        return handler


def _guarded(
    behavior: Callable[[Any, _Context], Awaitable[Any]],
    details: grpc.HandlerCallDetails,
    parse: Callable[[bytes], Any] | None,
) -> Callable[[Any, _Context], Awaitable[Any]]:
    async def guarded(request: Any, context: _Context) -> Any:
        try:
            if parse is not None:
                request = parse(request)
            return await behavior(request, context)
        except grpc.aio.AbortError:
            raise
        except decode.DecodeError:
            await context.abort(_UNREADABLE.code, _UNREADABLE.text)
        except Exception:  # noqa: BLE001  (that is the point)
            incident = secrets.token_hex(4)
            structlog.get_logger("server").exception(
                "incident", incident=incident, method=details.method
            )
            await _abort(
                context, grpc.StatusCode.INTERNAL, f"a fault of the referee, incident {incident}"
            )

    return guarded


def _listen(server: grpc.aio.Server, address: str) -> str:
    """
    Listen at *address*; return it with the real port.
    """
    try:
        port = server.add_insecure_port(address)
    except RuntimeError as error:
        raise ConfigError(
            f"cannot listen at {address}", hint="is another referee running there?"
        ) from error
    if address.startswith("unix:"):
        return address
    return f"{address.rpartition(':')[0]}:{port}"
