"""
Why an action is not legal here, in plain English.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from referee.cards import Suit
from referee.rules.actions import (
    Bid,
    BidAsk,
    BidMoon,
    Discard,
    Give,
    NameSuit,
    Pass,
    Play,
)
from referee.rules.trump import EFFECTIVE_SUIT, is_trump

if TYPE_CHECKING:
    from referee.cards import Card
    from referee.rules.actions import Action
    from referee.rules.deal import Deal

EXPECTED = {
    "claim": "to claim the hand or to decline",
    "joker_discard": "to discard a card",
    "auction": "to bid or to pass",
    "trump": "to name a trump suit",
    "ask_give": "to give a card to the partner",
    "ask_gift": "to give a card to the bidder",
    "play": "to play a card",
    "call_1": "to order the turned card up or to pass",
    "call_2": "to name a suit or to pass",
    "dealer_discard": "to discard a card",
    "drop": "to stay or to drop",
    "last_call": "for challenges before the deal is scored",
}
"""What each phase asks for."""


def why_not(deal: Deal, action: Action) -> str:
    """
    Return why *action* is not legal in *deal*, as a clause: `KS was not held`.
    """
    seat, phase = deal.to_act, deal.phase
    if seat is None or phase is None:
        return "the deal is over"
    if not any(type(action) is type(each) for each in deal.legal):
        return _wrong_kind(deal, action)
    if isinstance(action, Play | Give | Discard):
        return _not_that_card(deal, action, deal.hands[seat])
    if isinstance(action, Bid):
        return _not_that_bid(deal)
    if isinstance(action, NameSuit):
        return f"{_name(action.suit)} were turned down"
    return f"the question was {EXPECTED[phase]}"  # pragma: no cover  (for games to come)


def _not_that_card(deal: Deal, action: Play | Give | Discard, hand: list[Card]) -> str:
    if action.card not in hand:
        return f"{action.card} was not held"
    if isinstance(action, Play):
        return _must_follow(deal)
    return "the highest trump held must be given"


def _wrong_kind(deal: Deal, action: Action) -> str:
    if deal.phase == "auction":
        if isinstance(action, Pass):
            return "the dealer must bid after three passes"
        if isinstance(action, Bid | BidAsk | BidMoon):
            return _not_that_bid(deal)
    return f"the question was {EXPECTED[str(deal.phase)]}"


def _not_that_bid(deal: Deal) -> str:
    bids = [each for each in deal.legal if not isinstance(each, Pass)]
    return f"a bid here is one of {', '.join(str(each).removeprefix('bid ') for each in bids)}"


def _must_follow(deal: Deal) -> str:
    trump = deal.trump
    if trump is None:  # pragma: no cover  (there is no play before trump is fixed)
        raise RuntimeError("play before trump")
    led = deal.tricks[-1].cards[0]
    suit = _name(Suit(EFFECTIVE_SUIT[trump][led]))
    if is_trump(led, trump):
        suit += ", which are trump,"
    return f"{suit} were led and could be followed"


def _name(suit: Suit) -> str:
    return suit.name.lower()
