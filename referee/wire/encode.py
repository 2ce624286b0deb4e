"""
What the referee sends, as messages: views, questions, tells, welcomes, farewells.

`referee.wire.frames` puts frames together from these.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from euchre.referee.v1 import game_pb2, referee_service_pb2

from referee.hall import Seated
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


def calls_message(calls: Sequence[Call]) -> game_pb2.PublicView:
    """
    Return a public view that holds nothing but calls.
    """
    message = game_pb2.PublicView()
    _add_calls(message, calls)
    return message


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


def question_message(phase: Phase, legal: Sequence[Action]) -> game_pb2.Ask:
    """
    Return an ask that holds nothing but its question.
    """
    message = game_pb2.Ask()
    _QUESTIONS[phase](message, legal)
    return message


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


def tells_message(
    tells: Sequence[tuple[int, Told | Seated]],
) -> referee_service_pb2.Frame:
    """
    Return a frame that holds nothing but what is told.
    """
    message = referee_service_pb2.Frame()
    for game_id, told in tells:
        _TELLS[type(told)](message.tells.add(), game_id, told)
    return message


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
