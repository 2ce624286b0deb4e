"""
What is particular to databases: opening them, and their errors.
"""

from __future__ import annotations

import contextlib
import os
import sqlite3
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.engine import make_url
from sqlalchemy.exc import ArgumentError, DBAPIError, NoSuchModuleError, SQLAlchemyError

from referee.errors import ConfigError, StoreError

if TYPE_CHECKING:
    from collections.abc import Iterator

_POSTGRESQL: dict[str, Any] = {
    "connect_timeout": 10,
    "application_name": "euchre-referee",
    # A server that is gone without a word is noticed within a minute, also in mid-statement.
    "keepalives_idle": 30,
    "keepalives_interval": 10,
    "keepalives_count": 3,
    "tcp_user_timeout": 60_000,
}
"""How PostgreSQL is connected to, where the URL says nothing else."""

_ADVICE = {
    "25006": "it may only be read: default_transaction_read_only of the role or the database is "
    "on, or this is a standby",
    "25P03": "raise idle_in_transaction_session_timeout of the role",
    "53300": "wait, or raise max_connections or the limit of the role",
    "55P03": "somebody keeps its tables locked for longer than the lock_timeout of the role",
    "57014": "raise statement_timeout of the role, if it was not an administrator",
}
"""What to do about what PostgreSQL complains of, by its code."""

_BUSY_SECONDS = 10
"""How long a statement waits for another writer."""

_BUSY_PAUSE = 0.01
"""Seconds between two attempts of what SQLite does not wait for."""


def engine_for(url: str) -> sa.Engine:
    """
    Return an engine for *url*; nothing is opened yet.

    Raises:
        ConfigError: The URL is none, or names a database that is not supported here.
    """
    parsed = _parsed(url)
    if parsed.drivername == "postgres":  # as some hosts write it
        raise ConfigError("begins with postgres:", key="--store", hint="write postgresql:")
    if parsed.get_backend_name() not in ("sqlite", "postgresql"):
        raise ConfigError(
            f"{parsed.drivername} is not supported", key="--store", hint="sqlite or postgresql"
        )
    if "uri" in parsed.query or str(parsed.database).startswith("file:"):
        # SQLite has names for one file in which neither its folder nor its lock is found.
        raise ConfigError(
            "a URI of SQLite is not supported", key="--store", hint="sqlite:///results/quick.db"
        )
    extras = _extras(parsed)
    try:
        engine = sa.create_engine(parsed, **extras)
    except (NoSuchModuleError, ImportError) as error:
        raise ConfigError(
            f"cannot use {parsed.drivername}: {error}",
            key="--store",
            hint="for PostgreSQL: pip install 'psycopg[binary]'",
        ) from None
    except ArgumentError:  # whose text is an essay on URLs, in many lines
        raise ConfigError(
            "is no URL of a database", key="--store", hint="sqlite:///results/quick.db"
        ) from None
    except ValueError as error:
        raise ConfigError(f"cannot use {parsed.drivername}: {error}", key="--store") from None
    if engine.dialect.name == "sqlite":
        sa.event.listen(engine, "do_connect", _read_if_that_is_all)
        sa.event.listen(engine, "connect", _configure_sqlite)
    return engine


def _parsed(url: str) -> sa.URL:
    """
    Parse a URL. What is wrong with it is said without it: there may be a password in it.
    """
    example = "sqlite:///results/quick.db"
    try:
        parsed = make_url(url)
    except (ArgumentError, ValueError):
        raise ConfigError("is no URL of a database", key="--store", hint=example) from None
    if "@" in (parsed.host or ""):
        # All up to the first one was taken for the password, and the rest would be shown.
        raise ConfigError("has an @ too many", key="--store", hint="in a password write %40")
    return parsed


def _extras(url: sa.URL) -> dict[str, Any]:
    """
    Return how an engine for *url* is made.
    """
    if url.get_backend_name() == "postgresql":
        arguments = {key: value for key, value in _POSTGRESQL.items() if key not in url.query}
        if url.get_driver_name() == "psycopg":
            # Statements that are prepared in one session are unknown in the next, or called as
            # somebody else's, where a pooler lends sessions out; reading works there without.
            arguments["prepare_threshold"] = None
        # A connection that the pool has kept may be dead by now.
        return {"pool_pre_ping": True, "connect_args": arguments}
    file = Path(str(url.database or "."))
    # How to open what we cannot write is decided anew each time.
    return {} if _writable(file) else {"poolclass": sa.NullPool}


def file_of(engine: sa.Engine) -> Path | None:
    """
    Return the file that a database is; None if it is not one.
    """
    if engine.dialect.name != "sqlite" or engine.url.database in (None, "", ":memory:"):
        return None
    return Path(str(engine.url.database))


def identity_of(engine: sa.Engine) -> tuple[int, int] | None:
    """
    Return what tells the file that a database is from one that takes its place.

    Returns:
        None if it is no file, or is not there.
    """
    file = file_of(engine)
    if file is None:
        return None
    try:
        found = file.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino


def name_of(engine: sa.Engine) -> str:
    """
    Return what to call a database in messages: its URL without the password.
    """
    url = engine.url
    secret = {key: "***" for key in url.query if "password" in key}
    return url.update_query_dict(secret).render_as_string(hide_password=True)


def allow_readers(engine: sa.Engine) -> None:
    """
    Let others read a database while it is written.

    PostgreSQL does; a file of SQLite does once it has a log in front, for good.
    """
    if engine.dialect.name != "sqlite":
        return
    end = time.monotonic() + _BUSY_SECONDS
    while True:
        try:
            with engine.connect() as connection:
                connection.exec_driver_sql("PRAGMA journal_mode = WAL")
        except DBAPIError as error:
            # For this SQLite does not wait where somebody writes who may want it too.
            busy = getattr(error.orig, "sqlite_errorcode", None) == sqlite3.SQLITE_BUSY
            if not busy or time.monotonic() > end:
                raise
        else:
            return
        time.sleep(_BUSY_PAUSE)


def insert_new(engine: sa.Engine, table: sa.Table, keys: list[str]) -> sa.Insert:
    """
    Return a statement that inserts a row unless one with the same *keys* is there.
    """
    insert = postgresql.insert if engine.dialect.name == "postgresql" else sqlite.insert
    statement = insert(table).on_conflict_do_nothing(index_elements=keys)
    # Whoever runs it wants to know whether the row was new.
    return statement.execution_options(preserve_rowcount=True)


@contextlib.contextmanager
def errors_as_ours(name: str) -> Iterator[None]:
    """
    Turn what the database called *name* complains about into a StoreError.
    """
    try:
        yield
    except DBAPIError as error:
        # PostgreSQL explains itself on several lines.
        said = "; ".join(line.strip() for line in str(error.orig).splitlines() if line.strip())
        advice = _ADVICE.get(getattr(error.orig, "sqlstate", None) or "")
        raise StoreError(f"{name}: {said}" + (f" ({advice})" if advice else "")) from error
    except (SQLAlchemyError, sqlite3.Error) as error:
        raise StoreError(f"{name}: {error}") from error


def _writable(file: Path) -> bool:
    """
    Whether SQLite could put its log beside a file; its folder may be made yet.
    """
    folder = file.resolve().parent
    return not folder.exists() or os.access(folder, os.W_OK)


def _read_if_that_is_all(
    _dialect: object, _record: object, arguments: list[Any], keys: dict[str, Any]
) -> None:
    """
    Open a store for reading where nothing can be written, as on a read-only file system.

    A file that has had a log is only opened by SQLite if the log can be made again. Where
    nobody writes and none is left from a crash there is none to be made, and it is told so.
    """
    if arguments[0] == ":memory:":
        return
    file = Path(arguments[0]).resolve()
    log, index = (file.with_name(file.name + end) for end in ("-wal", "-shm"))
    if not file.exists() or _writable(file) or index.exists():
        return
    if not log.exists() or not log.stat().st_size:
        arguments[0] = f"{file.as_uri()}?immutable=1"
        keys["uri"] = True
    else:
        raise StoreError(
            f"unable to open {file} where nothing can be written, since games are in {log.name}; "
            "open it once where it can be written, or copy it with `sqlite3 FILE .backup`"
        )


def _configure_sqlite(connection: Any, _record: object) -> None:
    """
    Make SQLite safe.

    FULL costs one fsync a batch, in a thread, and with it a game that was told or
    shown is never played again, even after a power cut; NORMAL would promise that for
    a kill only.
    """
    cursor = connection.cursor()
    cursor.execute(f"PRAGMA busy_timeout = {_BUSY_SECONDS * 1000}")
    cursor.execute("PRAGMA synchronous = FULL")
    cursor.execute("PRAGMA foreign_keys = ON")
    cursor.close()
