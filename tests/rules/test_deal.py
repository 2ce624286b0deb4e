"""
Deals by themselves: their constructors, cards that stand, actions as values.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from referee.cards import BY_CODE, CARDS, DECK, Card
from referee.errors import RuleViolation
from referee.rules.actions import Bid, Pass, Play
from referee.rules.bid import BidDeal
from referee.rules.buck import BuckDeal
from referee.rules.deal import Deal, Phase
from referee.rules.options import BidRules, BuckRules
from referee.rules.tricks import legal_follows, legal_leads
from referee.rules.trump import Trump
from referee.seats import Seat

if TYPE_CHECKING:
    from collections.abc import Callable

HANDS = [DECK[6 * place : 6 * place + 6] for place in range(4)]


def playing() -> Deal:
    """
    A deal in which E has led JD, with clubs as trump and a diamond hand each way.
    """
    deal = BidDeal.from_hands(BidRules(), Seat.NORTH, HANDS)
    deal.apply(Bid(3))
    while deal.phase is not Phase.PLAY:
        deal.apply(deal.legal[0])
    return deal


def test_a_turn_up_belongs_to_buck() -> None:
    """
    Hands of Bid Euchre come without a turned card, those of Buck with one.
    """
    with pytest.raises(ValueError, match="no card is turned up"):
        BidDeal.from_hands(BidRules(), Seat.NORTH, HANDS, Card.ACE_OF_SPADES)
    with pytest.raises(ValueError, match="a card is turned up"):
        BuckDeal.from_hands(BuckRules(), Seat.NORTH, [hand[:5] for hand in HANDS])


def test_hands_are_copied() -> None:
    """
    A deal sorts and plays its own lists.
    """
    hands = [list(reversed(hand)) for hand in HANDS]
    deal = BidDeal.from_hands(BidRules(), Seat.NORTH, hands)

    assert [list(hand) for hand in HANDS] == deal.hands
    assert list(reversed(HANDS[0])) == hands[0]


def test_only_held_cards_stand(state_of: Callable[[Deal], dict[str, Any]]) -> None:
    """
    `stand` takes a held card of the seat on turn, in play, and nothing else.
    """
    deal = playing()
    before = state_of(deal)
    with pytest.raises(RuleViolation, match="AS was not held"):
        deal.stand(Card.ACE_OF_SPADES)
    assert before == state_of(deal)
    with pytest.raises(RuleViolation):
        BidDeal.from_hands(BidRules(), Seat.NORTH, HANDS).stand(Card.NINE_OF_DIAMONDS)
    while deal.to_act is not None:
        deal.apply(deal.legal[0])
    with pytest.raises(RuleViolation, match="the deal is over"):
        deal.stand(Card.ACE_OF_SPADES)


@pytest.mark.parametrize("hand", [CARDS, DECK, DECK[:4], sorted(DECK + DECK), [Card.JOKER], []])
@pytest.mark.parametrize("trump", tuple(Trump)[:4])
def test_what_is_remembered_is_right(hand: list[Card], trump: Trump) -> None:
    """
    Legal cards are the same the first time and again, in order, equal cards once.
    """
    unique = sorted(set(hand))
    for _ in range(2):
        assert [Play(card) for card in unique] == list(legal_leads(hand))
        for led in CARDS:
            legal = legal_follows(hand, led, trump)
            assert legal == tuple(sorted(set(legal), key=lambda play: play.card))  # type: ignore[attr-defined]
            assert bool(legal) == bool(hand)


def test_actions_are_values() -> None:
    """
    Equal actions are one object and print as notation.
    """
    assert Play(BY_CODE["JH"]) is Play(Card.JACK_OF_HEARTS)
    assert Bid(3) is not Bid(4)
    assert ["<play JH>", "<bid 3>", "<pass>"] == [
        repr(action) for action in (Play(BY_CODE["JH"]), Bid(3), Pass())
    ]
