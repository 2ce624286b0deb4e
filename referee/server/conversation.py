"""
Streams of bots: from the first message to the status that ends them.

How to think about it: a stream has a reader and a writer, and ends as soon as one of
them has a reason, or somebody else sets one (`Stream.end`). An end is a value; it is
said to the bot in one place (`referee.server.ends`).
"""

from __future__ import annotations

import asyncio
import logging
from typing import TYPE_CHECKING

import grpc.aio
import structlog

from referee.hall import InstanceKey
from referee.refusals import Reason
from referee.server.clocks import attend
from referee.server.ends import (
    CROWDED,
    ENDED_EARLY,
    FAST,
    GOODBYE,
    NO_HELLO,
    SLOW,
    UNREADABLE,
    UNSAID,
    End,
    token_of,
)
from referee.server.limiter import Bucket
from referee.wire import decode, encode
from referee.wire.session import OutOfOrder, Session

if TYPE_CHECKING:
    from referee.hall import Instance
    from referee.server.core import RefereeServer
    from referee.server.ends import Context
    from referee.server.settings import Bot

_PAUSE = 0.03
"""Seconds of silence after which a bot is believed to say nothing more for now."""

_MOST_PAUSES = 5
"""How many of them are waited for at most."""


class Stream:
    """
    One connected instance.
    """

    __slots__ = ("ended", "generation", "instance", "later", "news", "since")

    def __init__(self, instance: Instance) -> None:
        self.instance = instance
        self.generation = instance.generation
        self.news = asyncio.Event()
        """Set when it is time to send what there is."""
        self.later: asyncio.TimerHandle | None = None
        """Sets it soon, if nothing else does."""
        self.since: float | None = None
        """Since when there is something to send."""
        self.ended: asyncio.Future[End] = asyncio.get_running_loop().create_future()
        """How somebody else wants it to end."""

    def send_now(self) -> None:
        """
        Send what there is.
        """
        self.later = None
        self.news.set()

    def worked(self, now: float) -> None:
        """
        Take note that answers were heard: what there is now is sent without delay.
        """
        if self.instance.has_news:
            if self.since is None:
                self.since = now
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
        self._unjudged = 0
        """Messages that came when the end was decided already."""

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
            return End.refused(Reason.GAME_NOT_PLAYED, f"only {played} is played here")
        # Its token may have been taken away while it was silent.
        end = server.tokens.refusal(bot)
        if end is not None:
            return end
        key = InstanceKey(bot.bot_id, hello.instance)
        if server.draining and not server.hall.sits(*key):
            return End.refused(Reason.SHUTTING_DOWN, server.draining)
        stream = server.enter(key, hello.max_asks)
        if stream is None:
            return CROWDED
        log = structlog.get_logger("server").bind(bot=bot.bot_id, instance=hello.instance)
        # Whoever writes its token everywhere would have it in our log too.
        software = hello.software.replace(token_of(self._context), "[token]")
        # Who comes and goes all the time does not fill the log.
        level = logging.INFO if server.worth_a_line(bot.bot_id) else logging.DEBUG
        log.log(level, "instance_connected", software=software)
        end = UNSAID
        try:
            end = await self._welcome(hello, stream) or await self._serve(stream)
        finally:
            server.depart(stream)
            log.log(level, "instance_lost", reason=end.text or "the connection broke")
        return end

    async def _hear_hello(self) -> End | None:
        try:
            async with self._server.clocks.within(self._server.settings.hello):
                first = await self._context.read()
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
        reader = asyncio.create_task(self._read(stream), name="reader")
        writer = asyncio.create_task(self._send(stream), name="writer")
        tasks = [asyncio.ensure_future(stream.ended), reader, writer]
        try:
            done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
            end = next(task for task in tasks if task in done).result()
            if stream.ended.done() and end.refusal is not None:
                writer.cancel()
                await self._pause(reader)
            return end
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    async def _pause(self, reader: asyncio.Task[End]) -> None:
        """
        Wait until the bot pauses, for a moment.

        A status that crosses an answer on its way can reach the bot as INTERNAL (so
        could one that crosses the first message of a stream: `referee.server.ends.Hearing`).
        """
        for _ in range(_MOST_PAUSES):
            before = self._unjudged
            await attend(reader, _PAUSE)
            if reader.done() or self._unjudged == before:
                return

    async def _read(self, stream: Stream) -> End:
        server, session, instance = self._server, self._session, stream.instance
        hall, read = server.hall, self._context.read
        loop = asyncio.get_running_loop()
        most = server.settings.messages_per_second
        messages = Bucket(most, most, loop.time())
        while True:
            try:
                request = await read()
            except decode.DecodeError:
                return UNREADABLE
            if request is grpc.aio.EOF:
                # No answer can come any more, whatever the bot still reads.
                return UNSAID
            if stream.ended.done():
                self._unjudged += 1
                continue
            now = loop.time()
            # What answers more than was asked costs as many messages.
            surplus = len(request.answers.answers) - len(instance.open)
            if messages.take(now, max(1, surplus)):
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
                stream.worked(now)
            server.wake()

    async def _send(self, stream: Stream) -> End:
        server, instance, news = self._server, stream.instance, stream.news
        counts = server.counts
        loop = asyncio.get_running_loop()
        while True:
            await news.wait()
            # Answers that have arrived meanwhile are judged first, and the frame is fuller.
            await asyncio.sleep(0)
            news.clear()
            if not instance.has_news or instance.generation != stream.generation:
                continue
            since, stream.since = stream.since, None
            frame = server.hall.take(instance, loop.time())
            end = await self._write(server.encoder.encode(frame))
            if end is not None:
                return end
            counts.frames.add(len(frame.asks))
            if since is not None:
                counts.turnaround.add(loop.time() - since)

    async def _write(self, message: bytes) -> End | None:
        """
        Send a message; return how the stream ends if that is impossible.
        """
        try:
            async with self._server.clocks.within(self._server.settings.write):
                await self._context.write(message)
        except TimeoutError:
            return SLOW
        except Exception as error:  # noqa: BLE001  (gRPC's own kinds are private)
            # The bot has gone; the reader has not noticed yet.
            structlog.get_logger("server").debug("write_failed", kind=type(error).__name__)
            return UNSAID
        return None
