"""
A bot that reneges when it pays and nobody at the table says a word.

It plays like `cautious.py`. But where reneges are found by challenges only
(`renege_mode = "challenge"`), it takes a trick that it would lose with a card that it
may not play: a trump, mostly, while it could follow suit. See docs/reneges.md.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from euchre.referee.v1 import rules_pb2
from euchrebot import run
from euchrebot.cards import ABOVE, STRENGTH, SUIT, winning
from euchrebot.strategy import Rules

if TYPE_CHECKING:
    from euchre.referee.v1 import game_pb2, referee_service_pb2


class Cheat(Rules):
    """
    Rules of thumb, and none of the game's where breaking them takes a trick.
    """

    silent = False
    """Whether a renege stands until somebody challenges it."""

    def seated(self, seated: referee_service_pb2.Seated) -> None:
        """
        Look up what becomes of reneges.
        """
        rules = seated.rules.bid if seated.rules.HasField("bid") else seated.rules.buck
        self.silent = rules.renege_mode == rules_pb2.RENEGE_MODE_CHALLENGE

    def play(self, ask: game_pb2.Ask) -> int:
        """
        Play honestly where that takes the trick, or the partner does; else renege if that would.
        """
        honest = super().play(ask)
        public = ask.view.public_view
        if not self.silent or not public.tricks or public.tricks[-1].winner:
            return honest  # a leader may play anything
        trick = public.tricks[-1]
        trump = public.trump
        cards = list(trick.cards)
        place = winning(trump, cards)
        if public.contract.bid and (trick.seats[place] + ask.view.seat) % 2 == 0:
            return honest
        strength = STRENGTH[trump][SUIT[trump][cards[0]]]
        best = strength[cards[place]]
        if strength[honest] > best:
            return honest
        # The card that nothing beats takes a trick of its own; it is too good for this.
        illegal = set(ask.view.hand) - set(ask.play.legal_cards)
        takers = [card for card in illegal if strength[card] > best and ABOVE[trump][card]]
        return min(takers, key=strength.__getitem__, default=honest)


if __name__ == "__main__":
    run(Cheat())
