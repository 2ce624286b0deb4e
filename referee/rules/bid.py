"""
Bid Euchre (rules.md 2): two teams of partners, first to the target.

In play order:

1. The dealer deals 6 cards to each (12 of a double deck), one at a time; with
   the Joker the last card too, to the dealer.
2. *claim*: with Ace No Face, each seat with an ace, no face card and no Joker
   may claim its hand. The first claim throws the deal in.
3. *joker_discard*: with the Joker, the dealer discards a card face down (or
   does so after trump is named).
4. *auction*: from the dealer's left each seat bids once, higher than before, or
   passes. Bids are numbers of tricks, then `ask`, then `moon`. Four passes throw
   the deal in, unless the dealer is stuck.
5. *trump*: the bidder names a suit.
6. *ask_give*, *ask_gift*: after an `ask` the bidder gives a card to the partner,
   and gets the partner's best trump for it. After `ask` and `moon` the partner
   sits out.
7. *play*: the bidder leads; follow suit if you can; trump wins, else the highest
   card of the suit led; the winner leads next.
8. The bidding team scores its tricks if it made its bid (an ask 12, a moon 24),
   else it loses the bid. The others always score their tricks.
9. The first team at 32 wins; of two teams the higher score.
"""

from __future__ import annotations

import functools
from bisect import insort
from typing import TYPE_CHECKING, ClassVar, Self

from referee.cards import DECK, SUITS, Card, Rank
from referee.rules.actions import (
    Action,
    Bid,
    BidAsk,
    BidMoon,
    Claim,
    Decline,
    Discard,
    Give,
    NameTrump,
    Pass,
    Play,
)
from referee.rules.deal import Call, Contract, Deal, Ending, Phase, RedealReason, Status, Verdict
from referee.rules.options import AskGiftRule, BidRules, BothOverTarget, JokerDiscard, SetPenalty
from referee.rules.trump import TRUMP_OF_SUIT, best_trump
from referee.seats import SEATS, Seat, clockwise

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

__all__ = ["BidDeal", "BidRules", "may_claim"]

_ASK, _MOON, _PASS = BidAsk(), BidMoon(), Pass()
_CLAIM: tuple[Action, ...] = (Claim(), Decline())
_TRUMPS: tuple[Action, ...] = tuple(NameTrump(suit) for suit in SUITS)
_NINE_OR_TEN = frozenset({Rank.NINE, Rank.TEN})
_DOUBLE_DECK = tuple(sorted(DECK * 2))


class BidDeal(Deal):
    """
    One deal of Bid Euchre.
    """

    __slots__ = ("_claimants", "_high", "_over")

    sides = ((Seat.NORTH, Seat.SOUTH), (Seat.EAST, Seat.WEST))
    side_of = (0, 1, 0, 1)
    side_names = ("NS", "EW")
    verbs = (Claim, Decline, Discard, Pass, Bid, BidAsk, BidMoon, NameTrump, Give, Play)
    bad_points = -1
    drops = False
    turns_up = False
    shares_wins = False

    rules: BidRules

    def __init__(self, rules: BidRules, dealer: Seat, deck: Sequence[Card]) -> None:
        # Card k goes to seat dealer + 1 + k mod 4 (2.3), so a seat has every fourth card.
        dealt = 4 * rules.tricks
        hands = [sorted(deck[(seat - dealer - 1) % 4 : dealt : 4]) for seat in SEATS]
        if rules.joker:
            insort(hands[dealer], deck[dealt])
        self._set_up(rules, dealer, hands)
        self._begin()

    @classmethod
    def deck(cls, rules: BidRules) -> tuple[Card, ...]:  # type: ignore[override]  # a game has its rules
        """
        Return the 24, 25, 48 or 49 cards, in canonical order (2.2).
        """
        cards = _DOUBLE_DECK if rules.double_deck else DECK
        return (*cards, Card.JOKER) if rules.joker else cards

    @staticmethod
    def hand_sizes(rules: BidRules, dealer: Seat) -> list[int]:  # type: ignore[override]
        """
        Return a card a trick, and for the dealer of the Joker variant one more.
        """
        return [rules.tricks + (rules.joker and seat is dealer) for seat in SEATS]

    @classmethod
    def from_hands(  # type: ignore[override]  # a game has its rules
        cls,
        rules: BidRules,
        dealer: Seat,
        hands: Sequence[Sequence[Card]],
        turn_up: Card | None = None,
    ) -> Self:
        """
        Return a deal with these cards in hand, the dealer's with one more in the Joker variant.
        """
        if turn_up is not None:
            raise ValueError("no card is turned up in Bid Euchre")
        deal = cls.__new__(cls)  # a second constructor
        deal._set_up(rules, dealer, [sorted(hand) for hand in hands])  # noqa: SLF001
        deal._begin()  # noqa: SLF001
        return deal

    @staticmethod
    def first_scores(rules: BidRules) -> list[int]:  # type: ignore[override]  # noqa: ARG004
        """
        Return nothing for either team.
        """
        return [0, 0]

    # -- before the auction (2.4) ------------------------------------------

    def _begin(self) -> None:
        self._high: Call | None = None
        self._over: dict[Action | None, tuple[Action, ...]] = {}
        self._claimants: tuple[Seat, ...] = ()
        if self.rules.ace_no_face:
            # Claims come before everything, on the hands as dealt (A20, A25).
            order = clockwise(self.dealer.left)
            self._claimants = tuple(seat for seat in order if may_claim(self.hands[seat]))
        self._ask_claims()

    def _ask_claims(self) -> None:
        if self._claimants:
            self.phase = Phase.CLAIM
            self.to_act, self.legal = self._claimants[0], _CLAIM
        elif self._discards(JokerDiscard.BEFORE_AUCTION):
            self._ask_joker_discard()
        else:
            self._start_auction()

    def _claim(self, action: Action) -> None:
        seat, *others = self._claimants
        if isinstance(action, Claim):
            self.calls.append(Call(seat, action))
            self.claimed_hand = tuple(self.hands[seat])
            self._throw_in(RedealReason.CLAIMED)
        else:
            self._claimants = tuple(others)
            self._ask_claims()

    def _throw_in(self, reason: RedealReason) -> None:
        self.redeal_reason = reason
        self._close(Status.REDEAL)

    def _discards(self, when: JokerDiscard) -> bool:
        return self.rules.joker and self.rules.joker_discard is when

    def _ask_joker_discard(self) -> None:
        self.phase, self.to_act = Phase.JOKER_DISCARD, self.dealer
        self.legal = _each(Discard, self.hands[self.dealer])

    def _joker_discard(self, action: Discard) -> None:
        self.hands[self.dealer].remove(action.card)
        self.discarded = action.card
        if self.contract is None:
            self._start_auction()
        else:
            self._after_trump()

    # -- the auction and trump (2.5, 2.6) ----------------------------------

    def _start_auction(self) -> None:
        self.phase, self.to_act = Phase.AUCTION, self.dealer.left
        rules = self.rules
        self._over = _answers_over(
            rules.tricks, rules.min_bid, rules.plain_all_bid, rules.moon_outbids_ask
        )
        self.legal = self._over[None]

    def _bid(self, action: Action) -> None:
        seat: Seat = self.to_act  # type: ignore[assignment]  # somebody is on turn
        call = Call(seat, action)
        self.calls.append(call)
        if action is not _PASS:
            self._high = call
        high = self._high
        legal = self._over[high and high.action]
        if seat is self.dealer or len(legal) == 1:  # everybody has spoken, or nothing is stronger
            self._end_auction(high)
            return
        self.to_act = seat = seat.left
        if seat is self.dealer and high is None and self.rules.stick_the_dealer:
            legal = legal[1:]
        self.legal = legal

    def _end_auction(self, high: Call | None) -> None:
        if high is None:
            self._throw_in(RedealReason.PASSED)
            return
        bidder, bid = high
        self.contract = Contract(bidder, bid)
        if bid is _ASK or bid is _MOON:
            self.participants = _ALONE[bidder]
        self.phase, self.to_act, self.legal = Phase.TRUMP, bidder, _TRUMPS

    def _name_trump(self, action: NameTrump) -> None:
        self.calls.append(Call(self._bidder, action))
        self.trump = TRUMP_OF_SUIT[action.suit]
        if self._discards(JokerDiscard.AFTER_TRUMP):
            self._ask_joker_discard()
        else:
            self._after_trump()

    @property
    def _bidder(self) -> Seat:
        return self.contract.seat  # type: ignore[union-attr]  # asked only after the auction

    # -- the exchange of an ask (2.7) --------------------------------------

    def _after_trump(self) -> None:
        contract: Contract = self.contract  # type: ignore[assignment]  # the auction is over
        if contract.bid is _ASK:
            self.phase, self.to_act = Phase.ASK_GIVE, contract.seat
            self.legal = _each(Give, self.hands[contract.seat])
        else:
            self._start_play(contract.seat)

    def _give(self, action: Give) -> None:
        bidder = self._bidder
        self.given[bidder] = action.card
        partner = bidder.partner
        self.phase, self.to_act = Phase.ASK_GIFT, partner
        hand = self.hands[partner]
        best = None
        if self.rules.ask_gift_rule is AskGiftRule.BEST_TRUMP:
            best = best_trump(hand, self.trump)  # type: ignore[arg-type]  # trump was named
        self.legal = _each(Give, hand) if best is None else (Give(best),)

    def _gift(self, action: Give) -> None:
        bidder = self._bidder
        partner = bidder.partner
        self.given[partner] = action.card
        for giver, taker in ((bidder, partner), (partner, bidder)):
            self.hands[giver].remove(self.given[giver])
            insort(self.hands[taker], self.given[giver])
        self._start_play(bidder)

    def fallback(self) -> Action:
        """
        Return what an illegal or missing answer becomes (2.13).

        Of all questions only a claim has another first choice than its fallback:
        pass, the lowest bid, clubs and the first card stand in front.
        """
        return self.legal[-1] if self.phase is Phase.CLAIM else self.legal[0]

    # -- scoring (2.10) and the end of the game (2.11) ---------------------

    def _score(self) -> None:
        bidder, bid = self.contract  # type: ignore[misc]  # a played deal has a contract
        side = self.side_of[bidder]
        taken, others = self.taken[side], self.taken[1 - side]
        needed, made, lost = self._worth(bid, taken)
        if taken >= needed:
            self.changes[side] += made
        else:
            self.changes[side] -= lost
            if self.rules.set_bidders_keep_tricks:
                self.changes[side] += taken
        self.changes[1 - side] += others

    def _worth(self, bid: Action | None, taken: int) -> tuple[int, int, int]:
        """
        What *bid* needs, in tricks, what it earns with *taken*, and what it loses.
        """
        if isinstance(bid, Bid):
            return bid.number, taken, bid.number
        rules = self.rules
        stake = rules.ask_made if bid is _ASK else rules.moon_made
        return rules.tricks, stake, stake if rules.set_penalty is SetPenalty.STAKE else rules.tricks

    def verdict(self, scores: Sequence[int], eligible: Collection[int]) -> Verdict | None:
        """
        Return who has won (2.11): a team at the target; of two, the higher score.
        """
        over = [side for side in eligible if scores[side] >= self.rules.target]
        if len(over) == 2:
            if self.rules.both_over_target is BothOverTarget.BIDDERS_FIRST:
                over = [self.side_of[self._bidder]]
            elif scores[0] == scores[1]:
                return None
            else:
                over = [0 if scores[0] > scores[1] else 1]
        return Verdict(Ending.TARGET, tuple(over)) if over else None

    @staticmethod
    def forfeit_scores(  # type: ignore[override]  # a game has its rules
        rules: BidRules, scores: Sequence[int], left: Collection[int]
    ) -> list[int]:
        """
        Return the target for who wins, and at most nothing for who forfeited.
        """
        return [
            rules.target if side in left else min(0, score) for side, score in enumerate(scores)
        ]

    @staticmethod
    def standing(scores: Sequence[int]) -> list[int]:
        """
        Return the scores the other way round, since points are good.
        """
        return [-score for score in scores]

    _answers: ClassVar[Mapping[Phase, Callable[..., None]]] = {
        Phase.CLAIM: _claim,
        Phase.JOKER_DISCARD: _joker_discard,
        Phase.AUCTION: _bid,
        Phase.TRUMP: _name_trump,
        Phase.ASK_GIVE: _give,
        Phase.ASK_GIFT: _gift,
    }


_ALONE: tuple[tuple[Seat, ...], ...] = tuple(
    tuple(seat for seat in SEATS if seat is not bidder.partner) for bidder in SEATS
)
"""Who plays when a bidder plays alone, by bidder (B30)."""


def may_claim(hand: Iterable[Card]) -> bool:
    """
    Whether *hand* is an Ace No Face hand: an ace, no J, Q or K, no Joker (2.4).
    """
    ranks = {card.rank for card in hand} - _NINE_OR_TEN
    return ranks == {Rank.ACE}


def _each(make: Callable[[Card], Action], hand: Iterable[Card]) -> tuple[Action, ...]:
    """
    An action a card, in canonical order; of equal cards one entry.
    """
    return tuple(dict.fromkeys(map(make, hand)))


@functools.cache
def _answers_over(
    tricks: int, min_bid: int, plain_all_bid: bool, moon_outbids_ask: bool
) -> dict[Action | None, tuple[Action, ...]]:
    """
    What may be answered over each bid (None: over no bid): pass, then the stronger bids, rising.
    """
    rising = [*(Bid(number) for number in range(min_bid, tricks + plain_all_bid)), _ASK, _MOON]
    over: dict[Action | None, tuple[Action, ...]] = {None: (_PASS, *rising)}
    for place, bid in enumerate(rising, 1):
        over[bid] = (_PASS, *rising[place:])
    if not moon_outbids_ask:  # the two rank equal
        over[_ASK] = (_PASS,)
    return over
