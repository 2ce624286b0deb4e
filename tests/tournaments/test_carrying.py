"""
Who plays in the next run of an open league.
"""

from __future__ import annotations

import dataclasses
import signal
import subprocess
import sys

import pytest
import structlog

from referee.errors import ConfigError
from tournaments import runs
from tournaments.serving import Serving, Submissions
from tournaments.store import Bot, Store, Version

PUPIL = Bot(
    id="mine",
    name="Mine",
    house=False,
    token_sha256="1" * 64,
    description="Bids low.",
    contact="me@example.org",
    software="mine 1",
    games=("bid", "buck"),
    submitted="then",
    program="/somewhere/mine-1.tar",
)
OTHER = Bot(id="aaa", name="Mine", house=False, token_sha256="2" * 64, submitted="later")


@pytest.fixture
def url(backend, store_url):
    """
    Where a store may be.
    """
    return store_url(backend)


@pytest.fixture
def store(url):
    """
    An open store.
    """
    with Store.open(url) as opened:
        yield opened


@pytest.fixture
def open_league(make_league):
    """
    An open league whose house bots connect from outside, so nothing has to be started.
    """
    league = make_league("bid", "a b", open=True, listen="127.0.0.1:0")
    entrants = tuple(dataclasses.replace(each, command=None) for each in league.entrants)
    return dataclasses.replace(league, entrants=entrants)


def begin(store, league, how=None, *, hosted=True):
    """
    Begin the next run, and return its bots.
    """
    run = runs.begin(store, league, "text", "league.toml", how or Serving(), hosted=hosted)
    return store.bots(run)


def enter(store, league, *bots):
    """
    Submit bots to the newest run.
    """
    for bot in bots:
        assert store.add_bot(store.latest_run(league.id), bot)


def names(bots):
    """
    Return the ids, in order.
    """
    return [bot.id for bot in bots]


def test_they_come_along_as_they_were(store, open_league):
    """
    With tokens, programs and all that they said, in the order in which they came.
    """
    begin(store, open_league)
    enter(store, open_league, PUPIL, OTHER)
    for _ in range(2):
        with structlog.testing.capture_logs() as logs:
            bots = begin(store, open_league)
        assert ["a", "b", "mine", "aaa"] == names(bots)
        assert [PUPIL, OTHER] == bots[2:]
        assert [
            {"event": "bots_carried_over", "log_level": "info", "bots": 2, "left_out": []}
        ] == logs


def test_who_is_out_stays_out(store, open_league):
    """
    And a token that was rotated carries over as it is.
    """
    begin(store, open_league)
    enter(store, open_league, PUPIL, OTHER)
    run = store.latest_run(open_league.id)
    store.revoke_bot(run, "aaa")
    store.rotate_token(run, "mine", "3" * 64)
    bots = begin(store, open_league)
    assert [dataclasses.replace(PUPIL, token_sha256="3" * 64)] == bots[2:]
    store.revoke_bot(store.latest_run(open_league.id), "mine")
    assert ["a", "b"] == names(begin(store, open_league))
    assert ["a", "b"] == names(begin(store, open_league))


def test_a_run_of_the_house_bots_in_between_loses_nobody(store, open_league):
    """
    `league run` plays an open league too, without those who were submitted.
    """
    begin(store, open_league)
    enter(store, open_league, PUPIL)
    assert ["a", "b"] == names(begin(store, open_league, hosted=False))
    assert ["a", "b", "mine"] == names(begin(store, open_league))


def test_it_can_be_turned_off(store, open_league):
    """
    Then the house bots begin alone.
    """
    begin(store, open_league)
    enter(store, open_league, PUPIL)
    off = Serving(submission=Submissions(carry_over=False))
    assert ["a", "b"] == names(begin(store, open_league, off))
    enter(store, open_league, OTHER)
    assert ["a", "b", "aaa"] == names(begin(store, open_league))


def test_leagues_of_one_store_are_kept_apart(store, open_league):
    """
    Only the bots of this one are carried over.
    """
    begin(store, open_league)
    enter(store, open_league, PUPIL)
    assert ["a", "b"] == names(begin(store, dataclasses.replace(open_league, id="else")))


def test_who_does_not_play_the_game_is_left_out(store, open_league):
    """
    The league file may name another one than before; the log says who stays away.
    """
    begin(store, open_league)
    enter(store, open_league, dataclasses.replace(PUPIL, games=("buck",)), OTHER)
    with structlog.testing.capture_logs() as logs:
        assert ["a", "b", "aaa"] == names(begin(store, open_league))
    assert (1, ["mine"]) == (logs[0]["bots"], logs[0]["left_out"])


def test_a_house_bot_of_the_same_id_is_refused(store, open_league):
    """
    Before anything is begun, with what to do; nobody could tell the two apart.
    """
    begin(store, open_league)
    enter(store, open_league, PUPIL)
    entrants = (*open_league.entrants, dataclasses.replace(open_league.entrants[0], id="mine"))
    league = dataclasses.replace(open_league, entrants=entrants)
    with pytest.raises(ConfigError, match=r"'mine' is the id of a bot that was submitted") as found:
        begin(store, league)
    assert "bots[3].id" == found.value.key
    assert 1 == len(store.runs())
    off = Serving(submission=Submissions(carry_over=False))
    assert ["a", "b", "mine"] == names(begin(store, league, off))


KILLED = """
import os, signal, sys
from tournaments.store import Store

put, calls = Store._put_bot, []

def dying(self, *arguments):
    calls.append(arguments)
    if len(calls) == 4:
        os.kill(os.getpid(), signal.SIGKILL)
    return put(self, *arguments)

Store._put_bot = dying
from tournaments import files
with Store.open(sys.argv[1]) as store:
    league = files.parse(sys.argv[2], "open.toml")
    before = store.last_entered(league.id)
    store.new_run(league, text="", secret=bytes(32), commitment="", carried=before)
"""


def test_a_kill_in_between_loses_nobody(url, open_league):
    """
    The run and its bots are stored together: killed before the last of them there is no run.
    """
    text = (
        '[league]\nid = "test"\ngame = "bid"\nsets = 2\nopen = true\n'
        '[[bots]]\nid = "a"\noutside = true\n[[bots]]\nid = "b"\noutside = true\n'
    )
    with Store.open(url) as store:
        begin(store, open_league)
        enter(store, open_league, PUPIL, OTHER)
    done = subprocess.run(
        [sys.executable, "-c", KILLED, url, text], timeout=60, check=False, capture_output=True
    )
    assert -signal.SIGKILL == done.returncode, done.stderr
    with Store.open(url) as store:
        assert 1 == len(store.runs())
        assert ["a", "b", "mine", "aaa"] == names(begin(store, open_league))


def test_old_versions_of_programs_do_not_pile_up(store, open_league, tmp_path):
    """
    A run keeps its own and those of the one before; those who left keep nothing.

    A league of another name, and a run of the house bots in between, change nothing.
    """
    made = {}
    for name in ("first", "second", "third", "leaves", "waits", "other"):
        made[name] = tmp_path / name
        made[name].touch()

    def version(name):
        return Version(name="Mine", program=str(made[name]))

    def here():
        return {name for name, path in made.items() if path.exists()}

    other = dataclasses.replace(open_league, id="else")
    begin(store, other)
    enter(store, other, dataclasses.replace(PUPIL, program=str(made["other"])))
    begin(store, open_league)
    leaver = dataclasses.replace(PUPIL, id="leaver", token_sha256="4" * 64)
    first = dataclasses.replace(PUPIL, program=str(made["first"]))
    enter(store, open_league, first, dataclasses.replace(leaver, program=str(made["leaves"])))
    run = store.latest_run(open_league.id)
    store.renew_bot(run, "mine", version("second"))
    store.renew_bot(run, "leaver", version("waits"))
    store.revoke_bot(run, "leaver")

    begin(store, open_league)
    assert {"first", "second", "third", "other"} == here()
    store.renew_bot(store.latest_run(open_league.id), "mine", version("third"))
    begin(store, open_league, hosted=False)
    assert {"first", "second", "third", "other"} == here()
    begin(store, open_league)
    assert {"second", "third", "other"} == here()
    begin(store, open_league)
    assert {"third", "other"} == here()
    assert str(made["third"]) == store.bots(store.latest_run(open_league.id))[-1].program
