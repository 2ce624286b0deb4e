"""
What bots send, read with suspicion.

Nothing that a bot sends is trusted to be what it says: an enum number that is
zero or unknown, a oneof that is not set or a seat that does not exist never
becomes some other action. It becomes `UNREADABLE`, a fault with a ruling.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from euchre.referee.v1 import game_pb2, referee_service_pb2, rules_pb2
from google.protobuf.message import DecodeError

from referee.cards import CARDS, SUITS
from referee.escaping import acts, untagged
from referee.rules.actions import (
    Action,
    Answer,
    Bid,
    BidAsk,
    BidMoon,
    Challenge,
    Claim,
    Decline,
    Discard,
    Drop,
    Give,
    LastCall,
    NameSuit,
    NameTrump,
    Order,
    Pass,
    Play,
    Stay,
)
from referee.rules.judge import Code
from referee.seats import SEATS

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

__all__ = ["DecodeError", "Hello", "MessageFault", "hello", "read_answers"]

PROTOCOL = 1
"""The version that is spoken here."""

MAX_CHALLENGES = 64
"""Challenges beside one answer; more than a deal has plays by opponents."""

_INSTANCE = re.compile("[A-Za-z0-9._-]{1,32}")

_ARGUMENTS: Mapping[str, Mapping[int, Action]] = {
    "play": {card: Play(card) for card in CARDS},
    "give": {card: Give(card) for card in CARDS},
    "discard": {card: Discard(card) for card in CARDS},
    "bid": {number: Bid(number) for number in range(1, 13)}
    | {
        game_pb2.BID_PASS: Pass(),
        game_pb2.BID_ASK: BidAsk(),
        game_pb2.BID_MOON: BidMoon(),
    },
    "trump": {suit: NameTrump(suit) for suit in SUITS},
    "name": {suit: NameSuit(suit) for suit in SUITS},
}
_PLAIN: Mapping[str, Action] = {
    "claim": Claim(),
    "decline": Decline(),
    "order": Order(),
    "pass_turn": Pass(),
    "stay": Stay(),
    "drop": Drop(),
    "call": LastCall(),
}
_PLAYS = _ARGUMENTS["play"]
_ANSWERS: dict[Action, Answer] = {
    action: Answer(action)
    for action in (*_PLAIN.values(), *(a for table in _ARGUMENTS.values() for a in table.values()))
}
_SEATS = dict(enumerate(SEATS, 1))


class MessageFault(Exception):  # noqa: N818  (it is the bot's)
    """
    A message that ends the conversation; its text may be shown to the bot.
    """

    def __init__(self, field: str, why: str) -> None:
        super().__init__(f"{field} {why}")
        self.field = field
        """Path of the field, from the request."""
        self.why = why
        """What is wrong with it."""


def read_answers(message: referee_service_pb2.Answers) -> Iterator[tuple[int, Answer | Code]]:
    """
    Yield the id of each answer with what it says.
    """
    for row in message.answers:
        yield row.ask_id, _answer(row)


def _answer(row: game_pb2.Answer) -> Answer | Code:
    which = row.WhichOneof("action")
    if which is None:
        return Code.UNREADABLE
    if which == "play":  # by far the most frequent
        action = _PLAYS.get(row.play)
    elif which in _ARGUMENTS:
        action = _ARGUMENTS[which].get(getattr(row, which))
    else:
        action = _PLAIN.get(which)
    if action is None:
        return Code.UNREADABLE
    if not row.challenges:
        return _ANSWERS[action]
    if len(row.challenges) > MAX_CHALLENGES:
        return Code.UNREADABLE
    challenges = []
    for each in row.challenges:
        seat = _SEATS.get(each.seat)
        if seat is None:
            return Code.UNREADABLE
        challenges.append(Challenge(seat, each.trick))
    return Answer(action, tuple(challenges))


class Hello(NamedTuple):
    """
    How an instance introduces itself.
    """

    instance: str
    software: str
    games: frozenset[str]
    """Names of the games that it plays."""
    max_asks: int


_GAMES = {rules_pb2.GAME_BID: "bid", rules_pb2.GAME_BUCK: "buck"}


def hello(message: referee_service_pb2.Hello) -> Hello:
    """
    Read a Hello.

    Raises:
        MessageFault: Something in it is not as the protocol says; the text says what.
    """
    if message.protocol != PROTOCOL:
        raise MessageFault(
            "hello.protocol", f"is {message.protocol}; this referee speaks {PROTOCOL}"
        )
    instance = message.instance or "1"
    if not _INSTANCE.fullmatch(instance):
        raise MessageFault("hello.instance", "must be 1 to 32 characters of A-Z a-z 0-9 . _ -")
    fault = text_fault(message.software, 200)
    if fault:
        raise MessageFault("hello.software", fault)
    games = set()
    for number in message.games:
        if number not in _GAMES:
            raise MessageFault("hello.games", f"has {number}, which is no game that is known here")
        games.add(_GAMES[number])
    if message.max_asks < 0:
        raise MessageFault("hello.max_asks", "must not be negative")
    return Hello(
        instance,
        message.software,
        frozenset(games or _GAMES.values()),
        message.max_asks or 1,
    )


def text_fault(text: str, most: int) -> str:
    """
    Return what is wrong with a line of text from outside; nothing if all is well.
    """
    if len(text) > most:
        return f"must have at most {most} characters, not {len(text)}"
    if any(map(acts, untagged(text))):
        return "must have no control characters"
    return ""
