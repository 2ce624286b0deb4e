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


def test_a_frozen_peer_is_noticed_by_pings(kit) -> None:
    """
    A stopped process closes nothing; it just does not answer pings any more.

    Its game goes on for it: away like anybody whose connection is lost.
    """

    async def scenario(rig) -> None:
        env = {**os.environ, "EUCHRE_REFEREE": rig.address, "EUCHRE_TOKEN": "token-a"}
        bot = await asyncio.create_subprocess_exec(sys.executable, str(BOT), env=env)
        try:
            await rig.until(lambda: not rig.lost("a"))
            bot.send_signal(signal.SIGSTOP)
            # Its kernel acknowledges whatever comes, so nothing but a ping can tell.
            await rig.until(lambda: rig.lost("a"))
            assert None is bot.returncode
        finally:
            bot.kill()
            await bot.wait()

    kit.run(scenario, address="127.0.0.1:0")


@pytest.mark.parametrize("tcp", [False, True])
def test_a_client_that_pings_every_second_stays(kit, tcp: bool) -> None:
    """
    Case G8: through a long wait without a word said; and then it plays.
    """
    options = [
        ("grpc.keepalive_time_ms", 1000),
        # It would leave by itself if an answer took longer, and that is not the test.
        ("grpc.keepalive_timeout_ms", 1000 * kit.PATIENCE),
        ("grpc.keepalive_permit_without_calls", 1),
        ("grpc.http2.max_pings_without_data", 0),
    ]

    async def scenario(rig) -> None:
        bot = await rig.bot("b", options=options)
        # By default a server ends it after 3 seconds; there is nothing else to wait for.
        done, _ = await asyncio.wait([bot.task], timeout=6)
        assert (set(), False) == (done, rig.lost("b"))
        await rig.bot("a")
        await rig.bot("a", "2")
        await rig.bot("b", "2")
        assert [] == kit.codes(await rig.game())

    kit.run(scenario, address="127.0.0.1:0" if tcp else kit.address)


def test_who_comes_back_finds_its_clock_as_it_left_it(kit) -> None:
    """
    The same open question, with the time that was left; being away costs none of it.
    """

    async def scenario(rig) -> None:
        loop = asyncio.get_running_loop()
        bots = await rig.four(policies={("b", "1"): kit.silent})
        before = loop.time()
        task = rig.game()
        await rig.until(lambda: bots[1].unanswered)
        asked = loop.time()
        (ask,) = bots[1].unanswered
        await asyncio.sleep(0.3)
        at_least = loop.time() - asked
        await bots[1].close()
        await rig.until(lambda: rig.lost("b"))
        at_most = loop.time() - before
        # So long that it would show.
        await asyncio.sleep(at_most)
        before = loop.time()
        back = await rig.bot("b", policy=kit.silent)
        await rig.until(lambda: back.unanswered)
        at_most += loop.time() - before
        (again,) = back.unanswered

        assert (ask.ask_id, ask.view, ask.game_id) == (again.ask_id, again.view, again.game_id)
        # The server lets its clocks stand still where it is itself held up.
        held_up = rig.server.counts.lag.total
        assert at_least - held_up - 0.002 < _seconds(ask) - _seconds(again) < at_most + 0.002
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
