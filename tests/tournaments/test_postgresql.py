"""
The store when its database goes away, which a file does not do.
"""

from __future__ import annotations

import itertools

import pytest
import sqlalchemy as sa

from referee.errors import ConfigError, StoreError
from tournaments.pairing import fixtures
from tournaments.store import NewGame, Store

pytestmark = pytest.mark.parametrize("only", ["postgresql"])


@pytest.fixture
def url(only, store_url):
    """
    A new database on the server.
    """
    return store_url(only)


def end_connections(url):
    """
    End all connections of a database but our own, as an administrator might.
    """
    engine = sa.create_engine(url)
    with engine.begin() as connection:
        connection.exec_driver_sql(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
            "WHERE datname = current_database() AND pid <> pg_backend_pid()"
        )
    engine.dispose()


def test_a_lost_connection_loses_the_lock_and_is_not_missed(url, league, make_row, begin):
    """
    Whoever held the lock cannot write any more, though the database is there again.
    """
    first, second = itertools.islice(fixtures(league), 2)
    games = [NewGame(make_row(each, 32, 0), None) for each in (first, second)]
    with Store.open(url) as store, Store.open(url) as other:
        run = begin(store, league)
        with store.lock("test"):
            assert [True] == store.add_games(run, games[:1])
            end_connections(url)
            with pytest.raises(StoreError, match="terminat"):
                store.add_games(run, games[1:])
            with other.lock("test"):
                with pytest.raises(StoreError, match="and with it the lock"):
                    store.add_games(run, games[1:])
                assert [True] == other.add_games(run, games[1:])
        assert {first.id, second.id} == store.played_ids(run)


SETTINGS = {
    "statement_timeout": ("50ms", "raise statement_timeout"),
    "lock_timeout": ("50ms", "longer than the lock_timeout"),
    "default_transaction_read_only": ("on", "it may only be read"),
}
"""What an administrator may have set for a database: a value, and what is said then."""


@pytest.mark.parametrize("setting", SETTINGS)
def test_what_a_server_forbids_is_said_with_what_to_do(url, league, make_row, begin, setting):
    """
    Nothing is stored of what was refused, and it can be when the setting is gone.
    """
    value, said = SETTINGS[setting]
    game = NewGame(make_row(next(iter(fixtures(league))), 32, 0), None)
    with Store.open(url) as store:
        run = begin(store, league)
    restricted = f"{url}&options=-c%20{setting}%3D{value}"
    blocker = sa.create_engine(url)
    with Store.open(restricted, create=False) as store, store.lock("test"):
        with blocker.begin() as other:
            if setting.endswith("_timeout"):  # the other setting says nothing while it waits
                other.exec_driver_sql("LOCK TABLE game IN EXCLUSIVE MODE")
            with pytest.raises(StoreError, match=said) as caught:
                store.add_games(run, [game])
        assert "\n" not in str(caught.value)
    blocker.dispose()
    with Store.open(url) as store, store.lock("test"):
        assert 0 == store.count_games(run)
        assert [True] == store.add_games(run, [game])


def test_leagues_that_share_a_database_do_not_hold_each_other_up(url):
    """
    The lock is that of one league.
    """
    with Store.open(url) as store, Store.open(url) as other:
        with store.lock("one"), other.lock("two"):
            pass
        with store.lock("one"), pytest.raises(StoreError, match="league one"), other.lock("one"):
            pass


def test_a_server_that_restarts_between_two_uses_is_not_noticed(url, league, postgresql, begin):
    """
    Connections that the pool has kept are tried first.
    """
    with Store.open(url) as store:
        run = begin(store, league)
        postgresql.restart()
        assert run == store.latest_run()


def test_a_server_that_is_not_there_is_named(postgresql, only):
    """
    Without the password that may stand in the URL.
    """
    assert only == "postgresql"
    with pytest.raises(StoreError) as caught:
        Store.open("postgresql://me:hunter2@127.0.0.1:1/euchre")
    assert "127.0.0.1:1/euchre" in str(caught.value)
    assert "hunter2" not in str(caught.value)
    assert "\n" not in str(caught.value)
    with pytest.raises(StoreError, match="does not exist"):
        Store.open(postgresql.url("nowhere"))


def test_a_driver_that_is_not_there_is_the_users_to_install(only):
    """
    And the message says how.
    """
    assert only == "postgresql"
    with pytest.raises(ConfigError) as caught:
        Store.open("postgresql+pg8000://h/d")
    assert "pip install 'psycopg[binary]'" in caught.value.hint
