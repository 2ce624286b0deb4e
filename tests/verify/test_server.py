"""
The commands that read, when the store is on a server and something is wrong there.
"""

from __future__ import annotations

import itertools
from contextlib import contextmanager

import pytest
import sqlalchemy as sa
from alembic import command

from referee.errors import StoreError
from tournaments.cli import main
from tournaments.store import games, versions

pytestmark = [
    pytest.mark.slow,
    pytest.mark.parametrize("only", ["postgresql"]),
    # A cursor of a connection that is lost cannot be closed, of which psycopg complains.
    pytest.mark.filterwarnings("ignore:.*ServerCursor.* was deleted while still:ResourceWarning"),
]

READING = (
    ("standings",),
    ("standings", "--watch", "0.1"),
    ("games",),
    ("show", "a:b/1a"),
    ("show", "a:b/1a", "--json"),
    ("verify",),
    ("export",),
    ("report", "pages"),
)
ROLES = itertools.count(1)


@pytest.fixture
def url(only, store_url):
    """
    A new database on the server.
    """
    return store_url(only)


@pytest.fixture
def league(capsys, tmp_path, monkeypatch):
    """
    Runs a command; returns its exit code, what it printed, and what it complained about.
    """
    monkeypatch.chdir(tmp_path)

    def call(*arguments):
        with pytest.raises(SystemExit) as ended:
            main(arguments)
        printed = capsys.readouterr()
        return ended.value.code, printed.out, printed.err

    return call


@contextmanager
def administrator(url):
    """
    A connection of somebody who may do everything.
    """
    engine = sa.create_engine(url, isolation_level="AUTOCOMMIT", poolclass=sa.NullPool)
    with engine.connect() as connection:
        yield connection


def end_connections(url):
    """
    End all connections of a database but our own, as a restart or a proxy might.
    """
    with administrator(url) as connection:
        connection.exec_driver_sql(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
            "WHERE datname = current_database() AND pid <> pg_backend_pid()"
        )


def as_role(url, rights="", options=""):
    """
    Make a role with a password; return the URL by which it comes in.
    """
    role = f"role{next(ROLES)}"
    with administrator(url) as connection:
        connection.exec_driver_sql(f"CREATE ROLE {role} LOGIN PASSWORD 'hunter2' {options}")
        if rights:
            connection.exec_driver_sql(f"GRANT {rights} ON ALL TABLES IN SCHEMA public TO {role}")
    return url.replace("test@", f"{role}:hunter2@"), role


def refused(league, url, *words, code=1, commands=READING):
    """
    All commands that read say what is wrong in one line that has *words*, and no password.
    """
    for arguments in commands:
        found, out, err = league(*arguments, "--store", url)
        assert (code, "", 1) == (found, out, err.count("\n")), (arguments, err)
        assert "hunter2" not in err
        for word in words:
            assert word in err, (arguments, err)


def test_who_may_only_read_reads_all(play, league, url):
    """
    A role that has SELECT and nothing else prints what the owner does; it may not play or close.
    """
    played = play(url=url, finish=False, sets=1)
    reader, _ = as_role(url, "SELECT")
    open_yet = [each for each in READING if each[0] != "verify" and "--watch" not in each]
    for commands in (open_yet, READING):
        for arguments in commands:
            mine = league(*arguments, "--store", url)
            assert 0 == mine[0], mine
            assert mine == league(*arguments, "--store", reader)
        if commands is open_yet:
            refused(league, reader, "permission denied", "role", commands=[("close",)])
            played.store.finish(played.run)


def test_who_may_not_come_in(play, league, url, postgresql):
    """
    With a wrong password, as a role that is not there or has no rights, to another database.
    """
    play(url=url, sets=1)
    stranger, _ = as_role(url)
    refused(league, stranger, "permission denied for table")
    refused(league, stranger.replace("role", "nobody"), "does not exist")
    nowhere = stranger.replace(url.split("/")[3].partition("?")[0], "nowhere")
    refused(league, nowhere, "nowhere", "does not exist")
    refused(league, stranger.partition("?")[0] + "?host=/nowhere", "No such file")
    refused(league, "postgresql+psycopg://me:hunter2@127.0.0.1:1/x", "127.0.0.1:1/x", "refused")
    guarded, role = as_role(url, "SELECT")
    postgresql.demand_password(role)
    assert 0 == league("standings", "--store", guarded)[0]
    in_query = f"{guarded.replace(':hunter2', '')}&password=hunter2-wrong"
    for wrong in (guarded.replace("hunter2", "hunter2-wrong"), in_query):
        refused(league, wrong, "password authentication failed", role)


def test_tables_that_are_not_ours(play, league, url):
    """
    None, those of a newer program, and older ones that a reader may not bring up.
    """
    refused(league, url, "is empty")
    play(url=url, sets=1)
    with administrator(url) as connection:
        connection.exec_driver_sql("UPDATE alembic_version SET version_num = '0099'")
    refused(league, url, "version 0099", f"knows version {versions.HEAD}")
    with administrator(url) as connection:
        connection.exec_driver_sql("DROP TABLE game, bot, run, alembic_version")
    engine = sa.create_engine(url)
    with engine.begin() as connection:
        command.upgrade(versions.config_for(connection), "0001")
    engine.dispose()
    reader, _ = as_role(url, "SELECT")
    refused(league, reader, "cannot be upgraded from 0001: ", "must be owner")


@pytest.mark.parametrize("arguments", READING)
def test_a_connection_that_is_lost_in_mid_query(play, league, url, arguments):
    """
    Whatever is being read: one line, and no half of a file or report is left.
    """
    play(url=url, sets=1, finish="--watch" not in arguments)
    cut = []

    def cutting(_connection, _cursor, statement, *_more):
        if "FROM game" in statement and not cut:
            cut.append(statement)
            end_connections(url)

    sa.event.listen(sa.Engine, "before_cursor_execute", cutting)
    try:
        code, out, err = league(*arguments, "--store", url)
    finally:
        sa.event.remove(sa.Engine, "before_cursor_execute", cutting)
    assert (1, 1) == (code, err.count("\n")), err
    assert (1, True) == (len(cut), "terminating connection" in err)
    assert arguments[0] == "export" or "" == out


def test_rows_that_stop_coming(play, url, monkeypatch):
    """
    A server that goes while it is asked for the next rows of one answer.
    """
    monkeypatch.setattr(games, "_CHUNK", 1)
    played = play(url=url, sets=2)
    for rows in (
        played.store.games(played.run),
        played.store.games_by_match(played.run, played.store.last_game(played.run)),
    ):
        next(rows)
        end_connections(url)
        with pytest.raises(StoreError, match="terminating connection"):
            list(rows)
    # The next who asks has a new connection.
    assert 4 == len(list(played.store.games(played.run)))


def test_watching_outlives_connections_that_are_closed_for_being_idle(
    play, league, url, monkeypatch
):
    """
    As a proxy does, or a server that is restarted between two looks.
    """
    played = play(url=url, sets=1, finish=False)
    pauses = []

    def sleep(seconds):
        pauses.append(seconds)
        end_connections(url)
        if len(pauses) == 3:
            played.store.finish(played.run)

    monkeypatch.setattr("tournaments.cli.standings.time.sleep", sleep)
    code, out, err = league("standings", "--watch", "--store", url)
    assert (0, "", [2.0] * 3) == (code, err, pauses)
    assert 2 == out.count("2 of 2 games")


@pytest.mark.parametrize(
    "wrong",
    [
        "postgresql+psycopg://me:hunter2@h:port/db",
        "postgresql+psycopg://me:hunt@hunter2@h/db",
        "me:hunter2@h/db",
        "mysql://me:hunter2@h/db",
        "postgresql+nothing://me:hunter2@h/db",
    ],
)
def test_a_url_that_is_wrong(league, wrong, only):
    """
    Exit code 2, the option is named, and the URL is not repeated: a password may be in it.
    """
    assert only == "postgresql"
    refused(league, wrong, "--store: ", code=2)
