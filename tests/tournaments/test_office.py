"""
What a league answers from outside, without a server.
"""

from __future__ import annotations

import types
from collections import Counter

import pytest
import trio
from trio.testing import MockClock

from referee.server import token_hash
from tournaments.office import LeagueOffice
from tournaments.store import Bot, Store


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
        expel=lambda _bot: None,
    )
    return LeagueOffice(host, Door(), store, admissions=None, operator=token_hash("operator"))


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
