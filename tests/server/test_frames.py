"""
HTTP/2 as no client of gRPC writes it: frames by hand.
"""

from __future__ import annotations

import asyncio
import contextlib
import struct
from typing import TYPE_CHECKING

from referee.server import core
from referee.server.settings import OPTIONS

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

DATA, HEADERS, RST_STREAM, SETTINGS, PING = 0, 1, 3, 4, 6
END_STREAM, END_HEADERS, ACK = 1, 4, 1
INITIAL_WINDOW_SIZE = 4
REFUSED_STREAM = 7

LIST = "/euchre.referee.v1.TournamentService/ListBots"
HEALTH = "/grpc.health.v1.Health/Check"
NOTHING = bytes(5)
"""An empty message, as gRPC frames it."""


def frame(kind: int, flags: int = 0, stream: int = 0, payload: bytes = b"") -> bytes:
    """
    One frame.
    """
    return struct.pack(">I", len(payload))[1:] + struct.pack(">BBI", kind, flags, stream) + payload


def headers(path: str) -> bytes:
    """
    The headers of a call, each in its plainest form.
    """
    fields = {
        ":method": "POST",
        ":scheme": "http",
        ":path": path,
        ":authority": "x",
        "te": "trailers",
        "content-type": "application/grpc",
    }
    return b"".join(
        b"\0" + b"".join(bytes([len(text)]) + text.encode() for text in pair)
        for pair in fields.items()
    )


class Connection:
    """
    A connection, on which anything can be written.
    """

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader, self.writer = reader, writer

    async def read(self) -> tuple[int, int, int, bytes]:
        """
        Return the next frame: kind, flags, stream, payload.
        """
        head = await self.reader.readexactly(9)
        kind, flags, stream = struct.unpack(">BBI", head[3:])
        return kind, flags, stream, await self.reader.readexactly(int.from_bytes(head[:3]))

    async def frames(self) -> AsyncIterator[tuple[int, int, int, bytes]]:
        """
        Yield frames until the connection ends.
        """
        with contextlib.suppress(EOFError, ConnectionError):
            while True:
                yield await self.read()

    async def pinged(self) -> list[int]:
        """
        Return the kinds of the frames that come before the answer to a ping.
        """
        self.writer.write(frame(PING, 0, 0, bytes(8)))
        kinds = []
        async for kind, flags, *_ in self.frames():
            if (kind, flags) == (PING, ACK):
                break
            kinds.append(kind)
        return kinds


@contextlib.asynccontextmanager
async def dialled(address: str, settings: bytes = b"") -> AsyncIterator[Connection]:
    """
    A connection on which a client has introduced itself.
    """
    host, _, port = address.rpartition(":")
    reader, writer = await asyncio.open_connection(host, int(port))
    try:
        writer.write(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + frame(SETTINGS, 0, 0, settings))
        # What it is told of the server's settings is in force once it has said so.
        writer.write(frame(SETTINGS, ACK))
        yield Connection(reader, writer)
    finally:
        writer.close()
        with contextlib.suppress(ConnectionError):
            await writer.wait_closed()


def test_a_connection_has_so_many_streams(kit) -> None:
    """
    What comes beyond is refused by gRPC itself, before its headers cost us anything.
    """

    async def scenario(rig) -> None:
        async with dialled(rig.address) as connection:
            # Without its message no call ends.
            calls = [frame(HEADERS, END_HEADERS, 2 * n + 1, headers(LIST)) for n in range(300)]
            await connection.read()
            connection.writer.write(b"".join(calls))
            expected = [2 * n + 1 for n in range(256, 300)]
            refused = []
            async for kind, _, stream, payload in connection.frames():
                if kind == RST_STREAM and int.from_bytes(payload) == REFUSED_STREAM:
                    refused.append(stream)
                if len(refused) == len(expected):
                    break

            assert expected == refused
            assert RST_STREAM not in await connection.pinged()

    kit.run(scenario, address="127.0.0.1:0")


def test_a_listener_has_so_many_connections(kit, monkeypatch) -> None:
    """
    Who comes beyond is turned away; who is there stays, and once some have gone, others come in.
    """
    monkeypatch.setattr(core, "connections_allowed", lambda: 5)

    async def scenario(rig) -> None:
        async with contextlib.AsyncExitStack() as stack:
            ways = [await stack.enter_async_context(dialled(rig.address)) for _ in range(8)]
            greetings = [await way.pinged() for way in ways]

            assert 5 == sum(SETTINGS in each for each in greetings)
        for bot, instance in (("a", "1"), ("b", "1"), ("a", "2"), ("b", "2")):
            # gRPC does not see at once that they have gone.
            while not (await rig.bot(bot, instance)).received:
                pass
        assert [] == kit.codes(await rig.game())

    kit.run(scenario, address="127.0.0.1:0")


def test_who_connects_and_says_nothing_is_shown_out(kit, monkeypatch) -> None:
    """
    Its connection would be one that nobody else can have.
    """
    options = dict(OPTIONS)
    # By default it is 120 seconds.
    assert 20_000 == options["grpc.server_handshake_timeout_ms"]
    options["grpc.server_handshake_timeout_ms"] = 200
    monkeypatch.setattr(core, "OPTIONS", tuple(options.items()))

    async def scenario(rig) -> None:
        host, _, port = rig.address.rpartition(":")
        reader, writer = await asyncio.open_connection(host, int(port))
        async with asyncio.timeout(kit.PATIENCE):
            await reader.read()
        writer.close()

    kit.run(scenario, address="127.0.0.1:0")


def test_who_leaves_before_the_answer_is_no_news(kit, caplog) -> None:
    """
    A traceback for each would fill the disk.
    """

    async def scenario(rig) -> None:
        window = struct.pack(">HI", INITIAL_WINDOW_SIZE, 0)
        async with dialled(rig.address, window) as connection:
            call = frame(HEADERS, END_HEADERS, 1, headers(HEALTH))
            connection.writer.write(call + frame(DATA, END_STREAM, 1, NOTHING))
            async for kind, *_ in connection.frames():
                # There is an answer, and no room for it.
                assert kind != DATA
                if kind == HEADERS:
                    break
        await asyncio.sleep(0.2)
        assert [] == [record.getMessage() for record in caplog.records]

    kit.run(scenario, address="127.0.0.1:0")
