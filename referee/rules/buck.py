"""
Buck Euchre (rules.md 3): four players for themselves, from 25 points down to zero.

In play order:

1. The dealer deals 5 cards to each, two and then three, and turns up the next.
2. A club turned up is trump at once: no calls, nobody drops, play begins.
3. *call_1*: from the dealer's left each seat passes or orders the turned card
   up. Its suit is then trump, and
   *dealer_discard*: the dealer takes it and discards a card face down.
4. *call_2*: if all passed, each seat passes or names another suit. If all pass
   again, the deal is played without trump.
5. *drop*: from the dealer's left each seat except the caller stays in or drops
   out. One alone is credited with all tricks; with nobody in, the deal is void.
6. *play*: the first seat in from the dealer's left leads; follow suit if you
   can; trump wins, else the highest card of the suit led; the winner leads next.
7. Each trick takes a point off. But the caller owes three tricks and everybody
   else who is in owes one: who misses that gets five points instead.
8. Five tricks against an opponent win the game at once; else the first at zero
   wins, of several the lowest.
"""

from __future__ import annotations

import functools
from bisect import insort
from typing import TYPE_CHECKING, ClassVar, Self

from referee.cards import DECK, SUITS, Card, Suit
from referee.rules.actions import Action, Discard, Drop, NameSuit, Order, Pass, Play, Stay
from referee.rules.deal import Call, Contract, Deal, Ending, Phase, Verdict
from referee.rules.options import BothAtZero, BuckRules, SetMode
from referee.rules.trump import TRUMP_OF_SUIT, Trump, is_trump
from referee.seats import SEATS, Seat, clockwise

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence

__all__ = ["BuckDeal", "BuckRules"]

TRICKS = 5
"""Tricks of a deal."""
_CALLER_OWES = 3
_SET = 5

_PASS = Pass()
_CALL_1: tuple[Action, ...] = (_PASS, Order())
_DROP: tuple[Action, ...] = (Stay(), Drop())


class BuckDeal(Deal):
    """
    One deal of Buck Euchre.
    """

    __slots__ = ()

    sides = tuple((seat,) for seat in SEATS)
    side_of = (0, 1, 2, 3)
    side_names = ("N", "E", "S", "W")
    verbs = (Order, Pass, NameSuit, Discard, Stay, Drop, Play)
    bad_points = 1
    drops = True
    turns_up = True
    shares_wins = True

    rules: BuckRules

    def __init__(self, rules: BuckRules, dealer: Seat, deck: Sequence[Card]) -> None:
        # Cards 0-7 are the pairs, 8-19 the triples, card 20 the turn-up (3.3).
        hands = []
        for seat in SEATS:
            place = (seat - dealer - 1) % 4
            pair, triple = 2 * place, 8 + 3 * place
            hands.append(sorted((*deck[pair : pair + 2], *deck[triple : triple + 3])))
        self._set_up(rules, dealer, hands)
        self._begin(deck[20])

    @classmethod
    def deck(cls, rules: BuckRules) -> tuple[Card, ...]:  # type: ignore[override]  # noqa: ARG003
        """
        Return the 24 cards, in canonical order (3.2).
        """
        return DECK

    @staticmethod
    def hand_sizes(rules: BuckRules, dealer: Seat) -> list[int]:  # type: ignore[override]  # noqa: ARG004
        """
        Return a card a trick.
        """
        return [TRICKS] * 4

    @classmethod
    def from_hands(  # type: ignore[override]  # a game has its rules
        cls,
        rules: BuckRules,
        dealer: Seat,
        hands: Sequence[Sequence[Card]],
        turn_up: Card | None = None,
    ) -> Self:
        """
        Return a deal with these cards in hand; the three that are left over stay unseen.
        """
        if turn_up is None:
            raise ValueError("a card is turned up in Buck Euchre")
        deal = cls.__new__(cls)  # a second constructor
        deal._set_up(rules, dealer, [sorted(hand) for hand in hands])  # noqa: SLF001
        deal._begin(turn_up)  # noqa: SLF001
        return deal

    @staticmethod
    def first_scores(rules: BuckRules) -> list[int]:  # type: ignore[override]  # a game has its rules
        """
        Return what everybody starts with (K7).
        """
        return [rules.start_score] * 4

    # -- trump (3.4) -------------------------------------------------------

    def _begin(self, turn_up: Card) -> None:
        self.turn_up = turn_up
        if turn_up.suit is not Suit.CLUBS:
            self.phase, self.to_act, self.legal = Phase.CALL_1, self.dealer.left, _CALL_1
            return
        self.trump = Trump.CLUBS
        if self.rules.club_dealer_picks_up:
            self._pick_up()
        else:
            self._start_tricks()

    def _call(self, action: Action) -> None:
        """
        Both rounds of calls: who calls ends them, and they go round until the dealer.
        """
        seat: Seat = self.to_act  # type: ignore[assignment]  # somebody is on turn
        self.calls.append(Call(seat, action))
        if isinstance(action, Order):
            self.contract = Contract(seat, None)
            self.trump = TRUMP_OF_SUIT[self._turned]
            self._pick_up()
        elif isinstance(action, NameSuit):
            self.contract = Contract(seat, None)
            self.trump = TRUMP_OF_SUIT[action.suit]
            self._start_drops()
        elif seat is not self.dealer:
            self.to_act = seat.left
        elif self.phase is Phase.CALL_1:
            self.phase, self.to_act = Phase.CALL_2, seat.left
            self.legal = _call_2(None if self.rules.allow_turned_down_suit else self._turned)
        else:
            self.trump = Trump.NONE
            if self.rules.no_trump_drop_allowed:
                self._start_drops()
            else:
                self._start_tricks()

    @property
    def _turned(self) -> Suit:
        return self.turn_up.suit  # type: ignore[union-attr,return-value]  # there is one, and no Joker

    def _pick_up(self) -> None:
        hand = self.hands[self.dealer]
        card: Card = self.turn_up  # type: ignore[assignment]  # there is one
        insort(hand, card)
        self.phase, self.to_act = Phase.DEALER_DISCARD, self.dealer
        self.legal = tuple([Discard(card) for card in hand])

    def _discard(self, action: Discard) -> None:
        self.hands[self.dealer].remove(action.card)
        self.discarded = action.card
        if self.contract is None:  # a club was turned up: nobody may drop (K14)
            self._start_tricks()
        else:
            self._start_drops()

    # -- dropping out (3.5) ------------------------------------------------

    def _start_drops(self) -> None:
        self.phase, self.legal = Phase.DROP, _DROP
        self._ask_drop(self.dealer.left)

    def _ask_drop(self, seat: Seat) -> None:
        """
        Ask *seat*, or the next if it may not drop.
        """
        if self.contract and seat is self.contract.seat and not self.rules.caller_may_drop:
            self._next_drop(seat)
        else:
            self.to_act = seat

    def _next_drop(self, seat: Seat) -> None:
        """
        Go on after *seat*; the dealer is the last.
        """
        if seat is not self.dealer:
            self._ask_drop(seat.left)
        elif len(self.participants) > 1:
            self._start_tricks()
        else:
            # A walkover counts as all tricks (A37); with nobody in the deal is void (A38).
            for last in self.participants:
                self.taken[last] = TRICKS
            self._finish()

    def _drop(self, action: Action) -> None:
        seat: Seat = self.to_act  # type: ignore[assignment]  # somebody is on turn
        self.calls.append(Call(seat, action))
        if isinstance(action, Drop):
            self.participants = tuple(each for each in self.participants if each is not seat)
        self._next_drop(seat)

    def _start_tricks(self) -> None:
        first = (seat for seat in clockwise(self.dealer.left) if seat in self.participants)
        self._start_play(next(first))

    def fallback(self) -> Action:
        """
        Return what an illegal or missing answer becomes (3.10).
        """
        if self.phase is Phase.DROP:
            return self.legal[-1]
        if self.phase is Phase.DEALER_DISCARD:
            for action in self.legal:
                if not is_trump(action.card, self.trump):  # type: ignore[attr-defined,arg-type]
                    return action
        return self.legal[0]

    # -- scoring (3.7) and the end of the game (3.8) -----------------------

    def _score(self) -> None:
        caller = self.contract and self.contract.seat
        for seat in self.participants:
            tricks = self.taken[seat]
            owes = _CALLER_OWES if seat is caller else 1
            self.changes[seat] += (
                -tricks if tricks >= owes else self._missed(seat is caller, tricks)
            )

    def _missed(self, is_caller: bool, tricks: int) -> int:
        """
        What a participant gets who took fewer *tricks* than owed.
        """
        mode = self.rules.set_mode
        if mode is SetMode.FLAT:
            return _SET
        if mode is SetMode.ADDITIVE_STACK and is_caller and tricks == 0:
            return 2 * _SET
        return _SET - tricks

    def verdict(self, scores: Sequence[int], eligible: Collection[int]) -> Verdict | None:
        """
        Return who has won (3.8): a sweep first, then the lowest score at or below zero.
        """
        if len(self.participants) > 1 or not self.rules.sweep_requires_opponent:
            for seat in self.participants:
                if self.taken[seat] == TRICKS and seat in eligible:
                    return Verdict(Ending.SWEEP, (int(seat),))
        zero = [side for side in eligible if scores[side] <= 0]
        winners = self._first_at_zero(zero, scores) if len(zero) > 1 else tuple(zero)
        return Verdict(Ending.ZERO, winners) if winners else None

    def _first_at_zero(self, zero: Sequence[int], scores: Sequence[int]) -> tuple[int, ...]:
        """
        Who wins of several at or below zero; nobody if another deal is played (A39).
        """
        mode = self.rules.both_at_zero
        if mode is BothAtZero.SHARED:
            return tuple(zero)
        if mode is BothAtZero.SEAT_ORDER:
            return (next(int(seat) for seat in clockwise(self.dealer.left) if seat in zero),)
        if mode is BothAtZero.CALLER_FIRST and self.contract and self.contract.seat in zero:
            return (int(self.contract.seat),)
        lowest = min(scores[side] for side in zero)
        at_lowest = tuple(side for side in zero if scores[side] == lowest)
        return at_lowest if len(at_lowest) == 1 else ()

    @staticmethod
    def standing(scores: Sequence[int]) -> list[int]:
        """
        Return the scores as they are, since points are bad.
        """
        return list(scores)

    _answers: ClassVar[Mapping[Phase, Callable[..., None]]] = {
        Phase.CALL_1: _call,
        Phase.CALL_2: _call,
        Phase.DEALER_DISCARD: _discard,
        Phase.DROP: _drop,
    }


@functools.cache
def _call_2(turned_down: Suit | None) -> tuple[Action, ...]:
    """
    What may be said in the second round, without the suit *turned_down* (A31).
    """
    return (_PASS, *(NameSuit(suit) for suit in SUITS if suit is not turned_down))
