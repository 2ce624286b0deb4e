"""
Dead peers, patient ones, and those who come back.
"""

from __future__ import annotations

import asyncio
import os
import signal
import sys
import time
from pathlib import Path

import pytest

from referee.hall import InstanceKey

BOT = Path(__file__).parents[2] / "sample_bots" / "python" / "first.py"

pytestmark = pytest.mark.slow


def test_a_frozen_peer_is_noticed_within_seconds(kit) -> None:
    """
    A stopped process closes nothing; it just does not answer pings any more.

    Its game goes on for it: away like anybody whose connection is lost.
    """

    async def scenario(rig) -> None:
        env = {**os.environ, "EUCHRE_REFEREE": rig.address, "EUCHRE_TOKEN": "token-a"}
        bot = await asyncio.create_subprocess_exec(sys.executable, str(BOT), env=env)
        try:
            await rig.until(lambda: not rig.lost("a"), 20)
            bot.send_signal(signal.SIGSTOP)
            began = asyncio.get_running_loop().time()
            await rig.until(lambda: rig.lost("a"), 20)
            took = asyncio.get_running_loop().time() - began
        finally:
            bot.kill()
            await bot.wait()
        # A ping every 5 seconds, and 5 more for the answer.
        assert 1 < took < 14

    kit.run(scenario, address="127.0.0.1:0")


def test_a_client_that_pings_every_second_stays(kit) -> None:
    """
    For a quarter of a minute, without a word said.
    """
    options = [
        ("grpc.keepalive_time_ms", 1000),
        ("grpc.keepalive_timeout_ms", 1000),
        ("grpc.keepalive_permit_without_calls", 1),
        ("grpc.http2.max_pings_without_data", 0),
    ]

    async def scenario(rig) -> None:
        bot = await rig.bot("b", options=options)
        done, _ = await asyncio.wait([bot.task], timeout=15)
        assert (set(), False) == (done, rig.lost("b"))
        await rig.bot("a")
        await rig.bot("a", "2")
        await rig.bot("b", "2")
        assert [] == kit.codes(await rig.game())

    kit.run(scenario, address="127.0.0.1:0")


def test_who_comes_back_finds_its_clock_as_it_left_it(kit) -> None:
    """
    The same open question, with the time that was left; being away costs none of it.
    """

    async def scenario(rig) -> None:
        loop = asyncio.get_running_loop()
        bots = await rig.four(policies={("b", "1"): kit.silent})
        task = rig.game()
        await rig.until(lambda: bots[1].unanswered)
        (ask,) = bots[1].unanswered
        began = loop.time()
        await asyncio.sleep(0.6)
        used = loop.time() - began
        await bots[1].close()
        await rig.until(lambda: rig.lost("b"))
        await asyncio.sleep(0.6)
        back = await rig.bot("b", policy=kit.silent)
        await rig.until(lambda: back.unanswered)
        (again,) = back.unanswered

        assert (ask.ask_id, ask.view, ask.game_id) == (again.ask_id, again.view, again.game_id)
        spent = _seconds(ask) - _seconds(again)
        assert used - 0.1 < spent < used + 0.5
        assert 1 == len(rig.server.hall._instances[InstanceKey("b", "1")].open)
        back.policy = kit.first
        await back.close()
        await rig.bot("b")
        assert [] == kit.codes(await task)

    kit.run(scenario, address="127.0.0.1:0")


def test_our_own_stall_is_charged_to_no_bot(kit) -> None:
    """
    Held up for longer than an answer may take, the server lets all clocks stand still.
    """

    async def scenario(rig) -> None:
        bots = await rig.four(policies={("b", "1"): kit.silent})
        task = rig.game()
        await rig.until(lambda: bots[1].unanswered)
        time.sleep(4)  # noqa: ASYNC251  (that is what is tested)
        await asyncio.sleep(0.2)
        assert 1 == len(rig.server.hall._instances[InstanceKey("b", "1")].open)
        await bots[1].close()
        await rig.bot("b")
        assert [] == kit.codes(await task)

    kit.run(scenario, limits={"answer": 3.0})


def _seconds(ask) -> float:
    return ask.time_left.ToMilliseconds() / 1000
