"""
What a server counts of games that are over.
"""

from __future__ import annotations

from collections import Counter

from referee.counting import MAX_BOTS, OTHERS, Counts
from referee.hall import FinishedGame
from referee.record import DealRecord, GameRecord
from referee.rules.judge import Code, Ruling
from referee.seats import SEATS


def game(seats: tuple[str, ...], *rulings: Ruling) -> FinishedGame:
    """
    A game of one deal with these rulings.
    """
    deal = DealRecord(SEATS[0], rulings=[(0, ruling) for ruling in rulings])
    record = GameRecord("bid", {}, "s", 0, 0, seats, tuple("1122"), [deal])
    return FinishedGame(1, record, (0, 0), (0,) * 4, (0,) * 4, ([],) * 4)


def test_faults_are_counted_by_bot_and_kind() -> None:
    """
    Both seats of a bot together; reneges are no faults.
    """
    counts = Counts()
    rulings = [
        Ruling(Code.TIMEOUT, SEATS[0]),
        Ruling(Code.TIMEOUT, SEATS[2]),
        Ruling(Code.GONE, SEATS[1]),
        Ruling(Code.RENEGE, SEATS[1]),
    ]
    for _ in range(2):
        counts.add(game(("a", "b", "a", "b"), *rulings))

    assert {("a", "timeout"): 4, ("b", "gone"): 2} == counts.faults
    assert 2 == counts.rulings["renege"]


def test_few_bots_are_counted_by_name() -> None:
    """
    An open league has as many as come, and each name costs whoever reads the counts.
    """
    counts = Counts()
    for code in (Code.GONE, Code.ILLEGAL):
        for number in range(MAX_BOTS + 7):
            counts.add(game((f"b{number}", "x", "x", "x"), Ruling(code, SEATS[0])))

    names = Counter(bot for bot, _ in counts.faults)
    assert MAX_BOTS + 1 == len(names)
    assert {2} == set(names.values())
    assert 7 == counts.faults[OTHERS, "gone"] == counts.faults[OTHERS, "illegal"]
