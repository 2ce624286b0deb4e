"""
Tricks: who may play what, and who takes them. The same in both games, and once.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from referee.cards import CARDS, Card
from referee.rules.actions import Play
from referee.rules.trump import EFFECTIVE_SUIT, STRENGTH

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from referee.rules.trump import Trump

PLAYS: tuple[Play, ...] = tuple(Play(card) for card in (Card.NINE_OF_CLUBS, *CARDS))
"""The action that plays a card, by card; place 0 belongs to no card."""


def legal_leads(hand: Iterable[Card]) -> tuple[Play, ...]:
    """
    Return what the leader may play: any card (B37).

    Args:
        hand: In canonical order, and so is what is returned; of equal cards one entry.
    """
    return tuple(dict.fromkeys(map(PLAYS.__getitem__, hand)))


def legal_follows(hand: Sequence[Card], led: Card, trump: Trump) -> tuple[Play, ...]:
    """
    Return what may be played when *led* was led: its effective suit, else anything (B38, B39).

    Args:
        hand: In canonical order, and so is what is returned; of equal cards one entry.
        led: The first card of the trick.
        trump: Of the deal.
    """
    suits = EFFECTIVE_SUIT[trump]
    suit = suits[led]
    # Asked for every card of every deal. `or` on the list saves testing the hand twice.
    follows = [PLAYS[card] for card in hand if suits[card] == suit]
    return tuple(dict.fromkeys(follows or map(PLAYS.__getitem__, hand)))


def winner(cards: Sequence[Card], trump: Trump) -> int:
    """
    Return the place in *cards* that takes the trick (B40).

    The highest trump, else the highest card of the effective suit led. Of two
    equal cards the first played is the higher one (A23).
    """
    strength = STRENGTH[trump][EFFECTIVE_SUIT[trump][cards[0]]]
    strengths = [strength[card] for card in cards]
    return strengths.index(max(strengths))
