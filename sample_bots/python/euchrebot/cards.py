"""
Tables about cards, made once: what a card is worth under each trump.

Everything is an index away from plain numbers: cards, suits, trumps and seats are the
numbers of the protocol, and sets of cards are integers with bit `1 << card`. Trump 0
(not fixed yet) is treated as no trump.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

JOKER = 25
NO_TRUMP = 5
CARDS = range(1, 26)
SUITS = range(1, 5)
TRUMPS = range(6)

TRUMP_POWER = 20
"""What trumps have more than any other card."""


def printed_suit(card: int) -> int:
    """
    Return the suit on a card; 0 for the Joker.
    """
    return 0 if card == JOKER else (card - 1) // 6 + 1


def _left(trump: int) -> int:
    # The suits of a colour are clubs and spades, diamonds and hearts: they add up to 5.
    return 6 * (5 - trump - 1) + 3


def _suit(trump: int, card: int) -> int:
    if trump in SUITS and (card == JOKER or card == _left(trump)):
        return trump
    return printed_suit(card)


def _power(trump: int, card: int) -> int:
    if card == JOKER:
        return TRUMP_POWER + 9
    rank = (card - 1) % 6 + 1
    if trump not in SUITS or _suit(trump, card) != trump:
        return rank
    if rank == 3:
        return TRUMP_POWER + (8 if printed_suit(card) == trump else 7)
    return TRUMP_POWER + rank


def _strength(trump: int, led: int, card: int) -> int:
    suit = _suit(trump, card)
    return _power(trump, card) if suit == led or (suit == trump and trump in SUITS) else 0


def _above(trump: int, card: int) -> int:
    return sum(
        1 << other
        for other in CARDS
        if _suit(trump, other) == _suit(trump, card) and _power(trump, other) > _power(trump, card)
    )


SUIT = [[0] + [_suit(trump, card) for card in CARDS] for trump in TRUMPS]
"""By trump and card: the suit that it counts as."""

POWER = [[0] + [_power(trump, card) for card in CARDS] for trump in TRUMPS]
"""By trump and card: its rank in its suit, with `TRUMP_POWER` more for a trump."""

STRENGTH = [
    [[0] + [_strength(trump, led, card) for card in CARDS] for led in range(5)] for trump in TRUMPS
]
"""By trump, suit led and card: the highest takes the trick; 0 cannot."""

ABOVE = [[0] + [_above(trump, card) for card in CARDS] for trump in TRUMPS]
"""By trump and card: the set of cards of its suit that beat it."""

TRUMP_SET = [
    sum(1 << card for card in CARDS if trump in SUITS and SUIT[trump][card] == trump)
    for trump in TRUMPS
]
"""By trump: the set of all trumps."""


def bits(cards: Iterable[int]) -> int:
    """
    Return the set of *cards*.
    """
    found = 0
    for card in cards:
        found |= 1 << card
    return found


def winning(trump: int, cards: Sequence[int]) -> int:
    """
    Return the place in *cards*, a trick in the order of play, of the one that is winning.

    Of two equal cards that is the first.
    """
    strength = STRENGTH[trump][SUIT[trump][cards[0]]]
    best = 0
    for place in range(1, len(cards)):
        if strength[cards[place]] > strength[cards[best]]:
            best = place
    return best


def voids(trump: int, tricks: Iterable[tuple[Sequence[int], Sequence[int]]]) -> list[set[int]]:
    """
    Return for each seat (place 0 is nobody) the suits that it has shown not to hold.

    Args:
        trump: Of the deal.
        tricks: Seats and cards of each trick, in the order of play.
    """
    suit = SUIT[trump]
    shown: list[set[int]] = [set() for _ in range(5)]
    for seats, cards in tricks:
        led = suit[cards[0]]
        for seat, card in zip(seats, cards, strict=True):
            if suit[card] != led:
                shown[seat].add(led)
    return shown


def unseen(seen: Iterable[int], *, joker: bool, copies: int = 1) -> list[int]:
    """
    Return the cards of a deck that are not among *seen*.
    """
    left = [copies] * 25 + [int(joker)]
    left[0] = 0
    for card in seen:
        left[card] -= 1
    return [card for card in CARDS for _ in range(left[card])]
