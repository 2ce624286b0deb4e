"""
Leagues in which the referee itself fails: faults that are put into the real program.
"""

from __future__ import annotations

import json

import pytest

pytestmark = pytest.mark.slow

DECK = """
import tournaments.host as host
real, seen = host.open_table, []
def open_table(rules, secret, set_id, **keys):
    table = real(rules, secret, set_id, **keys)
    if set_id == "a:b/2" and keys["sitting"] == 1 and len(seen) < {times}:
        seen.append(set_id)
        def deck(deal):
            raise RuntimeError("a bug of ours")
        table._deck = deck
    return table
host.open_table = open_table
"""

TABLE = """
import tournaments.host as host
real = host.open_table
def open_table(rules, secret, set_id, **keys):
    if set_id == "a:b/2" and keys["sitting"] == 1:
        raise RuntimeError("a bug of ours")
    return real(rules, secret, set_id, **keys)
host.open_table = open_table
"""

STORE = """
from referee.errors import StoreError
from tournaments.store import Store
real, calls = Store.add_games, []
def add_games(self, run, batch):
    calls.append(1)
    if len(calls) == 3:
        raise StoreError("the disk is full")
    return real(self, run, batch)
Store.add_games = add_games
"""


@pytest.fixture
def file(place, first, last):
    """
    A small league, one table, so that games come one after the other.
    """
    bots = [("a", first, "instances = 2"), ("b", last, "instances = 2")]
    return place.league(*bots, sets=4, seed="s", tables=1)


class TestVoid:
    """
    Games that fail because of us.
    """

    def test_a_game_that_fails_once_is_played_again(self, place, file):
        """
        The second time it is well, and nobody can tell from the standings.
        """
        whole = place.json("run", file, "--store", "sqlite:///whole.db")
        assert whole == place.json("run", file, patch=DECK.format(times=1))

    @pytest.mark.parametrize("patch", [DECK.format(times=9), TABLE], ids=["deck", "table"])
    def test_a_game_that_fails_twice_is_void(self, place, file, patch):
        """
        Stored as void and counted nowhere; the others are played; exit code 1 says so.
        """
        done = place.run("run", file, "--format", "json", patch=patch, code=1)
        assert 8 == len(place.stored()) == len(set(place.stored()))
        assert [("a:b/2b",)] == place.ask("SELECT fixture FROM game WHERE void")
        assert [7, 7] == [row["games"] for row in json.loads(done.stdout)["rows"]]
        assert "1 game void" in place.run("standings").stdout
        assert 2 == done.stderr.count("game_failed")
        assert [] == place.processes()
        assert "this game is void" in place.run("show", "a:b/2b", code=1).stderr
        # It is over: there is nothing left to play.
        assert [7, 7] == [row["games"] for row in place.json("resume", file)["rows"]]


class TestStore:
    """
    Stores that fail.
    """

    def test_a_store_that_fails_ends_the_run_and_resume_completes_it(self, place, file):
        """
        Exit code 1, one line; what was stored is kept, and the result is the same.
        """
        whole = place.json("run", file, "--store", "sqlite:///whole.db")
        done = place.run("run", file, patch=STORE, code=1)
        assert ("", "league: the disk is full\n") == (done.stdout, done.stderr)
        assert 0 < len(place.stored()) < 8
        assert [] == place.processes()
        assert whole == place.json("resume", file)

    def test_a_store_that_is_something_else(self, place, file):
        """
        A file that is no store of ours is left alone.
        """
        other = place.path / "other.db"
        other.write_text("These are my notes, not a database, and long enough to be read.\n" * 20)
        before = other.read_bytes()
        done = place.run("run", file, "--store", "sqlite:///other.db", code=1)
        assert 1 == done.stderr.count("\n")
        assert before == other.read_bytes()
