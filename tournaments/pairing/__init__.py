"""
Who plays whom, with which decks, in which seats. Lazy and pure.
"""

from tournaments.pairing.fixture import Fixture, in_order, instances_for
from tournaments.pairing.schedules import Balance, balance, count, fixtures, newcomer_fixtures

__all__ = [
    "Balance",
    "Fixture",
    "balance",
    "count",
    "fixtures",
    "in_order",
    "instances_for",
    "newcomer_fixtures",
]
