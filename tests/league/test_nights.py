"""
An open league night after night: who comes along into the next run.
"""

from __future__ import annotations

import asyncio
import datetime as dt
import json
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from referee import client

pytestmark = pytest.mark.slow

DATE, TIMEOUT = shutil.which("date"), shutil.which("timeout")
NIGHT = Path(__file__).parents[2] / "docs" / "deploy" / "night.sh"


@pytest.fixture
def file(place, first, address):
    """
    An open league with one house bot, and the file that says how it is served.
    """
    (place.path / "serve.toml").write_text('league = "small.toml"\n')
    return place.league(("a", first, "instances = 2"), open=True, listen=address)


def serve(place, address):
    """
    Start the referee, and wait until it listens.
    """
    process = place.start("serve", "--config", "serve.toml", program="referee")
    place.wait(lambda: f"listening at {address}" in process.err.read_text(), "it listens")
    return process


def stop(place, process):
    """
    Stop a referee gently.
    """
    process.send_signal(signal.SIGTERM)
    assert 0 == place.end_of(process)


def events(process, name):
    """
    Return the events of a name that a referee has logged.
    """
    lines = process.err.read_text().splitlines()
    found = [json.loads(line) for line in lines if line.startswith("{")]
    return [event for event in found if event["event"] == name]


def matches(place, run):
    """
    Return how many games of each match of a run are stored.
    """
    rows = place.ask("SELECT run_id, match_id, count(*) FROM game GROUP BY run_id, match_id")
    return {match: games for number, match, games in rows if number == run}


def test_bots_of_a_run_that_is_over_play_in_the_next(place, file, address, first):
    """
    With the tokens that they have; who was revoked stays out, and who has a new token keeps it.
    """

    def remote(*arguments, code=0):
        return place.run(*arguments, "--address", address, program="referee", code=code)

    referee = serve(place, address)
    for name in ("Mine", "Leaves", "Away"):
        remote("submit", name)
    void = (place.path / "mine.token").read_text().strip()
    remote("bots", "rotate", "mine")
    token = (place.path / "mine.token").read_text().strip()
    remote("bots", "revoke", "leaves")
    bots = [place.start_bot(first, address, token, instance) for instance in "12"]
    place.wait(lambda: matches(place, 1) == {"a:mine": 4}, "the first night is played")
    stop(place, referee)
    assert [0, 0] == [place.end_of(bot) for bot in bots]
    place.run("close", file)

    # Whoever is killed right after the beginning has lost nobody.
    referee = serve(place, address)
    assert "2 bots are carried over from the run before" in referee.err.read_text()
    (event,) = events(referee, "bots_carried_over")
    assert ("small", 2, 2, ["leaves"]) == (
        event["league"], event["run"], event["bots"], event["left_out"]
    )  # fmt: skip
    referee.kill()
    referee.wait()
    referee = serve(place, address)
    assert "carried over" not in referee.err.read_text()

    listed = asyncio.run(client.list_bots(address))
    assert ["a", "mine", "away"] == [bot.bot_id for bot in listed]
    gone = (place.path / "leaves.token").read_text().strip()
    for stranger in (void, gone):
        assert 1 == place.end_of(place.start_bot(first, address, stranger))
    for instance in "12":
        place.start_bot(first, address, token, instance)
    place.wait(lambda: matches(place, 2) == {"a:mine": 4}, "the second night is played")
    remote("bots", "revoke", "mine")
    stop(place, referee)
    place.run("close", file)
    assert "verified: 4 of " in place.run("verify", file, "--run", "1").stdout

    referee = serve(place, address)
    assert "1 bot is carried over" in referee.err.read_text()
    assert ["a", "away"] == [bot.bot_id for bot in asyncio.run(client.list_bots(address))]
    stop(place, referee)


def test_a_league_may_begin_anew_each_time(place, file, address):
    """
    Where the file of `--config` says so.
    """
    config = place.path / "serve.toml"
    config.write_text(config.read_text() + "[submission]\ncarry_over = false\n")
    referee = serve(place, address)
    place.run("submit", "Mine", "--address", address, program="referee")
    stop(place, referee)
    place.run("close", file)
    referee = serve(place, address)
    assert [] == events(referee, "bots_carried_over")
    assert ["a"] == [bot.bot_id for bot in asyncio.run(client.list_bots(address))]
    stop(place, referee)


def test_a_house_bot_that_takes_the_id_of_one_is_refused(place, file, address, first):
    """
    With exit code 2 and what to do; no run is begun.
    """
    referee = serve(place, address)
    place.run("submit", "Mine", "--address", address, program="referee")
    stop(place, referee)
    place.run("close", file)
    bots = [(bot, first, "instances = 2") for bot in ("a", "mine")]
    place.league(*bots, open=True, listen=address)
    done = place.run("serve", "--config", "serve.toml", program="referee", code=2)
    assert "bots[2].id: 'mine' is the id of a bot that was submitted" in done.stderr
    assert [(1,)] == place.ask("SELECT count(*) FROM run")


class Nights:
    """
    A folder with the script of the documentation.
    """

    def __init__(self, place, first, address, houses="a"):
        self.place = place
        self.address = address
        bots = [(bot, first, "instances = 2") for bot in houses]
        place.league(*bots, name="class.toml", open=True, listen=address)
        (place.path / "serve.toml").write_text('league = "class.toml"\n')
        shutil.copy(NIGHT, place.path)
        self.programs = place.path / "programs"
        self.programs.mkdir()
        # The hour comes when a test says so, however fast the machine is.
        self.write("timeout", f'echo "$*" >> timeouts\nexec {TIMEOUT} "$@"')
        self.write("date", f'[ "$*" = +%s ] && [ -e hour ] && set -- -d "1 day" +%s\n{DATE} "$@"')

    def write(self, name, text, program="/bin/sh"):
        """
        Write a program that the script finds before others.
        """
        path = self.programs / name
        path.write_text(f"#!{program}\n{text}\n")
        path.chmod(0o755)

    def end(self, script):
        """
        Let it be the hour at which the night ends; return the exit code of the script.
        """
        before, files = sum(self.runs()), len(list(self.place.path.glob("nights/*.txt")))
        (self.place.path / "hour").touch()
        self.stop()
        # Five programs one after the other: a slow machine has its patience for each.
        self.place.wait(lambda: sum(self.runs()) > before, "the run is closed")
        if not files:
            self.place.wait(lambda: list(self.place.path.glob("nights/*.txt")), "there is a table")
        return self.place.end_of(script)

    def stop(self):
        """
        Stop the referee.
        """
        lock = self.place.path / "results" / "small.db.lock"
        os.kill(int(lock.read_text()), signal.SIGTERM)

    def begin(self):
        """
        Start the script, which is to end in an hour, and wait until bots may come.
        """
        (self.place.path / "hour").unlink(missing_ok=True)
        end = (dt.datetime.now() + dt.timedelta(hours=1)).strftime("%H:%M:%S")  # noqa: DTZ005  (as cron has it)
        log = self.place.path / f"night-{len(self.place.started)}.log"
        path = [str(self.programs), str(Path(sys.executable).parent), os.environ["PATH"]]
        with log.open("w") as file:
            process = subprocess.Popen(
                [str(self.place.path / "night.sh"), end],
                env=self.place.environment({"PATH": os.pathsep.join(path)}),
                stdin=subprocess.DEVNULL,
                stdout=file,
                stderr=subprocess.STDOUT,
            )
        process.err = log
        self.place.started.append(process)
        self.place.wait(lambda: f"listening at {self.address}" in log.read_text(), "it listens")
        return process

    def runs(self):
        """
        Return for each run whether it is over.
        """
        return [over for (over,) in self.place.ask("SELECT finished IS NOT NULL FROM run")]


def test_the_nights_of_the_documentation(place, first, address):
    """
    Stopped by hand the run goes on; at the hour it is closed, and its table and pages are kept.
    """
    nights = Nights(place, first, address)
    script = nights.begin()
    place.run("submit", "Mine", "--address", address, program="referee")
    token = (place.path / "mine.token").read_text().strip()
    nights.stop()
    assert 0 == place.end_of(script), script.err.read_text()
    assert [0] == nights.runs()

    script = nights.begin()
    for instance in "12":
        place.start_bot(first, address, token, instance)
    place.wait(lambda: matches(place, 1) == {"a:mine": 4}, "the night is played")
    assert 0 == nights.end(script), script.err.read_text()
    assert [1] == nights.runs()
    (table,) = place.path.glob("nights/*.txt")
    assert "run 1, 4 of 4 games" in table.read_text()
    assert table.with_suffix("").joinpath("index.html").exists()

    script = nights.begin()
    assert ["a", "mine"] == [bot.bot_id for bot in asyncio.run(client.list_bots(address))]
    assert 0 == nights.end(script), script.err.read_text()
    assert [1, 1] == nights.runs()
    for asked in (place.path / "timeouts").read_text().splitlines():
        *how, seconds, program, command = asked.split()[:5]
        assert ["--foreground", "--preserve-status", "referee", "serve"] == [*how, program, command]
        assert 3000 < int(seconds) <= 3600


def test_a_night_with_void_games_is_closed_and_the_next_begins(place, first, address):
    """
    A fault of the referee is said in the log, in the table and by the exit code.
    """
    nights = Nights(place, first, address, houses="ab")
    body = f"{place.broken_table()}\nfrom referee.cli import main\nmain()"
    nights.write("referee", body, program=sys.executable)
    script = nights.begin()
    place.wait(lambda: matches(place, 1) == {"a:b": 4}, "the night is played")
    nights.stop()
    assert 1 == place.end_of(script)
    assert [0] == nights.runs()  # before its hour

    script = nights.begin()
    place.wait(lambda: script.err.read_text().count("game_failed") == 2, "it fails once more")
    assert 1 == nights.end(script)
    said = script.err.read_text()
    assert "void because the referee failed: 1; `referee serve` plays what is void" in said
    assert "run 1 of small is over; 1 game is void for good, because the referee failed" in said
    assert [1] == nights.runs()
    (table,) = place.path.glob("nights/*.txt")
    assert "1 game void, because the referee failed; counted nowhere." in table.read_text()

    (nights.programs / "referee").unlink()
    script = nights.begin()
    nights.stop()
    assert 0 == place.end_of(script)
    assert [1, 0] == nights.runs()
