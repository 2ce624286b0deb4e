"""
A bot that deals the hidden cards a few times over and plays each deal out.

It looks at a number of deals that depends on the question alone, never at a clock, so it
answers the same on any machine.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from euchrebot import PASS, run
from euchrebot.cards import POWER, SUITS
from euchrebot.hands import expected, least
from euchrebot.outcomes import board, contract, passed, place_of, points_in_buck, worth
from euchrebot.sampling import Board, Situation, deals, play_out
from euchrebot.strategy import Rules

if TYPE_CHECKING:
    from collections.abc import Sequence

    from euchre.referee.v1 import game_pb2

PLAYS = 3600
"""Cards that are played out for one question, roughly."""

COUNT = 20
"""Deals that are looked at before calling or dropping."""

STAY = 6
"""The number of `SAID_STAY`."""


class Search(Rules):
    """
    Samples before it bids, names, orders, drops or plays; discards by rules of thumb.
    """

    def play(self, ask: game_pb2.Ask) -> int:
        """
        Play the card that did best on average, over the same deals for each.
        """
        legal = list(ask.play.legal_cards)
        if len(legal) == 1:
            return legal[0]
        now = Situation(ask.view)
        seats = now.seats()
        count = min(max(PLAYS // (len(legal) * len(seats) * len(now.hand)), 6), 30)
        totals = [0.0] * len(legal)
        for hands in deals(now, count, seats):
            for place, card in enumerate(legal):
                table = board(now, [list(hand) for hand in hands], seats)
                totals[place] += worth(now, play_out(table, teams=not now.buck, first=card))
        # The least card of those that are equally good.
        power = POWER[now.trump]
        best = max(range(len(legal)), key=lambda place: (totals[place], -power[legal[place]]))
        return legal[best]

    def trump(self, ask: game_pb2.Ask) -> int:
        """
        Name the suit that did best in the contract that was won.
        """
        legal = list(ask.trump.legal_suits)
        now = Situation(ask.view)
        samples = list(deals(now, 8 if now.double else 16, [1, 2, 3, 4]))
        return max(
            legal,
            key=lambda suit: (
                sum(contract(now, hands, now.seat, suit, now.bid) for hands in samples),
                expected(now.hand, suit),
            ),
        )

    def auction(self, ask: game_pb2.Ask) -> int:
        """
        Make the bid that did best, or pass if the others' contracts did better.
        """
        legal = list(ask.auction.legal_bids)
        now = Situation(ask.view)
        suits = sorted(SUITS, key=lambda suit: expected(now.hand, suit))[-2:]
        samples = list(deals(now, 6 if now.double else 16, [1, 2, 3, 4]))
        numbers = [bid for bid in legal if bid < PASS]
        found: dict[int, float] = {}
        for bid in numbers[:1] + [bid for bid in legal if bid > PASS]:
            found[bid] = max(
                sum(contract(now, hands, now.seat, suit, bid) for hands in samples)
                for suit in suits
            )
        if legal[0] == PASS:
            found[PASS] = sum(passed(now, hands) for hands in samples)
        return max(found, key=lambda bid: (found[bid], -bid))

    def call_1(self, ask: game_pb2.Ask) -> bool:
        """
        Order if that earns points on average.
        """
        now = Situation(ask.view)
        trump = (now.turn_up - 1) // 6 + 1
        if expected(now.hand, trump) < 0.5:
            return False
        return self._called(now, trump, up=True) >= self.style.call

    def call_2(self, ask: game_pb2.Ask) -> int:
        """
        Name the suit that earns the most points on average, if any does.
        """
        now = Situation(ask.view)
        suits = sorted(ask.call_2.legal_suits, key=lambda suit: expected(now.hand, suit))[-2:]
        worth, suit = max((self._called(now, suit, up=False), suit) for suit in suits)
        return suit if worth >= self.style.call else PASS

    def drop(self, ask: game_pb2.Ask) -> bool:
        """
        Drop if staying loses points on average.
        """
        now = Situation(ask.view)
        if len(now.participants) < 2:
            return False
        spoken = {seat for seat, said, _, _ in now.calls if said == STAY} | {now.contract}
        total = 0.0
        for hands in deals(now, COUNT, now.participants):
            total += self._stayed(now, hands, now.trump, spoken | {now.seat}, now.participants)
        return total < self.style.risk * COUNT

    def _called(self, now: Situation, trump: int, *, up: bool) -> float:
        """
        Return the points to expect as caller of *trump*.
        """
        total = 0.0
        now.contract = now.seat
        for hands in deals(now, COUNT, [1, 2, 3, 4]):
            if up:
                hands[now.dealer].append(now.turn_up)
                hands[now.dealer].remove(least(hands[now.dealer], trump))
            total += self._stayed(now, hands, trump, {now.seat}, [1, 2, 3, 4])
        return total / COUNT

    def _stayed(
        self,
        now: Situation,
        hands: list[list[int]],
        trump: int,
        staying: set[int],
        seats: Sequence[int],
    ) -> float:
        """
        Return the worth of a deal of Buck Euchre in which the own seat stays in.
        """
        others = len(seats) - 1
        need = self.style.stay * (0.4 + 0.2 * others)
        inside = [seat for seat in seats if seat in staying or expected(hands[seat], trump) >= need]
        if len(inside) == 1:
            return 5.0
        first = next(
            seat for seat in (place_of(now.dealer + step) for step in range(1, 5)) if seat in inside
        )
        table = Board(hands, inside, trump, first)
        table.offense[now.contract] = True
        return points_in_buck(now.seat, now.contract, play_out(table, teams=False), inside)


if __name__ == "__main__":
    run(Search())
