"""
Runs that are interrupted, by whatever, and go on.
"""

from __future__ import annotations

import json
import signal

import pytest

pytestmark = pytest.mark.slow

SETS = 20


@pytest.fixture
def file(place, first, last):
    """
    A league that takes a few seconds at one table, with as few processes as it can be.
    """
    bots = [("a", first, "instances = 2"), ("b", last, "instances = 2")]
    return place.league(*bots, sets=SETS, hands=2, seed="s", tables=1)


@pytest.fixture
def whole(place, file):
    """
    The standings of that league when nothing interrupts it.
    """
    return place.json("run", file, "--tables", "64", "--store", "sqlite:///whole.db")


class TestKilled:
    """
    `kill -9` of the league, wherever it is.
    """

    def test_resume_ends_with_the_same_standings(self, place, file, whole):
        """
        Killed early and late: no game is lost or played twice, and no process stays.
        """
        for games in (0, 3, 11, 25):
            more = games + 5 - len(place.stored())
            process = place.start("resume", file, patch=place.hold(more))
            if games:
                place.wait(lambda n=games: len(place.stored()) >= n, f"{games} games")
            else:
                place.wait(lambda: len(place.processes()) > 3, "the bots run")
            process.kill()
            process.wait()
            place.nobody_left()
            assert games <= len(place.stored()) < 2 * SETS
        assert whole == place.json("resume", file)
        assert 2 * SETS == len(place.stored()) == len(set(place.stored()))
        assert [(1,)] == place.ask("SELECT count(*) FROM run")
        assert [] == place.processes()

    def test_only_one_may_play_into_a_store(self, place, file, whole):
        """
        A second `resume` is refused in a line that names the process; the first goes on.
        """
        process = place.start("resume", file, "--format", "json", patch=place.hold(1))
        place.wait(place.stored, "the first game")
        done = place.run("resume", file, code=1)
        assert f"process {process.pid} is playing into" in done.stderr
        assert ("", 1) == (done.stdout, done.stderr.count("\n"))
        # Whoever only looks is welcome meanwhile.
        assert "played so far" in place.run("standings").stdout
        place.go()
        assert 0 == place.end_of(process)
        rows = json.loads(process.out.read_text())["rows"]
        assert [row["margin"] for row in whole["rows"]] == [row["margin"] for row in rows]


@pytest.fixture
def where(backend, store_url):
    """
    A store that is not there yet: its URL, and how `Place.ask` calls it.
    """
    url = store_url(backend)
    return url, url if backend == "postgresql" else url.removeprefix("sqlite:///")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
class TestStopped:
    """
    Ctrl-C, and its brother, on every database.
    """

    def test_once_finishes_what_is_in_progress(self, place, file, whole, number, where):
        """
        Games in progress end and are stored; exit code 130, the table so far, and it goes on.
        """
        url, store = where
        options = (file, "--format", "json", "--store", url)
        process = place.start("run", *options, patch=place.hold(3))
        place.wait(lambda: len(place.stored(store)) == 3, "three games")
        process.send_signal(number)
        place.wait(lambda: "once more to stop now" in process.err.read_text(), "it is heard")
        place.go()
        assert 130 == place.end_of(process)
        assert "`league resume` with the same league file goes on" in process.err.read_text()
        assert 4 == len(place.stored(store))
        assert 4 == json.loads(process.out.read_text())["run"]["games"]
        assert [] == place.processes()
        assert whole == place.json("resume", file, "--store", url)
        played = "SELECT fixture, record FROM game"
        assert sorted(place.ask(played, "whole.db")) == sorted(place.ask(played, store))

    def test_twice_stops_at_once(self, place, last, number, where):
        """
        A bot that never answers holds the table for minutes; the second signal does not wait.
        """
        url, store = where
        slow = place.bot(
            "slow",
            "    def play(self, ask):\n"
            "        if not pathlib.Path('quick').exists():\n"
            "            pathlib.Path('asked').touch()\n"
            "            time.sleep(1000)\n"
            "        return ask.play.legal_cards[0]\n",
        )
        file = place.league(
            ("a", slow, "instances = 2"), ("b", last, "instances = 2"),
            limits={"answer": 900.0},
        )  # fmt: skip
        process = place.start("run", file, "--store", url)
        place.wait((place.path / "asked").exists, "a bot is asked for a card")
        process.send_signal(number)
        place.wait(lambda: "once more" in process.err.read_text(), "the first signal is heard")
        process.send_signal(number)
        assert 130 == place.end_of(process)
        assert [] == place.processes()
        assert "Traceback" not in process.err.read_text()
        assert [] == place.stored(store)
        (place.path / "quick").touch()
        assert 4 == place.json("resume", file, "--store", url)["run"]["games"]
        assert 4 == len(place.stored(store))


SIGNAL = """
import os, signal
from {module} import {name} as owner
real = owner.{method}
def call(*arguments, **keys):
    os.kill(os.getpid(), signal.SIGINT)
    return real(*arguments, **keys)
owner.{method} = call
"""


@pytest.mark.parametrize(
    ("owner", "method", "games"),
    [
        ("tournaments.store.Store", "new_run", 0),
        ("tournaments.store.Store", "played_ids", 0),
        ("referee.launch.Launcher", "start", 0),
        ("referee.launch.Launcher", "stop", 4),
        ("tournaments.store.Store", "finish", 4),
    ],
)
def test_ctrl_c_where_nobody_listens_for_it(  # noqa: PLR0917  (three are fixtures)
    place, first, last, owner, method, games
):
    """
    Before the first game, and after the last: no traceback, nobody is left, and it goes on.
    """
    file = place.league(("a", first, "instances = 2"), ("b", last, "instances = 2"))
    module, _, name = owner.rpartition(".")
    patch = SIGNAL.format(module=module, name=name, method=method)
    stopped = place.run("run", file, patch=patch, code=130)
    assert ("", "") == (stopped.stdout, stopped.stderr)
    place.nobody_left()
    assert games == len(place.stored())
    assert 4 == place.json("resume", file)["run"]["games"]
    assert [(1, 1)] == place.ask("SELECT count(*), count(finished) FROM run")


class TestResume:
    """
    What `resume` takes and what it refuses.
    """

    @pytest.fixture
    def small(self, place, first, last):
        """
        A league that is over in a moment.
        """
        return place.league(("a", first, "instances = 2"), ("b", last, "instances = 2"))

    def test_begins_where_there_is_none_and_prints_what_is_finished(self, place, small):
        """
        Without a store it plays; afterwards it prints the same table and plays nothing.
        """
        one = place.json("resume", small)
        stored = place.ask("SELECT id, fixture, played FROM game")
        assert one == place.json("resume", small)
        assert stored == place.ask("SELECT id, fixture, played FROM game")
        assert 4 == len(stored)

    def test_refuses_a_changed_file(self, place, small):
        """
        Other rules would mix what cannot be compared: exit code 2, and the file is named.
        """
        place.run("resume", small)
        small.write_text(small.read_text().replace("sets = 2", "sets = 3"))
        done = place.run("resume", small, code=2)
        assert f"{small}: has changed since run 1 was begun" in done.stderr
        assert 4 == len(place.stored())
        # A new run is free to be another league.
        place.run("run", small)
        assert 4 + 6 == len(place.stored())

    def test_refuses_a_changed_seed(self, place, small):
        """
        The decks would be others: exit code 2, and the key is named.
        """
        place.run("resume", small, "--seed", "one")
        done = place.run("resume", small, "--seed", "two", code=2)
        assert "--seed: run 1 has another seed" in done.stderr
        place.run("resume", small, "--seed", "one")
        place.run("resume", small)

    def test_a_run_that_is_not_there(self, place, small):
        """
        --run of a run that was never begun is exit code 2, and says which there are.
        """
        place.run("resume", small)
        assert "there are: 1" in place.run("resume", small, "--run", "4", code=2).stderr


def test_a_game_that_takes_too_long_is_given_up_and_played_again(place, last):
    """
    After `--drain` seconds it is dropped; exit code 130, and `resume` plays it.
    """
    slow = place.bot(
        "slow",
        "    def play(self, ask):\n"
        "        if not pathlib.Path('quick').exists():\n"
        "            pathlib.Path('asked').touch()\n"
        "            time.sleep(1000)\n"
        "        return ask.play.legal_cards[0]\n",
    )
    file = place.league(
        ("a", slow, "instances = 2"), ("b", last, "instances = 2"),
        limits={"answer": 900.0},
    )  # fmt: skip
    process = place.start("run", file, "--drain", "0.3")
    place.wait((place.path / "asked").exists, "a bot is asked for a card")
    process.send_signal(signal.SIGTERM)
    assert 130 == place.end_of(process)
    assert [] == place.stored()
    assert [] == place.processes()
    (place.path / "quick").touch()
    place.run("resume", file)
    assert 4 == len(place.stored())
