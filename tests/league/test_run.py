"""
`league run`, `standings` and `show`: what a user gets from a league that goes well.
"""

from __future__ import annotations

import csv
import io
import json

import pytest

pytestmark = pytest.mark.slow


@pytest.fixture
def bid(place, first, last):
    """
    A league file of Bid Euchre: three bots, so three pairs.
    """
    scripts = {"a": first, "b": last, "c": first}
    bots = [(bot, script, "instances = 2") for bot, script in scripts.items()]
    return place.league(*bots, sets=2)


@pytest.fixture
def buck(place, first, last):
    """
    A league file of Buck Euchre: four bots at one table.
    """
    scripts = {"a": first, "b": last, "c": first, "d": last}
    bots = [(bot, script, "instances = 1") for bot, script in scripts.items()]
    return place.league(*bots, game="buck", sets=2, hands=6)


class TestBid:
    """
    A round robin of pairs.
    """

    def test_stores_every_fixture_once_and_prints_the_table_alone(self, place, bid):
        """
        Two sets of two sittings for three pairs; without a terminal nothing else is said.
        """
        done = place.run("run", bid)
        expected = sorted(
            f"{pair}/{number}{sitting}"
            for pair in ("a:b", "a:c", "b:c")
            for number in (1, 2)
            for sitting in "ab"
        )
        assert expected == sorted(place.stored())
        assert done.stdout.startswith("small - Bid Euchre, run 1, 12 of 12 games\n")
        assert [] == [line for line in done.stdout.splitlines() if len(line) > 80]
        assert "" == done.stderr
        assert [] == place.processes()

    def test_standings_again_are_the_same_in_every_format(self, place, bid):
        """
        The table is a fold of the store: what `run` prints, `standings` prints again.
        """
        printed = place.run("run", bid, "--format", "json").stdout
        assert printed == place.run("standings", "--format", "json").stdout
        assert printed == place.run("standings", bid, "--run", "1", "--format", "json").stdout
        rows = json.loads(printed)["rows"]
        assert {"a", "b", "c"} == {row["bot"] for row in rows}
        assert [8, 8, 8] == [row["games"] for row in rows]
        assert [(0, 0, 0)] * 3 == [(row["faults"], row["forfeits"], row["reneges"]) for row in rows]
        lines = list(csv.DictReader(io.StringIO(place.run("standings", "--format", "csv").stdout)))
        assert [row["bot"] for row in rows] == [line["bot"] for line in lines]
        github = place.run("standings", "--format", "github").stdout
        tables = [part.splitlines() for part in github.split("\n\n") if part.startswith("|")]
        assert [3 + 2, 3 + 2, 3 + 2 + 1] == list(map(len, tables))  # also cross table and seats

    def test_a_second_run_stands_beside_the_first(self, place, bid):
        """
        `run` never overwrites: both runs are there, and --run chooses.
        """
        one = place.json("run", bid)
        two = place.json("run", bid)
        assert one != two
        assert (one, two) == (place.json("standings", "--run", "1"), place.json("standings"))
        assert 24 == len(place.stored())

    def test_show_tells_a_game(self, place, bid):
        """
        A game is told deal by deal; --deal picks one, --json gives the record.
        """
        place.run("run", bid)
        text = place.run("show", "a:b/1a").stdout
        assert text.startswith("Game of set a:b/1, sitting 1\n  N a\n  E b\n  S a\n  W b\n")
        assert ("Deal 1," in text, "Deal 2," in text) == (True, True)
        only = place.run("show", "a:b/1a", "--deal", "2").stdout
        assert ("Deal 1," in only, "Deal 2," in only) == (False, True)
        record = json.loads(place.run("show", "a:b/1a", "--json").stdout)
        assert ["a", "b", "a", "b"] == record["seats"]

    def test_show_looks_in_the_league_that_is_named(self, place, bid):
        """
        Two leagues of the same bots have games of the same id: FILE tells them apart.
        """
        place.run("run", bid)
        first = place.run("show", "a:b/1a").stdout
        other = place.path / "other.toml"
        other.write_text(bid.read_text().replace('id = "small"', 'id = "other"'))
        place.run("run", other)
        named = [place.run("show", "a:b/1a", file).stdout for file in (bid, other)]
        assert first == named[0] != named[1]
        assert "no game 'a:b/9a'" in place.run("show", "a:b/9a", bid, code=2).stderr

    def test_show_takes_the_bots_in_any_order(self, place, bid):
        """
        That ids are sorted in the id of a game is nothing that one must know.
        """
        place.run("run", bid)
        assert place.run("show", "a:b/1a").stdout == place.run("show", "b:a/1a").stdout
        assert "`league games` lists them" in place.run("show", "b:a/9a", code=2).stderr

    def test_games_lists_all_that_show_can_tell(self, place, bid):
        """
        In the order of their ids, a line for each bot; --bot and --penalised choose.
        """
        place.run("run", bid)
        lines = list(csv.DictReader(io.StringIO(place.run("games", "--format", "csv").stdout)))
        assert sorted(place.stored()) == [line["game"] for line in lines[::2]]
        assert {"a", "b", "c"} == {line["bot"] for line in lines}
        found = json.loads(place.run("games", bid, "--bot", "b", "--format", "json").stdout)
        assert ["a:b/1a", "a:b/1b"] == [line["game"] for line in found[:2]]
        assert {"b"} == {line["bot"] for line in found}
        plain = place.run("games", "--bot", "b").stdout.splitlines()
        assert 2 + len(found) == len(plain)
        assert ["game", "bot", "seats", "points", "margin"] == plain[0].split()[:5]
        assert "[]\n" == place.run("games", "--penalised", "--format", "json").stdout
        wrong = place.run("games", "--bot", "z", code=2).stderr
        assert "there is no bot 'z' in this league (there are: a, b, c)" in wrong

    def test_a_league_that_could_not_begin_is_not_the_newest(self, place, bid):
        """
        It leaves a store without a run, which `standings` and `show` pass over.
        """
        first = place.run("standings", code=2)
        assert "there are no runs in results/" in first.stderr
        text = bid.read_text().replace('id = "small"', 'id = "other"')
        wrong = bid.with_name("wrong.toml")
        wrong.write_text(
            text.replace("[[bots]]", '[[bots]]\nid = "z"\ncommand = ["./z"]\n[[bots]]', 1)
        )
        printed = place.run("run", bid).stdout
        assert "there is no program ./z" in place.run("run", wrong, code=2).stderr
        assert printed == place.run("standings").stdout
        assert place.run("show", "a:b/1a").stdout.startswith("Game of set a:b/1")

    def test_show_refuses_what_is_not_there(self, place, bid):
        """
        An unknown game, deal or run is one line that says how to find what there is.
        """
        place.run("run", bid)
        for arguments, words in (
            (["show", "a:z/1a"], "a:z/1a"),
            (["show", "a:b/1a", "--run", "7"], "there are: 1"),
            (["standings", "--run", "7"], "there are: 1"),
        ):
            done = place.run(*arguments, code=2)
            assert words in done.stderr
            assert ("", 1) == (done.stdout, done.stderr.count("\n"))
        for number in ("0", "3"):
            done = place.run("show", "a:b/1a", "--deal", number, code=1)
            assert "the game has 2" in done.stderr


class TestBuck:
    """
    Four bots at a table, each for itself.
    """

    def test_four_rotations_of_each_set(self, place, buck):
        """
        Two sets of four sittings; wins, scores and places are in the table.
        """
        table = place.json("run", buck)
        expected = sorted(f"a:b:c:d/{number}{s}" for number in (1, 2) for s in "abcd")
        assert expected == sorted(place.stored())
        assert [8] * 4 == [row["games"] for row in table["rows"]]
        assert all(1 <= row["mean_place"] <= 4 for row in table["rows"])
        assert table == place.json("standings", buck)
        text = place.run("show", "a:b:c:d/2c").stdout
        assert text.startswith("Game of set a:b:c:d/2, sitting 3\n")
        assert [] == place.processes()

    def test_three_are_too_few(self, place, first):
        """
        Fewer than four entrants is an error that says so, before anything is made.
        """
        file = place.league(("a", first), ("b", first), ("c", first), game="buck")
        done = place.run("run", file, code=2)
        assert "Buck Euchre needs at least 4 bots, and there are 3" in done.stderr
        assert not (place.path / "results").exists()


class TestTcp:
    """
    House bots over TCP instead of a unix socket.
    """

    def test_the_same_games(self, place, first, last):
        """
        The transport changes nothing that is counted.
        """
        bots = [("a", first, "instances = 2"), ("b", last, "instances = 2")]
        unix = place.league(*bots, name="unix.toml")
        tcp = place.league(*bots, name="tcp.toml", transport="tcp")
        one = place.json("run", unix, "--seed", "s")
        assert one == place.json("run", tcp, "--seed", "s", "--store", "sqlite:///tcp.db")


COMMANDS = [
    ("league", []),
    *(("league", [name]) for name in ("run", "resume", "standings", "show", "report")),
    ("referee", []),
    *(("referee", [name]) for name in ("serve", "submit", "rules", "adjudicate")),
]


class TestHelp:
    """
    Every command teaches.
    """

    @pytest.mark.parametrize(("program", "command"), COMMANDS)
    def test_help_fits_and_says_the_exit_codes(self, place, program, command):
        """
        At 80 columns nothing is wider, and the four exit codes are explained.
        """
        text = place.run(*command, "--help", program=program).stdout
        flat = " ".join(text.split())
        assert "0 done, 1 failed, 2 wrong usage or configuration, 130 interrupted" in flat
        assert [] == [line for line in text.splitlines() if len(line) > 80]

    @pytest.mark.parametrize("program", ["league", "referee"])
    def test_wrong_usage_is_two(self, place, program):
        """
        No command, or one that is not known, is exit code 2.
        """
        assert "usage:" in place.run(program=program, code=2).stderr
        assert "usage:" in place.run("dance", program=program, code=2).stderr
