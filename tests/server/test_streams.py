"""
Many streams: too many, two of one instance, slow ones, broken ones.
"""

from __future__ import annotations

import asyncio
import time

import grpc
import grpc.aio
import pytest
import structlog
from euchre.referee.v1 import referee_service_pb2 as pb
from grpc_health.v1 import health_pb2, health_pb2_grpc

from referee.hall import InstanceKey
from referee.opening import open_table
from referee.rules.options import BidRules
from referee.server import Bot, token_hash
from referee.server.conversation import Conversation
from referee.server.limiter import Shares


def test_streams_that_say_nothing_are_few(kit) -> None:
    """
    One bot cannot fill the referee by dialling without a Hello.
    """

    async def scenario(rig) -> None:
        await rig.four()
        silent = [await rig.raw("token-c") for _ in range(5)]
        await rig.until(lambda: 1 == sum(bot.task.done() for bot in silent))
        (refused,) = [bot for bot in silent if bot.task.done()]

        assert "RESOURCE_EXHAUSTED" == (await refused.status())[0].name
        assert [] == kit.codes(await rig.game())

    kit.run(scenario, max_instances=2)


def test_a_full_server_says_so_at_once(kit) -> None:
    """
    Case G2: one stream too many is refused, the others go on.
    """

    async def scenario(rig) -> None:
        await rig.four()
        bot = await rig.raw()
        await bot.say(kit.hello("5"))
        code, text = await bot.status()

        assert ("RESOURCE_EXHAUSTED", "the referee is full") == (code.name, text)
        assert [] == kit.codes(await rig.game())

    kit.run(scenario, max_streams=4)


def test_a_newer_stream_takes_over(kit) -> None:
    """
    The old one is aborted and its answers count for nothing any more; the new one plays on.
    """

    async def scenario(rig) -> None:
        _, old, *_ = await rig.four(policies={("b", "1"): kit.silent})
        task = rig.game()
        await rig.until(lambda: old.unanswered)
        new = await rig.bot("b", "1", kit.silent)
        code, text = await old.status()
        await rig.until(lambda: new.unanswered)
        (ask,) = new.unanswered

        assert "ABORTED" == code.name
        assert "newer stream" in text
        assert old.unanswered[0].ask_id == ask.ask_id
        answers = pb.PlayRequest()
        kit.first(ask, answers.answers.answers.add(ask_id=ask.ask_id))
        before = rig.server.hall.decisions
        await old.say(answers)
        assert before == rig.server.hall.decisions
        assert not rig.lost("b")
        new.policy = kit.first
        await new.say(answers)
        assert [] == kit.codes(await task)

    kit.run(scenario)


def test_two_streams_of_one_key_at_once(kit) -> None:
    """
    Of ten that come at the same time one stays, and it can play.
    """

    async def scenario(rig) -> None:
        await rig.bot("a")
        await rig.bot("a", "2")
        await rig.bot("b", "2")
        bots = await asyncio.gather(*[rig.bot("b") for _ in range(10)])
        await rig.until(lambda: 9 == sum(bot.task.done() for bot in bots))

        assert [] == kit.codes(await rig.game())

    kit.run(scenario)


@pytest.mark.slow
@pytest.mark.parametrize("talks", [True, False])
def test_a_stream_is_ended_in_a_pause(kit, monkeypatch, talks: bool) -> None:
    """
    A status that crosses a message could come out as INTERNAL; nobody is waited for long.
    """
    monkeypatch.setattr("referee.server.conversation._PAUSE", 0.5)
    waits = []
    pause = Conversation._pause

    async def noted(conversation, reader):
        waits.append(reader)
        await pause(conversation, reader)

    monkeypatch.setattr(Conversation, "_pause", noted)

    async def scenario(rig) -> None:
        bot = await rig.bot("b")
        rig.server.admit(Bot("b", "B", token_hash("fresh")))
        began = time.monotonic()
        # What it says before would not break the silence.
        await rig.until(lambda: waits)
        if talks:
            await bot.say(pb.PlayRequest(answers=pb.Answers()))
        code, _ = await bot.status()

        assert "UNAUTHENTICATED" == code.name
        assert (0.95 if talks else 0.45) < time.monotonic() - began

    kit.run(scenario)


def test_another_bots_answers_count_for_nothing(kit) -> None:
    """
    Nor do those of another instance of the same bot.
    """

    async def scenario(rig) -> None:
        north, east, _, west = await rig.four(policies={("b", "1"): kit.silent})
        task = rig.game()
        await rig.until(lambda: east.unanswered)
        (ask,) = east.unanswered
        before = rig.server.hall.decisions
        answers = pb.PlayRequest()
        kit.first(ask, answers.answers.answers.add(ask_id=ask.ask_id))
        stranger = await rig.bot("c")
        for bot in (north, west, stranger):
            await bot.say(answers)
        stale = rig.server.hall._instances
        await rig.until(lambda: all(stale[k].stale for k in (("a", "1"), ("b", "2"), ("c", "1"))))

        assert before == rig.server.hall.decisions
        east.policy = kit.first
        await east.say(answers)
        assert [] == kit.codes(await task)

    kit.run(scenario)


@pytest.mark.slow
def test_who_does_not_read_is_shown_out(kit) -> None:
    """
    The server waits for its buffers to empty only so long; the bystanders do not wait at all.
    """

    async def scenario(rig) -> None:
        await rig.four("c", "d")
        await rig.bot("a", "1")
        await rig.bot("a", "2")
        await rig.bot("b", "2")
        bot = await rig.raw("token-b")
        call = bot.channel.stream_stream(
            kit.PATH,
            request_serializer=pb.PlayRequest.SerializeToString,
        )(metadata=(("authorization", "Bearer token-b"),))
        await call.write(kit.hello("1", max_asks=64))
        await rig.until(lambda: len(rig.server._streams) == 8)
        games: list = []
        keys = tuple(InstanceKey(*key) for key in kit.SEATED)
        instance = rig.server.hall._instances["b", "1"]
        while not rig.lost("b"):
            # A game with names of 400 kB is told to the instance that does not read.
            table = open_table(BidRules(), bytes(32), f"long {len(games)}")
            names = ("x" * 100_000,) * 4
            games.append(asyncio.create_task(rig.server.play(table, keys, names)))
            await rig.until(lambda: len(instance.games) == len(games))
            await rig.until(lambda: rig.lost("b") or not instance.tells)
            assert len(games) < 100
        assert [] == kit.codes(await rig.game(set_id="by", one="c", two="d"))
        for game in games:
            game.cancel()
        await asyncio.wait(games)
        call.cancel()

    # Long enough for the others, which read in this process too, on a machine that is busy.
    kit.run(scenario, write=1.0)


@pytest.mark.slow
def test_streams_that_are_cancelled_leave_nothing(kit) -> None:
    """
    Case G4: 200 times, in the middle of a game; no stream and no task is left.
    """

    async def scenario(rig) -> None:
        await rig.four(policies={("b", "1"): kit.silent})
        task = rig.game()
        await rig.until(lambda: rig.bots[1].unanswered)
        before = len(asyncio.all_tasks())
        for number in range(200):
            bot = await rig.bot("b", policy=kit.silent)
            if number % 2:
                await rig.until(lambda bot=bot: bot.asks)
            await bot.close()
            rig.bots.remove(bot)
        await rig.until(lambda: rig.lost("b"))
        await rig.until(lambda: len(asyncio.all_tasks()) <= before)

        assert 3 == len(rig.server._streams) == rig.server.places.taken
        await rig.bot("b")
        assert [] == kit.codes(await task)

    kit.run(scenario)


@pytest.mark.slow
def test_silent_streams_hold_up_no_call(kit) -> None:
    """
    Case G1: sixty streams say nothing; who asks for the health of the server waits for none.
    """

    async def scenario(rig) -> None:
        silent = [await rig.raw(f"token-{bot}") for bot in "abcd" for _ in range(15)]
        await rig.until(lambda: 60 == rig.server.places.taken)
        stub = health_pb2_grpc.HealthStub(silent[0].channel)
        reply = await stub.Check(health_pb2.HealthCheckRequest(), timeout=kit.PATIENCE)

        assert health_pb2.HealthCheckResponse.SERVING == reply.status
        assert 60 == rig.server.places.taken

    kit.run(scenario, hello=1000.0)


@pytest.mark.slow
def test_many_streams_share_one_connection(kit) -> None:
    """
    Case G17: a hundred and fifty on one channel are all welcome, and the last can play.
    """

    async def scenario(rig) -> None:
        await rig.four()
        async with grpc.aio.insecure_channel(rig.address) as channel:
            play = channel.stream_stream(
                kit.PATH,
                request_serializer=pb.PlayRequest.SerializeToString,
                response_deserializer=pb.PlayResponse.FromString,
            )
            calls = [play(metadata=(("authorization", "Bearer token-c"),)) for _ in range(150)]
            for number, call in enumerate(calls):
                await call.write(kit.hello(str(number)))
            welcomes = await asyncio.gather(*(call.read() for call in calls))

            assert [str(n) for n in range(150)] == [w.welcome.instance for w in welcomes]
            assert [] == kit.codes(await rig.game())
            last = calls[-1]
            keys = [("c", "149"), ("a", "1"), ("c", "0"), ("a", "2")]
            table = open_table(BidRules(max_hands=1), bytes(32), "shared", seats=tuple("caca"))
            names = tuple("CACA")
            playing = rig.server.play(table, tuple(InstanceKey(*key) for key in keys), names)
            task = asyncio.create_task(playing)
            answering = [asyncio.create_task(_answer(kit, call)) for call in (last, calls[0])]
            assert [] == kit.codes(await task)
            for each in (*answering, *calls):
                each.cancel()
            await asyncio.gather(*answering, return_exceptions=True)

    kit.run(scenario, max_instances=200)


async def _answer(kit, call) -> None:
    """
    Answer what comes on a stream.
    """
    while (response := await call.read()) is not grpc.aio.EOF:
        request = pb.PlayRequest()
        for ask in response.frame.asks:
            kit.first(ask, request.answers.answers.add(ask_id=ask.ask_id))
        if request.answers.answers:
            await call.write(request)


def test_who_comes_and_goes_does_not_fill_the_log(kit) -> None:
    """
    A few times are told, with their ends; then one a second.
    """

    async def scenario(rig) -> None:
        # It fills so slowly that nothing depends on how fast we are.
        rig.server._lines = Shares(1e-9, 2)
        with structlog.testing.capture_logs() as logs:

            def levels(name: str, who: str) -> list[str]:
                return [
                    each["log_level"]
                    for each in logs
                    if each["event"] == name and each["bot"] == who
                ]

            for _ in range(4):
                bot = await rig.bot("b")
                await bot.close()
                await rig.until(lambda: rig.lost("b"))
            await rig.bot("a")
        assert ["info"] == levels("instance_connected", "a")
        for name in ("instance_connected", "instance_lost"):
            assert ["info", "info", "debug", "debug"] == levels(name, "b")

    kit.run(scenario)
