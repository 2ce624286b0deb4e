"""
The right to play a league into a store, which one program has at a time.
"""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import os
import secrets
from typing import TYPE_CHECKING

import sqlalchemy as sa
from sqlalchemy.exc import SQLAlchemyError

from referee.errors import StoreError
from tournaments.store.database import errors_as_ours, file_of, identity_of, name_of

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_LOCKING = {
    # The server notices within a minute when our machine is gone, and frees our lock.
    "tcp_keepalives_idle": "30",
    "tcp_keepalives_interval": "10",
    "tcp_keepalives_count": "3",
    # An open league may have nothing to store for days, and must not lose its lock for that.
    "idle_session_timeout": "0",
}
"""Settings of the connection that holds a lock, as far as the server knows them."""

_SET = sa.text(
    "SELECT set_config(name, :value, false) FROM pg_settings "
    "WHERE name = :name AND context = 'user'"
)
"""Changes a setting, if this version of the server has it."""

_SIGN = sa.text("SELECT set_config('euchre.holder', :holder, false)")
_SIGNED = sa.text("SELECT coalesce(current_setting('euchre.holder', true), '')")
"""Who holds a lock signs the session that has it, and knows it again by that."""
_STILL = sa.text(
    "SELECT coalesce(current_setting('euchre.holder', true), '') = :holder"
    " AND pg_try_advisory_xact_lock(:key)"
)
"""Whether this is the session that was signed; its lock then stays until the transaction ends."""

_ROUNDS = 3
"""How often a pooler is tempted to mix up our sessions; most that can do it in the first round."""

_POOLED = (
    "connections do not keep a session of the server, so no lock can be held; a pooler must do "
    "that (PgBouncer: pool_mode = session, server_reset_query = DISCARD ALL), or be gone around"
)


class Lock:
    """
    A lock that is held on a file, or on nothing that anybody else could see.
    """

    def __init__(self, engine: sa.Engine) -> None:
        self._engine = engine
        self._file = identity_of(engine)

    @contextlib.contextmanager
    def writing(self) -> Iterator[sa.Connection]:
        """
        Begin a transaction in which the lock is certain to be held.

        Raises:
            StoreError: It is lost.
        """
        if identity_of(self._engine) != self._file:
            # SQLite would go on to write into a file that nobody can find any more.
            raise StoreError(
                f"{name_of(self._engine)} was removed or replaced while games were played"
            )
        with self._engine.begin() as connection:
            yield connection


class _LockInServer(Lock):
    """
    A lock that a session of a PostgreSQL server holds.
    """

    def __init__(self, engine: sa.Engine, connection: sa.Connection, league_id: str) -> None:
        super().__init__(engine)
        self._connection = connection
        self._league_id = league_id
        # Leagues share a database, so each has a lock: a number made of its id.
        digest = hashlib.sha256(league_id.encode()).digest()
        self._key = int.from_bytes(digest[:8], signed=True)
        self._holder = secrets.token_hex(16)

    @contextlib.contextmanager
    def writing(self) -> Iterator[sa.Connection]:
        """
        Begin a transaction, in the session that holds the lock.
        """
        name = name_of(self._engine)
        if self._connection.invalidated:
            # It would connect anew, but the lock is gone, and may be somebody else's by now.
            raise StoreError(f"{name}: the connection was lost, and with it the lock")
        with self._connection.begin():
            if not self._connection.scalar(_STILL, {"holder": self._holder, "key": self._key}):
                raise StoreError(f"{name}: the lock was lost: {_POOLED}")
            yield self._connection

    def take(self) -> None:
        """
        Take it.

        Raises:
            StoreError: Somebody else has it, or it could not be held.
        """
        name = name_of(self._engine)
        self._refuse_pools()
        with self._connection.begin():
            for setting, value in _LOCKING.items():
                self._connection.execute(_SET, {"name": setting, "value": value})
            # A session may take a lock that it has any number of times. Through a pool this one
            # may be that of somebody else who plays, or have a lock that nobody has given back.
            if self._signed():
                raise StoreError(f"{name}: {_POOLED}")
            taken = self._connection.scalar(sa.select(sa.func.pg_try_advisory_lock(self._key)))
            if taken:
                self._connection.execute(_SIGN, {"holder": self._holder})
        if not taken:
            raise StoreError(
                f"somebody is playing league {self._league_id} into {name}; "
                "wait for it, or use another --store"
            )

    def give_back(self) -> None:
        """
        Give it back, if it is held; a pooler may keep the session.
        """
        if self._connection.invalidated:
            return
        with contextlib.suppress(SQLAlchemyError), self._connection.begin():
            if self._signed() == self._holder:
                self._connection.execute(_SIGN, {"holder": ""})
                self._connection.execute(sa.select(sa.func.pg_advisory_unlock(self._key)))

    def _signed(self) -> str:
        return str(self._connection.scalar(_SIGNED))

    def _refuse_pools(self) -> None:
        """
        Refuse a pooler that lends out sessions for a transaction.

        It gives the session of one that is over to who comes next, so ours soon meet.
        """
        with self._engine.connect() as other:
            for more in range(_ROUNDS):
                with self._connection.begin():
                    first = self._session_of(self._connection)
                seconds = []
                for _ in range(more):  # or two who take turns might never meet
                    with other.begin():
                        seconds.append(self._session_of(other))
                with other.begin():
                    seconds.append(self._session_of(other))
                    with self._connection.begin():
                        again = self._session_of(self._connection)
                if again != first or first in seconds:
                    raise StoreError(f"{name_of(self._engine)}: {_POOLED}")

    @staticmethod
    def _session_of(connection: sa.Connection) -> int:
        return int(connection.execute(sa.select(sa.func.pg_backend_pid())).scalar_one())


@contextlib.contextmanager
def lock(engine: sa.Engine, league_id: str) -> Iterator[Lock]:
    """
    Hold the right to play a league into a database; everybody may still read.

    The kernel, or the database server, lets go of it when this process ends, in whatever
    way, so there is nothing to wait for and nothing to clean up after a crash.

    Yields:
        The lock. Whoever writes by it cannot write when it is lost.

    Raises:
        StoreError: Another process holds it.
    """
    if engine.dialect.name == "postgresql":
        with _lock_in_server(engine, league_id) as held:
            yield held
        return
    file = file_of(engine)
    # In memory nobody else can see it.
    with contextlib.nullcontext() if file is None else _lock_of_file(file, name_of(engine)):
        yield Lock(engine)


@contextlib.contextmanager
def _lock_in_server(engine: sa.Engine, league_id: str) -> Iterator[Lock]:
    with errors_as_ours(name_of(engine)):
        connection = engine.connect()
    try:
        held = _LockInServer(engine, connection, league_id)
        try:
            with errors_as_ours(name_of(engine)):
                held.take()
            yield held
        finally:
            held.give_back()
    finally:
        # Not back into our pool: the lock goes with the connection.
        connection.invalidate()
        connection.close()


@contextlib.contextmanager
def _lock_of_file(file: Path, name: str) -> Iterator[None]:
    # However it is called: a link to a store is the same store.
    file = file.resolve()
    path = file.with_name(file.name + ".lock")
    # It is written over: through a link that would be any file of ours.
    flags = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW
    try:
        handle = os.open(path, flags, 0o644)
    except OSError as error:
        if path.is_symlink():
            raise StoreError(f"cannot open {path}: it is a link; remove it") from None
        raise StoreError(f"cannot open {path}: {error.strerror}") from None
    try:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            owner = os.pread(handle, 32, 0).decode(errors="replace").strip()
            raise StoreError(
                f"process {owner or 'unknown'} is playing into {name}; "
                "wait for it, or use another --store"
            ) from None
        os.ftruncate(handle, 0)
        os.pwrite(handle, f"{os.getpid()}\n".encode(), 0)
        yield
    finally:
        os.close(handle)
