"""
The games of a run can be read in the order of their storing without sorting them.
"""

from __future__ import annotations

from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """
    Change the tables.
    """
    op.create_index("game_in_order", "game", ["run_id", "id"])
