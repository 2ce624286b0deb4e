"""
Bots may be revoked, and may be programs that were uploaded.

From here on Alembic keeps the version, so the table that did goes.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """
    Change the tables.
    """
    op.add_column("bot", sa.Column("revoked", sa.String(40)))
    op.add_column("bot", sa.Column("program", sa.Text))
    op.drop_table("store_schema")
