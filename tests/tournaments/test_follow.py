"""
Following a run while it is played: `league standings --watch`, and the line of progress.
"""

from __future__ import annotations

import io

import pytest

from tournaments.cli import standings as command
from tournaments.pairing import fixtures
from tournaments.progress import Progress
from tournaments.reading import Follower, standings_of
from tournaments.store import Bot, NewGame, Store


class Terminal(io.StringIO):
    """
    A stream that says it is a terminal.
    """

    def isatty(self):
        """
        Yes.
        """
        return True


@pytest.fixture
def league(make_league):
    """
    Two bots, two sets.
    """
    return make_league("bid", "a b")


@pytest.fixture
def store():
    """
    A store in memory.
    """
    with Store.open("sqlite://") as store:
        yield store


@pytest.fixture
def run(store, league):
    """
    A run without games.
    """
    return store.new_run(league, text="", secret=bytes(32), commitment="c" * 64)


def add(store, run, league, make_row, *places):
    """
    Store the games at these *places* of the schedule.
    """
    games = list(fixtures(league))
    store.add_games(run, [NewGame(make_row(games[place], 32, place), None) for place in places])


def test_there_is_news_when_something_changed(store, run, league, make_row):
    """
    Whatever came in between is in it once, and it is what is read from scratch.
    """
    follower = Follower(league, store, run)
    assert 0 == follower.news().games
    assert follower.news() is None
    add(store, run, league, make_row, 0, 1, 2)
    news = follower.news()
    assert news == standings_of(league, store, run)
    assert 3 == news.games
    assert follower.news() is None
    store.add_bot(run, Bot(id="c", name="C", house=False))
    assert 3 == len(follower.news().rows)
    assert not follower.finished
    store.finish(run)
    assert follower.finished


def test_a_void_game_that_is_played_again_counts_once(store, run, league, make_row):
    """
    What was read of it before is taken back.
    """
    follower = Follower(league, store, run)
    first, *_ = fixtures(league)
    add(store, run, league, make_row, 1)
    store.add_games(run, [NewGame(make_row(first, 0, 0, ending="void", winners=()), None)])
    assert "1 game void" in " ".join(follower.news().notes)
    add(store, run, league, make_row, 0)
    news = follower.news()
    assert news == standings_of(league, store, run)
    assert (2, False) == (news.games, "void" in " ".join(news.notes))


class Clock:
    """
    What happens while the command sleeps; it ends when nothing is left to happen.
    """

    def __init__(self, *steps):
        self.steps = list(steps)
        self.slept = []

    def sleep(self, seconds):
        """
        Take the next step.
        """
        self.slept.append(seconds)
        self.steps.pop(0)()


def interrupt():
    """
    Press Ctrl-C.
    """
    raise KeyboardInterrupt


def test_watching_without_a_terminal(store, run, league, make_row, monkeypatch):
    """
    A table each time something changed, the last one when the run is over.
    """
    clock = Clock(
        lambda: None,
        lambda: add(store, run, league, make_row, 0, 1),
        lambda: None,
        lambda: (add(store, run, league, make_row, 2, 3), store.finish(run)),
    )
    monkeypatch.setattr(command, "time", clock)
    out = io.StringIO()
    command._watch(Follower(league, store, run), out, "plain", 3.0)
    tables = [line for line in out.getvalue().splitlines() if line.startswith("Test - ")]
    assert [f"Test - Bid Euchre, run 1, {games} of 4 games" for games in (0, 2, 4)] == tables
    assert "\x1b" not in out.getvalue()
    assert [3.0] * 4 == clock.slept
    assert [] == clock.steps


def test_watching_on_a_terminal(store, run, league, make_row, monkeypatch):
    """
    In place on a screen of its own, no more lines than it has; Ctrl-C leaves the last table.
    """
    clock = Clock(lambda: add(store, run, league, make_row, 0), interrupt)
    monkeypatch.setattr(command, "time", clock)
    monkeypatch.setenv("LINES", "10")
    monkeypatch.setenv("COLUMNS", "50")
    out = Terminal()
    command._watch(Follower(league, store, run), out, "plain", 1.0)
    inside, last = out.getvalue().removeprefix("\x1b[?1049h").split("\x1b[?1049l")
    screens = inside.split("\x1b[H")
    assert ["", 9, 9] == [screens[0], *(screen.count("\r\n") for screen in screens[1:])]
    assert all(screen.endswith("\x1b[J") for screen in screens[1:])
    assert last.startswith("Test - Bid Euchre, run 1, 1 of 4 games\n")
    assert "Commitment" in last
    assert max(map(len, last.splitlines())) <= 50


def test_progress_on_a_terminal(monkeypatch):
    """
    One line that is written again: done, to go, rate, time left, faults; never wider.
    """
    monkeypatch.setenv("COLUMNS", "200")
    now = [0.0]
    out = Terminal()
    progress = Progress(out, 100, 20, clock=lambda: now[0])
    progress.begin()
    now[0] = 10.0
    progress.add(20, {"gone": 1, "timeout": 0})
    assert "40/100 games  2.0/s  0:30 left  1 fault: 1 gone" == progress.line()
    now[0] = 10.05
    progress.add(1, {})  # too soon to be drawn
    progress.spare()
    progress.say("a word")
    progress.close()
    shown = out.getvalue().split("\r")
    assert (
        "[########............]  40/100 games  2.0/s  0:30 left  1 fault: 1 gone\x1b[K" == shown[2]
    )
    assert "\x1b[Ka word\n" == shown[3]
    assert shown[4].startswith("[########............]  41/99 games")
    assert shown[4].endswith("  1 fault: 1 gone\x1b[K\n")
    monkeypatch.setenv("COLUMNS", "30")
    progress.add(0, {"gone": 1, "timeout": 7})
    progress.close()
    assert len(out.getvalue().split("\r")[-1].removesuffix("\x1b[K\n")) <= 29
    monkeypatch.setenv("COLUMNS", "80")
    progress.close()
    last = out.getvalue().split("\r")[-1].removesuffix("\x1b[K\n")
    assert len(last) <= 79
    assert last.startswith("[")  # the bar is shorter
    assert last.endswith("left  9 faults: 7 timeout, 2 gone")


def test_progress_is_quiet_elsewhere():
    """
    Only what must be said is; and an open league has no end that could be shown.
    """
    out = io.StringIO()
    progress = Progress(out, None, clock=lambda: 1.0)
    progress.begin()
    progress.add(3, {"illegal": 2})
    progress.close()
    assert "" == out.getvalue()
    assert "3 games  2 faults: 2 illegal" == progress.line()
    progress.say("waiting")
    assert "waiting\n" == out.getvalue()
