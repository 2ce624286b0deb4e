"""
Results and records: the journal of a league. The only door to SQLAlchemy.
"""

from tournaments.store.journal import RESULTS, Store, default_url
from tournaments.store.rows import Bot, NewGame, Run, Version

__all__ = ["RESULTS", "Bot", "NewGame", "Run", "Store", "Version", "default_url"]
