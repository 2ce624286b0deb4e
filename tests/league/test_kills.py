"""
The journal is the only truth: whatever happens to the process, nothing is lost or doubled.
"""

from __future__ import annotations

import random
import resource
import subprocess
import time

import pytest

pytestmark = pytest.mark.slow

KILLS = 26
"""For each database, so that there are more than fifty."""


@pytest.fixture
def file(place, first, last):
    """
    A league that lasts longer than all the kills.
    """
    bots = [("a", first, "instances = 2"), ("b", last, "instances = 2")]
    return place.league(*bots, sets=150, hands=2, seed="s", tables=3)


@pytest.fixture
def url(backend, store_url):
    """
    A store that is not there yet.
    """
    return store_url(backend)


def stored(place, where):
    """
    How many games are stored; none where there are no tables yet.
    """
    return len(place.ask("SELECT 1 FROM game", where))


def test_killed_at_random_points_it_ends_as_if_nothing_had_happened(place, file, url):
    """
    While it starts, plays, stores or begins anew: `kill -9`, again and again.

    The final standings and the stored games are those of a run that was left alone; no
    process stays behind, though nobody had the time to end one.
    """
    where = url if url.startswith("postgresql") else url.removeprefix("sqlite:///")
    dice = random.Random(url.partition(":")[0])
    seen = set()
    for kill in range(KILLS):
        games = stored(place, where)
        # It cannot end before it is killed, however late that is; nor can those after it.
        process = place.start("resume", file, "--store", url, patch=place.hold(10))
        if kill % 3:
            more = games + dice.randrange(1, 9)
            place.wait(lambda n=more: stored(place, where) >= n, f"{more} games")
            time.sleep(dice.uniform(0, 0.03))
        else:
            # Before the first game, or about there.
            time.sleep(dice.uniform(0, 1.2))
        assert process.poll() is None, process.err.read_text()
        process.kill()
        process.wait()
        place.nobody_left()
        seen.add(stored(place, where))
    assert len(seen) > KILLS // 2
    assert max(seen) < 300
    table = place.json("resume", file, "--store", url, "--tables", "64")
    whole = place.json("run", file, "--store", "sqlite:///whole.db", "--tables", "64")
    # The second run stands in a store of its own, so both are run 1.
    assert whole == table
    games = "SELECT fixture, record FROM game"
    assert sorted(place.ask(games, "whole.db")) == sorted(place.ask(games, where))
    assert 300 == table["run"]["games"]
    assert [(1,)] == place.ask("SELECT count(*) FROM run", where)


def test_a_full_disk_ends_the_run_and_resume_completes_it(place, file):
    """
    The files of the store cannot grow any more: a clear error, and nothing that counted is lost.
    """
    whole = place.json("run", file, "--store", "sqlite:///whole.db", "--tables", "64")
    done = subprocess.run(
        place.command(["run", file, "--tables", "64"], "league", None),
        cwd=place.path,
        env=place.environment(None),
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (150_000, 150_000)),
        capture_output=True,
        text=True,
        timeout=2 * place.PATIENCE,
        check=False,
    )
    assert 1 == done.returncode, done.stderr
    assert "Traceback" not in done.stderr
    assert "disk" in done.stderr.splitlines()[-1]
    place.nobody_left()
    before = place.ask("SELECT fixture, record, played FROM game")
    assert 0 < len(before) < 300
    assert whole == place.json("resume", file)
    assert set(before) < set(place.ask("SELECT fixture, record, played FROM game"))


def test_a_database_that_goes_away_ends_the_run_and_resume_completes_it(
    place, file, backends, store_url, request
):
    """
    A server that restarts breaks the connection that holds the lock.
    """
    if "postgresql" not in backends:
        return  # a file does not go away; CI has a server
    server = request.getfixturevalue("postgresql")
    url = store_url("postgresql")
    process = place.start("run", file, "--store", url, patch=place.hold(30))
    place.wait(lambda: place.ask("SELECT 1 FROM game", url), "the first game")
    server.restart()
    place.go()
    assert 1 == place.end_of(process)
    assert "Traceback" not in process.err.read_text()
    assert url.partition("?")[0] in process.err.read_text().splitlines()[-1]
    place.nobody_left()
    # Its lock is gone with it.
    table = place.json("resume", file, "--store", url, "--tables", "64")
    assert table == place.json("run", file, "--store", "sqlite:///whole.db", "--tables", "64")


def test_two_runners_on_one_league_in_one_database(place, file, url):
    """
    The second is refused in one line while the first plays, and may play when it is killed.
    """
    process = place.start("run", file, "--store", url, patch=place.hold(30))
    where = url if url.startswith("postgresql") else url.removeprefix("sqlite:///")
    place.wait(lambda: place.ask("SELECT 1 FROM game", where), "the first game")
    done = place.run("resume", file, "--store", url, code=1)
    assert ("", 1) == (done.stdout, done.stderr.count("\n"))
    assert "playing" in done.stderr
    process.kill()
    process.wait()
    place.nobody_left()
    assert 300 == place.json("resume", file, "--store", url, "--tables", "64")["run"]["games"]
