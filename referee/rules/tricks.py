"""
Tricks: who may play what, and who takes them. The same in both games, and once.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from referee.cards import CARDS, Card
from referee.rules.actions import Play
from referee.rules.trump import EFFECTIVE_SUIT, STRENGTH, Trump

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from referee.rules.actions import Action

# What may be played is asked for every card of every deal, and takes a third of
# all time if cards are gone through one by one. So while a deal is played a hand
# is also kept as one number, its *holding*, with two bits a card that count it
# (a double deck has two of each). The cards that follow suit are then one `&`
# away, and the actions that play them one look into a dictionary.

ONE: tuple[int, ...] = tuple(1 << (2 * card) for card in range(len(CARDS) + 1))
"""What one card adds to a holding, by card."""

FOLLOWING: tuple[tuple[int, ...], ...] = tuple(
    tuple(sum(3 * ONE[card] for card in CARDS if row[card] == suit) for suit in (0, 1, 2, 3, 4))
    for row in EFFECTIVE_SUIT
)
"""The bits of all cards of an effective suit, by trump and suit."""

_PLAY: tuple[Action, ...] = tuple(Play(card) for card in (Card.NINE_OF_CLUBS, *CARDS))
_BITS = tuple(3 * one for one in ONE)
_SMALL = 4
"""Holdings of so many cards are remembered: some fifteen thousand, a few megabytes."""
_known: dict[int, tuple[Action, ...]] = {}


def holding_of(hand: Iterable[Card]) -> int:
    """
    Return *hand* as a number, two bits a card.
    """
    return sum(map(ONE.__getitem__, hand))


def plays(holding: int, hand: Iterable[Card]) -> tuple[Action, ...]:
    """
    Return the actions that play the cards of *holding*; of equal cards one.

    Args:
        holding: What may be played.
        hand: The cards, in canonical order, and others which do not count.
    """
    known = _known.get(holding)
    if known is None:
        known = tuple(dict.fromkeys([_PLAY[card] for card in hand if holding & _BITS[card]]))
        if len(known) <= _SMALL:
            _known[holding] = known
    return known


def legal_leads(hand: Sequence[Card]) -> tuple[Action, ...]:
    """
    Return what the leader may play: any card (B37), in canonical order.
    """
    return plays(holding_of(hand), hand)


def legal_follows(hand: Sequence[Card], led: Card, trump: Trump) -> tuple[Action, ...]:
    """
    Return what may be played when *led* was led, in canonical order.

    Its effective suit if the hand has it, else any card (B38, B39). Of equal cards
    there is one entry.
    """
    holding = holding_of(hand)
    return plays(holding & FOLLOWING[trump][EFFECTIVE_SUIT[trump][led]] or holding, hand)


def winner(cards: Sequence[Card], trump: Trump) -> int:
    """
    Return the place in *cards* that takes the trick (B40).

    The highest trump, else the highest card of the effective suit led. Of two
    equal cards the first played is the higher one (A23): both `max` and `index`
    find the first.
    """
    strength = STRENGTH[trump][EFFECTIVE_SUIT[trump][cards[0]]]
    return cards.index(max(cards, key=strength.__getitem__))
