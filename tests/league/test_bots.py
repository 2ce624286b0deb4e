"""
Leagues with bots that are not well.
"""

from __future__ import annotations

import json
import socket

import pytest

pytestmark = pytest.mark.slow

ALIKE = "instances = 2"


@pytest.fixture
def mortal(place):
    """
    A bot that ends its program in the middle of its second deal, once for each instance.
    """
    return place.bot(
        "mortal",
        "    def play(self, ask):\n"
        "        died = pathlib.Path('died-' + os.environ['EUCHRE_INSTANCE'])\n"
        "        if ask.view.public_view.deal == 2 and not died.exists():\n"
        "            died.touch()\n"
        "            os._exit(7)\n"
        "        return max(ask.play.legal_cards)\n",
    )


class TestDying:
    """
    Bots whose programs end while they are needed.
    """

    def test_a_bot_that_dies_is_started_again_and_its_game_goes_on(self, place, mortal, last):
        """
        Its death costs it no fault: the result is that of the same bot without it.
        """
        file = place.league(("a", mortal, ALIKE), ("b", last, ALIKE), seed="s")
        table = place.json("run", file)
        assert ["died-1", "died-2"] == sorted(path.name for path in place.path.glob("died-*"))
        assert [(0, 0)] * 2 == [(row["faults"], row["forfeits"]) for row in table["rows"]]
        # They have died; from now on they do not.
        assert table == place.json("run", file, "--store", "sqlite:///well.db")
        assert 4 == len(place.stored())

    def test_a_bot_that_always_dies_forfeits_and_spoils_nothing(self, place, first, last):
        """
        Its games are forfeited, and the others' against each other are as without it.
        """
        dead = place.bot("dead", "", head="os._exit(3)")
        limits = {"restarts": 1}
        others = [("a", first, ALIKE), ("b", last, ALIKE)]
        with_it = place.league(*others, ("dead", dead, ALIKE), seed="s", limits=limits)
        without = place.league(*others, seed="s", limits=limits, name="without.toml")
        table = place.json("run", with_it)
        rows = {row["bot"]: row for row in table["rows"]}
        assert 8 == rows["dead"]["forfeits"] == rows["dead"]["games"] == rows["dead"]["lost"]
        assert (0, 0) == (rows["a"]["forfeits"], rows["b"]["forfeits"])
        place.run("run", without, "--store", "sqlite:///without.db")
        records = "SELECT fixture, record FROM game WHERE match_id = 'a:b' ORDER BY fixture"
        assert place.ask(records, "without.db") == place.ask(records)
        assert [] == place.processes()

    def test_a_bot_that_prints_and_raises_plays_on(self, place, last):
        """
        Its standard output goes nowhere, its standard error into a log of its own, which is named.
        """
        loud = place.bot(
            "loud",
            "    def play(self, ask):\n"
            "        print('on stdout')\n"
            "        raise ValueError('mine')\n",
        )
        file = place.league(("a", loud, ALIKE), ("b", last, ALIKE))
        done = place.run("run", file)
        assert "on stdout" not in done.stdout
        log = place.path / "results" / "logs" / "small-1" / "a-1.log"
        event = json.loads(done.stderr)
        assert ("bots_wrote", ["a"], [str(log)]) == (event["event"], event["bots"], event["logs"])
        assert "ValueError: mine" in log.read_text()


BAD = {
    "toml": ("[league", "is not TOML"),
    "no game": ('[league]\nid = "x"', "league.game"),
    "unknown key": ('[league]\nid = "x"\ngame = "bid"\nsets = 1\nsetz = 2', "league.setz"),
    "a kind": ('[league]\nid = "x"\ngame = "bid"\nsets = "two"', "league.sets"),
    "a rule": ('[league]\nid = "x"\ngame = "bid"\nsets = 1\n[rules]\njokr = true', "jokr"),
    "one bot": (
        '[league]\nid = "x"\ngame = "bid"\nsets = 1\n[[bots]]\nid = "a"\noutside = true',
        "needs at least 2 bots",
    ),
    "no command": (
        '[league]\nid = "x"\ngame = "bid"\nsets = 1\n[[bots]]\nid = "a"',
        "bots[1].command",
    ),
}


class TestMistakes:
    """
    A user's mistakes: exit code 2, one line, nothing made.
    """

    @pytest.mark.parametrize("name", BAD)
    def test_a_wrong_file(self, place, name):
        """
        The line names the file and the key.
        """
        text, words = BAD[name]
        (place.path / "bad.toml").write_text(text)
        done = place.run("run", "bad.toml", code=2)
        assert ("", 1) == (done.stdout, done.stderr.count("\n"))
        assert done.stderr.startswith("league: bad.toml: ")
        assert words in done.stderr
        assert not (place.path / "results").exists()

    def test_a_file_that_is_not_there(self, place):
        """
        It is named.
        """
        done = place.run("run", "nowhere.toml", code=2)
        assert "league: nowhere.toml: cannot be read" in done.stderr
        assert 1 == done.stderr.count("\n")

    def test_a_command_that_does_not_exist(self, place, first):
        """
        Found before the first deal, and before a run is begun that could never be finished.
        """
        file = place.league(("a", first), ("b", "nowhere.py"))
        done = place.run("run", file, code=2)
        assert "there is no script nowhere.py" in done.stderr
        assert "bots[2].command" in done.stderr
        assert ("", 1) == (done.stdout, done.stderr.count("\n"))
        assert [] == place.ask("SELECT id FROM run")

    @pytest.mark.parametrize(
        ("arguments", "words"),
        [
            (["--tables", "0"], "--tables"),
            (["--store", "nonsense"], "--store"),
            (["--store", "mysql://x/y"], "--store"),
        ],
    )
    def test_a_wrong_option(self, place, first, arguments, words):
        """
        The option is named.
        """
        file = place.league(("a", first), ("b", first))
        done = place.run("run", file, *arguments, code=2)
        assert words in done.stderr
        assert 1 == done.stderr.count("\n")

    def test_an_address_that_is_taken(self, place, first):
        """
        Somebody else listens there: exit code 2, and nothing is left behind.
        """
        with socket.create_server(("127.0.0.1", 0)) as taken:
            listen = f"127.0.0.1:{taken.getsockname()[1]}"
            file = place.league(("a", first), ("b", first), listen=listen)
            done = place.run("run", file, code=2)
        assert f"cannot listen at {listen}" in done.stderr
        assert [] == place.processes()


@pytest.mark.parametrize(("soft", "hard", "code"), [(40, 4096, 0), (60, 60, 2)])
def test_too_few_open_files_are_noticed_before_anybody_forfeits(place, first, soft, hard, code):
    """
    What the system allows is taken; where that is too little, nothing is begun.
    """
    file = place.league(("a", first, "instances = 8"), ("b", first, "instances = 8"))
    limit = f"import resource; resource.setrlimit(resource.RLIMIT_NOFILE, ({soft}, {hard}))"
    done = place.run("run", file, "--format", "json", patch=limit, code=code)
    if code:
        assert "16 instances need 128 open files, and the system allows 60" in done.stderr
        assert 1 == len(done.stderr.splitlines())
        assert [] == place.ask("SELECT * FROM run")
    else:
        rows = json.loads(done.stdout)["rows"]
        assert [(4, 0), (4, 0)] == [(row["games"], row["forfeits"]) for row in rows]
