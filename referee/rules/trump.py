"""
What cards are worth once trump is known (rules.md 2.2, 3.2).

The left bower is solved here and nowhere else: a card has a printed suit
(`card.suit`) and an *effective* suit, and following, leading and winning go by
the effective one. Everything is looked up in tables, one row a trump.
"""

from __future__ import annotations

import enum
from typing import TYPE_CHECKING

from referee.cards import CARDS, SUITS, Card, Rank, Suit

if TYPE_CHECKING:
    from collections.abc import Iterable


class Trump(enum.IntEnum):
    """
    What is trump. The numbers are those of the protocol.
    """

    CLUBS = 1
    DIAMONDS = 2
    HEARTS = 3
    SPADES = 4
    NONE = 5

    letter: str
    """`C`, `D`, `H`, `S`, or `none`."""

    def __str__(self) -> str:
        return self.letter


for _trump, _letter in zip(Trump, ("C", "D", "H", "S", "none"), strict=True):
    _trump.letter = _letter

TRUMP_OF_SUIT: dict[Suit, Trump] = {suit: Trump(suit) for suit in SUITS}
"""The trump that naming a suit makes."""

_SAME_COLOUR = {
    Suit.CLUBS: Suit.SPADES,
    Suit.SPADES: Suit.CLUBS,
    Suit.DIAMONDS: Suit.HEARTS,
    Suit.HEARTS: Suit.DIAMONDS,
}


def _effective(card: Card, trump: Trump) -> int:
    """
    The number of the effective suit; the Joker has none without trump.
    """
    if trump is Trump.NONE:
        return card.suit or 0
    if card.suit is None:
        return trump
    if card.rank is Rank.JACK and TRUMP_OF_SUIT[_SAME_COLOUR[card.suit]] is trump:
        return trump
    return card.suit


def _strength(card: Card, trump: Trump, led: Suit) -> int:
    """
    What *card* is worth in a trick where *led* was led; 0 cannot win.
    """
    suit = _effective(card, trump)
    if suit == trump:
        if card.suit is None:
            return 100
        if card.rank is Rank.JACK:
            return 99 if TRUMP_OF_SUIT.get(card.suit) is trump else 98
        return 90 + (card.rank or 0)
    return (card.rank or 0) if suit == led else 0


EFFECTIVE_SUIT: tuple[tuple[int, ...], ...] = tuple(
    (0, *(_effective(card, trump) if row else 0 for card in CARDS))
    for row, trump in enumerate((Trump.NONE, *Trump))
)
"""Number of the effective suit, by trump and card; row and column 0 belong to nothing."""

STRENGTH: tuple[tuple[tuple[int, ...], ...], ...] = tuple(
    tuple(
        (0, *(_strength(card, trump, led) if row and column else 0 for card in CARDS))
        for column, led in enumerate((Suit.CLUBS, *SUITS))
    )
    for row, trump in enumerate((Trump.NONE, *Trump))
)
"""What a card is worth, by trump, effective suit led, and card; 0 cannot win the trick."""


def effective_suit(card: Card, trump: Trump) -> Suit:
    """
    Return the suit that *card* belongs to (rules.md 2.2).

    >>> effective_suit(Card.JACK_OF_DIAMONDS, Trump.HEARTS).name
    'HEARTS'
    >>> effective_suit(Card.JACK_OF_DIAMONDS, Trump.NONE).name
    'DIAMONDS'

    Raises:
        ValueError: The Joker belongs to no suit without trump.
    """
    return Suit(EFFECTIVE_SUIT[trump][card])


def is_trump(card: Card, trump: Trump) -> bool:
    """
    Whether *card* is a trump, bowers and Joker included.
    """
    return EFFECTIVE_SUIT[trump][card] == trump


def best_trump(cards: Iterable[Card], trump: Trump) -> Card | None:
    """
    Return the highest trump among *cards*, or None without one (A9).
    """
    strength = STRENGTH[trump][trump if trump is not Trump.NONE else 0]
    best = max(cards, key=strength.__getitem__, default=None)
    return best if best is not None and is_trump(best, trump) else None
