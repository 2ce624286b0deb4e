"""
What Alembic runs: the migrations, on the connection that it is given, or on the URL of its file.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import context

from tournaments.store.schema import metadata


def _run(connection: sa.Connection) -> None:
    # SQLite cannot change a table in place; a batch writes it anew.
    context.configure(connection=connection, target_metadata=metadata, render_as_batch=True)
    with context.begin_transaction():
        context.run_migrations()


given = context.config.attributes.get("connection")
if given is not None:
    _run(given)
else:
    url = context.config.get_main_option("sqlalchemy.url") or ""
    with sa.create_engine(url).connect() as made:
        _run(made)
        made.commit()
