"""
A real server, and bots that know nothing but the .proto: no library is needed to play.
"""

from __future__ import annotations

import asyncio
import contextlib
import shutil
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import grpc
import grpc.aio
import pytest
from euchre.referee.v1 import referee_service_pb2 as pb
from euchre.referee.v1 import referee_service_pb2_grpc

from referee.hall import InstanceKey, Limits
from referee.opening import open_table
from referee.rules.options import BidRules
from referee.server import Bot, RefereeServer, Settings, token_hash

sys.path.insert(0, str(Path(__file__).parents[1]))

from plain import first

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Iterator

    from euchre.referee.v1 import game_pb2

    from referee.hall import FinishedGame
    from referee.rules.options import Rules

BOTS = ("a", "b", "c", "d")
SEATED = (("a", "1"), ("b", "1"), ("a", "2"), ("b", "2"))
PATH = "/euchre.referee.v1.RefereeService/Play"

PATIENCE = 60
"""Seconds after which what a test waits for will not come any more."""


def silent(ask: game_pb2.Ask, out: game_pb2.Answer) -> bool:
    """
    Say nothing.
    """
    del ask, out
    return False


def hello(instance: str = "1", max_asks: int = 16, **fields: Any) -> pb.PlayRequest:
    """
    The first message of a bot.
    """
    said = {"protocol": 1, "instance": instance, "max_asks": max_asks, **fields}
    return pb.PlayRequest(hello=pb.Hello(**said))


class TinyBot:
    """
    One stream of one instance.
    """

    def __init__(self, address: str, token: str | None, policy: Any = first, options=()) -> None:
        self.policy = policy
        self.channel = grpc.aio.insecure_channel(address, options=list(options))
        stub = referee_service_pb2_grpc.RefereeServiceStub(self.channel)
        metadata = () if token is None else (("authorization", f"Bearer {token}"),)
        self.call = stub.Play(metadata=metadata)
        self.received: list[pb.PlayResponse] = []
        self.unanswered: list[game_pb2.Ask] = []
        self._saying = asyncio.Lock()
        self.task = asyncio.create_task(self._run())

    async def _run(self) -> None:
        """
        Answer until the stream ends.
        """
        with contextlib.suppress(grpc.aio.AioRpcError, asyncio.CancelledError):
            while (response := await self.call.read()) is not grpc.aio.EOF:
                self.received.append(response)
                request = pb.PlayRequest()
                for ask in response.frame.asks:
                    out = request.answers.answers.add(ask_id=ask.ask_id)
                    if not self.policy(ask, out):
                        del request.answers.answers[-1]
                        self.unanswered.append(ask)
                if request.answers.answers:
                    await self.say(request)

    async def say(self, request: pb.PlayRequest) -> None:
        """
        Send a message, if the stream is still there; gRPC breaks off at two at the same time.
        """
        async with self._saying:
            with contextlib.suppress(grpc.aio.AioRpcError, asyncio.InvalidStateError):
                await self.call.write(request)

    async def status(self) -> tuple[grpc.StatusCode, str]:
        """
        How the stream ended, once it has.
        """
        async with asyncio.timeout(PATIENCE):
            return await self.call.code(), await self.call.details() or ""

    async def close(self) -> None:
        """
        Cut the connection.
        """
        self.call.cancel()
        await self.task
        await self.channel.close()

    @property
    def asks(self) -> list[game_pb2.Ask]:
        """
        Everything that it was asked.
        """
        return [ask for response in self.received for ask in response.frame.asks]

    @property
    def tells(self) -> list[pb.Tell]:
        """
        Everything that it was told.
        """
        return [tell for response in self.received for tell in response.frame.tells]


class Rig:
    """
    A server, and what a test does with it.
    """

    def __init__(self, server: RefereeServer) -> None:
        self.server = server
        self.bots: list[TinyBot] = []
        for bot in BOTS:
            server.admit(Bot(bot, bot.upper(), token_hash(f"token-{bot}")))

    @property
    def address(self) -> str:
        """
        Where to dial.
        """
        return self.server.addresses[0]

    async def bot(self, bot: str, instance: str = "1", policy: Any = first, **options) -> TinyBot:
        """
        Connect an instance, and wait for its Welcome.
        """
        max_asks = options.pop("max_asks", 16)
        tiny = TinyBot(self.address, f"token-{bot}", policy, **options)
        self.bots.append(tiny)
        await tiny.say(hello(instance, max_asks))
        await self.until(lambda: tiny.received or tiny.task.done())
        return tiny

    async def raw(self, token: str | None = "token-b") -> TinyBot:  # noqa: S107  (no secret)
        """
        Dial, and say nothing yet.
        """
        tiny = TinyBot(self.address, token)
        self.bots.append(tiny)
        return tiny

    async def four(self, one: str = "a", two: str = "b", policies=None) -> list[TinyBot]:
        """
        Connect two instances of each of two bots, in the order of seats.
        """
        policies = policies or {}
        keys = [(one, "1"), (two, "1"), (one, "2"), (two, "2")]
        return [await self.bot(*key, policies.get(key, first)) for key in keys]

    def game(
        self, rules: Rules | None = None, set_id: str = "s", one: str = "a", two: str = "b"
    ) -> asyncio.Task[FinishedGame]:
        """
        Begin a game between two bots, *one* as north and south.
        """
        table = open_table(
            rules or BidRules(max_hands=6), bytes(32), set_id, seats=(one, two, one, two)
        )
        return self.play(table, one, two)

    def play(self, table: Any, one: str = "a", two: str = "b") -> asyncio.Task[FinishedGame]:
        """
        The same with a table.
        """
        keys = tuple(InstanceKey(*key) for key in ((one, "1"), (two, "1"), (one, "2"), (two, "2")))
        return asyncio.create_task(self.server.play(table, keys, (one, two, one, two)))

    async def until(self, condition: Callable[[], Any]) -> None:
        """
        Wait until *condition* holds.
        """
        end = time.monotonic() + PATIENCE
        while not condition():
            assert time.monotonic() < end, f"it did not come to that: {await self.state()}"
            await asyncio.sleep(0.002)

    async def state(self) -> str:
        """
        What there is, for whoever wonders why a test fails.
        """
        bots = [
            f"{len(bot.received)} messages, "
            + (f"ended: {await bot.status()}" if bot.task.done() else "not ended")
            for bot in self.bots
        ]
        return f"streams {sorted(self.server._streams)}, bots {bots}"

    def make_late(self, bot: str, instance: str = "1") -> None:
        """
        Let the time for all that an instance has been asked pass, and nobody else's.
        """
        limit = self.server.settings.limits.answer
        self.server.hall._instances[InstanceKey(bot, instance)]._shift(-2 * limit)

    def lost(self, bot: str, instance: str = "1") -> bool:
        """
        Whether an instance is not connected.
        """
        return InstanceKey(bot, instance) not in self.server._streams


def codes(game: FinishedGame) -> list[str]:
    """
    All rulings of a game, in order, as `code seat`.
    """
    rulings = [r for deal in game.record.deals for _, r in deal.rulings]
    return [f"{ruling.code} {ruling.seat}" for ruling in rulings]


@contextlib.asynccontextmanager
async def serving(address: str, office: Any = None, **settings: Any) -> AsyncIterator[Rig]:
    """
    A server that is stopped at the end, with all bots cut off, and leaves nothing behind.
    """
    limits = {"answer": 1000.0, "grace": 1000.0, **settings.pop("limits", {})}
    server = RefereeServer([address], Settings(limits=Limits(**limits), **settings), office=office)
    before = asyncio.all_tasks()
    await server.start()
    rig = Rig(server)
    try:
        yield rig
    finally:
        for bot in rig.bots:
            await bot.close()
        await server.stop(grace=0.5)
    await rig.until(lambda: not server._streams and not server.places.taken)
    await rig.until(lambda: not {t for t in asyncio.all_tasks() - before if not t.done()})


class Kit:
    """
    What the tests of the server share.
    """

    TinyBot, PATH, SEATED, PATIENCE = TinyBot, PATH, SEATED, PATIENCE
    first, silent = staticmethod(first), staticmethod(silent)
    hello, codes, serving = staticmethod(hello), staticmethod(codes), staticmethod(serving)

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.address = f"unix:{folder}/referee"

    def run(self, scenario: Callable[[Rig], Any], **settings: Any) -> None:
        """
        Run *scenario* with a server.
        """

        async def around() -> None:
            async with asyncio.timeout(2 * PATIENCE):
                async with serving(settings.pop("address", self.address), **settings) as rig:
                    await scenario(rig)

        asyncio.run(around())


@pytest.fixture(name="kit")
def _kit() -> Iterator[Kit]:
    """
    The tools, with a fresh folder for sockets: their paths must be short.
    """
    folder = Path(tempfile.mkdtemp(prefix="referee-"))
    yield Kit(folder)
    shutil.rmtree(folder)
