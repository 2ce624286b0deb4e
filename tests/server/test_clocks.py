"""
Time limits that take no notice of time in which we were held up ourselves.
"""

from __future__ import annotations

import asyncio
import contextlib
import time
from typing import TYPE_CHECKING

import grpc.aio
import pytest
from euchre.referee.v1 import referee_service_pb2 as pb

from referee.hall import InstanceKey
from referee.opening import open_table
from referee.rules.options import BidRules
from referee.server.clocks import Clocks, attend
from referee.server.ends import End
from referee.wire import encode

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

Looks = list[tuple[float, float]]


def with_clocks(scenario: Callable[[Clocks, Looks], Awaitable[None]]) -> None:
    """
    Run *scenario* with clocks that run; it is given what they say of each look.
    """

    async def around() -> None:
        clocks = Clocks()
        looks: Looks = []
        running = asyncio.create_task(
            clocks.run(lambda now, late, held_up: looks.append((late, held_up)))
        )
        await asyncio.sleep(0)
        try:
            async with asyncio.timeout(60):
                await scenario(clocks, looks)
        finally:
            running.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await running
        assert {} == clocks._ends

    asyncio.run(around())


def test_a_limit_that_is_reached() -> None:
    """
    It ends what takes too long, and nothing before that.
    """

    async def scenario(clocks: Clocks, looks: Looks) -> None:
        del looks
        began = time.monotonic()
        with pytest.raises(TimeoutError):
            async with clocks.within(0.2):
                await asyncio.Event().wait()
        assert 0.2 <= time.monotonic() - began
        async with clocks.within(0.0):
            pass

    with_clocks(scenario)


@pytest.mark.slow
def test_a_limit_stands_still_while_we_are_held_up() -> None:
    """
    Suspended for longer than the limit, we still allow what was left of it.
    """

    async def scenario(clocks: Clocks, looks: Looks) -> None:
        async with clocks.within(1.0):
            time.sleep(1.5)  # noqa: ASYNC251  (as if our process had been stopped)
            await asyncio.sleep(0.1)
        late, held_up = max(looks)
        assert 1.4 < late == held_up

        began = time.monotonic()

        async def long() -> None:
            async with clocks.within(0.5):
                time.sleep(0.3)  # noqa: ASYNC251  (as above)
                await asyncio.Event().wait()

        with pytest.raises(TimeoutError):
            await long()
        assert 0.75 < time.monotonic() - began

    with_clocks(scenario)


def test_other_ends_pass_through() -> None:
    """
    What the body raises, and that it is cancelled, is nothing that a limit has to do with.
    """

    async def scenario(clocks: Clocks, looks: Looks) -> None:
        del looks
        with pytest.raises(KeyError):
            async with clocks.within(1.0):
                raise KeyError

        async def wait() -> None:
            async with clocks.within(1.0):
                await asyncio.Event().wait()

        task = asyncio.create_task(wait())
        await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    with_clocks(scenario)


@pytest.mark.slow
def test_a_short_wait_is_not_over_because_we_were_held_up() -> None:
    """
    Suspended for longer than all of it, we still look at what comes then.
    """

    async def scenario() -> None:
        coming = asyncio.get_running_loop().create_future()
        waiting = asyncio.create_task(attend(coming, 0.5))
        await asyncio.sleep(0)
        time.sleep(0.6)  # noqa: ASYNC251  (as if our process had been stopped)
        asyncio.get_running_loop().call_later(0.01, coming.set_result, None)
        await waiting
        assert coming.done()

        began = time.monotonic()
        await attend(asyncio.get_running_loop().create_future(), 0.1)
        assert 0.09 < time.monotonic() - began

    asyncio.run(scenario())


@pytest.mark.slow
def test_farewells_are_said_though_we_were_held_up(kit, monkeypatch) -> None:
    """
    We are suspended while we stop, for longer than bots and streams get for it.
    """
    calls = []

    async def scenario(rig) -> None:
        bots = await rig.four()
        say = End.say

        async def suspended(end, context) -> None:
            calls.append(end)
            await asyncio.sleep(0.05)
            if len(calls) == 4:
                time.sleep(0.7)  # noqa: ASYNC251  (as if our process had been stopped)
                calls.clear()
            await asyncio.sleep(0.05)
            await say(end, context)

        monkeypatch.setattr(End, "say", suspended)
        await rig.server.stop("the league is over", grace=0.5)
        for bot in bots:
            assert "OK" == (await bot.status())[0].name
            await bot.task
            assert "the league is over" == bot.received[-1].farewell.reason

    kit.run(scenario)


@pytest.mark.slow
def test_a_farewell_is_written_though_we_were_held_up() -> None:
    """
    We are suspended in the middle of it, for longer than a bot gets to take it.
    """
    written = []

    class Context:
        async def write(self, message: bytes) -> None:
            time.sleep(1.1)  # noqa: ASYNC251  (as if our process had been stopped)
            await asyncio.sleep(0.05)
            written.append(message)

    asyncio.run(End.farewell("goodbye").say(Context()))
    assert [encode.farewell("goodbye").SerializeToString()] == written


@pytest.mark.slow
def test_who_could_not_read_while_we_were_held_up_stays(kit) -> None:
    """
    We are suspended for longer than a write may take, in the middle of one.
    """

    async def scenario(rig) -> None:
        for bot, number in (("a", "1"), ("a", "2"), ("b", "2")):
            await rig.bot(bot, number)
        channel = grpc.aio.insecure_channel(rig.address)
        slow = channel.stream_stream(kit.PATH, request_serializer=pb.PlayRequest.SerializeToString)(
            metadata=(("authorization", "Bearer token-b"),)
        )
        await slow.write(kit.hello())
        await rig.until(lambda: not rig.lost("b"))
        games = []
        keys = tuple(InstanceKey(*key) for key in kit.SEATED)
        instance = rig.server.hall._instances["b", "1"]
        while not (instance.tells and rig.server.clocks._ends):
            # A game with names of 400 kB is told to the instance that does not read.
            table = open_table(BidRules(), bytes(32), f"long {len(games)}")
            names = ("x" * 100_000,) * 4
            games.append(asyncio.create_task(rig.server.play(table, keys, names)))
            await rig.until(lambda: len(instance.games) == len(games))
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(0.2):
                    await rig.until(lambda: not (instance.tells or rig.server.clocks._ends))
            assert len(games) < 100
        time.sleep(3)  # noqa: ASYNC251  (as if our process had been stopped)

        came = asyncio.Event()

        async def read() -> None:
            with contextlib.suppress(Exception):
                while True:
                    await slow.read()
                    came.set()

        reading = asyncio.create_task(read())
        await came.wait()
        await rig.until(lambda: not rig.server.clocks._ends)
        assert not rig.lost("b")
        slow.cancel()
        for game in games:
            game.cancel()
        await asyncio.wait([reading, *games])
        await channel.close()

    kit.run(scenario, write=2.5)
