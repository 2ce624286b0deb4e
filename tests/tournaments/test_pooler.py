"""
Stores behind PgBouncer: what must not be played through it is refused, the rest works.
"""

from __future__ import annotations

import contextlib
import functools
import itertools
import shutil
import subprocess
import tempfile
import time
from pathlib import Path

import pytest
import sqlalchemy as sa

from referee.errors import StoreError
from tournaments.pairing import fixtures
from tournaments.store import NewGame, Store, locks

pytestmark = [pytest.mark.pooler, pytest.mark.parametrize("only", ["postgresql"])]

SETTINGS = """
[databases]
* = host={host}
[pgbouncer]
listen_addr =
listen_port = 6432
unix_socket_dir = {folder}
auth_type = trust
auth_file = {folder}/users
pool_mode = {mode}
"""


@contextlib.contextmanager
def running(program, server, mode, *more):
    """
    Run a PgBouncer before a server; yields what turns a URL of the server into one of it.
    """
    folder = Path(tempfile.mkdtemp(prefix="euchre-test-pool-", dir="/tmp"))
    process = None
    try:
        settings = SETTINGS.format(host=server.folder, folder=folder, mode=mode)
        (folder / "settings").write_text("\n".join((settings, *more, "")))
        (folder / "users").write_text('"test" ""\n')
        if server.user is not None:  # as the server, it refuses to run as root
            shutil.chown(folder, server.user)
        folder.chmod(0o755)
        with (folder / "log").open("w") as log:
            process = subprocess.Popen(
                [program, folder / "settings"],
                user=server.user,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
            )
        end = time.monotonic() + 60
        while not (folder / ".s.PGSQL.6432").exists():
            assert process.poll() is None, (folder / "log").read_text()
            assert time.monotonic() < end, "it does not listen"
            time.sleep(0.01)
        yield lambda url: f"{url.replace(str(server.folder), str(folder))}&port=6432"
    finally:
        if process is not None:
            process.kill()
            process.wait()
        shutil.rmtree(folder)


@pytest.fixture
def bouncer(pgbouncer, postgresql):
    """
    Runs a PgBouncer that pools in a mode.
    """
    return functools.partial(running, pgbouncer, postgresql)


@pytest.fixture
def url(only, store_url):
    """
    A new database on the server.
    """
    return store_url(only)


@pytest.fixture
def games(league, make_row):
    """
    Three games.
    """
    return [NewGame(make_row(each, 32, 0), None) for each in itertools.islice(fixtures(league), 3)]


@pytest.mark.parametrize("more", [(), ("server_round_robin = 1",)])
def test_a_lock_that_a_pool_would_lend_out_is_refused(url, more, bouncer):
    """
    Nobody plays by it, and nothing of it is left in the pool.
    """
    with (
        bouncer("transaction", *more) as through,
        Store.open(through(url)) as store,
        Store.open(url) as direct,
    ):
        for _ in range(2):
            with pytest.raises(StoreError, match="pool_mode = session"), store.lock("test"):
                pass
        with direct.lock("test"):
            pass


def test_statement_pooling_is_refused(url, bouncer):
    """
    At the first transaction.
    """
    with (
        bouncer("statement") as through,
        pytest.raises(StoreError, match="statement pooling"),
    ):
        Store.open(through(url))


def test_leagues_are_played_where_a_session_is_kept(url, league, games, bouncer, begin):
    """
    The lock holds as without a pooler, and goes when its holder does.
    """
    with (
        bouncer("session") as through,
        Store.open(through(url)) as store,
        Store.open(through(url)) as other,
        Store.open(url) as direct,
    ):
        run = begin(store, league)
        with store.lock("test"):
            assert [True] == store.add_games(run, games[:1])
            for elsewhere in (other, direct):
                with pytest.raises(StoreError, match="is playing"), elsewhere.lock("test"):
                    pass
            assert [False, True] == store.add_games(run, games[:2])
        for elsewhere in (other, direct, store):
            with elsewhere.lock("test"):
                pass


def test_a_pool_that_forgets_nothing_does_not_keep_the_lock(url, bouncer):
    """
    It is given back before the connection is, and does not go with it alone.
    """
    with (
        bouncer("session", "server_reset_query =") as through,
        Store.open(through(url)) as store,
        Store.open(url) as direct,
    ):
        for each in (store, direct, store):
            with each.lock("test"):
                pass


def test_reading_goes_through_any_pool_of_transactions(url, league, games, bouncer, begin):
    """
    Readers who meet in one session do not disturb each other.
    """
    with Store.open(url) as direct:
        run = begin(direct, league)
        direct.add_games(run, games)
    with (
        bouncer("transaction", "default_pool_size = 1") as through,
        Store.open(through(url), create=False) as one,
        Store.open(through(url), create=False) as two,
    ):
        for _ in range(10):  # a driver prepares what comes again and again
            assert 3 == one.count_games(run) == two.count_games(run)
            assert [game.row for game in games] == list(one.games(run)) == list(two.games(run))


@pytest.fixture
def unwary(monkeypatch):
    """
    Whoever takes a lock sees no pool.
    """
    monkeypatch.setattr(locks._LockInServer, "_refuse_pools", lambda self: None)


@pytest.mark.usefixtures("unwary")
def test_a_pool_that_hid_itself_lets_nobody_play_twice(url, league, games, bouncer, begin):
    """
    Where no mixing of sessions was seen at the start, a lock is still that of one alone.
    """
    with (
        bouncer("transaction") as through,
        Store.open(through(url)) as store,
        Store.open(through(url)) as other,
        contextlib.ExitStack() as stack,
    ):
        run = begin(store, league)
        with store.lock("test"):
            assert [True] == store.add_games(run, games[:1])
            # Through the pool this is the very session that has the lock, and could take it.
            with pytest.raises(StoreError, match="pool_mode = session"), other.lock("test"):
                pass
            # Somebody is in that session, so ours is another from here.
            engine = sa.create_engine(through(url))
            stack.callback(engine.dispose)
            stack.enter_context(engine.begin()).execute(sa.text("SELECT 1"))
            with pytest.raises(StoreError, match="the lock was lost"):
                store.add_games(run, games[1:])
        assert 1 == store.count_games(run)
