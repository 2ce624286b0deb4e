"""
What a league answers from outside, without a server.
"""

from __future__ import annotations

import types
from collections import Counter
from dataclasses import fields

import pytest
import trio
from trio.testing import MockClock

from referee.office import Row
from referee.server import token_hash
from tournaments.faults import FaultKinds
from tournaments.office import LeagueOffice
from tournaments.pairing import fixtures
from tournaments.reading import standings_of
from tournaments.reneges import Watch
from tournaments.store import Bot, NewGame, Store


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
