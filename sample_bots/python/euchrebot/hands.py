"""
What a hand may be worth, before any card is played.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from euchrebot.cards import POWER, SUIT, SUITS

if TYPE_CHECKING:
    from collections.abc import Sequence


def _worth(trump: int, card: int) -> float:
    power = POWER[trump][card]
    if power > 20:
        return (0.25, 0.3, 0.0, 0.4, 0.5, 0.65, 0.85, 0.97, 1.0)[power - 21]
    return (0.0, 0.0, 0.0, 0.04, 0.2, 0.65)[power - 1]


WORTH = [[0.0] + [_worth(trump, card) for card in range(1, 26)] for trump in range(6)]
"""By trump and card: tricks to expect of it."""


def expected(hand: Sequence[int], trump: int) -> float:
    """
    Return how many tricks *hand* may take by itself.
    """
    worth = WORTH[trump]
    suit = SUIT[trump]
    total = 0.0
    count = [0, 0, 0, 0, 0]
    for card in hand:
        total += worth[card]
        count[suit[card]] += 1
    if trump in SUITS:
        # Long trumps run, and a suit that is not held is taken with one of them.
        trumps = count[trump]
        total += 0.15 * max(trumps - 2, 0)
        if trumps:
            total += 0.1 * (count[1:].count(0))
    return total


def best_trump(hand: Sequence[int], suits: Sequence[int] = SUITS) -> tuple[float, int]:
    """
    Return what to expect of *hand* in its best suit, and that suit.
    """
    return max((expected(hand, suit), suit) for suit in suits)


def least(cards: Sequence[int], trump: int) -> int:
    """
    Return the card of *cards* to be rid of: low, and alone in its suit rather than not.
    """
    power = POWER[trump]
    suit = SUIT[trump]
    count = [0, 0, 0, 0, 0]
    for card in cards:
        count[suit[card]] += 1
    return min(cards, key=lambda card: (2 * power[card] + 3 * min(count[suit[card]], 3), card))
