"""
The simple strategy of ../STRATEGY.md, which the sample bots of all languages share.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from euchre.referee.v1 import game_pb2, referee_service_pb2
from euchrebot import PASS, Bot, answer, run

if TYPE_CHECKING:
    from collections.abc import Sequence

JOKER = 25
ORDER, STAY = 18, 6
"""Tenths of a trick that are enough in Buck Euchre: to call trump, and to stay in."""


def printed(card: int) -> int:
    """
    Return the suit on a card; 5, which is no suit, for the Joker.
    """
    return (card - 1) // 6 + 1


def suit(card: int, trump: int) -> int:
    """
    Return what a card counts as: the Joker and the left bower are trumps.
    """
    left = (card - 1) % 6 == 2 and printed(card) + trump == 5
    return trump if card == JOKER or left else printed(card)


def power(card: int, trump: int) -> int:
    """
    Return 1 to 6 for a plain card, 21 to 29 for a trump.
    """
    rank = (card - 1) % 6 + 1
    if card == JOKER:
        return 29
    if suit(card, trump) != trump:
        return rank
    if rank == 3:
        return 28 if printed(card) == trump else 27
    return 20 + rank


def strength(card: int, trump: int, led: int) -> int:
    """
    Return the power of a card in a trick; 0 for one that cannot win it.
    """
    return power(card, trump) if suit(card, trump) in (led, trump) else 0


def lowest(cards: Sequence[int], trump: int) -> int:
    """
    Return the first card with the least power.
    """
    return min(cards, key=lambda card: power(card, trump))


def highest(cards: Sequence[int], trump: int) -> int:
    """
    Return the first card with the greatest power.
    """
    return max(cards, key=lambda card: power(card, trump))


def worth(hand: Sequence[int], trump: int) -> int:
    """
    Return the tenths of a trick that a hand is worth: trumps by their power, and aces.
    """
    powers = [power(card, trump) for card in hand]
    return sum(each - 18 if each > 20 else 6 for each in powers if each >= 6)


def best(hand: Sequence[int], suits: Sequence[int]) -> int:
    """
    Return the first suit under which a hand is worth most.
    """
    return max(suits, key=lambda each: worth(hand, each))


class Simple(Bot):
    """
    One method for each question; `last_call`, which is left out, challenges nothing.
    """

    def claim(self, ask: game_pb2.Ask) -> bool:
        """
        Claim: a hand without a face card is not worth much.
        """
        return True

    def joker_discard(self, ask: game_pb2.Ask) -> int:
        """
        Discard the lowest card.
        """
        return lowest(ask.joker_discard.legal_cards, ask.view.public_view.trump)

    def auction(self, ask: game_pb2.Ask) -> int:
        """
        Bid all that the hand is worth, trusting the partner for some of it.
        """
        hand, said = ask.view.hand, ask.auction.legal_bids[0]
        size = len(hand)
        own = worth(hand, best(hand, (1, 2, 3, 4)))
        need = {game_pb2.BID_ASK: 7 * size, game_pb2.BID_MOON: 8 * size}
        for bid in ask.auction.legal_bids:
            if bid != PASS and own >= need.get(bid, 10 * bid - 2 * size):
                said = bid
        return said

    def trump(self, ask: game_pb2.Ask) -> int:
        """
        Name the best suit.
        """
        return best(ask.view.hand, ask.trump.legal_suits)

    def ask_give(self, ask: game_pb2.Ask) -> int:
        """
        Give the lowest card.
        """
        return lowest(ask.ask_give.legal_cards, ask.view.public_view.trump)

    def ask_gift(self, ask: game_pb2.Ask) -> int:
        """
        Give the highest card.
        """
        return highest(ask.ask_gift.legal_cards, ask.view.public_view.trump)

    def play(self, ask: game_pb2.Ask) -> int:
        """
        Lead the highest card; win as cheaply as can be, but not over the partner.
        """
        view, public, legal = ask.view, ask.view.public_view, ask.play.legal_cards
        trump = public.trump
        if not public.tricks or public.tricks[-1].winner:
            return highest(legal, trump)
        trick = public.tricks[-1]
        led = suit(trick.cards[0], trump)
        reach = [strength(card, trump, led) for card in trick.cards]
        top = reach.index(max(reach))
        winners = [card for card in legal if strength(card, trump, led) > reach[top]]
        if public.contract.bid and (trick.seats[top] + view.seat) % 2 == 0:
            winners = []  # it is the partner's
        return lowest(winners or legal, trump)

    def call_1(self, ask: game_pb2.Ask) -> bool:
        """
        Order if the hand is worth it.
        """
        return worth(ask.view.hand, printed(ask.view.public_view.turn_up)) >= ORDER

    def call_2(self, ask: game_pb2.Ask) -> int:
        """
        Name the best suit if the hand is worth it.
        """
        named = best(ask.view.hand, ask.call_2.legal_suits)
        return named if worth(ask.view.hand, named) >= ORDER else PASS

    def dealer_discard(self, ask: game_pb2.Ask) -> int:
        """
        Discard the lowest card.
        """
        return lowest(ask.dealer_discard.legal_cards, ask.view.public_view.trump)

    def drop(self, ask: game_pb2.Ask) -> bool:
        """
        Drop if others are in and the hand is worth too little.
        """
        public = ask.view.public_view
        return len(public.participants) > 1 and worth(ask.view.hand, public.trump) < STAY


if __name__ == "__main__":
    if sys.argv[1:] == ["--frame"]:
        frame = referee_service_pb2.Frame.FromString(sys.stdin.buffer.read())
        answers = referee_service_pb2.Answers()
        for question in frame.asks:
            answer(Simple(), question, answers.answers.add())
        sys.stdout.buffer.write(answers.SerializeToString())
    else:
        run(Simple())
