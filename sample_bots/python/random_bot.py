"""
A bot that picks from what is legal, by a hash of what it sees.

It is the same in every process and every time, so its games can be repeated, and it is
the least that another bot should beat.
"""

from __future__ import annotations

import zlib
from typing import TYPE_CHECKING

from euchrebot import PASS, Bot, run

if TYPE_CHECKING:
    from collections.abc import Sequence

    from euchre.referee.v1 import game_pb2


def number(ask: game_pb2.Ask) -> int:
    """
    Return a number that depends on the seat, its cards and what was said and played.
    """
    view = ask.view
    public = view.public_view
    seen = [view.seat, public.deal >> 8 & 255, public.deal & 255, public.dealer, *view.hand]
    for call in public.calls:
        seen += (call.seat, call.said, call.bid, call.suit)
    for trick in public.tricks:
        seen += trick.cards
    seen += (score & 255 for score in public.scores)
    return zlib.crc32(bytes(seen))


def pick(ask: game_pb2.Ask, legal: Sequence[int]) -> int:
    """
    Return one of *legal*.
    """
    return legal[number(ask) % len(legal)]


class Random(Bot):
    """
    Does anything that is legal, without a preference.
    """

    def claim(self, ask: game_pb2.Ask) -> bool:
        """
        Claim every other time.
        """
        return number(ask) % 2 == 0

    def joker_discard(self, ask: game_pb2.Ask) -> int:
        """
        Discard any card.
        """
        return pick(ask, ask.joker_discard.legal_cards)

    def auction(self, ask: game_pb2.Ask) -> int:
        """
        Make any bid.
        """
        return pick(ask, ask.auction.legal_bids)

    def trump(self, ask: game_pb2.Ask) -> int:
        """
        Name any suit.
        """
        return pick(ask, ask.trump.legal_suits)

    def ask_give(self, ask: game_pb2.Ask) -> int:
        """
        Give any card.
        """
        return pick(ask, ask.ask_give.legal_cards)

    def ask_gift(self, ask: game_pb2.Ask) -> int:
        """
        Give any card that may be given.
        """
        return pick(ask, ask.ask_gift.legal_cards)

    def play(self, ask: game_pb2.Ask) -> int:
        """
        Play any card that may be played.
        """
        return pick(ask, ask.play.legal_cards)

    def call_1(self, ask: game_pb2.Ask) -> bool:
        """
        Order every other time.
        """
        return number(ask) % 2 == 0

    def call_2(self, ask: game_pb2.Ask) -> int:
        """
        Name any suit, or pass.
        """
        return pick(ask, [*ask.call_2.legal_suits, PASS])

    def dealer_discard(self, ask: game_pb2.Ask) -> int:
        """
        Discard any card.
        """
        return pick(ask, ask.dealer_discard.legal_cards)

    def drop(self, ask: game_pb2.Ask) -> bool:
        """
        Drop every other time.
        """
        return number(ask) % 2 == 0


if __name__ == "__main__":
    run(Random())
