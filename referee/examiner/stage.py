"""
A referee that follows a script: it lets bots in, and its examiner says everything else.

The real server keeps order by itself; here the order is what is examined. So this is
a second, small service on the same path: it passes on whatever a bot sends and sends
whatever the examiner wants, bytes both ways.
"""

from __future__ import annotations

import asyncio
import contextlib
from typing import TYPE_CHECKING, Any

import grpc
import grpc.aio

from referee.server.addresses import check_address, listen
from referee.server.clocks import attend_only
from referee.server.settings import OPTIONS
from referee.wire.hearing import hear

if TYPE_CHECKING:
    from referee.wire.hearing import Heard

Context = Any  # grpc.aio.ServicerContext; its stubs are generic in ways that help nobody here

_SERVICE = "euchre.referee.v1.RefereeService"
_SEND = 2.0
"""Seconds that a bot may take to read a message."""

UNAVAILABLE = grpc.StatusCode.UNAVAILABLE, "the connection is cut, as part of the check"
INTERNAL = grpc.StatusCode.INTERNAL, "a fault of the referee, as part of the check"
ABORTED = grpc.StatusCode.ABORTED, "a newer stream of this instance took over"
REFUSED = grpc.StatusCode.UNAUTHENTICATED, "no token, or an unknown token"
DONE = grpc.StatusCode.OK, ""

End = tuple[grpc.StatusCode, str]


class Line:
    """
    One stream of a bot.
    """

    def __init__(self, context: Context) -> None:
        self._context = context
        self.heard: asyncio.Queue[tuple[float, Heard | None]] = asyncio.Queue()
        """What came, and when; None once nothing more can come."""
        self._ending: asyncio.Future[End] = asyncio.get_running_loop().create_future()
        self._over = asyncio.Event()

    async def send(self, message: bytes) -> None:
        """
        Send a message, if somebody is still there; who is not is noticed by listening.
        """
        await attend_only(self._context.write(message), _SEND)

    async def end(self, how: End) -> None:
        """
        End the stream, and wait until it has ended.
        """
        if not self._ending.done():
            self._ending.set_result(how)
        await attend_only(self._over.wait(), _SEND)

    async def serve(self) -> None:
        """
        Listen until the examiner ends the stream.
        """
        listening = asyncio.create_task(self._listen())
        try:
            code, text = await self._ending
        finally:
            self._over.set()
            listening.cancel()
            await asyncio.gather(listening, return_exceptions=True)
        if code is not grpc.StatusCode.OK:
            await self._context.abort(code, text)

    async def _listen(self) -> None:
        now = asyncio.get_running_loop().time
        try:
            while (data := await self._context.read()) is not grpc.aio.EOF:
                self.heard.put_nowait((now(), hear(data)))
        finally:
            self.heard.put_nowait((now(), None))


class Guest:
    """
    One instance that is expected.
    """

    def __init__(self, token: str, instance: str) -> None:
        self.token = token
        self.instance = instance
        self.calls = 0
        """Streams that it has opened."""
        self.refusal: End | None = None
        """How each further stream of it ends at once."""
        self.lines: asyncio.Queue[Line] = asyncio.Queue()
        """Its streams, as they come."""

    def forget_lines(self) -> None:
        """
        Forget streams that came and that nobody has looked at.
        """
        while not self.lines.empty():
            self.lines.get_nowait()


class Stage:
    """
    Where bots dial in. Every method is called in one asyncio loop.
    """

    def __init__(self, address: str, *, beyond_loopback: bool = False) -> None:
        """
        Set up; nothing listens yet.

        Args:
            address: `unix:/path`, or `host:port` with port 0 for any free one.
            beyond_loopback: Whether tokens may cross a network in the clear.

        Raises:
            ConfigError: It should not be listened there.
        """
        check_address(address, beyond_loopback=beyond_loopback)
        self.address = address
        """Where it listens; with the real port once it has started."""
        self.strangers: list[str] = []
        """What bots showed that showed no known token."""
        self.strange = asyncio.Event()
        """Set once there is one."""
        self._guests: dict[str, Guest] = {}
        self._server: grpc.aio.Server | None = None

    def expect(self, token: str, instance: str) -> Guest:
        """
        Expect an instance that shows *token*.
        """
        guest = self._guests[token] = Guest(token, instance)
        return guest

    async def start(self) -> None:
        """
        Listen, also again after `stop`.

        Raises:
            ConfigError: It cannot be listened there.
        """
        server = grpc.aio.server(options=OPTIONS)
        play: Any = grpc.stream_stream_rpc_method_handler(self._play)
        server.add_generic_rpc_handlers(
            (grpc.method_handlers_generic_handler(_SERVICE, {"Play": play}),)
        )
        self._server = server
        try:
            self.address = listen(server, self.address, None)
            await server.start()
        except BaseException:
            await self.stop()
            raise

    async def stop(self) -> None:
        """
        Listen no more; streams that are left break off.
        """
        server, self._server = self._server, None
        if server is not None:
            # A handler that hangs would hold up `stop` for ever.
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(server.stop(0.1), 5)
        for guest in self._guests.values():
            # Who dialled in at the last moment has lost that stream again.
            guest.forget_lines()

    async def _play(self, _: object, context: Context) -> None:
        guest = self._recognised(context)
        if guest is None:
            await context.abort(*REFUSED)
            return
        guest.calls += 1
        if guest.refusal is not None:
            # A client that is still writing may see another status than this one.
            await attend_only(context.read(), _SEND)
            await context.abort(*guest.refusal)
        line = Line(context)
        guest.lines.put_nowait(line)
        await line.serve()

    def _recognised(self, context: Context) -> Guest | None:
        shown = "no `authorization` among its metadata"
        for key, value in context.invocation_metadata() or ():
            if key != "authorization":
                continue
            scheme, _, token = str(value).partition(" ")
            if scheme.lower() != "bearer":
                shown = "an `authorization` that does not begin with `Bearer `"
            elif token.strip() in self._guests:
                return self._guests[token.strip()]
            else:
                shown = "a token that is not the one in EUCHRE_TOKEN"
        self.strangers.append(shown)
        self.strange.set()
        return None
