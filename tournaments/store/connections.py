"""
The connections to a store that is open: to read, to write, and to hold the lock.
"""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Self

from referee.errors import StoreError
from tournaments.store import database, locks, versions

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    import sqlalchemy as sa


class Connections:
    """
    The way to one database. What it complains about is a StoreError that says which it is.
    """

    def __init__(self, engine: sa.Engine) -> None:
        self._engine = engine
        self.name = database.name_of(engine)
        """Its URL, without a password."""
        self._lock: locks.Lock | None = None

    @classmethod
    def open(cls, url: str, *, create: bool) -> Self:
        """
        Open a database, with the tables that this program knows.

        Args:
            url: Where.
            create: Whether to make one, folder included, where there is none.

        Raises:
            ConfigError: The URL is none, or names a database that is not supported here.
            StoreError: There is none, or it cannot be used; the text says why.
        """
        engine = database.engine_for(url)
        file = database.file_of(engine)
        if file is not None and not _found(file):
            if not create:
                raise StoreError(f"there is no store at {database.name_of(engine)}")
            try:
                file.parent.mkdir(parents=True, exist_ok=True)
                # Whoever reads it knows the decks that are still to come. What SQLite puts
                # beside it is as private.
                file.touch(0o600)
            except OSError as error:
                raise StoreError(f"cannot make {file}: {error.strerror}") from None
        opened = cls(engine)
        try:
            with database.errors_as_ours(opened.name):
                versions.bring_up(engine, create=create)
                if create:  # whoever only reads changes nothing
                    database.allow_readers(engine)
        except BaseException:
            opened.close()
            raise
        return opened

    def close(self) -> None:
        """
        Close all.
        """
        self._engine.dispose()

    def insert_new(self, table: sa.Table, keys: list[str]) -> sa.Insert:
        """
        Return a statement that inserts a row unless one with the same *keys* is there.
        """
        return database.insert_new(self._engine, table, keys)

    @contextlib.contextmanager
    def reading(self) -> Iterator[sa.Connection]:
        """
        Take a connection for what changes nothing.
        """
        with database.errors_as_ours(self.name), self._engine.connect() as connection:
            yield connection

    @contextlib.contextmanager
    def writing(self) -> Iterator[sa.Connection]:
        """
        Begin a transaction, which is committed if the body ends well.
        """
        with database.errors_as_ours(self.name), self._engine.begin() as connection:
            yield connection

    @contextlib.contextmanager
    def writing_games(self) -> Iterator[sa.Connection]:
        """
        Begin a transaction for games, by the lock if it is held.

        Raises:
            StoreError: The lock was held, and is lost.
        """
        writing = self._engine.begin() if self._lock is None else self._lock.writing()
        with database.errors_as_ours(self.name), writing as connection:
            yield connection

    @contextlib.contextmanager
    def lock(self, league_id: str) -> Iterator[None]:
        """
        Hold the right to play a league into this database; everybody may still read.

        Raises:
            StoreError: On entering: another process holds it.
        """
        with locks.lock(self._engine, league_id) as held:
            self._lock = held
            try:
                yield
            finally:
                self._lock = None


def is_there(url: str) -> bool:
    """
    Whether there is something at *url*; a database server is always there.

    Raises:
        ConfigError: The URL is none.
    """
    file = database.file_of(database.engine_for(url))
    return file is None or _found(file)


def _found(file: Path) -> bool:
    try:
        return file.exists()
    except OSError as error:
        raise StoreError(f"{file}: {error.strerror}") from None
