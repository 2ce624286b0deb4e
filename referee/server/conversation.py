"""
Streams of bots: from the first message to the status that ends them.

How to think about it: a stream has a reader and a writer, and ends as soon as one of
them has a reason, or somebody else sets one (`Stream.end`). An end is a value; it is
said to the bot in one place.
"""

from __future__ import annotations

import asyncio
import contextlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import grpc
import grpc.aio
import structlog

from referee.hall import InstanceKey
from referee.wire import decode, encode
from referee.wire.session import OutOfOrder, Session

if TYPE_CHECKING:
    from referee.hall import Instance
    from referee.server.core import RefereeServer
    from referee.server.settings import Bot

Context = Any  # grpc.aio.ServicerContext; its stubs are generic in ways that help nobody here

_CODES = grpc.StatusCode


@dataclass(frozen=True, slots=True)
class End:
    """
    How a stream ends.
    """

    code: grpc.StatusCode
    text: str
    polite: bool = False
    """Whether a Farewell comes first."""

    @classmethod
    def of(cls, fault: decode.MessageFault | OutOfOrder) -> End:
        """
        The end that a message of the bot has brought about.
        """
        order = isinstance(fault, OutOfOrder)
        return cls(_CODES.FAILED_PRECONDITION if order else _CODES.INVALID_ARGUMENT, str(fault))

    @classmethod
    def farewell(cls, reason: str) -> End:
        """
        The end that the referee wants.
        """
        return cls(_CODES.OK, reason, polite=True)

    async def say(self, context: Context) -> None:
        """
        End the stream.
        """
        if self.polite:
            with contextlib.suppress(Exception):
                message = encode.farewell(self.text).SerializeToString()
                await asyncio.wait_for(context.write(message), 1)
        elif self.code is not _CODES.OK:
            await abort(context, self.code, self.text)


UNSAID = End(_CODES.OK, "")
REPLACED = End(_CODES.ABORTED, "a newer stream of this instance took over")
UNREADABLE = End(_CODES.INVALID_ARGUMENT, "a message that cannot be parsed")
SLOW = End(_CODES.RESOURCE_EXHAUSTED, "the bot does not read what it is sent")
FAST = End(_CODES.RESOURCE_EXHAUSTED, "too many messages a second")
FULL = End(_CODES.RESOURCE_EXHAUSTED, "the referee is full")
CROWDED = End(_CODES.RESOURCE_EXHAUSTED, "too many instances of this bot")
STRANGER = End(_CODES.UNAUTHENTICATED, "no token, or an unknown token")
NO_HELLO = End(_CODES.INVALID_ARGUMENT, "no Hello came in time")
ENDED_EARLY = End(_CODES.INVALID_ARGUMENT, "the stream ended without a Hello")
GOODBYE = End(_CODES.OK, "goodbye")


async def abort(context: Context, code: grpc.StatusCode, text: str) -> None:
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


class Stream:
    """
    One connected instance.
    """

    __slots__ = ("ended", "generation", "instance", "later", "news")

    def __init__(self, instance: Instance) -> None:
        self.instance = instance
        self.generation = instance.generation
        self.news = asyncio.Event()
        """Set when it is time to send what there is."""
        self.later: asyncio.TimerHandle | None = None
        """Sets it soon, if nothing else does."""
        self.ended: asyncio.Future[End] = asyncio.get_running_loop().create_future()
        """How somebody else wants it to end."""

    def send_now(self) -> None:
        """
        Send what there is.
        """
        self.later = None
        self.news.set()

    def end(self, how: End) -> None:
        """
        End it from outside.
        """
        if not self.ended.done():
            self.ended.set_result(how)


class Conversation:
    """
    One stream, from a known bot.
    """

    def __init__(self, server: RefereeServer, context: Context, bot: Bot) -> None:
        self._server = server
        self._context = context
        self._bot = bot
        self._session = Session()

    async def run(self) -> End:
        """
        Converse until there is a reason to end.
        """
        server, bot = self._server, self._bot
        end = await self._hear_hello()
        if end is not None:
            return end
        hello = self._session.hello
        if hello is None:
            raise RuntimeError("a session that plays has a Hello")
        if not hello.games & server.settings.games:
            played = " and ".join(sorted(server.settings.games))
            return End(_CODES.FAILED_PRECONDITION, f"only {played} is played here")
        key = InstanceKey(bot.bot_id, hello.instance)
        if server.draining and not server.hall.sits(*key):
            return End(_CODES.UNAVAILABLE, server.draining)
        stream = server.enter(key, hello.max_asks)
        if stream is None:
            return CROWDED
        log = structlog.get_logger("server").bind(bot=bot.bot_id, instance=hello.instance)
        log.info("instance_connected", software=hello.software)
        end = UNSAID
        try:
            end = await self._welcome(hello, stream) or await self._serve(stream)
        finally:
            server.depart(stream)
            log.info("instance_lost", reason=end.text or "the connection broke")
        return end

    async def _hear_hello(self) -> End | None:
        try:
            first = await asyncio.wait_for(self._context.read(), self._server.settings.hello)
        except TimeoutError:
            return NO_HELLO
        except decode.DecodeError:
            return UNREADABLE
        if first is grpc.aio.EOF:
            return ENDED_EARLY
        try:
            self._session.receive(first)
        except (decode.MessageFault, OutOfOrder) as fault:
            return End.of(fault)
        return None

    async def _welcome(self, hello: decode.Hello, stream: Stream) -> End | None:
        settings = self._server.settings
        message = encode.welcome(
            name=self._bot.name,
            instance=hello.instance,
            limits=settings.limits,
            max_asks=stream.instance.max_asks,
            max_instances=settings.max_instances,
            max_message_bytes=settings.max_message_bytes,
            faults_to_forfeit=settings.faults_to_forfeit,
            commitment=self._server.commitment,
            open_games=sorted(stream.instance.games),
        )
        return await self._write(message.SerializeToString())

    async def _serve(self, stream: Stream) -> End:
        """
        Read and write until one of both, or somebody else, ends the stream.
        """
        tasks = [
            asyncio.ensure_future(stream.ended),
            asyncio.create_task(self._read(stream), name="reader"),
            asyncio.create_task(self._send(stream), name="writer"),
        ]
        try:
            done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
            return next(task for task in tasks if task in done).result()
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    async def _read(self, stream: Stream) -> End:
        server, session, instance = self._server, self._session, stream.instance
        hall, read = server.hall, self._context.read
        loop = asyncio.get_running_loop()
        rate = _Rate(server.settings.messages_per_second, loop.time())
        while True:
            try:
                request = await read()
            except decode.DecodeError:
                return UNREADABLE
            if request is grpc.aio.EOF:
                # No answer can come any more, whatever the bot still reads.
                return UNSAID
            now = loop.time()
            # What answers more than was asked costs as many messages.
            surplus = len(request.answers.answers) - len(instance.open)
            if not rate.allows(now, max(1, surplus)):
                return FAST
            try:
                kind = session.receive(request)
            except (decode.MessageFault, OutOfOrder) as fault:
                return End.of(fault)
            if kind == "leave":
                hall.leave(instance, stream.generation, now)
                server.wake()
                return GOODBYE
            if instance.generation == stream.generation:
                hall.receive(instance, decode.read_answers(request.answers), now)
                if instance.has_news:
                    stream.news.set()
            server.wake()

    async def _send(self, stream: Stream) -> End:
        server, instance, news = self._server, stream.instance, stream.news
        loop = asyncio.get_running_loop()
        while True:
            await news.wait()
            # Answers that have arrived meanwhile are judged first, and the frame is fuller.
            await asyncio.sleep(0)
            news.clear()
            if not instance.has_news or instance.generation != stream.generation:
                continue
            frame = server.encoder.encode(server.hall.take(instance, loop.time()))
            end = await self._write(frame)
            if end is not None:
                return end

    async def _write(self, message: bytes) -> End | None:
        """
        Send a message; return how the stream ends if that is impossible.
        """
        try:
            async with asyncio.timeout(self._server.settings.write):
                await self._context.write(message)
        except TimeoutError:
            return SLOW
        except Exception as error:  # noqa: BLE001  (gRPC's own kinds are private)
            # The bot has gone; the reader has not noticed yet.
            structlog.get_logger("server").debug("write_failed", kind=type(error).__name__)
            return UNSAID
        return None


class _Rate:
    """
    A bucket of messages that fills with time.
    """

    def __init__(self, per_second: float, now: float) -> None:
        self._rate = per_second
        self._left = per_second
        self._last = now

    def allows(self, now: float, messages: int) -> bool:
        """
        Take *messages* out of the bucket, if there are so many.
        """
        self._left = min(self._rate, self._left + (now - self._last) * self._rate) - messages
        self._last = now
        return self._left >= 0
