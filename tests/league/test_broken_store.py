"""
A store that fails on command, at each kind of call and on every database.
"""

from __future__ import annotations

import pytest

pytestmark = pytest.mark.slow

FAULT = """
import re
import sqlalchemy.engine.default as default
from tournaments.store import Store

dialect, seen = default.DefaultDialect, []

def fails(real, text_of, before):
    # Where the driver itself would say it, so that its error goes the way of a real one.
    def call(self, *arguments, **keys):
        result = None if before else real(self, *arguments, **keys)
        if re.search({pattern!r}, text_of(arguments)):
            seen.append(1)
            if len(seen) == {number}:
                raise self.loaded_dbapi.OperationalError("the cable is cut")
        return real(self, *arguments, **keys) if before else result
    return call

statement = []
def noted(real):
    def call(self, cursor, text, *arguments, **keys):
        statement[:] = [text]
        return real(self, cursor, text, *arguments, **keys)
    return call

if {what!r} == "connect":
    dialect.connect = fails(dialect.connect, lambda arguments: "", True)
elif {what!r} == "execute":
    dialect.do_execute = fails(dialect.do_execute, lambda arguments: arguments[1], True)
else:
    # What is committed is told by the last statement before.
    dialect.do_execute = noted(dialect.do_execute)
    last = lambda arguments: " ".join(statement)
    dialect.do_commit = fails(dialect.do_commit, last, {what!r} == "commit")
"""

FAULTS = {
    "nobody answers": ("connect", "", 1),
    "the runs cannot be read": ("execute", "FROM run", 1),
    "the run cannot be written": ("execute", "INSERT INTO run", 1),
    "its bots cannot be written": ("execute", "INSERT INTO bot", 2),
    "the run cannot be committed": ("commit", "INSERT INTO bot", 1),
    "the run is committed, and nobody hears of it": ("committed", "INSERT INTO bot", 1),
    "what is played cannot be read": ("execute", "SELECT game.fixture", 1),
    "the first game cannot be written": ("execute", "INSERT INTO game", 1),
    "a game cannot be committed": ("commit", "INSERT INTO game", 2),
    "a game is committed, and nobody hears of it": ("committed", "INSERT INTO game", 2),
    "the end cannot be written": ("execute", "UPDATE run", 1),
    "the end is written, and nobody hears of it": ("committed", "UPDATE run", 1),
    "the standings cannot be read": ("execute", "ORDER BY game.id", 1),
}
"""What breaks: the call, in what statement, and the how manieth of them."""

GAMES = 24


def patch_of(fault):
    """
    Return a program that puts a fault into the real one.
    """
    what, pattern, number = FAULTS[fault]
    return FAULT.format(what=what, pattern=pattern, number=number)


def test_whatever_breaks_resume_completes_it(place, first, last, backend, store_url):
    """
    One fault after the other hits one run, which ends as if nothing had happened.

    Each time there is a line that names the store, exit code 1, and no process left.
    """
    bots = [("a", first, "instances = 2"), ("b", last, "instances = 2")]
    file = place.league(*bots, sets=GAMES // 2, seed="s", tables=1)
    whole = place.json("run", file, "--tables", "64", "--store", "sqlite:///whole.db")
    url = store_url(backend)
    where = url if backend == "postgresql" else url.removeprefix("sqlite:///")
    stored = []
    for fault in FAULTS:
        done = place.run("resume", file, "--store", url, patch=patch_of(fault), code=1)
        lines = done.stderr.splitlines()
        assert ("", 1) == (done.stdout, len(lines)), (fault, done.stderr)
        assert (url.partition("?")[0] in lines[0], "the cable is cut" in lines[0]) == (True, True)
        if "game" in fault:
            assert "`league resume` goes on" in lines[0], fault
        place.nobody_left()
        games = place.stored(where)
        assert len(games) == len(set(games)), fault
        stored.append(len(games))
        if fault == "a game is committed, and nobody hears of it":
            assert stored[-1] == stored[-2] + 2
    assert whole == place.json("resume", file, "--store", url)
    assert sorted(stored) == stored
    assert {0, GAMES} < set(stored)
    games = "SELECT fixture, record FROM game"
    assert sorted(place.ask(games, "whole.db")) == sorted(place.ask(games, where))
    # Of the run that was never committed nothing is left.
    assert [(1, 1)] == place.ask("SELECT count(*), max(number) FROM run", where)


def test_what_only_reads_says_so_too(place, first, last):
    """
    Standings, one game, an export and a verification of a store that breaks meanwhile.
    """
    bots = [("a", first, "instances = 2"), ("b", last, "instances = 2")]
    file = place.league(*bots, seed="s")
    place.run("run", file)
    for arguments, pattern in (
        (("standings", file), "FROM game"),
        (("show", "a:b/1a"), "record"),
        (("export", "--output", "games.jsonl"), "record"),
        (("verify",), "record"),
        (("close", file), "FROM game"),
    ):
        patch = FAULT.format(what="execute", pattern=pattern, number=1)
        done = place.run(*arguments, patch=patch, code=1)
        lines = done.stderr.splitlines()
        assert ("", 1) == (done.stdout, len(lines)), (arguments, done.stderr)
        assert "the cable is cut" in lines[0]
    assert not (place.path / "games.jsonl").exists()


def test_only_the_end_is_missing(place, first, last):
    """
    All games are stored and the end is not: no bot has to be there for what is left to do.
    """
    bots = [("a", first, "instances = 2"), ("b", last, "instances = 2")]
    file = place.league(*bots, seed="s")
    place.run("run", file, patch=patch_of("the end cannot be written"), code=1)
    assert [(None,)] == place.ask("SELECT finished FROM run")
    last.unlink()
    table = place.json("resume", file)
    assert (4, 4) == (table["run"]["games"], table["run"]["scheduled"])
    assert [(1,)] == place.ask("SELECT count(*) FROM run WHERE finished IS NOT NULL")
