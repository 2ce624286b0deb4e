"""
What a league answers from outside, without a server.
"""

from __future__ import annotations

import dataclasses
import types
from collections import Counter
from dataclasses import fields
from pathlib import Path

import pytest
import trio
from trio.testing import MockClock

from referee.office import Row
from referee.refusals import Reason, Refused
from referee.server import token_hash
from tournaments.faults import FaultKinds
from tournaments.office import LeagueOffice
from tournaments.pairing import fixtures
from tournaments.programs import Program
from tournaments.reading import standings_of
from tournaments.reneges import Watch
from tournaments.store import Bot, NewGame, Store, Version
from tournaments.uploads import Ready


class Counting:
    """
    A store whose calls are counted.
    """

    def __init__(self, store):
        self._store = store
        self.calls = Counter()

    def __getattr__(self, name):
        def call(*arguments, **others):
            self.calls[name] += 1
            return getattr(self._store, name)(*arguments, **others)

        return call


class Door:
    """
    A door with nothing between its two sides.
    """

    @staticmethod
    async def enter(function, *arguments):
        """
        Run it here.
        """
        return await function(*arguments)


@pytest.fixture(name="store")
def _store(tmp_path):
    with Store.open(f"sqlite:///{tmp_path}/office.db") as store:
        yield Counting(store)


@pytest.fixture(name="office")
def _office(store, make_league):
    league = make_league("bid", "a b")
    run = store.new_run(league, text="", secret=bytes(32), commitment="c" * 64)
    store.add_bot(run, Bot(id="c", name="C", house=False, token_sha256=token_hash("secret")))
    host = types.SimpleNamespace(
        league=league,
        run=run,
        changes=0,
        names={"a": "a", "b": "b", "c": "C"},
        present=lambda _bot: frozenset(),
        admit=lambda *_arguments: None,
        out=set(),
    )
    host.expel = host.out.add
    host.removed = []

    async def remove_program(bot):
        host.removed.append(bot.program)

    host.remove_program = remove_program
    return LeagueOffice(host, Door(), store, admissions=None, operator=token_hash("operator"))


def test_rows_are_those_of_the_table(office, store, make_row):
    """
    Every number that a program gets over the network is the one that the table shows.
    """
    run, league = store.run(1), office._host.league
    kinds = FaultKinds((0, 9, 0, 0), (0, 8, 0, 0), (0, 7, 0, 0), (0, 6, 0, 0))
    more = {"faults": (0, 30, 0, 0), "fault_kinds": kinds, "reneges": (5, 0, 0, 0)}
    more |= {"watch": Watch((4, 0, 0, 0), (3, 0, 0, 0), (2, 0, 0, 0))}
    store.add_games(
        run,
        [
            NewGame(make_row(each, 32, 10 * n, **more), None)
            for n, each in enumerate(fixtures(league))
        ],
    )
    table = standings_of(league, store, run)

    report = trio.run(office.standings, clock=MockClock())
    for told, row in zip(report.rows, table.rows, strict=True):
        for name in {each.name for each in fields(Row)} - {"bot_id"}:
            shown = getattr(row, name)
            assert getattr(told, name) == (0.0 if shown is None and name in ZERO else shown), name


ZERO = ("margin", "points_for", "points_against")
"""What is zero where there is no value yet."""


def test_bots_are_read_when_they_have_changed(office, store):
    """
    Not whenever somebody asks: in a league of a thousand that takes longer than a game's move.
    """

    async def listed():
        before = store.calls["bots"]
        found = [await office.bots() for _ in range(5)]
        assert all(each == found[0] for each in found)
        return found[0], store.calls["bots"] - before

    async def scenario():
        found, reads = await listed()
        assert ["a", "b", "c"] == [bot.bot_id for bot in found]
        first = reads
        _, reads = await listed()
        assert (True, 0) == (first > 0, reads)
        fresh = await office.rotate("c", "secret")
        _, reads = await listed()
        assert reads > 0
        await office.revoke("c", fresh)
        found, _ = await listed()
        assert [False, False, True] == [bot.revoked for bot in found]

    trio.run(scenario, clock=MockClock())


def test_a_bot_that_is_out_in_the_store_alone_is_put_out(office, store):
    """
    It was stored, and the answer of the database was lost: whoever says it again is heard.
    """
    store.revoke_bot(store.latest_run(), "c")
    host = office._host

    async def scenario():
        await office.revoke("c", "operator")
        await office.revoke("c", "operator")

    assert set() == host.out
    trio.run(scenario, clock=MockClock())
    assert {"c"} == host.out
    assert 1 == store.calls["revoke_bot"]


class Workshop:
    """
    A workshop in which every program is ready, and in order if the test wants so.
    """

    most = 1000

    def __init__(self):
        self.passed = True
        self.kept = []
        self.most_bots = 64
        self.room = True
        self.meanwhile = None
        """Awaited while a program is examined."""

    async def make_ready(self, package):
        """
        Take a package for the name of its bot.
        """
        program = Program(name=package.decode(), command=("x",), software=package.decode())
        return Ready(program=program, folder=Path("f"), archive=Path("a"), said="built")

    async def examine(self, _ready, _game, _door):
        """
        Examine nothing.
        """
        if self.meanwhile is not None:
            await self.meanwhile()
        return types.SimpleNamespace(passed=self.passed, text=lambda: "examined", checks=())

    def keep(self, ready, bot_id):
        """
        Keep it under a name that says what is in it.
        """
        self.kept.append(f"/kept/{bot_id}-{ready.program.name}")
        return Path(self.kept[-1])

    def check_room(self):
        """
        Have room if the test wants so.
        """
        if not self.room:
            raise Refused(Reason.LEAGUE_FULL)

    def drop(self, _folder):
        """
        Drop nothing.
        """


@pytest.fixture(name="workshop")
def _workshop(office, store):
    """
    A workshop, in a league with an uploaded bot beside those of the office.
    """
    made = office._host.workshop = Workshop()
    bot = Bot(
        id="u",
        name="U",
        house=False,
        token_sha256=token_hash("uploaded"),
        program="/kept/u-V1",
        contact="me",
    )
    store.add_bot(store.latest_run(), bot)
    return made


def uploaded(store):
    """
    Return the uploaded bot, as it is stored.
    """
    return store.bots(store.latest_run())[-1]


@pytest.mark.usefixtures("workshop")
def test_a_new_version_waits_for_the_next_run(office, store):
    """
    The bot stays as it is; carried over it is what its author sent last, with the same token.
    """

    async def scenario():
        await office.check_upload("", "uploaded")
        return await office.upload(b"V2", "", "uploaded")

    before = uploaded(store)
    verdict = trio.run(scenario, clock=MockClock())
    assert (True, "u", "", True) == (
        verdict.accepted, verdict.admission.bot_id, verdict.admission.token, verdict.from_next_run
    )  # fmt: skip
    version = Version(name="V2", software="V2", program="/kept/u-V2")
    assert dataclasses.replace(before, waiting=version) == uploaded(store)
    renewed = uploaded(store).renewed()
    assert ("u", "V2", "", "/kept/u-V2", None) == (
        renewed.id, renewed.name, renewed.contact, renewed.program, renewed.waiting
    )  # fmt: skip
    assert before.token_sha256 == renewed.token_sha256
    assert before.renewed() is before


@pytest.mark.usefixtures("workshop")
def test_a_later_version_takes_the_place_of_one_that_waits(office, store, monkeypatch):
    """
    Whose file goes, unless it is the one that is played.
    """
    discarded = []
    monkeypatch.setattr("tournaments.office.discard", discarded.append)

    async def scenario():
        for name in (b"V1", b"V2", b"V2", b"V3"):
            await office.upload(name, "", "uploaded")

    trio.run(scenario, clock=MockClock())
    assert "V3" == uploaded(store).waiting.name
    assert "/kept/u-V1" == uploaded(store).program
    assert ["/kept/u-V2"] == discarded


def test_programs_of_so_many_bots_are_run_and_no_more(office, workshop):
    """
    Each has processes and files, so the machine bounds them; who is taken out makes room.

    A new version takes the place of one that is there, and is taken all the same.
    """
    workshop.most_bots = 1
    entered = []
    office._admissions = types.SimpleNamespace(check=lambda _code: None)
    office._host.launch_program = lambda bot, *_: entered.append(bot)

    async def scenario():
        for call in (office.check_upload("", ""), office.upload(b"W", "", "")):
            with pytest.raises(Refused, match="programs of 1 bots are run here") as caught:
                await call
            assert Reason.LEAGUE_FULL is caught.value.refusal.reason
        assert (await office.upload(b"V2", "", "uploaded")).accepted
        await office.revoke("u", "operator")
        assert (await office.upload(b"W", "", "")).accepted

    trio.run(scenario, clock=MockClock())
    assert ["w"] == entered
    assert ["/kept/u-V1"] == office._host.removed
    assert ["/kept/u-V2", "/kept/w-W"] == workshop.kept


def test_two_that_are_examined_do_not_pass_the_bound_together(office, workshop):
    """
    It is looked at once more when the bot is entered.
    """
    workshop.most_bots = 2
    office._admissions = types.SimpleNamespace(check=lambda _code: None)
    other = Bot(id="x", name="X", house=False, program="/kept/x")
    workshop.meanwhile = lambda: office._register.add(other)

    async def scenario():
        with pytest.raises(Refused, match="programs of 2 bots are run here"):
            await office.upload(b"W", "", "")

    trio.run(scenario, clock=MockClock())
    assert [] == workshop.kept


def test_no_program_is_taken_where_the_disk_has_no_room(office, workshop):
    """
    Neither a new bot nor a new version, and it is said before anything is sent.
    """
    workshop.room = False
    office._admissions = types.SimpleNamespace(check=lambda _code: None)

    async def scenario():
        for token in ("", "uploaded"):
            with pytest.raises(Refused) as caught:
                await office.check_upload("", token)
            assert Reason.LEAGUE_FULL is caught.value.refusal.reason

    trio.run(scenario, clock=MockClock())


def test_a_version_that_does_not_pass_changes_nothing(office, store, workshop):
    """
    Neither the bot nor a version that waits.
    """

    async def scenario():
        await office.upload(b"V2", "", "uploaded")
        workshop.passed = False
        return await office.upload(b"V3", "", "uploaded")

    verdict = trio.run(scenario, clock=MockClock())
    assert (False, None, False) == (verdict.accepted, verdict.admission, verdict.from_next_run)
    assert "V2" == uploaded(store).waiting.name
    assert ["/kept/u-V2"] == workshop.kept


@pytest.mark.parametrize(
    ("token", "reason"),
    [
        ("nobody's", Reason.TOKEN_UNKNOWN),
        ("operator", Reason.NOT_YOUR_BOT),
        ("secret", Reason.NOT_UPLOADED),
        ("uploaded", Reason.BOT_REVOKED),
    ],
)
def test_who_gets_no_new_version(office, store, workshop, token, reason):
    """
    Said before anything is sent, and again at the end: much happens while a program is built.
    """
    if reason is Reason.BOT_REVOKED:
        store.revoke_bot(store.latest_run(), "u")

    async def scenario():
        for call in (office.check_upload("", token), office.upload(b"V2", "", token)):
            with pytest.raises(Refused) as found:
                await call
            assert reason is found.value.refusal.reason

    trio.run(scenario, clock=MockClock())
    assert [] == workshop.kept


def test_a_bot_that_is_taken_out_meanwhile_gets_no_new_version(office, store, workshop):
    """
    Between the beginning of an upload and its end lie minutes.
    """
    workshop.meanwhile = lambda: office.revoke("u", "operator")

    async def scenario():
        with pytest.raises(Refused, match="taken out"):
            await office.upload(b"V2", "", "uploaded")

    trio.run(scenario, clock=MockClock())
    assert (None, []) == (uploaded(store).waiting, workshop.kept)
