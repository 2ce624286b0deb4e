"""
The simple strategy of ../STRATEGY.md, which the sample bots of all languages share.

It is written for reading beside that page, and beside the bots in the other languages:
plain integers and lists, and none of the library's tables.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from euchre.referee.v1 import game_pb2, referee_service_pb2
from euchrebot import PASS, Bot, answer, run

if TYPE_CHECKING:
    from collections.abc import Sequence

ASK, MOON = game_pb2.BID_ASK, game_pb2.BID_MOON
JOKER = 25
SUITS = (1, 2, 3, 4)
ORDER = 21
"""Tenths of a trick that are enough to call trump in Buck Euchre."""
STAY = 6
"""Tenths of a trick that are enough to stay in a deal of Buck Euchre."""


def printed(card: int) -> int:
    """
    Return the suit on a card; 0 for the Joker.
    """
    return 0 if card == JOKER else (card - 1) // 6 + 1


def suit(card: int, trump: int) -> int:
    """
    Return the suit that a card counts as: the Joker and the left bower are trumps.
    """
    rank = (card - 1) % 6 + 1
    if trump in SUITS and (card == JOKER or (rank == 3 and printed(card) == 5 - trump)):
        return trump
    return printed(card)


def power(card: int, trump: int) -> int:
    """
    Return 1 to 6 for a plain card, 21 to 29 for a trump.
    """
    rank = (card - 1) % 6 + 1
    if card == JOKER:
        return 29
    if suit(card, trump) != trump:
        return rank
    if rank != 3:
        return 20 + rank
    return 28 if printed(card) == trump else 27


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
    Return the tenths of a trick that a hand is worth.
    """
    tenths = 0
    for card in hand:
        each = power(card, trump)
        tenths += each - 18 if each > 20 else {6: 6, 5: 2}.get(each, 0)
    return tenths


def best(hand: Sequence[int], suits: Sequence[int]) -> int:
    """
    Return the first suit under which the hand is worth most.
    """
    return max(suits, key=lambda each: worth(hand, each))


def play(legal: Sequence[int], view: game_pb2.SeatView) -> int:
    """
    Return the card to play: win as cheaply as it can be done, but not over the partner.
    """
    public = view.public_view
    trump, bid = public.trump, public.contract.bid

    def mine(seat: int) -> bool:
        return seat == view.seat or (bid != 0 and seat != 0 and (seat + view.seat) % 2 == 0)

    if not public.tricks or public.tricks[-1].winner:
        plain = [card for card in legal if suit(card, trump) != trump]
        return highest(legal if mine(public.contract.seat) or not plain else plain, trump)
    trick = public.tricks[-1]
    led = suit(trick.cards[0], trump)

    def strength(card: int) -> int:
        return power(card, trump) if suit(card, trump) in (led, trump) else 0

    top = max(range(len(trick.cards)), key=lambda place: strength(trick.cards[place]))
    winners = [card for card in legal if strength(card) > strength(trick.cards[top])]
    return lowest(winners if winners and not mine(trick.seats[top]) else legal, trump)


class Simple(Bot):
    """
    One method for each question; the methods left out do the first legal thing.
    """

    def claim(self, ask: game_pb2.Ask) -> bool:
        """
        Claim unless the hand is worth a bid of three.
        """
        hand = ask.view.hand
        return worth(hand, best(hand, SUITS)) + 2 * tricks(hand) < 30

    def joker_discard(self, ask: game_pb2.Ask) -> int:
        """
        Discard the lowest card.
        """
        trump = ask.view.public_view.trump or best(ask.view.hand, SUITS)
        return lowest(ask.joker_discard.legal_cards, trump)

    def auction(self, ask: game_pb2.Ask) -> int:
        """
        Bid everything, or the least that is legal, if the hand is worth it.
        """
        legal, view = ask.auction.legal_bids, ask.view
        own, count = worth(view.hand, best(view.hand, SUITS)), tricks(view.hand)
        if MOON in legal and own >= 8 * count:
            return MOON
        if ASK in legal and own >= 7 * count:
            return ASK
        holder = 0
        for call in view.public_view.calls:
            if call.bid:
                holder = call.seat
        if not holder or (holder + view.seat) % 2:
            for bid in legal:
                if bid < PASS:
                    if own + 2 * count >= 10 * bid:
                        return bid
                    break
        return legal[0]

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
        Play as the function above does.
        """
        return play(ask.play.legal_cards, ask.view)

    def call_1(self, ask: game_pb2.Ask) -> bool:
        """
        Order if the hand is worth it; the dealer counts the turned card.
        """
        view = ask.view
        hand = list(view.hand)
        turned = view.public_view.turn_up
        if view.public_view.dealer == view.seat:
            hand.append(turned)
        return worth(hand, printed(turned)) >= ORDER

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


def tricks(hand: Sequence[int]) -> int:
    """
    Return how many tricks a deal of Bid Euchre has, at its auction.
    """
    return 12 if len(hand) >= 12 else 6


if __name__ == "__main__":
    if sys.argv[1:] == ["--frame"]:
        frame = referee_service_pb2.Frame.FromString(sys.stdin.buffer.read())
        answers = referee_service_pb2.Answers()
        for question in frame.asks:
            answer(Simple(), question, answers.answers.add())
        sys.stdout.buffer.write(answers.SerializeToString())
    else:
        run(Simple())
