"""
What the referee sends: frames, welcomes, farewells.

An ask holds all that its seat may know, and most of it is what the last ask of
that table held. So the encoder keeps the public part of each table as a message
and adds what is new: within a deal calls, tricks and rulings only grow.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from euchre.referee.v1 import game_pb2, referee_service_pb2

from referee.hall import Ask, Frame, Seated
from referee.rules.actions import (
    Bid,
    BidAsk,
    BidMoon,
    Claim,
    Drop,
    NameSuit,
    NameTrump,
    Order,
    Pass,
    Stay,
)
from referee.rules.deal import Ending, Phase
from referee.rules.judge import Code
from referee.table import DealOver, GameOver, RulingTold
from referee.wire.rules import rules_message

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from referee.hall import Limits
    from referee.rules.actions import Action
    from referee.rules.deal import Call
    from referee.table import Told
    from referee.view import PublicRuling, PublicView

# Seats are 0 to 3 inside and 1 to 4 on the wire; cards, suits and trumps have the
# numbers of the protocol.
_PASS, _ASK, _MOON = game_pb2.BID_PASS, game_pb2.BID_ASK, game_pb2.BID_MOON

_SAID: dict[type[Action], game_pb2.Said.ValueType] = {
    Pass: game_pb2.SAID_PASS,
    Bid: game_pb2.SAID_BID,
    BidAsk: game_pb2.SAID_BID,
    BidMoon: game_pb2.SAID_BID,
    Claim: game_pb2.SAID_CLAIM,
    NameTrump: game_pb2.SAID_TRUMP,
    NameSuit: game_pb2.SAID_TRUMP,
    Order: game_pb2.SAID_ORDER,
    Stay: game_pb2.SAID_STAY,
    Drop: game_pb2.SAID_DROP,
}
_CODES = {code: game_pb2.RulingCode.Value(f"RULING_CODE_{code.name}") for code in Code}
_ENDINGS = {ending: game_pb2.Ending.Value(f"ENDING_{ending.name}") for ending in Ending}


def bid_number(action: Action) -> int:
    """
    Return the number of a bid on the wire; 0 for what is none.
    """
    if isinstance(action, Bid):
        return action.number
    return _BIDS.get(type(action), 0)


_BIDS: dict[type[Action], int] = {Pass: _PASS, BidAsk: _ASK, BidMoon: _MOON}


class FrameEncoder:
    """
    Makes frames, and keeps what is public at each table.
    """

    def __init__(self) -> None:
        self._public: dict[int, _Public] = {}

    def encode(self, frame: Frame) -> referee_service_pb2.PlayResponse:
        """
        Return the message of a frame.
        """
        response = referee_service_pb2.PlayResponse()
        message = response.frame
        message.SetInParent()
        for game_id, told in frame.tells:
            _TELLS[type(told)](message.tells.add(), game_id, told)
        asks = message.asks
        for ask in frame.asks:
            self._ask(asks.add(), ask)
        return response

    def forget(self, game_id: int) -> None:
        """
        Drop what is kept of a table whose game is over.
        """
        self._public.pop(game_id, None)

    def _ask(self, message: game_pb2.Ask, ask: Ask) -> None:
        ask_id, game_id, question, time_left = ask
        seat, phase, legal, view = question
        message.ask_id = ask_id
        message.game_id = game_id
        nanos = int(time_left * 1e9) if time_left > 0 else 0
        if nanos >= 1_000_000_000:
            message.time_left.seconds, nanos = divmod(nanos, 1_000_000_000)
        message.time_left.nanos = nanos
        seen = message.view
        seen.seat = seat + 1  # type: ignore[assignment]  # the stubs want the enum's own type
        seen.hand.extend(view.hand)  # type: ignore[arg-type]
        if view.discarded is not None:
            seen.discarded = view.discarded  # type: ignore[assignment]
        if view.given is not None:
            seen.given = view.given  # type: ignore[assignment]
        if view.received is not None:
            seen.received = view.received  # type: ignore[assignment]
        public = self._public.get(game_id)
        if public is None:
            public = self._public[game_id] = _Public()
        seen.public_view.MergeFrom(public.updated(view.public))
        _QUESTIONS[phase](message, legal)


class _Public:
    """
    The public part of one table, as a message that grows.
    """

    __slots__ = ("_message", "_view")

    def __init__(self) -> None:
        self._view: PublicView | None = None
        self._message = game_pb2.PublicView()

    def updated(self, view: PublicView) -> game_pb2.PublicView:
        """
        Return the message of *view*, made from that of the view before.
        """
        last = self._view
        if last is view:
            return self._message
        self._view = view
        if last is None or last.deal != view.deal:
            self._message = public_message(view)
            return self._message
        message = self._message
        if view.scores != last.scores:
            message.scores[:] = view.scores
        if len(view.calls) != len(last.calls):
            _add_calls(message, view.calls[len(last.calls) :])
        if view.contract != last.contract:
            _set_contract(message, view)
        if view.trump is not None:
            message.trump = view.trump  # type: ignore[assignment]
        if view.participants != last.participants:
            message.participants[:] = [seat + 1 for seat in view.participants]  # type: ignore[misc]
        if view.taken != last.taken:
            message.taken[:] = view.taken
        for ruling in view.rulings[len(last.rulings) :]:
            _set_ruling(message.rulings.add(), ruling)
        _grow_tricks(message, view, last)
        return message


def _grow_tricks(message: game_pb2.PublicView, view: PublicView, last: PublicView) -> None:
    """
    Add the cards that were played since the view before.
    """
    known = len(last.tricks)
    if known and not message.tricks[known - 1].winner:
        # The trick that was in progress has grown, and may be complete.
        row, trick, count = (
            message.tricks[known - 1],
            view.tricks[known - 1],
            len(last.tricks[known - 1].cards),
        )
        if len(trick.cards) > count:
            row.seats.extend([seat + 1 for seat in trick.seats[count:]])  # type: ignore[misc]
            row.cards.extend(trick.cards[count:])  # type: ignore[arg-type]
        if trick.winner is not None:
            row.winner = trick.winner + 1  # type: ignore[assignment]
    for trick in view.tricks[known:]:
        _add_trick(message, trick)


def public_message(view: PublicView) -> game_pb2.PublicView:
    """
    Return the message of a public view, made from nothing.
    """
    message = game_pb2.PublicView(
        deal=view.deal,
        dealer=view.dealer + 1,  # type: ignore[arg-type]
        scores=view.scores,
        participants=[seat + 1 for seat in view.participants],  # type: ignore[misc]
        taken=view.taken,
    )
    _add_calls(message, view.calls)
    _set_contract(message, view)
    if view.trump is not None:
        message.trump = view.trump  # type: ignore[assignment]
    if view.turn_up is not None:
        message.turn_up = view.turn_up  # type: ignore[assignment]
    for trick in view.tricks:
        _add_trick(message, trick)
    for ruling in view.rulings:
        _set_ruling(message.rulings.add(), ruling)
    return message


def _add_calls(message: game_pb2.PublicView, calls: Sequence[Call]) -> None:
    for seat, action in calls:
        row = message.calls.add()
        row.seat = seat + 1  # type: ignore[assignment]
        row.said = _SAID[type(action)]
        if row.said == game_pb2.SAID_BID:
            row.bid = bid_number(action)  # type: ignore[assignment]
        elif isinstance(action, NameTrump | NameSuit):
            row.suit = action.suit  # type: ignore[assignment]


def _set_contract(message: game_pb2.PublicView, view: PublicView) -> None:
    if view.contract is None:
        return
    message.contract.seat = view.contract.seat + 1  # type: ignore[assignment]
    if view.contract.bid is not None:
        message.contract.bid = bid_number(view.contract.bid)  # type: ignore[assignment]


def _add_trick(message: game_pb2.PublicView, trick: Any) -> None:
    row = message.tricks.add()
    row.leader = trick.leader + 1
    row.seats.extend([seat + 1 for seat in trick.seats])
    row.cards.extend(trick.cards)
    if trick.winner is not None:
        row.winner = trick.winner + 1


def _set_ruling(message: game_pb2.PublicRuling, ruling: PublicRuling) -> None:
    message.code = _CODES[ruling.code]
    message.seat = ruling.seat + 1  # type: ignore[assignment]
    message.penalty = ruling.penalty
    if ruling.challenged is not None:
        message.challenged = ruling.challenged + 1  # type: ignore[assignment]
    message.trick = ruling.trick
    if ruling.card is not None:
        message.card = ruling.card  # type: ignore[assignment]


# --- questions --------------------------------------------------------------------------


def _cards(name: str) -> Callable[[game_pb2.Ask, Any], None]:
    def ask(message: game_pb2.Ask, legal: Any) -> None:
        getattr(message, name).legal_cards.extend([action.card for action in legal])

    return ask


def _bare(name: str) -> Callable[[game_pb2.Ask, Any], None]:
    def ask(message: game_pb2.Ask, _legal: Any) -> None:
        getattr(message, name).SetInParent()

    return ask


def _bids(message: game_pb2.Ask, legal: Any) -> None:
    message.auction.legal_bids.extend([bid_number(action) for action in legal])  # type: ignore[misc]


def _suits(message: game_pb2.Ask, legal: Any) -> None:
    message.trump.legal_suits.extend([action.suit for action in legal])


def _names(message: game_pb2.Ask, legal: Any) -> None:
    message.call_2.SetInParent()
    message.call_2.legal_suits.extend([a.suit for a in legal if isinstance(a, NameSuit)])  # type: ignore[misc]


_QUESTIONS: dict[Phase, Callable[[game_pb2.Ask, Any], None]] = {
    Phase.CLAIM: _bare("claim"),
    Phase.JOKER_DISCARD: _cards("joker_discard"),
    Phase.AUCTION: _bids,
    Phase.TRUMP: _suits,
    Phase.ASK_GIVE: _cards("ask_give"),
    Phase.ASK_GIFT: _cards("ask_gift"),
    Phase.PLAY: _cards("play"),
    Phase.CALL_1: _bare("call_1"),
    Phase.CALL_2: _names,
    Phase.DEALER_DISCARD: _cards("dealer_discard"),
    Phase.DROP: _bare("drop"),
    Phase.LAST_CALL: _bare("last_call"),
}


# --- tells ------------------------------------------------------------------------------


def _tell_seated(message: referee_service_pb2.Tell, game_id: int, told: Seated) -> None:
    row = message.seated
    row.game_id = game_id
    row.seat = told.seat + 1  # type: ignore[assignment]
    row.rules.CopyFrom(rules_message(told.rules))
    row.names.extend(told.names)


def _tell_ruling(message: referee_service_pb2.Tell, game_id: int, told: RulingTold) -> None:
    row = message.ruling
    row.game_id = game_id
    row.deal = told.deal
    _set_ruling(row.ruling, told.ruling)
    row.sentence = told.sentence
    row.own = told.own


def _tell_deal_over(message: referee_service_pb2.Tell, game_id: int, told: DealOver) -> None:
    row = message.deal_over
    row.game_id = game_id
    row.deal = told.deal
    row.redeal = told.redeal
    row.taken.extend(told.taken)
    row.changes.extend(told.changes)
    row.scores.extend(told.scores)
    row.claimed_hand.extend(told.claimed_hand)  # type: ignore[arg-type]


def _tell_game_over(message: referee_service_pb2.Tell, game_id: int, told: GameOver) -> None:
    row = message.game_over
    row.game_id = game_id
    row.ending = _ENDINGS[told.outcome.ending]
    row.winners.extend([seat + 1 for seat in told.winners])  # type: ignore[misc]
    row.scores.extend(told.scores)
    row.places.extend(told.outcome.places)
    row.won = told.won


_TELLS: dict[type[Told | Seated], Callable[..., None]] = {
    Seated: _tell_seated,
    RulingTold: _tell_ruling,
    DealOver: _tell_deal_over,
    GameOver: _tell_game_over,
}


# --- the rest of the conversation --------------------------------------------------------


def welcome(
    *,
    name: str,
    instance: str,
    limits: Limits,
    max_asks: int,
    max_instances: int,
    max_message_bytes: int,
    faults_to_forfeit: int,
    commitment: str,
    open_games: Sequence[int],
) -> referee_service_pb2.PlayResponse:
    """
    Return the answer to a Hello.
    """
    response = referee_service_pb2.PlayResponse()
    message = response.welcome
    message.protocol = 1
    message.name = name
    message.instance = instance
    message.limits.answer.FromNanoseconds(int(limits.answer * 1e9))
    message.limits.grace.FromNanoseconds(int(limits.grace * 1e9))
    message.limits.max_asks = max_asks
    message.limits.max_instances = max_instances
    message.limits.max_message_bytes = max_message_bytes
    message.limits.faults_to_forfeit = faults_to_forfeit
    message.commitment = commitment
    message.open_games.extend(open_games)
    return response


def farewell(reason: str) -> referee_service_pb2.PlayResponse:
    """
    Return the last message of a conversation.
    """
    return referee_service_pb2.PlayResponse(farewell=referee_service_pb2.Farewell(reason=reason))
