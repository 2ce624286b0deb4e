"""
The version of a store's tables: seen when it is opened, and brought up by Alembic's migrations.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import sqlalchemy as sa

from referee.errors import StoreError
from tournaments.store.database import errors_as_ours, name_of
from tournaments.store.schema import HEAD

if TYPE_CHECKING:
    from alembic.config import Config

_FIRST = "0001"
"""What the tables of a store are that was written before Alembic kept their version."""

_version_table = sa.table("alembic_version", sa.column("version_num"))
_first_table = sa.table("store_schema", sa.column("version"))


def bring_up(engine: sa.Engine, *, create: bool) -> None:
    """
    See to it that a database has the tables of this program.

    An older store is upgraded in one transaction, a database without tables gets them.

    Args:
        engine: Of the database.
        create: Whether tables may be made where there are none.

    Raises:
        StoreError: It is empty and must not be, belongs to something else, or was written by
            a newer program.
    """
    with engine.connect() as connection:
        found = _version_of(connection)
    if found == HEAD:
        return
    where = name_of(engine)
    if found is None and not create:
        raise StoreError(f"{where} is empty; use another --store")
    how = "its tables cannot be made" if found is None else f"cannot be upgraded from {found}"
    with errors_as_ours(f"{where}: {how}"), engine.begin() as connection:
        if connection.dialect.name == "postgresql":
            # Two programs that open a new database at once must not both make its tables.
            connection.execute(sa.select(sa.func.pg_advisory_xact_lock(_LOCK)))
        else:
            # SQLite begins late by itself; here it must hold others off from the start.
            connection.exec_driver_sql("BEGIN IMMEDIATE")
        found = _version_of(connection)
        if found != HEAD:
            _upgrade(connection, found)


_LOCK = 0x6575636872650001
"""Advisory lock of whoever changes tables; the first bytes spell euchre."""


def config_for(connection: sa.Connection | None = None) -> Config:
    """
    Return what Alembic has to know to run our migrations on *connection*.
    """
    from alembic.config import Config  # noqa: PLC0415  (a third of a second, seldom needed)

    folder = Path(__file__).with_name("migrations")
    config = Config()
    # A per cent sign would be read as the beginning of a variable.
    config.set_main_option("script_location", str(folder).replace("%", "%%"))
    config.attributes["connection"] = connection
    return config


def _upgrade(connection: sa.Connection, found: str | None) -> None:
    """
    Run what is missing.
    """
    from alembic import command  # noqa: PLC0415  (as above)

    config = config_for(connection)
    if found == _FIRST and not sa.inspect(connection).has_table(_version_table.name):
        command.stamp(config, _FIRST)
    command.upgrade(config, HEAD)


def _version_of(connection: sa.Connection) -> str | None:
    """
    Return the migration that a database is at; None if it has no tables.

    Raises:
        StoreError: It is at none that is known here.
    """
    where = name_of(connection.engine)
    tables = set(sa.inspect(connection).get_table_names())
    if not tables:
        return None
    if _version_table.name in tables and "run" in tables:
        version = str(connection.execute(sa.select(_version_table.c.version_num)).scalar_one())
    elif _first_table.name in tables:
        number = int(connection.execute(sa.select(_first_table.c.version)).scalar_one())
        version = _FIRST if number == 1 else str(number)
    else:
        raise StoreError(f"{where} is a database of something else; use another --store")
    if len(version) != len(HEAD) or version > HEAD:
        raise StoreError(
            f"{where} has version {version} of the tables, and this program knows version "
            f"{HEAD}; use the program that wrote it, or another --store"
        )
    return version
