"""
Bots that break the protocol: each is shown out with a status, and nobody else notices.
"""

from __future__ import annotations

import asyncio
import contextlib
import itertools

import grpc
import grpc.aio
import pytest
from euchre.referee.v1 import referee_service_pb2 as pb
from euchre.referee.v1 import referee_service_pb2_grpc

from referee.hall import InstanceKey
from referee.opening import open_table
from referee.rules.options import BidRules

EMPTY = pb.PlayRequest(answers=pb.Answers())
GARBAGE = b"\xff\xff\xff hand of seat 2"


async def connected(rig, _kit):
    """
    A bot that has said hello.
    """
    return await rig.bot("b", "9")


async def dumb(rig, _kit):
    """
    One that has not.
    """
    return await rig.raw()


async def says(bot, *requests):
    """
    Let *bot* send messages.
    """
    for request in requests:
        await bot.say(request)
    return await bot.status()


async def unset_kind(rig, kit):
    """
    A message of no kind.
    """
    return await says(await connected(rig, kit), pb.PlayRequest())


async def unset_kind_first(rig, kit):
    """
    The same before the Hello.
    """
    return await says(await dumb(rig, kit), pb.PlayRequest())


async def second_hello(rig, kit):
    """
    Another Hello.
    """
    return await says(await connected(rig, kit), kit.hello("9"))


async def answers_first(rig, kit):
    """
    Answers before the Hello.
    """
    return await says(await dumb(rig, kit), EMPTY)


async def leave_first(rig, kit):
    """
    Leave before the Hello.
    """
    return await says(await dumb(rig, kit), pb.PlayRequest(leave=pb.Leave()))


async def wrong_protocol(rig, kit):
    """
    A version that is not spoken.
    """
    return await says(await dumb(rig, kit), kit.hello(protocol=2))


async def wrong_instance(rig, kit):
    """
    A name that is none.
    """
    return await says(await dumb(rig, kit), kit.hello("../1"))


async def no_hello(rig, kit):
    """
    Nothing at all.
    """
    bot = await dumb(rig, kit)
    return await bot.status()


async def end_without_hello(rig, kit):
    """
    The end before the beginning.
    """
    bot = await dumb(rig, kit)
    await bot.call.done_writing()
    return await bot.status()


async def wrong_token(rig, kit):
    """
    A token of nobody.
    """
    return await says(await rig.raw("token-x"), kit.hello())


async def no_token(rig, kit):
    """
    No token.
    """
    return await says(await rig.raw(None), kit.hello())


async def other_scheme(rig, kit):
    """
    A token of another kind.
    """
    bot = await rig.raw(None)
    call = bot.channel.stream_stream(kit.PATH)(metadata=(("authorization", "Basic token-b"),))
    return await call.code(), await call.details()


async def huge(rig, kit):
    """
    One message that is too large.
    """
    big = pb.PlayRequest()
    for number in range(20_000):
        big.answers.answers.add(ask_id=2**40 + number)
    return await says(await connected(rig, kit), big)


async def flood(rig, kit):
    """
    More messages than are allowed.
    """
    messages = itertools.chain([kit.hello("9")], itertools.repeat(EMPTY))

    def pour():
        # An asyncio client whose write fails may report that in place of the status.
        with grpc.insecure_channel(rig.address) as channel:
            stub = referee_service_pb2_grpc.RefereeServiceStub(channel)
            call = stub.Play(messages, metadata=(("authorization", "Bearer token-b"),))
            with contextlib.suppress(grpc.RpcError):
                for _ in call:
                    pass
            return call.code(), call.details()

    return await asyncio.to_thread(pour)


async def garbage(rig, kit):
    """
    Bytes that are no message.
    """
    return await raw_bytes(rig, kit, kit.hello("9").SerializeToString(), GARBAGE)


async def garbage_first(rig, kit):
    """
    The same before the Hello.
    """
    return await raw_bytes(rig, kit, GARBAGE)


async def raw_bytes(rig, kit, *messages: bytes):
    """
    Send bytes as they are.
    """
    bot = await rig.raw()
    call = bot.channel.stream_stream(kit.PATH)(metadata=(("authorization", "Bearer token-b"),))
    for message in messages:
        await call.write(message)
    # The status comes behind whatever is still to be read.
    with contextlib.suppress(grpc.aio.AioRpcError):
        while await call.read() is not grpc.aio.EOF:
            pass
    return await call.code(), await call.details()


async def too_many_instances(rig, kit):
    """
    More instances than are allowed.
    """
    for number in range(6):
        bot = await rig.bot("b", f"more-{number}")
        if bot.task.done():
            return await bot.status()
    return await says(await rig.raw(), kit.hello("last"))


CASES = [
    (unset_kind, "INVALID_ARGUMENT", "kind is not set"),
    (unset_kind_first, "INVALID_ARGUMENT", "kind is not set"),
    (second_hello, "FAILED_PRECONDITION", "one Hello"),
    (answers_first, "FAILED_PRECONDITION", "must be a Hello"),
    (leave_first, "FAILED_PRECONDITION", "must be a Hello"),
    (wrong_protocol, "INVALID_ARGUMENT", "speaks 1"),
    (wrong_instance, "INVALID_ARGUMENT", "instance"),
    (no_hello, "INVALID_ARGUMENT", "in time"),
    (end_without_hello, "INVALID_ARGUMENT", "without a Hello"),
    (wrong_token, "UNAUTHENTICATED", "token"),
    (no_token, "UNAUTHENTICATED", "token"),
    (other_scheme, "UNAUTHENTICATED", "token"),
    (huge, "RESOURCE_EXHAUSTED", "larger than max"),
    (flood, "RESOURCE_EXHAUSTED", "too many messages"),
    (garbage, "INVALID_ARGUMENT", "cannot be parsed"),
    (garbage_first, "INVALID_ARGUMENT", "cannot be parsed"),
    (too_many_instances, "RESOURCE_EXHAUSTED", "too many instances"),
]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("breach", "code", "text"), CASES, ids=lambda x: getattr(x, "__name__", "")
)
def test_a_breach_ends_that_stream_alone(kit, breach, code: str, text: str) -> None:
    """
    The status says what was wrong, and bystanders finish their games without a ruling.
    """

    async def scenario(rig) -> None:
        await rig.four("c", "d")
        games = [rig.game(set_id=f"s{n}", one="c", two="d") for n in range(3)]
        before = rig.server.hall.decisions
        await rig.until(lambda: rig.server.hall.decisions > before)
        async with asyncio.timeout(15):
            status, details = await breach(rig, kit)
        for game in games:
            assert [] == kit.codes(await game)
        assert 4 == sum(key.bot in "cd" for key in rig.server._streams)

        assert code == status.name
        assert text in details
        assert "seat 2" not in details

    kit.run(
        scenario, hello=0.5, messages_per_second=2000, max_instances=4, max_message_bytes=1 << 16
    )


def test_a_full_server_says_so_at_once(kit) -> None:
    """
    Case G2: one stream too many is refused, the others go on.
    """

    async def scenario(rig) -> None:
        await rig.four()
        bot = await rig.raw()
        code, text = await says(bot, kit.hello("5"))

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

    kit.run(scenario, write=0.3)


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

        assert 3 == len(rig.server._streams) == rig.server._opened.total()
        await rig.bot("b")
        assert [] == kit.codes(await task)

    kit.run(scenario)


@pytest.mark.slow
def test_many_pings_are_borne(kit) -> None:
    """
    Case G8: a bot that pings each second through a long wait is still there.
    """
    options = [
        ("grpc.keepalive_time_ms", 1000),
        ("grpc.keepalive_timeout_ms", 1000),
        ("grpc.keepalive_permit_without_calls", 1),
        ("grpc.http2.max_pings_without_data", 0),
    ]

    async def scenario(rig) -> None:
        bot = await rig.bot("b", options=options)
        # By default a server ends it after 3 seconds; there is nothing else to wait for.
        done, _ = await asyncio.wait([bot.task], timeout=5)

        assert not done
        assert not rig.lost("b")

    kit.run(scenario)
