"""
A bot that watches what is played, and challenges a renege as soon as it is proven.

It plays like `cautious.py`, and remembers nothing: all cards of a deal are in the
question. Who did not follow a suit, and plays a card of it later, had it all the
time. See docs/reneges.md.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from euchrebot import run
from euchrebot.cards import SUIT
from euchrebot.strategy import Rules

if TYPE_CHECKING:
    from euchre.referee.v1 import game_pb2


def proven(public: game_pb2.PublicView) -> list[tuple[int, int]]:
    """
    Return the reneges that the cards on the table prove, as pairs of seat and trick.
    """
    suit = SUIT[public.trump]
    missed: dict[tuple[int, int], list[int]] = {}
    found = []
    for number, trick in enumerate(public.tricks, 1):
        led = suit[trick.cards[0]]
        for seat, card in zip(trick.seats, trick.cards, strict=True):
            # Cards change hands before play only, so this one was there when it was missed.
            found += [(seat, earlier) for earlier in missed.pop((seat, suit[card]), ())]
            if suit[card] != led:
                missed.setdefault((seat, led), []).append(number)
    return found


class Watch(Rules):
    """
    Rules of thumb, and an eye on the others.
    """

    def challenges(self, ask: game_pb2.Ask) -> list[tuple[int, int]]:
        """
        Challenge what is proven, once, and never a partner.
        """
        view = ask.view
        public = view.public_view
        judged = {(ruling.challenged, ruling.trick) for ruling in public.rulings}
        teams = bool(public.contract.bid)
        return [
            (seat, trick)
            for seat, trick in proven(public)
            if (seat, trick) not in judged
            and seat != view.seat
            and not (teams and (seat + view.seat) % 2 == 0)
        ]


if __name__ == "__main__":
    run(Watch())
