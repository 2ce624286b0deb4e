"""
The journal: what is in it counts, once, whatever happens to the process.
"""

from __future__ import annotations

import itertools
import os
import signal
import subprocess
import sys
import threading
import time

import pytest

from referee.errors import ConfigError, StoreError
from tournaments.pairing import fixtures
from tournaments.store import Bot, NewGame, Store, default_url

HASH = "f" * 64


@pytest.fixture
def url(backend, store_url):
    """
    A store that is not there yet.
    """
    return store_url(backend)


def test_what_goes_in_comes_out(url, league, make_row, begin):
    """
    Runs, bots, games and records are what they were, also for the next process.
    """
    first, second, third, *_ = fixtures(league)
    games = [
        NewGame(make_row(first, 32, -4, times=((1, 2, 9, 4), (), (3, 1), ())), {"deals": ["ä"]}),
        NewGame(make_row(second, 0, 0, ending="void", winners=(), forfeits=(1,)), None),
    ]
    with Store.open(url) as store:
        run = begin(store, league)
        assert [True, True] == store.add_games(run, games)
        assert store.add_bot(run, Bot(id="d", name="D", house=False, games=("bid",), contact="me"))
        store.finish(run)
    with Store.open(url, create=False) as store:
        again = store.latest_run()
        assert again is not None
        assert (1, "test", "the file", "x", bytes(range(32)), "c" * 64) == (
            again.number,
            again.league_id,
            again.text,
            again.seed,
            again.secret,
            again.commitment,
        )
        assert league.fingerprint() == again.fingerprint
        assert again.finished is not None
        assert again.finished >= again.started
        assert [game.row for game in games] == list(store.games(again))
        assert games[0].row == store.game(again, first.id)
        assert store.game(again, third.id) is None
        assert {first.id, second.id} == store.played_ids(again)
        assert {"deals": ["ä"]} == store.record(again, first.id)
        assert store.record(again, second.id) is None
        assert store.record(again, third.id) is None
        bots = store.bots(again)
        assert ["c", "a", "b", "d"] == [bot.id for bot in bots]
        assert [True, True, True, False] == [bot.house for bot in bots]
        assert (("bid",), "me") == (bots[-1].games, bots[-1].contact)


def test_a_fixture_counts_once(url, league, make_row, begin):
    """
    A second game of it is left out, in the same batch and in a later one.
    """
    first, second, *_ = fixtures(league)
    with Store.open(url) as store:
        run = begin(store, league)
        row, other = make_row(first, 32, 0), make_row(second, 1, 0)
        assert [True, False] == store.add_games(
            run, [NewGame(row, None), NewGame(make_row(first, 0, 32), None)]
        )
        assert [False, True] == store.add_games(run, [NewGame(row, None), NewGame(other, None)])
        assert [row, other] == list(store.games(run))
        assert [True] == store.add_games(begin(store, league), [NewGame(row, None)])


def test_a_void_game_is_replaced_by_one_that_counts(url, league, make_row, begin):
    """
    By none that is void too; and what replaces it is the newest game, so watchers see it.
    """
    first, second, *_ = fixtures(league)
    void, good = make_row(first, 0, 0, ending="void", winners=()), make_row(first, 32, 0)
    with Store.open(url) as store:
        run = begin(store, league)
        other = make_row(second, 0, 32)
        assert [True, True] == store.add_games(run, [NewGame(other, None), NewGame(void, None)])
        assert ({first.id, second.id}, {second.id}) == (
            store.played_ids(run),
            store.played_ids(run, void=False),
        )
        seen = store.last_game(run)
        assert [False] == store.add_games(run, [NewGame(void, None)])
        assert [other, void] == list(store.games(run))
        assert [True] == store.add_games(run, [NewGame(good, None)])
        assert [False] == store.add_games(run, [NewGame(void, None)])
        assert [other, good] == list(store.games(run))
        assert [good] == [row for _, row in store.games_after(run, seen, 9)]


def test_ids_and_tokens_are_unique_in_a_run(url, league, begin):
    """
    A taken id is refused; the bot that has it stays.
    """
    with Store.open(url) as store:
        run = begin(store, league)
        assert not store.add_bot(run, Bot(id="a", name="Other", house=False))
        assert "A" == store.bots(run)[1].name
        assert store.add_bot(run, Bot(id="d", name="A", house=False, token_sha256=HASH))
        with pytest.raises(StoreError):
            store.add_bot(run, Bot(id="e", name="A", house=False, token_sha256=HASH))
        assert store.add_bot(begin(store, league), Bot(id="d", name="D", house=False))


def test_a_batch_is_all_or_nothing(url, league, make_row, begin):
    """
    When one game cannot be stored, none of its batch is.
    """
    first, second, *_ = fixtures(league)
    with Store.open(url) as store:
        run = begin(store, league)
        bad = make_row(second, 1, 0)._replace(sitting=None)
        with pytest.raises(StoreError):
            store.add_games(run, [NewGame(make_row(first, 1, 0), None), NewGame(bad, None)])
        assert set() == store.played_ids(run)


def test_runs_are_numbered_in_their_league(url, make_league, begin):
    """
    A new run never touches an old one; one that is not there is the user's mistake.
    """
    one, two = make_league("bid", "a b"), make_league("bid", "a b", id="two")
    with Store.open(url) as store:
        assert store.latest_run() is None
        assert [1, 2, 1] == [begin(store, each).number for each in (one, one, two)]
        assert 2 == store.run(2, "test").id
        latest = store.latest_run("test")
        assert latest is not None
        assert 2 == latest.number
        assert 3 == len(store.runs())
        with pytest.raises(ConfigError, match=r"no run 3 .*there are: 1, 2"):
            store.run(3, "test")


KILLED = """
import os, signal, sys
from tournaments.store import NewGame, Store
from tournaments.games import GameRow

store = Store.open(sys.argv[1], create=False)
run = store.latest_run()
with store.lock("test"):
    for number in range(10_000):
        row = GameRow(f"a:b/{number}a", "a:b", f"a:b/{number}", 0, ("a", "b", "a", "b"),
                      ("1", "1", "2", "2"), "target", (32, 0), (0,), (1, 2))
        store.add_games(run, [NewGame(row, {"n": number})])
        print(number, flush=True)
"""


@pytest.mark.slow
def test_what_was_stored_outlives_kill_9(url, league, begin):
    """
    Every game that was said to be stored is there, whole, and the lock is free again.
    """
    with Store.open(url) as store:
        begin(store, league)
    for _ in range(3):
        with subprocess.Popen(
            [sys.executable, "-c", KILLED, url], stdout=subprocess.PIPE, text=True
        ) as process:
            assert process.stdout is not None
            said = [int(next(process.stdout)) for _ in range(20)]
            with Store.open(url) as store, pytest.raises(StoreError, match="is playing"):
                store.lock("test").__enter__()
            os.kill(process.pid, signal.SIGKILL)
            said += [int(line) for line in process.stdout]
        with Store.open(url) as store, store.lock("test"):
            run = store.latest_run()
            assert run is not None
            rows = list(store.games(run))
            assert {f"a:b/{number}a" for number in said} <= {row.fixture for row in rows}
            assert len(rows) == len({row.fixture for row in rows})
            assert {"n": said[-1]} == store.record(run, f"a:b/{said[-1]}a")


def test_two_runners_on_one_store_refuse_and_readers_do_not(url, league, begin):
    """
    The lock is exclusive while it is held, and nothing is left of it afterwards.
    """
    with Store.open(url) as store, Store.open(url) as other:
        run = begin(store, league)
        with store.lock("test"):
            with pytest.raises(StoreError, match="is playing"), other.lock("test"):
                pass
            assert [run] == other.runs()
        with other.lock("test"):
            pass


def test_games_can_be_read_while_others_are_stored(url, league, make_row, begin):
    """
    A reader in the middle of the games does not hold up the writer.
    """
    rows = [make_row(each, 1, 0) for each in itertools.islice(fixtures(league), 40)]
    with Store.open(url) as store, Store.open(url) as reader:
        run = begin(store, league)
        store.add_games(run, [NewGame(row, None) for row in rows[:20]])
        reading = reader.games(run)
        next(reading)
        thread = threading.Thread(
            target=store.add_games, args=(run, [NewGame(row, None) for row in rows[20:]])
        )
        thread.start()
        thread.join(60)
        assert not thread.is_alive()
        assert 19 == len(list(reading))
        assert rows == list(reader.games(run))


def test_a_thousand_games_are_quick(url, league, make_row, begin):
    """
    Storing costs us well under a millisecond each, reading far less; the bounds are generous.
    """
    times = ((3, 1, 4, 9, 5, 2),) * 4
    rows = [make_row(each, 32, 0, times=times) for each in itertools.islice(fixtures(league), 1000)]
    with Store.open(url) as store:
        run = begin(store, league)
        began = time.process_time()
        assert all(store.add_games(run, [NewGame(row, {"deals": []}) for row in rows]))
        stored = time.process_time()
        assert rows == list(store.games(run))
        read = time.process_time()
    assert stored - began < 3
    assert read - stored < 1


@pytest.mark.parametrize(
    ("url", "word"),
    [
        ("results/x.db", "no URL"),
        ("mysql://h/d", "not supported"),
        ("", "no URL"),
        ("sqlite://a/x.db", "no URL"),
    ],
)
def test_urls_that_cannot_be_used(url, word):
    """
    They are the user's mistake, and the message says what would do.
    """
    with pytest.raises(ConfigError, match=word) as caught:
        Store.open(url)
    assert "--store" == caught.value.key
    assert "sqlite" in caught.value.hint


def test_a_url_as_some_hosts_write_it():
    """
    It is said how it must begin, without the password that stands in it.
    """
    with pytest.raises(ConfigError, match="begins with postgres:") as caught:
        Store.open("postgres://me:geheim@h/d")
    assert "write postgresql:" == caught.value.hint
    assert "geheim" not in str(caught.value)


def test_where_games_go_by_default():
    """
    A file for each league, in a folder that git ignores.
    """
    assert "sqlite:///results/quick.db" == default_url("quick")
