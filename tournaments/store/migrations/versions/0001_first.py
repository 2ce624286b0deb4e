"""
The tables as the first version had them.

Stores of that time say so in a table of their own, `store_schema`, which is made
here too, so that both ways to this version end at the same tables.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    """
    Make the tables.
    """
    op.create_table("store_schema", sa.Column("version", sa.Integer, nullable=False))
    op.create_table(
        "run",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("number", sa.Integer, nullable=False),
        sa.Column("league_id", sa.String(32), nullable=False),
        sa.Column("fingerprint", sa.String(64), nullable=False),
        sa.Column("text", sa.Text, nullable=False),
        sa.Column("seed", sa.Text),
        sa.Column("secret", sa.LargeBinary, nullable=False),
        sa.Column("commitment", sa.String(64), nullable=False),
        sa.Column("started", sa.String(40), nullable=False),
        sa.Column("finished", sa.String(40)),
        sa.UniqueConstraint("league_id", "number"),
    )
    op.create_table(
        "bot",
        sa.Column("entry", sa.Integer, primary_key=True),
        sa.Column("run_id", sa.Integer, sa.ForeignKey("run.id"), nullable=False),
        sa.Column("bot_id", sa.String(32), nullable=False),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("house", sa.Boolean, nullable=False),
        sa.Column("token_sha256", sa.String(64)),
        sa.Column("description", sa.Text, nullable=False),
        sa.Column("contact", sa.Text, nullable=False),
        sa.Column("software", sa.Text, nullable=False),
        sa.Column("games", sa.Text, nullable=False),
        sa.Column("submitted", sa.String(40), nullable=False),
        sa.UniqueConstraint("run_id", "bot_id"),
        sa.UniqueConstraint("run_id", "token_sha256"),
    )
    op.create_table(
        "game",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("run_id", sa.Integer, sa.ForeignKey("run.id"), nullable=False),
        sa.Column("fixture", sa.Text, nullable=False),
        sa.Column("match_id", sa.Text, nullable=False),
        sa.Column("set_id", sa.Text, nullable=False),
        sa.Column("sitting", sa.Integer, nullable=False),
        sa.Column("seats", sa.Text, nullable=False),
        sa.Column("ending", sa.String(16), nullable=False),
        sa.Column("void", sa.Boolean, nullable=False),
        sa.Column("result", sa.Text, nullable=False),
        sa.Column("record", sa.LargeBinary),
        sa.Column("played", sa.String(40), nullable=False),
        sa.UniqueConstraint("run_id", "fixture"),
    )
