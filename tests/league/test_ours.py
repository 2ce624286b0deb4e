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

    @pytest.mark.parametrize("broken", ["deck", "table"])
    def test_a_game_that_fails_twice_is_void(self, place, file, broken):
        """
        Stored as void and counted nowhere; the others are played; exit code 1 says so.
        """
        whole = place.json("run", file, "--store", "sqlite:///whole.db")
        patch = DECK.format(times=9) if broken == "deck" else place.broken_table()
        done = place.run("run", file, "--format", "json", patch=patch, code=1)
        assert 8 == len(place.stored()) == len(set(place.stored()))
        assert [("a:b/2b",)] == place.ask("SELECT fixture FROM game WHERE void")
        table = json.loads(done.stdout)
        assert [7, 7] == [row["games"] for row in table["rows"]]
        # It is not over: what is void can be played again, on decks that nobody knows.
        assert None is table["run"]["secret"]
        assert "void because the referee failed: 1; `league resume` plays" in done.stderr
        assert "1 game void" in place.run("standings").stdout
        assert 2 == done.stderr.count("game_failed")
        assert [] == place.processes()
        assert "this game is void" in place.run("show", "a:b/2b", code=1).stderr
        # The bug is mended.
        assert whole == place.json("resume", file)
        assert 8 == len(place.stored()) == len(set(place.stored()))
        assert "verified: 8 games, " in place.run("verify", file).stdout

    def test_a_run_can_be_closed_with_its_void_games(self, place, file):
        """
        Then it is over, can be verified, and nothing is played any more.
        """
        place.run("run", file, patch=place.broken_table(), code=1)
        assert "not finished" in place.run("verify", file, code=1).stderr
        said = "run 1 of small is over; 1 game is void for good, because the referee failed\n"
        assert said == place.run("close", file).stdout
        assert "verified: 8 games (1 void), " in place.run("verify", file).stdout
        table = place.json("resume", file)
        assert [7, 7] == [row["games"] for row in table["rows"]]
        assert table["run"]["secret"] is not None

    def test_swiss_rounds_go_on_from_a_void_game(self, place, first, last):
        """
        Later rounds rest on it, so it stays, and the run is over.
        """
        scripts = {"a": first, "b": last, "c": first, "d": last}
        bots = [(bot, script, "instances = 2") for bot, script in scripts.items()]
        file = place.league(*bots, format="swiss", rounds=2, seed="s", sets=1)
        patch = place.broken_table('set_id.endswith("/1")')
        place.run("run", file, patch=patch, code=1)
        # Of each set the second sitting, in both rounds.
        assert [(4,)] == place.ask("SELECT count(*) FROM game WHERE void")
        assert 8 == len(place.stored())
        assert "verified: 8 games (4 void), " in place.run("verify", file).stdout
        assert 4 == place.json("resume", file)["run"]["games"]

    def test_a_run_that_lacks_games_is_not_closed(self, place, file):
        """
        Whoever could stop while they lead would.
        """
        place.run("run", file, patch=STORE, code=1)
        done = place.run("close", file, code=2)
        assert "lacks" in done.stderr
        assert "`league resume` plays them" in done.stderr
        assert [(None,)] == place.ask("SELECT finished FROM run")


GOES_ON = "what was stored is safe: once this is mended, `league resume` goes on"


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
        assert (done.stdout, done.stderr) == ("", f"league: the disk is full; {GOES_ON}\n")
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
