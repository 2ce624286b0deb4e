"""
A new version of an uploaded program waits for the next run.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """
    Change the tables.
    """
    op.add_column("bot", sa.Column("waiting", sa.Text))
