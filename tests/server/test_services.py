"""
What else the server does: stop, hide its faults, answer about the league and itself.
"""

from __future__ import annotations

import asyncio
import dataclasses
import re
import socket
from unittest.mock import AsyncMock

import grpc
import grpc.aio
import pytest
from euchre.referee.v1 import tournament_service_pb2 as tournament
from grpc._cython import cygrpc
from grpc_health.v1 import health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha import reflection_pb2, reflection_pb2_grpc
from structlog.testing import capture_logs

from referee import client
from referee.errors import ConfigError, RemoteError
from referee.office import Admission, Listing, Report, Row, Submission
from referee.rules.options import BidRules
from referee.server import RefereeServer
from referee.server.conversation import Conversation
from referee.wire import tournament as wire

SERVICE = "/euchre.referee.v1.TournamentService"
SECRET = "hand of seat 2 = HJ,DJ"  # noqa: S105  (what must not get out)
SUBMISSION = Submission("Böt 🂡", ("bid", "buck"), "two\nlines", "me@home", "x 1")
LISTING = Listing("bot", "Böt", "d", "s", ("buck",), 2, 17)
ROW = Row(
    1, "bot", "Böt", 10, 5, 2, 3, 1.5, None, 30.0, 28.5, 1, 2, 0, 0.25, 1.75,
    rating=-12.5, rating_error=40.0, tie="ab", superiority=0.0, sets=5,
    faults_timeout=3, faults_unreadable=4, faults_illegal=5, faults_gone=6,
)  # fmt: skip
PLAIN_ROW = Row(2, "b2", "B", 10, 3, 2, 5, -1.5, 0.5, 28.5, 30.0, 0, 0, 1, None, None)
REPORT = Report("liga", "buck", (ROW, PLAIN_ROW), "a table\n", 10, 12)


class FakeOffice:
    """
    The office of a league that has one bot.
    """

    def __init__(self) -> None:
        self.submitted: list[Submission] = []

    async def submit(self, submission: Submission) -> Admission:
        """
        Take anything but one name.
        """
        if submission.name == "taken":
            raise ConfigError("is taken", key="name", hint="choose another")
        if submission.name == "crash":
            raise RuntimeError(SECRET)
        self.submitted.append(submission)
        return Admission("bot-7", "the token")

    async def bots(self) -> tuple[Listing, ...]:
        """
        List the one.
        """
        return (LISTING,)

    async def standings(self) -> Report:
        """
        Return what is known.
        """
        return REPORT


def test_a_league_is_asked_from_outside(kit) -> None:
    """
    Everything that goes through the service and its client arrives as it was.
    """
    office = FakeOffice()

    async def scenario(rig) -> None:
        assert Admission("bot-7", "the token") == await client.submit(rig.address, SUBMISSION)
        assert [SUBMISSION] == office.submitted
        assert (LISTING,) == await client.list_bots(rig.address)
        assert REPORT == await client.standings(rig.address)

    kit.run(scenario, office=office)


def test_the_same_standings_are_written_once(kit, monkeypatch) -> None:
    """
    However many ask: those of a thousand bots hold up the clocks for as long as a move.
    """
    written = []
    write = wire.write_report
    monkeypatch.setattr(wire, "write_report", lambda r: written.append(r) or write(r))
    office = FakeOffice()

    async def scenario(rig) -> None:
        for _ in range(3):
            assert REPORT == await client.standings(rig.address)
        assert [REPORT] == written
        other = dataclasses.replace(REPORT, played=11)
        monkeypatch.setattr(office, "standings", AsyncMock(return_value=other))
        assert other == await client.standings(rig.address)
        assert [REPORT, other] == written

    kit.run(scenario, office=office)


def test_a_refusal_gives_the_reason(kit) -> None:
    """
    In the words of the office.
    """

    async def scenario(rig) -> None:
        taken = Submission("taken", (), "", "", "")
        with pytest.raises(RemoteError, match=r"name: is taken .choose another"):
            await client.submit(rig.address, taken)
        with pytest.raises(ConfigError, match="skat"):
            await client.submit(rig.address, Submission("x", ("skat",), "", "", ""))

    kit.run(scenario, office=FakeOffice())


def test_a_referee_without_a_league_says_so(kit) -> None:
    """
    All three calls: FAILED_PRECONDITION, and what to do.
    """

    async def scenario(rig) -> None:
        for call in (
            client.submit(rig.address, SUBMISSION),
            client.list_bots(rig.address),
            client.standings(rig.address),
        ):
            with pytest.raises(RemoteError, match=r"hosts no open league.*whoever runs it"):
                await call

    kit.run(scenario)


def test_nobody_there(kit) -> None:
    """
    The error names the address.
    """
    address = f"unix:{kit.folder}/nobody"
    with pytest.raises(RemoteError, match=re.escape(address)):
        asyncio.run(client.standings(address))


def test_silence_has_an_end(monkeypatch, kit) -> None:
    """
    An office that does not answer: the client gives up.
    """
    monkeypatch.setattr(client, "DEADLINE", 0.1)

    class Asleep(FakeOffice):
        async def standings(self) -> Report:
            await asyncio.Event().wait()
            return REPORT

    async def scenario(rig) -> None:
        with pytest.raises(RemoteError, match=r"within 0.1 seconds"):
            await client.standings(rig.address)

    kit.run(scenario, office=Asleep())


def test_garbage_on_a_unary_call_tells_nothing(kit) -> None:
    """
    INVALID_ARGUMENT, without the text of the parser.
    """

    async def scenario(rig) -> None:
        async with grpc.aio.insecure_channel(rig.address) as channel:
            for method in ("SubmitBot", "ListBots", "GetStandings"):
                with pytest.raises(grpc.aio.AioRpcError) as caught:
                    await channel.unary_unary(f"{SERVICE}/{method}")(b"\xff\xff hand of seat 2")
                assert "INVALID_ARGUMENT" == caught.value.code().name
                assert "a message that cannot be parsed" == caught.value.details()

    kit.run(scenario, office=FakeOffice())


def test_a_fault_of_ours_tells_nothing(kit, monkeypatch) -> None:
    """
    Case G19: INTERNAL with an incident id, on unary calls and on streams.
    """

    async def scenario(rig) -> None:
        with pytest.raises(RemoteError) as caught:
            await client.submit(rig.address, Submission("crash", (), "", "", ""))
        texts = [str(caught.value)]

        def broken(*_args, **_options):
            raise RuntimeError(SECRET)

        bots = await rig.four()
        monkeypatch.setattr(rig.server.encoder, "encode", broken)
        task = rig.game()
        for bot in bots:
            code, text = await bot.status()
            assert "INTERNAL" == code.name
            texts.append(text)
        task.cancel()
        await asyncio.wait([task])

        assert 5 == len({re.search("incident ([0-9a-f]{8})", text)[1] for text in texts})
        assert not any("seat" in text or "HJ" in text for text in texts)
        assert {} == rig.server._streams

    kit.run(scenario, office=FakeOffice())


def test_a_call_that_comes_while_the_server_stops_is_no_incident(kit, monkeypatch) -> None:
    """
    It is cancelled as all others are; gRPC says so in a way of its own.
    """

    async def scenario(rig) -> None:
        began = asyncio.Event()

        async def read(_) -> None:
            began.set()
            raise cygrpc._ServerStoppedError("RPC already finished.")

        monkeypatch.setattr(Conversation, "run", read)
        with capture_logs() as logs:
            bot = await rig.raw()
            await asyncio.wait_for(began.wait(), 60)
            await bot.close()
            await rig.server.stop()
        assert [] == [each for each in logs if each["log_level"] == "error"]

    kit.run(scenario)


def test_a_table_that_breaks_is_void_and_the_rest_goes_on(kit) -> None:
    """
    The streams stay, and the players are told that it counts for nobody.
    """

    async def scenario(rig) -> None:
        bots = await rig.four()
        good = rig.game(set_id="good")
        bad = rig.game(BidRules(), set_id="bad")
        await rig.until(lambda: len(rig.server.hall._games) == 2)
        table = max(rig.server.hall._games.values(), key=lambda game: game.game_id).table

        def broken(_deal: int):
            raise RuntimeError(SECRET)

        table._deck = broken
        assert SECRET == str((await bad).error)
        assert [] == kit.codes(await good)
        assert SECRET not in "".join(str(bot.received) for bot in bots)
        assert not any(bot.task.done() for bot in bots)

    kit.run(scenario)


@pytest.mark.slow
def test_stop_says_farewell(kit) -> None:
    """
    Everybody is told why, the streams end well, and late comers find nobody.
    """

    async def scenario(rig) -> None:
        bots = await rig.four(policies={("b", "1"): kit.silent})
        task = rig.game()
        await rig.until(lambda: bots[1].unanswered)
        await rig.server.stop("the league is over", grace=kit.PATIENCE)
        for bot in bots:
            assert "OK" == (await bot.status())[0].name
            await bot.task  # its status can be known before what came last is read
            assert "the league is over" == bot.received[-1].farewell.reason
        await asyncio.wait([task])
        assert task.cancelled()
        with pytest.raises(RemoteError):
            await client.standings(rig.address)

    kit.run(scenario)


def test_a_taken_port_is_an_error_that_names_it(kit) -> None:
    """
    Taken by somebody else, or by another referee.
    """

    async def scenario(rig) -> None:
        with pytest.raises(ConfigError, match=re.escape(rig.address)):
            await RefereeServer([rig.address]).start()
        with socket.socket() as other:
            other.bind(("127.0.0.1", 0))
            other.listen()
            address = f"127.0.0.1:{other.getsockname()[1]}"
            with pytest.raises(ConfigError, match=re.escape(address)):
                await RefereeServer([address]).start()
        assert not rig.address.endswith(":0")

    kit.run(scenario, address="127.0.0.1:0")


@pytest.mark.parametrize("host", ["[::]", "192.0.2.1", "example.org"])
def test_tokens_do_not_cross_a_network_in_the_clear(host: str) -> None:
    """
    Beyond loopback only on purpose.
    """
    with pytest.raises(ConfigError, match="in the clear"):
        asyncio.run(RefereeServer([f"{host}:0"]).start())


def test_plain_text_can_be_allowed(kit) -> None:
    """
    As in a container whose network is private.
    """

    async def scenario(rig) -> None:
        assert not rig.address.endswith(":0")

    kit.run(scenario, address="0.0.0.0:0", insecure_ok=True)


def test_another_referees_socket_is_not_taken(kit) -> None:
    """
    A path that exists is an error, and so is one that the kernel would cut off.
    """

    async def scenario(rig) -> None:
        with pytest.raises(ConfigError, match="exists"):
            await RefereeServer([rig.address]).start()
        with pytest.raises(ConfigError, match="107 bytes"):
            await RefereeServer([f"unix:{kit.folder}/{'x' * 100}"]).start()
        assert [] == kit.codes(await _after(rig))

    async def _after(rig):
        await rig.four()
        return await rig.game()

    kit.run(scenario)


def test_a_failed_start_leaves_nothing(kit) -> None:
    """
    The first of two addresses is free again after the second was refused.
    """

    async def scenario() -> None:
        with socket.socket() as other:
            other.bind(("127.0.0.1", 0))
            other.listen()
            taken = f"127.0.0.1:{other.getsockname()[1]}"
            for second in (taken, "[::]:0"):
                with pytest.raises(ConfigError):
                    await RefereeServer([kit.address, second]).start()
        server = RefereeServer([kit.address])
        await server.start()
        await server.stop(grace=0)

    asyncio.run(scenario())


def test_health_and_reflection(kit) -> None:
    """
    Both answer; reflection lists what can be called.
    """

    async def scenario(rig) -> None:
        async with grpc.aio.insecure_channel(rig.address) as channel:
            health = health_pb2_grpc.HealthStub(channel)
            for name in ("", "euchre.referee.v1.RefereeService", SERVICE[1:]):
                answer = await health.Check(health_pb2.HealthCheckRequest(service=name))
                assert health_pb2.HealthCheckResponse.SERVING == answer.status
            asked = reflection_pb2.ServerReflectionRequest(list_services="")
            stub = reflection_pb2_grpc.ServerReflectionStub(channel)
            (answer,) = [a async for a in stub.ServerReflectionInfo(iter([asked]))]
            names = {service.name for service in answer.list_services_response.service}
        assert {"euchre.referee.v1.RefereeService", SERVICE[1:]} <= names

    kit.run(scenario)


def test_an_unknown_method_is_unimplemented(kit) -> None:
    """
    The interceptor does not trip over it.
    """

    async def scenario(rig) -> None:
        async with grpc.aio.insecure_channel(rig.address) as channel:
            with pytest.raises(grpc.aio.AioRpcError) as caught:
                await channel.unary_unary(f"{SERVICE}/Bribe")(b"")
        assert "UNIMPLEMENTED" == caught.value.code().name

    kit.run(scenario)


def test_unknown_games_are_left_to_the_office(kit) -> None:
    """
    A game of a later protocol arrives as `?`, never as one that is known.
    """
    office = FakeOffice()

    async def scenario(rig) -> None:
        async with grpc.aio.insecure_channel(rig.address) as channel:
            request = tournament.SubmitBotRequest(name="x", games=[0, 1, 99])
            await channel.unary_unary(f"{SERVICE}/SubmitBot")(request.SerializeToString())
        assert ("?", "bid", "?") == office.submitted[0].games

    kit.run(scenario, office=office)
