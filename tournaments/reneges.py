"""
Who reneged unpunished, and who challenged well: counted in the record of a game. Pure.

A renege is *caught* when it is penalised: refused, let stand for a penalty, or
challenged and upheld. Those are the ones that were ruled, so the hall counts them
while it plays (`reneges`). In challenge mode others stand and nobody says a word:
they are *unpunished*, and only the record knows them. Both together were *tried*.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from referee.rules.judge import Code
from referee.rules.options import RenegeMode

if TYPE_CHECKING:
    from referee.record import GameRecord


class Watch(NamedTuple):
    """
    What came of watching in a game, by seat.
    """

    unpunished: tuple[int, ...] = (0, 0, 0, 0)
    """Reneges that stood and that no challenge hit."""
    right: tuple[int, ...] = (0, 0, 0, 0)
    """Challenges that were upheld."""
    wrong: tuple[int, ...] = (0, 0, 0, 0)
    """False challenges. Void ones judge nothing, so they are not counted."""


def watch_of(record: GameRecord) -> Watch:
    """
    Return what came of watching in the game of *record*.
    """
    unpunished, right, wrong = [0] * 4, [0] * 4, [0] * 4
    # Where a renege that stands is penalised at once, none is unpunished.
    silent = record.rules.get("renege_mode") == RenegeMode.CHALLENGE
    for deal in record.deals:
        upheld = set()
        for _, ruling in deal.rulings:
            if ruling.code is Code.UPHELD:
                right[ruling.seat] += 1
                upheld.add((ruling.challenged, ruling.trick))
            elif ruling.code is Code.FALSE_CHALLENGE:
                wrong[ruling.seat] += 1
        if silent:
            for seat, trick in deal.irregular:
                unpunished[seat] += (seat, trick) not in upheld
    return Watch(tuple(unpunished), tuple(right), tuple(wrong))
