"""
The tables of the store.
"""

from __future__ import annotations

import sqlalchemy as sa

HEAD = "0004"
"""The newest migration, which these tables are the outcome of (a test compares them)."""

metadata = sa.MetaData()

run_table = sa.Table(
    "run",
    metadata,
    sa.Column("id", sa.Integer, primary_key=True),
    sa.Column("number", sa.Integer, nullable=False, comment="From 1, in its league."),
    sa.Column("league_id", sa.String(32), nullable=False),
    sa.Column("fingerprint", sa.String(64), nullable=False, comment="Of the league file."),
    sa.Column("text", sa.Text, nullable=False, comment="The league file, word for word."),
    sa.Column("seed", sa.Text),
    sa.Column("secret", sa.LargeBinary, nullable=False, comment="All decks derive from it."),
    sa.Column("commitment", sa.String(64), nullable=False, comment="SHA-256 of the secret."),
    sa.Column("started", sa.String(40), nullable=False, comment="UTC, ISO 8601."),
    sa.Column("finished", sa.String(40), comment="UTC, ISO 8601; null while games are missing."),
    sa.UniqueConstraint("league_id", "number"),
)

bot_table = sa.Table(
    "bot",
    metadata,
    sa.Column("entry", sa.Integer, primary_key=True, comment="Grows in order of entry."),
    sa.Column("run_id", sa.ForeignKey("run.id"), nullable=False),
    sa.Column("bot_id", sa.String(32), nullable=False),
    sa.Column("name", sa.Text, nullable=False),
    sa.Column("house", sa.Boolean, nullable=False, comment="Named by the league file."),
    sa.Column("token_sha256", sa.String(64), comment="Hash of its token, never the token."),
    sa.Column("description", sa.Text, nullable=False),
    sa.Column("contact", sa.Text, nullable=False),
    sa.Column("software", sa.Text, nullable=False),
    sa.Column("games", sa.Text, nullable=False, comment="JSON list; empty for every game."),
    sa.Column("submitted", sa.String(40), nullable=False, comment="UTC, ISO 8601."),
    sa.Column("revoked", sa.String(40), comment="UTC, ISO 8601; null while it may connect."),
    sa.Column("program", sa.Text, comment="Folder of an uploaded program; null for others."),
    sa.Column(
        "waiting",
        sa.Text,
        comment="JSON: a new version of an uploaded program, which takes the place of this one "
        "in the next run; null without one.",
    ),
    sa.UniqueConstraint("run_id", "bot_id"),
    sa.UniqueConstraint("run_id", "token_sha256"),
)

game_table = sa.Table(
    "game",
    metadata,
    sa.Column("id", sa.Integer, primary_key=True, comment="Grows in order of storing."),
    sa.Column("run_id", sa.ForeignKey("run.id"), nullable=False),
    sa.Column("fixture", sa.Text, nullable=False),
    sa.Column("match_id", sa.Text, nullable=False),
    sa.Column("set_id", sa.Text, nullable=False),
    sa.Column("sitting", sa.Integer, nullable=False, comment="From 0."),
    sa.Column("seats", sa.Text, nullable=False, comment="Bot ids of N E S W, spaces between."),
    sa.Column("ending", sa.String(16), nullable=False),
    sa.Column("void", sa.Boolean, nullable=False, comment="Counts for nobody."),
    sa.Column(
        "result",
        sa.Text,
        nullable=False,
        comment="JSON: scores, winners, places, forfeits by side; faults, reneges, unpunished, "
        "challenges_right, challenges_wrong, instances, times by seat; fault_kinds by kind "
        "and seat, if there are faults. One cell, since whoever reads a game needs all of it.",
    ),
    sa.Column("record", sa.LargeBinary, comment="The whole game: JSON, zlib."),
    sa.Column("played", sa.String(40), nullable=False, comment="UTC, ISO 8601."),
    # What makes a game count once, and what a run is read by.
    sa.UniqueConstraint("run_id", "fixture"),
    # Sorting a large run takes as long as reading it.
    sa.Index("game_in_order", "run_id", "id"),
)
