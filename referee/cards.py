"""
Cards and suits as printed.

What a card is worth, and to which suit it belongs once trump is known, is
`referee.rules.trump`.
"""

from __future__ import annotations

import enum


class Suit(enum.IntEnum):
    """
    A printed suit. The numbers are those of the protocol.
    """

    CLUBS = 1
    DIAMONDS = 2
    HEARTS = 3
    SPADES = 4

    letter: str
    """`C`, `D`, `H` or `S`."""

    def __str__(self) -> str:
        return self.letter


class Rank(enum.IntEnum):
    """
    A printed rank, nine low to ace high.
    """

    NINE = 1
    TEN = 2
    JACK = 3
    QUEEN = 4
    KING = 5
    ACE = 6

    letter: str
    """`9`, `T`, `J`, `Q`, `K` or `A`."""

    def __str__(self) -> str:
        return self.letter


class Card(enum.IntEnum):
    """
    A card as printed: number = 6 * (suit - 1) + rank, the Joker is 25.

    Rising numbers are the canonical card order (rules.md 0.3). Two equal cards
    of a double deck are the same member: hands are multisets.
    """

    NINE_OF_CLUBS = 1
    TEN_OF_CLUBS = 2
    JACK_OF_CLUBS = 3
    QUEEN_OF_CLUBS = 4
    KING_OF_CLUBS = 5
    ACE_OF_CLUBS = 6
    NINE_OF_DIAMONDS = 7
    TEN_OF_DIAMONDS = 8
    JACK_OF_DIAMONDS = 9
    QUEEN_OF_DIAMONDS = 10
    KING_OF_DIAMONDS = 11
    ACE_OF_DIAMONDS = 12
    NINE_OF_HEARTS = 13
    TEN_OF_HEARTS = 14
    JACK_OF_HEARTS = 15
    QUEEN_OF_HEARTS = 16
    KING_OF_HEARTS = 17
    ACE_OF_HEARTS = 18
    NINE_OF_SPADES = 19
    TEN_OF_SPADES = 20
    JACK_OF_SPADES = 21
    QUEEN_OF_SPADES = 22
    KING_OF_SPADES = 23
    ACE_OF_SPADES = 24
    JOKER = 25

    code: str
    """Rank then suit, as in `JH` or `9C`; the Joker is `XX`."""
    suit: Suit | None
    """The printed suit; None for the Joker."""
    rank: Rank | None
    """The printed rank; None for the Joker."""

    def __str__(self) -> str:
        return self.code


SUITS: tuple[Suit, ...] = tuple(Suit)
"""Clubs, diamonds, hearts, spades."""

CARDS: tuple[Card, ...] = tuple(Card)
"""All 25 cards in canonical order, the Joker last."""

DECK: tuple[Card, ...] = CARDS[:24]
"""One of each card but the Joker."""

for _suit, _letter in zip(SUITS, "CDHS", strict=True):
    _suit.letter = _letter
for _rank, _letter in zip(Rank, "9TJQKA", strict=True):
    _rank.letter = _letter
for _card in CARDS:
    if _card is Card.JOKER:
        _card.suit, _card.rank, _card.code = None, None, "XX"
    else:
        _card.suit = Suit((_card - 1) // 6 + 1)
        _card.rank = Rank((_card - 1) % 6 + 1)
        _card.code = _card.rank.letter + _card.suit.letter

BY_CODE: dict[str, Card] = {card.code: card for card in CARDS}
"""The card of each code."""

SUIT_BY_LETTER: dict[str, Suit] = {suit.letter: suit for suit in SUITS}
"""The suit of each letter."""
