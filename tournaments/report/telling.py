"""
Tells a recorded game step by step, for a page that shows it. Pure.

A deal begins with the hands as dealt; each step is what one seat did, with what it
changed. The page adds the steps up, so that it can go to any of them. The keys are
short, since a game has hundreds of steps:

`s` seat that acted · `t` what it did, in words · `p` the card it played · `w` who took
the trick · `h` new hands, by seat · `k` trump · `b` the contract, in words · `a` who
plays · `c` points of this deal so far, by side · `r` rulings, in words · `e` the deal is
over.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from referee.cards import BY_CODE, Card, Suit
from referee.errors import RecordError
from referee.replay import steps
from referee.rules import actions
from referee.rules.deal import Ending, RedealReason, Status
from referee.rules.words import sentence
from referee.seats import SEATS, Seat

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from referee.rules.actions import Action
    from referee.rules.deal import Deal, Trick
    from referee.table import Table

Step = dict[str, Any]
"""The keys are explained above."""

_AS_TEXT = "\ufe0e"
"""Asks for a suit that is drawn as text, not as a picture."""

_SUITS = {"C": "♣", "D": "♦", "H": "♥", "S": "♠"}

_CODE = re.compile(r"\b([9TJQKA])([CDHS])\b")

_IN_HAND = {suit: place for place, suit in enumerate((Suit.SPADES, Suit.HEARTS, Suit.CLUBS))}
"""Black and red in turn; diamonds come last."""

_DID: Mapping[type[Action], str] = {
    actions.Claim: "claims Ace No Face",
    actions.Decline: "does not claim Ace No Face",
    actions.Pass: "passes",
    actions.BidAsk: "bids all tricks alone, with a card from the partner",
    actions.BidMoon: "bids all tricks alone",
    actions.Order: "orders the turned card up",
    actions.Stay: "stays in",
    actions.Drop: "drops out",
    actions.LastCall: "answers the last call",
}

_ENDED = {
    Ending.TARGET: "the target is reached",
    Ending.SWEEP: "all tricks of a deal are taken",
    Ending.ZERO: "zero is reached",
    Ending.ADJUDICATED: "the last deal is played, and the scores decide",
    Ending.FORFEIT: "by forfeit",
    Ending.VOID: "the referee failed",
}

_THROWN_IN = {
    RedealReason.PASSED: "Everybody passed: the deal is thrown in.",
    RedealReason.CLAIMED: "An Ace No Face hand was claimed: the deal is thrown in.",
}


def tell(record: Mapping[str, Any], secret: bytes, *, faults_to_forfeit: int) -> dict[str, Any]:
    """
    Return a game as plain values, fit for JSON.

    Args:
        record: As `GameRecord.to_json` has it.
        secret: Of the league.
        faults_to_forfeit: Of the league.

    Raises:
        RecordError: The record does not replay.
    """
    told: list[_Telling] = []
    table = None
    for table in steps(record, secret, faults_to_forfeit=faults_to_forfeit):
        if told:
            told[-1].look()
        if not told or told[-1].deal is not table.deal:
            told.append(_Telling(table))
            told[-1].look()
    if table is None or table.outcome is None:
        raise RecordError("the game has no end")
    deal = table.deal
    outcome = table.outcome
    winners = " and ".join(side_name(deal.side_names[side]) for side in outcome.winners)
    return {
        "sides": [side_name(name) for name in deal.side_names],
        "side": list(deal.side_of),
        "deals": [each.told() for each in told],
        "end": f"{winners or 'Nobody'} won: {_ENDED[outcome.ending]}.",
        "scores": list(table.game.scores),
    }


def side_name(letters: str) -> str:
    """
    Return the name of a side: `N` is North, `NS` are North and South.
    """
    names = {seat.letter: seat.name.capitalize() for seat in SEATS}
    return "\N{EN DASH}".join(names[letter] for letter in letters)


def pretty(text: str) -> str:
    """
    Return *text* with the codes of cards in it as people write cards: `TH` is 10♥.
    """
    return _CODE.sub(lambda found: card_text(BY_CODE[found[0]]), text)


def card_text(card: Card) -> str:
    """
    Return a card as people write it.
    """
    if card.suit is None or card.rank is None:
        return "the Joker"
    rank = "10" if card.rank.letter == "T" else card.rank.letter
    return f"{rank}{suit_text(card.suit.letter)}"


def suit_text(letter: str) -> str:
    """
    Return the sign of a suit.
    """
    return f"{_SUITS[letter]}{_AS_TEXT}"


class _Telling:
    """
    One deal, as far as it has been looked at.

    It is looked at after every answer. The referee plays by itself for seats that have
    forfeited, so more than one thing may have happened since.
    """

    def __init__(self, table: Table) -> None:
        self.deal = table.deal
        self._log = table.record.deals[-1]
        self._scores = list(table.game.scores)
        self._hands = _as_dealt(self.deal)
        self._dealt = [_hand(hand) for hand in self._hands]
        self._steps: list[Step] = []
        self._trump: str | None = None
        self._contract: str | None = None
        self._participants = SEATS
        self._changes = [0] * len(self._scores)
        self._calls = self._cards = self._rulings = 0
        self._discarded = False
        self._given = 0
        self._over = False

    def told(self) -> dict[str, Any]:
        """
        Return the deal as plain values.
        """
        deal = self.deal
        return {
            "dealer": deal.dealer.value,
            "up": None if deal.turn_up is None else deal.turn_up.code,
            "scores": self._scores,
            "hands": self._dealt,
            "steps": self._steps,
        }

    def look(self) -> None:
        """
        Take in what has happened since the last look.
        """
        if self._over:
            return
        deal = self.deal
        new = list(self._spoken())
        played = list(self._played())
        rulings = [
            pretty(sentence(ruling, None, public=False))
            for _, ruling in self._log.rulings[self._rulings :]
        ]
        self._rulings += len(rulings)
        changed = self._changed(played)
        if not new and (rulings or changed) and not (played and not changed):
            new = [{}]
        if new:
            new[-1].update(changed)
        new += [step for _, step in played]
        if rulings:
            new[0]["r"] = rulings
        if deal.status is Status.OPEN and list(deal.changes) != self._changes:
            self._changes = list(deal.changes)
            new[-1]["c"] = list(deal.changes)
        # A forfeit may end the game before its last deal is written down.
        if self._log.scores:
            self._over = True
            new.append(self._end())
        self._steps += new

    def _spoken(self) -> Iterator[Step]:
        """
        Everything that is no card in a trick.
        """
        deal = self.deal
        for call in deal.calls[self._calls :]:
            yield {"s": call.seat.value, "t": _did(call.action)}
        self._calls = len(deal.calls)
        if deal.discarded is not None and not self._discarded:
            self._discarded = True
            yield {"s": deal.dealer.value, "t": f"discards {card_text(deal.discarded)}"}
        for giver, card in list(deal.given.items())[self._given :]:
            yield {"s": giver.value, "t": f"gives {card_text(card)}"}
        self._given = len(deal.given)

    def _played(self) -> Iterator[tuple[Card, Step]]:
        """
        The cards that were played to tricks.
        """
        seen = 0
        for number, trick in enumerate(self.deal.tricks, 1):
            for seat, card in zip(trick.seats, trick.cards, strict=True):
                seen += 1
                if seen > self._cards:
                    yield card, self._play(number, trick, seat, card)
        self._cards = seen

    def _play(self, number: int, trick: Trick, seat: Seat, card: Card) -> Step:
        step: Step = {"s": seat.value, "p": card.code}
        if (seat, number) in self.deal.irregular:
            step["t"] = f"plays {card_text(card)}, a renege"
        if trick.winner is not None and seat is trick.seats[-1]:
            step["w"] = trick.winner.value
        return step

    def _changed(self, played: Sequence[tuple[Card, Step]]) -> Step:
        """
        What is different now, but for the cards that were played.
        """
        deal, step = self.deal, Step()
        if deal.trump is not None and deal.trump.letter != self._trump:
            step["k"] = self._trump = deal.trump.letter
        contract = _contract(deal)
        if contract != self._contract:
            step["b"] = self._contract = contract
        if deal.participants != self._participants:
            self._participants = deal.participants
            step["a"] = [seat.value for seat in deal.participants]
        hands = {}
        for seat in SEATS:
            cards = [card for card, each in played if each["s"] == seat]
            now = sorted([*deal.hands[seat], *cards])
            if now != self._hands[seat]:
                hands[str(seat.value)] = _hand(now)
            self._hands[seat] = sorted(deal.hands[seat])
        if hands:
            step["h"] = hands
        return step

    def _end(self) -> Step:
        deal, log = self.deal, self._log
        if deal.status is Status.REDEAL:
            reason = deal.redeal_reason
            return {"e": 1, "t": "Thrown in." if reason is None else _THROWN_IN[reason]}
        changes = ", ".join(
            f"{side_name(name)} {_signed(change)}"
            for name, change in zip(deal.side_names, log.changes, strict=True)
        )
        return {"e": 1, "t": f"The deal is over: {changes}.", "c": list(log.changes)}


def _as_dealt(deal: Deal) -> list[list[Card]]:
    """
    The hands before anything was done; seats that have forfeited may have acted already.
    """
    hands = [list(hand) for hand in deal.hands]
    for trick in deal.tricks:
        for seat, card in zip(trick.seats, trick.cards, strict=True):
            hands[seat].append(card)
    if deal.discarded is not None:
        hands[deal.dealer].append(deal.discarded)
    return [sorted(hand) for hand in hands]


def _hand(cards: Iterable[Card]) -> str:
    """
    The codes of a hand, in the order in which people hold it.
    """

    def place(card: Card) -> tuple[int, int]:
        if card.suit is None or card.rank is None:
            return (-1, 0)
        return (_IN_HAND.get(card.suit, len(_IN_HAND)), -card.rank)

    return " ".join(card.code for card in sorted(cards, key=place))


def _did(action: Action) -> str:
    if isinstance(action, actions.Bid):
        return f"bids {action.number}"
    if isinstance(action, actions.NameTrump | actions.NameSuit):
        return f"makes {suit_text(action.suit.letter)} trump"
    return _DID[type(action)]


def _contract(deal: Deal) -> str | None:
    contract = deal.contract
    if contract is None:
        return None
    who = contract.seat.name.capitalize()
    bid = contract.bid
    if bid is None:
        return who
    if isinstance(bid, actions.Bid):
        return f"{who}, {bid.number} tricks"
    return f"{who}, alone" if isinstance(bid, actions.BidMoon) else f"{who}, alone with help"


def _signed(number: int) -> str:
    return f"{number:+}".replace("-", "\N{MINUS SIGN}")
