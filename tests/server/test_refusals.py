"""
Refusals that programs can read, and limits on every call.
"""

from __future__ import annotations

import asyncio
import contextlib
import re
import time
from contextlib import ExitStack
from pathlib import Path

import grpc
import grpc.aio
import pytest
from euchre.referee.v1 import tournament_service_pb2 as tournament
from google.rpc import error_details_pb2, status_pb2
from grpc_health.v1 import health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha import reflection_pb2, reflection_pb2_grpc

from referee import client
from referee.errors import ConfigError, RemoteError
from referee.office import NoOffice, Submission
from referee.refusals import DOMAIN, Reason, Refusal, Refused
from referee.server import Bot, Settings, token_hash
from referee.server.ends import CROWDED, CROWDED_ADDRESS, FULL
from referee.server.limiter import LOCAL, MAX_NAMES, Bucket, Limiter, peer_of
from referee.server.places import Places
from referee.wire.status import DETAILS, read_refusal, write_refusal

SERVICE = "/euchre.referee.v1.TournamentService"
PAGE = Path(__file__).parents[2] / "docs" / "protocol.md"


async def refusal_of(call) -> Refusal:
    """
    How a call that is refused ends: the refusal that its details tell.
    """
    code = await call.code()
    (packed,) = [value for key, value in await call.trailing_metadata() if key == DETAILS]
    status = status_pb2.Status.FromString(packed)
    assert code.value[0] == status.code
    assert await call.details() == status.message
    refusal = read_refusal(packed)
    assert refusal is not None
    assert code.name == refusal.reason.status
    return refusal


class Picky(NoOffice):
    """
    An office that refuses everything, each time otherwise.
    """

    async def submit(self, submission: Submission):
        """
        Find fault with the name.
        """
        del submission
        raise ConfigError("is taken", key="name", hint="choose another")

    async def rotate(self, bot_id: str, token: str) -> str:
        """
        Let nobody.
        """
        del bot_id, token
        raise Refused(Reason.NOT_YOUR_BOT)


def test_the_page_lists_all_reasons() -> None:
    """
    docs/protocol.md has a row for each, and no other, with its status and meaning.
    """
    rows = re.findall(r"^\| `([A-Z_]+)` \| `([A-Z_]+)` \| (.*) \|$", PAGE.read_text(), re.MULTILINE)
    assert [(each.name, each.status, each.meaning) for each in Reason] == rows


def test_statuses_are_those_of_grpc() -> None:
    """
    Each reason names one, and none is OK.
    """
    assert {each.status for each in Reason} <= set(grpc.StatusCode.__members__) - {"OK"}


@pytest.mark.parametrize(
    "refusal",
    [
        Refusal(Reason.LEAGUE_FULL, "full"),
        Refusal(Reason.REQUEST_INVALID, "n: bad", (("name", "bad"), ("games", "worse"))),
        Refusal(Reason.TOO_MANY_CALLS, "slower", retry=0.25),
        Refusal(Reason.INTERNAL_FAULT, "oh", incident="ab12"),
    ],
)
def test_what_is_written_is_read(refusal: Refusal) -> None:
    """
    And in the shape of google.rpc, so that other libraries read it too.
    """
    status = write_refusal(refusal)
    assert refusal == read_refusal(status.SerializeToString())
    info = error_details_pb2.ErrorInfo()
    assert status.details[0].Unpack(info)
    assert (DOMAIN, refusal.reason.name) == (info.domain, info.reason)


def test_foreign_details_are_left_alone() -> None:
    """
    Garbage, another domain, a reason of a later version.
    """
    other = write_refusal(Refusal(Reason.LEAGUE_FULL, "x"))
    info = error_details_pb2.ErrorInfo(reason="LEAGUE_FULL", domain="example.org")
    other.details[0].Pack(info)
    assert None is read_refusal(other.SerializeToString())
    info = error_details_pb2.ErrorInfo(reason="NEW_REASON", domain=DOMAIN)
    other.details[0].Pack(info)
    assert None is read_refusal(other.SerializeToString())
    assert None is read_refusal(b"\xff\xff\xff")


def test_unary_calls_tell_details(kit) -> None:
    """
    The field that is wrong, the word for it, and a sentence from the client.
    """

    async def scenario(rig) -> None:
        async with grpc.aio.insecure_channel(rig.address) as channel:
            call = channel.unary_unary(f"{SERVICE}/SubmitBot")(b"")
            refusal = await refusal_of(call)
            assert Reason.REQUEST_INVALID is refusal.reason
            assert (("name", "is taken (choose another)"),) == refusal.fields
            call = channel.unary_unary(f"{SERVICE}/GetStandings")(b"")
            assert Reason.LEAGUE_MISSING is (await refusal_of(call)).reason
            call = channel.unary_unary(f"{SERVICE}/RotateToken")(b"\xff\xff")
            assert Reason.MESSAGE_UNREADABLE is (await refusal_of(call)).reason
            call = channel.unary_unary(f"{SERVICE}/RevokeBot")(b"")
            assert Reason.LEAGUE_MISSING is (await refusal_of(call)).reason
        with pytest.raises(RemoteError, match=r"refuses: name: is taken .choose another.$"):
            await client.submit(rig.address, Submission("x", (), "", "", ""))
        with pytest.raises(RemoteError, match="neither the bot's nor the operator's"):
            await client.rotate(rig.address, "a", "token-a")

    kit.run(scenario, office=Picky())


def test_streams_tell_details(kit) -> None:
    """
    The same for the ends of `Play`.
    """

    async def scenario(rig) -> None:
        for token, said, reason, fields in (
            (None, kit.hello(), Reason.TOKEN_MISSING, ()),
            ("nonsense", kit.hello(), Reason.TOKEN_UNKNOWN, ()),
            ("token-b", kit.hello(protocol=2), Reason.MESSAGE_INVALID, ("hello.protocol",)),
            ("token-b", kit.hello("\x1b[2J"), Reason.MESSAGE_INVALID, ("hello.instance",)),
        ):
            bot = await rig.raw(token)
            await bot.say(said)
            refusal = await refusal_of(bot.call)
            assert (reason, fields) == (refusal.reason, tuple(f for f, _ in refusal.fields))
        old = await rig.bot("b")
        await rig.bot("b")
        assert Reason.STREAM_REPLACED is (await refusal_of(old.call)).reason

    kit.run(scenario)


def test_who_is_refused_is_told_so_each_time(kit) -> None:
    """
    A status that crosses the Hello on its way could come out as INTERNAL: then bots come back.
    """

    async def scenario(rig) -> None:
        for token, reason in (("nonsense", Reason.TOKEN_UNKNOWN), (None, Reason.TOKEN_MISSING)):
            for _ in range(50):
                bot = kit.TinyBot(rig.address, token)
                # Fails if the status is there first, which is when it can go wrong.
                await bot.call.write(kit.hello())
                assert reason is (await refusal_of(bot.call)).reason
                await bot.close()

    kit.run(scenario)


def test_who_is_refused_and_says_nothing_is_not_waited_for(kit, monkeypatch) -> None:
    """
    A moment and no more, and only for so many at a time.
    """
    monkeypatch.setattr("referee.server.ends._MOST_HEARD_OUT", 2)

    async def refused(bot) -> None:
        assert Reason.TOKEN_UNKNOWN is (await refusal_of(bot.call)).reason

    async def scenario(rig) -> None:
        monkeypatch.setattr("referee.server.ends._HEAR_OUT", 1000.0)
        waited_for = [await rig.raw("nonsense") for _ in range(2)]
        await rig.until(lambda: 2 == rig.server.hearing.count)
        await refused(await rig.raw("nonsense"))
        assert 2 == rig.server.hearing.count
        for each in waited_for:
            await each.say(kit.hello())
            await refused(each)
        monkeypatch.setattr("referee.server.ends._HEAR_OUT", 0.1)
        began = time.monotonic()
        await refused(await rig.raw("nonsense"))
        assert 0.1 <= time.monotonic() - began
        assert 0 == rig.server.hearing.count

    kit.run(scenario)


def test_a_rotated_token_is_void_at_once(kit) -> None:
    """
    Its streams end, also one that has not said hello yet; the new one takes over the game.
    """

    async def scenario(rig) -> None:
        bots = await rig.four(policies={("b", "1"): kit.silent})
        early = await rig.raw("token-b")
        await rig.until(lambda: rig.server.places.of("b") == 3)
        task = rig.game()
        await rig.until(lambda: bots[1].unanswered)
        rig.server.admit(Bot("b", "B", token_hash("fresh")))
        for bot in (bots[1], bots[3]):
            assert Reason.TOKEN_ROTATED is (await refusal_of(bot.call)).reason
        await early.say(kit.hello("3"))
        assert Reason.TOKEN_ROTATED is (await refusal_of(early.call)).reason
        late = await rig.raw("token-b")
        assert Reason.TOKEN_UNKNOWN is (await refusal_of(late.call)).reason
        for instance in "12":
            bot = await rig.raw("fresh")
            await bot.say(kit.hello(instance))
        assert [] == kit.codes(await task)

    kit.run(scenario)


def test_who_is_dismissed_is_gone_at_once(kit) -> None:
    """
    Nobody waits for it: its games are decided as for bots that are gone.
    """

    async def scenario(rig) -> None:
        bots = await rig.four(policies={("b", "1"): kit.silent})
        task = rig.game()
        await rig.until(lambda: bots[1].unanswered)
        rig.server.dismiss("b")
        async with asyncio.timeout(kit.PATIENCE):
            game = await task
        assert {"gone", "forfeit"} == {code.split()[0] for code in kit.codes(game)}
        assert Reason.TOKEN_REVOKED is (await refusal_of(bots[1].call)).reason
        late = await rig.raw("token-b")
        assert Reason.TOKEN_REVOKED is (await refusal_of(late.call)).reason

    kit.run(scenario)


def test_who_is_dismissed_is_gone_for_a_game_that_begins_later(kit) -> None:
    """
    A fixture may have been drawn a moment before: nobody waits for the bot in it either.
    """

    async def scenario(rig) -> None:
        bots = await rig.four()
        rig.server.dismiss("b")
        await rig.until(lambda: rig.lost("b", "1") and rig.lost("b", "2"))
        async with asyncio.timeout(kit.PATIENCE):
            game = await rig.game()
        assert {"gone", "forfeit"} == {code.split()[0] for code in kit.codes(game)}
        assert {"E", "W"} == {code.split()[1] for code in kit.codes(game)}
        assert not bots[0].task.done()

    kit.run(scenario)


def test_calls_are_counted(kit) -> None:
    """
    So many a second from one address, and when to try again; the others do not notice.
    """

    async def scenario(rig) -> None:
        async with grpc.aio.insecure_channel(rig.address) as channel:
            refused = None
            while refused is None:
                call = channel.unary_unary(f"{SERVICE}/GetStandings")(b"")
                if "RESOURCE_EXHAUSTED" == (await call.code()).name:
                    refused = await refusal_of(call)
            assert Reason.TOO_MANY_CALLS is refused.reason
            assert 0 < refused.retry <= 1
            await asyncio.sleep(refused.retry + 0.05)
            call = channel.unary_unary(f"{SERVICE}/GetStandings")(b"")
            assert Reason.LEAGUE_MISSING is (await refusal_of(call)).reason

    # So few that any machine is faster.
    kit.run(scenario, calls_per_second=1.0)


def test_submissions_are_counted(kit) -> None:
    """
    Also those that are refused for another reason.
    """

    async def scenario(rig) -> None:
        async with grpc.aio.insecure_channel(rig.address) as channel:
            for reason in (Reason.REQUEST_INVALID, Reason.REQUEST_INVALID):
                call = channel.unary_unary(f"{SERVICE}/SubmitBot")(b"")
                assert reason is (await refusal_of(call)).reason
            call = channel.unary_unary(f"{SERVICE}/SubmitBot")(b"")
            refusal = await refusal_of(call)
        assert Reason.TOO_MANY_SUBMISSIONS is refusal.reason
        assert 0 < refusal.retry <= 30
        with pytest.raises(RemoteError, match=r"too many submissions; try again in \d+ s"):
            await client.submit(rig.address, Submission("x", (), "", "", ""))

    kit.run(scenario, office=Picky(), submissions_per_minute=2.0)


def test_unary_messages_have_a_size(kit) -> None:
    """
    As on streams.
    """

    async def scenario(rig) -> None:
        async with grpc.aio.insecure_channel(rig.address) as channel:
            big = tournament.SubmitBotRequest(name="x" * 5000).SerializeToString()
            call = channel.unary_unary(f"{SERVICE}/SubmitBot")(big)
            assert "RESOURCE_EXHAUSTED" == (await call.code()).name

    kit.run(scenario, office=Picky(), max_message_bytes=4096)


def test_streams_of_health_and_reflection_are_bounded(kit) -> None:
    """
    So many of one address at a time, and a place that was left can be taken.
    """

    async def listed(channel) -> reflection_pb2.ServerReflectionResponse:
        call = reflection_pb2_grpc.ServerReflectionStub(channel).ServerReflectionInfo()
        await call.write(reflection_pb2.ServerReflectionRequest(list_services=""))
        found = await call.read()
        call.cancel()
        return found

    async def scenario(rig) -> None:
        async with grpc.aio.insecure_channel(rig.address) as channel:
            health = health_pb2_grpc.HealthStub(channel)
            watching = [health.Watch(health_pb2.HealthCheckRequest()) for _ in range(2)]
            for watch in watching:
                await watch.read()
            third = health.Watch(health_pb2.HealthCheckRequest())
            assert Reason.TOO_MANY_STREAMS is (await refusal_of(third)).reason
            watching[0].cancel()
            found = None
            # The server has yet to hear of it.
            while found is None:
                with contextlib.suppress(grpc.aio.AioRpcError):
                    found = await listed(channel)
            assert 3 <= len(found.list_services_response.service)
            watching[1].cancel()

    kit.run(scenario, side_streams_of_one=2)


def test_a_stream_of_reflection_ends_by_itself(kit) -> None:
    """
    Without a word asked.
    """

    async def scenario(rig) -> None:
        async with grpc.aio.insecure_channel(rig.address) as channel:
            call = reflection_pb2_grpc.ServerReflectionStub(channel).ServerReflectionInfo()
            async with asyncio.timeout(kit.PATIENCE):
                assert grpc.StatusCode.OK is await call.code()

    kit.run(scenario, reflection=0.1)


def test_one_address_cannot_fill_the_server(kit) -> None:
    """
    Whatever tokens are shown from there: its share is used up, and the others' is not.
    """

    async def scenario(rig) -> None:
        first = await rig.bot("a")
        await rig.bot("b")
        third = await rig.raw("token-c")
        await third.say(kit.hello())
        refusal = await refusal_of(third.call)

        assert (Reason.TOO_MANY_STREAMS, 5.0) == (refusal.reason, refusal.retry)
        assert "from this address" in refusal.text
        await first.close()
        await rig.until(lambda: rig.lost("a"))
        assert (await rig.bot("c")).received

    kit.run(scenario, address="127.0.0.1:0", max_streams=100, max_streams_of_one=2)


def test_places() -> None:
    """
    By address, by bot and in all; unix sockets have no share, and what is given back is free.
    """
    places = Places(Settings(max_streams=6, max_instances=1))
    with ExitStack() as held:
        for number in range(3):
            assert places.refusal("a", "192.0.2.1") is None
            held.enter_context(places.held(f"x{number}", "192.0.2.1"))
        assert CROWDED_ADDRESS is places.refusal("a", "192.0.2.1")
        assert places.refusal("a", "192.0.2.2") is None
        for _ in range(2):
            assert places.refusal("a", LOCAL) is None
            held.enter_context(places.held("a", LOCAL))
        assert CROWDED is places.refusal("a", LOCAL)
        assert 2 == places.of("a")
        held.enter_context(places.held("b", LOCAL))
        assert FULL is places.refusal("c", LOCAL)
    assert places.refusal("a", "192.0.2.1") is None
    assert 0 == places.taken == len(places._of_bot) == len(places._from_peer)


def test_a_bucket() -> None:
    """
    Full at first, then as fast as it fills.
    """
    bucket = Bucket(2, 3, 10)
    assert [0, 0, 0, 0.5] == [bucket.take(10) for _ in range(4)]
    assert 0.25 == bucket.take(10.25)
    assert 0 == bucket.take(10.5)
    assert [0, 0, 0, 0.5] == [bucket.take(99) for _ in range(4)]


def test_what_is_kept_of_addresses_is_bounded() -> None:
    """
    The one that called longest ago is forgotten.
    """
    limiter = Limiter(Settings(), 0)
    for number in range(MAX_NAMES + 5):
        limiter.call(str(number), 0)
    assert MAX_NAMES == len(limiter._calls._buckets)


@pytest.mark.parametrize(
    ("target", "peer"),
    [
        ("ipv4:192.0.2.1:4711", "192.0.2.1"),
        ("ipv6:%5B2001:db8::1%5D:4711", "2001:db8::/64"),
        ("ipv6:[2001:db8::2]:1", "2001:db8::/64"),
        ("ipv6:%5B::ffff:192.0.2.1%5D:4711", "192.0.2.1"),
        ("ipv6:%5Bfe80::1%25eth0%5D:1", "fe80::/64"),
        ("unix:", "unix"),
        ("unix:/tmp/x", "unix"),
        ("", ""),
    ],
)
def test_who_calls(target: str, peer: str) -> None:
    """
    Without the port, which is another for each connection.
    """
    assert peer == peer_of(target)
