"""
An open league night after night: who comes along into the next run.
"""

from __future__ import annotations

import asyncio
import json
import signal
import socket

import pytest

from referee import client

pytestmark = pytest.mark.slow


@pytest.fixture
def address():
    """
    Where the referee of the test listens.
    """
    with socket.create_server(("127.0.0.1", 0)) as server:
        return f"127.0.0.1:{server.getsockname()[1]}"


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


def stop(process):
    """
    Stop a referee gently.
    """
    process.send_signal(signal.SIGTERM)
    assert 0 == process.wait(20)


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
    stop(referee)
    assert [0, 0] == [bot.wait(20) for bot in bots]
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
        assert 1 == place.start_bot(first, address, stranger).wait(20)
    for instance in "12":
        place.start_bot(first, address, token, instance)
    place.wait(lambda: matches(place, 2) == {"a:mine": 4}, "the second night is played")
    remote("bots", "revoke", "mine")
    stop(referee)
    place.run("close", file)
    assert "verified: 4 of " in place.run("verify", file, "--run", "1").stdout

    referee = serve(place, address)
    assert "1 bot is carried over" in referee.err.read_text()
    assert ["a", "away"] == [bot.bot_id for bot in asyncio.run(client.list_bots(address))]
    stop(referee)


def test_a_league_may_begin_anew_each_time(place, file, address):
    """
    Where the file of `--config` says so.
    """
    config = place.path / "serve.toml"
    config.write_text(config.read_text() + "[submission]\ncarry_over = false\n")
    referee = serve(place, address)
    place.run("submit", "Mine", "--address", address, program="referee")
    stop(referee)
    place.run("close", file)
    referee = serve(place, address)
    assert [] == events(referee, "bots_carried_over")
    assert ["a"] == [bot.bot_id for bot in asyncio.run(client.list_bots(address))]
    stop(referee)


def test_a_house_bot_that_takes_the_id_of_one_is_refused(place, file, address, first):
    """
    With exit code 2 and what to do; no run is begun.
    """
    referee = serve(place, address)
    place.run("submit", "Mine", "--address", address, program="referee")
    stop(referee)
    place.run("close", file)
    bots = [(bot, first, "instances = 2") for bot in ("a", "mine")]
    place.league(*bots, open=True, listen=address)
    done = place.run("serve", "--config", "serve.toml", program="referee", code=2)
    assert "bots[2].id: 'mine' is the id of a bot that was submitted" in done.stderr
    assert [(1,)] == place.ask("SELECT count(*) FROM run")
