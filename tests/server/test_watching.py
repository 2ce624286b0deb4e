"""
Those who watch a league: what they are sent, who may, and how it ends.
"""

from __future__ import annotations

import asyncio
import contextlib
from dataclasses import replace

import grpc
import grpc.aio
import pytest
from euchre.referee.v1 import tournament_service_pb2 as pb
from euchre.referee.v1 import tournament_service_pb2_grpc
from grpc_health.v1 import health_pb2, health_pb2_grpc

from referee import client
from referee.errors import RemoteError
from referee.office import GameSummary, NoOffice, Report, Submission

SERVICE = "/euchre.referee.v1.TournamentService"
REPORT = Report("liga", "buck", (), "a table\n", 0, 12)


def game(number: int) -> GameSummary:
    """
    A game that was stored.
    """
    return GameSummary(
        number, "a:b/1", 1, ("a", "b", "a", "b"), ("Ä", "B", "Ä", "B"), (-3, 32), (1,),
        (0, 1, 0, 0), (2, 0, 0, 0), "target",
    )  # fmt: skip


class Growing(NoOffice):
    """
    The office of a league whose games a test stores.
    """

    def __init__(self, games: int = 0) -> None:
        self.games = games
        self.asked = 0

    async def newest_standings(self) -> Report:
        """
        As many as there are.
        """
        self.asked += 1
        return replace(REPORT, played=self.games)

    async def last_game(self) -> int:
        """
        Numbers are from 1.
        """
        return self.games

    async def knows(self, token: str) -> bool:
        """
        The operator's.
        """
        return token == "operators"  # noqa: S105  (no secret)

    async def games_after(self, number: int, most: int) -> tuple[GameSummary, ...]:
        """
        In order.
        """
        await asyncio.sleep(0.001)
        return tuple(game(n) for n in range(number + 1, min(self.games, number + most) + 1))


def store(rig, games: int) -> None:
    """
    Store games, and let the server know.
    """
    rig.server.office.games += games
    rig.server.watchers.changed()


@contextlib.asynccontextmanager
async def following(stream, found: list):
    """
    Collect what *stream* yields for the body; what ends it is collected too.
    """

    async def collect() -> None:
        try:
            async for each in stream:
                found.append(each)  # noqa: PERF401  (what came before an error is kept)
        except RemoteError as error:
            found.append(str(error))

    task = asyncio.create_task(collect())
    try:
        yield task
    finally:
        task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await task


def test_games_come_in_order_and_once(kit) -> None:
    """
    First those that are stored already, over several pages, then each as it comes.
    """

    async def scenario(rig) -> None:
        found: list = []
        async with following(client.watch_games(rig.address, after=10), found):
            await rig.until(lambda: len(found) == 240)
            for step in range(1, 120):
                store(rig, step % 4)
                await asyncio.sleep(0)
            last = rig.server.office.games
            await rig.until(lambda: len(found) == last - 10)
        assert [game(n) for n in range(11, last + 1)] == found
        await rig.until(lambda: rig.server.watchers.count == 0)

    kit.run(scenario, office=Growing(250))


def test_only_games_from_now_on(kit) -> None:
    """
    Without a number the first game is the next one that is stored.
    """

    async def scenario(rig) -> None:
        async with grpc.aio.insecure_channel(rig.address) as channel:
            stub = tournament_service_pb2_grpc.TournamentServiceStub(channel)
            call = stub.WatchGames(pb.WatchGamesRequest())
            await call.initial_metadata()  # it has begun
            store(rig, 2)
            assert [8, 9] == [(await call.read()).game.game for _ in range(2)]
            call.cancel()

    kit.run(scenario, office=Growing(7))


def test_standings_come_now_and_when_they_have_changed(kit) -> None:
    """
    Changes within the interval come together, and news that change nothing are not sent.
    """

    async def scenario(rig) -> None:
        found: list = []
        start = asyncio.get_running_loop().time()
        async with following(client.watch_standings(rig.address), found):
            await rig.until(lambda: [5] == [report.played for report in found])
            for _ in range(20):
                store(rig, 1)
                await asyncio.sleep(0.01)
            await rig.until(lambda: 25 == found[-1].played)
            asked = rig.server.office.asked
            store(rig, 0)
            await rig.until(lambda: rig.server.office.asked > asked)
            store(rig, 1)
            await rig.until(lambda: 26 == found[-1].played)
            took = asyncio.get_running_loop().time() - start
        played = [report.played for report in found]
        assert (5, 26) == (played[0], played[-1])
        assert sorted(set(played)) == played
        # One a second: three, unless the machine took its time over the games.
        assert 1 + took > len(played)
        assert replace(REPORT, played=5) == found[0]

    kit.run(scenario, office=Growing(5))


def test_who_may_watch(kit) -> None:
    """
    Nobody, or those who show a token of the league.
    """

    async def refused(rig, **keys) -> list[str]:
        found = []
        for stream in (
            client.watch_games(rig.address, **keys),
            client.watch_standings(rig.address, **keys),
        ):
            with pytest.raises(RemoteError) as caught:
                await anext(stream)
            found.append(str(caught.value))
        return found

    async def nobody(rig) -> None:
        for text in await refused(rig, token="token-a"):  # noqa: S106  (no secret)
            assert "nobody may watch" in text

    async def bots(rig) -> None:
        for keys in ({}, {"token": "nonsense"}):
            for text in await refused(rig, **keys):
                assert "show a token" in text
                assert "nonsense" not in text
        for token in ("token-a", "operators"):
            assert 1 == (await anext(client.watch_games(rig.address, after=0, token=token))).game

    kit.run(nobody, office=Growing(), watch="nobody")
    kit.run(bots, office=Growing(1), watch="bots")


def test_what_cannot_be_asked_for(kit) -> None:
    """
    Intervals and numbers out of range, garbage, and a referee without a league.
    """

    async def codes(rig) -> list[str]:
        found = []
        async with grpc.aio.insecure_channel(rig.address) as channel:
            for method, request in (
                *(
                    ("WatchStandings", pb.WatchStandingsRequest(interval=interval))
                    for interval in (0.0, 0.99, 3601.0, -1.0, float("nan"), float("inf"))
                ),
                ("WatchGames", pb.WatchGamesRequest(after_game=-1)),
                ("WatchGames", None),
                ("WatchStandings", None),
            ):
                data = b"\xff\xff" if request is None else request.SerializeToString()
                with pytest.raises(grpc.aio.AioRpcError) as caught:
                    await anext(aiter(channel.unary_stream(f"{SERVICE}/{method}")(data)))
                found.append(caught.value.code().name)
        return found

    async def with_league(rig) -> None:
        assert ["INVALID_ARGUMENT"] * 9 == await codes(rig)

    async def without(rig) -> None:
        for stream in (client.watch_games(rig.address), client.watch_standings(rig.address)):
            with pytest.raises(RemoteError, match="no open league"):
                await anext(stream)

    kit.run(with_league, office=Growing())
    kit.run(without)


def test_a_fault_of_ours_tells_nothing(kit) -> None:
    """
    An incident id, and not the text of what was raised.
    """

    class Broken(Growing):
        async def games_after(self, number: int, most: int):  # noqa: ARG002
            raise RuntimeError("hand of seat 2")

    async def scenario(rig) -> None:
        with pytest.raises(RemoteError, match="incident") as caught:
            await anext(client.watch_games(rig.address, after=0))
        assert "seat" not in str(caught.value)
        assert 0 == rig.server.watchers.count

    kit.run(scenario, office=Broken())


def test_there_are_only_so_many(kit) -> None:
    """
    One too many is told so; a place that was left can be taken.
    """

    async def scenario(rig) -> None:
        found: list = []
        async with following(client.watch_games(rig.address), found):
            async with following(client.watch_games(rig.address), found):
                await rig.until(lambda: rig.server.watchers.count == 2)
                with pytest.raises(RemoteError, match="too many watch"):
                    await anext(client.watch_games(rig.address, after=0))
            await rig.until(lambda: rig.server.watchers.count == 1)
            assert 1 == (await anext(client.watch_games(rig.address, after=0))).game

    kit.run(scenario, office=Growing(1), max_watchers=2)


def test_who_does_not_read_is_ended(kit) -> None:
    """
    It holds up nobody, and its place is free again.
    """

    async def scenario(rig) -> None:
        async with grpc.aio.insecure_channel(rig.address) as channel:
            stub = tournament_service_pb2_grpc.TournamentServiceStub(channel)
            call = stub.WatchGames(pb.WatchGamesRequest(after_game=0))
            await rig.until(lambda: rig.server.office.pages)
            await rig.until(lambda: rig.server.watchers.count == 0)
            # What is on its way to it may be read; then there is an end.
            with contextlib.suppress(grpc.aio.AioRpcError):
                while await call.read() is not grpc.aio.EOF:
                    pass
            assert call.done()

    class Wordy(Growing):
        pages = 0

        async def games_after(self, number: int, most: int):
            self.pages += 1
            return [replace(each, ending="x" * 10_000) for each in await _page(number, most)]

    async def _page(number: int, most: int):
        return tuple(game(n) for n in range(number + 1, number + most + 1))

    kit.run(scenario, office=Wordy(), write=0.1)


@pytest.mark.slow
def test_the_end_comes_after_the_last_game(kit) -> None:
    """
    What is stored is still sent, then UNAVAILABLE with the reason.
    """

    async def scenario(rig) -> None:
        games, standings = [], []
        async with (
            following(client.watch_games(rig.address), games) as one,
            following(client.watch_standings(rig.address, interval=3600), standings) as two,
        ):
            await rig.until(lambda: standings and rig.server.watchers.count == 2)
            store(rig, 150)
            await rig.server.stop("the league is over", grace=kit.PATIENCE)
            async with asyncio.timeout(kit.PATIENCE):
                await asyncio.wait([one, two])
        assert [*map(game, range(1, 151))] == games[:-1]
        assert [0, 150] == [report.played for report in standings[:-1]]
        for last in (games[-1], standings[-1]):
            assert "the league is over" in last

    kit.run(scenario, office=Growing())


class TestDraining:
    """
    A referee that takes on nothing new.
    """

    def test_only_those_who_play_may_come_back(self, kit) -> None:
        """
        The game goes on and can be come back to; everybody else is sent elsewhere.
        """

        async def scenario(rig) -> None:
            bots = await rig.four(policies={("b", "1"): kit.silent})
            task = rig.game()
            await rig.until(lambda: bots[1].unanswered)
            await rig.server.drain("we close")
            await bots[1].close()
            for bot, instance in (("c", "1"), ("b", "3")):
                late = await rig.raw(f"token-{bot}")
                await late.say(kit.hello(instance))
                code, text = await late.status()
                assert ("UNAVAILABLE", "we close") == (code.name, text)
            await rig.bot("b", "1")
            assert [] == kit.codes(await task)

        kit.run(scenario)

    def test_who_looks_for_a_referee_is_sent_elsewhere(self, kit) -> None:
        """
        Not serving, no submissions; standings can still be read.
        """

        async def scenario(rig) -> None:
            await rig.server.drain("we close")
            async with grpc.aio.insecure_channel(rig.address) as channel:
                health = health_pb2_grpc.HealthStub(channel)
                for name in ("", SERVICE[1:]):
                    answer = await health.Check(health_pb2.HealthCheckRequest(service=name))
                    assert health_pb2.HealthCheckResponse.NOT_SERVING == answer.status
            with pytest.raises(RemoteError, match="we close"):
                await client.submit(rig.address, Submission("x", (), "", "", ""))
            assert 3 == (await anext(client.watch_games(rig.address, after=2))).game

        kit.run(scenario, office=Growing(3))
