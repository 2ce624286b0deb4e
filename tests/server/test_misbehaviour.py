"""
Bots that break the protocol: each is shown out with a status, and nobody else notices.
"""

from __future__ import annotations

import asyncio
import contextlib
import dataclasses
import itertools

import grpc
import grpc.aio
import pytest
from euchre.referee.v1 import referee_service_pb2 as pb
from euchre.referee.v1 import referee_service_pb2_grpc

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
    # Now that the bystanders have said theirs.
    rig.server.settings = dataclasses.replace(rig.server.settings, hello=0.2)
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
    # So few for those who come now that any machine is faster.
    rig.server.settings = dataclasses.replace(rig.server.settings, messages_per_second=10)
    messages = itertools.chain([kit.hello("9")], itertools.repeat(EMPTY))

    def pour():
        # An asyncio client whose write fails may report that in place of the status.
        with grpc.insecure_channel(rig.address) as channel:
            stub = referee_service_pb2_grpc.RefereeServiceStub(channel)
            # With a limit: nobody could end this thread.
            call = stub.Play(
                messages, timeout=kit.PATIENCE, metadata=(("authorization", "Bearer token-b"),)
            )
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


async def other_games(rig, kit):
    """
    A bot that can play nothing of what is played.
    """
    return await says(await dumb(rig, kit), kit.hello(games=[2]))


async def unknown_game(rig, kit):
    """
    A game that does not exist.
    """
    return await says(await dumb(rig, kit), kit.hello(games=[1, 99]))


async def rude_software(rig, kit):
    """
    A text that would rewrite a terminal.
    """
    return await says(await dumb(rig, kit), kit.hello(software="x\x1b[2J"))


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
    (other_games, "FAILED_PRECONDITION", "only bid is played here"),
    (unknown_game, "INVALID_ARGUMENT", "99"),
    (rude_software, "INVALID_ARGUMENT", "control characters"),
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
        async with asyncio.timeout(kit.PATIENCE):
            status, details = await breach(rig, kit)
        for game in games:
            assert [] == kit.codes(await game)
        assert 4 == sum(key.bot in "cd" for key in rig.server._streams)

        assert code == status.name
        assert text in details
        assert "seat 2" not in details

    kit.run(
        scenario,
        messages_per_second=2000,
        max_instances=4,
        max_message_bytes=1 << 16,
        games=frozenset({"bid"}),
    )
