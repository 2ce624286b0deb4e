"""
What a bot sends, byte by byte, for those who judge how it says things and not only what.

The server reads a bot's message, or ends the stream; an examiner wants to know what was
in it either way. Also here: messages as a later version of the protocol may send them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from euchre.referee.v1 import referee_service_pb2, rules_pb2
from google.protobuf.message import DecodeError

from referee.wire.decode import read_answers
from referee.wire.encode import tells_message

if TYPE_CHECKING:
    from collections.abc import Sequence

    from referee.hall import Seated
    from referee.rules.actions import Answer
    from referee.rules.judge import Code
    from referee.table import Told


class HelloHeard(NamedTuple):
    """
    A Hello as it came, nothing checked.
    """

    protocol: int
    instance: str
    software: str
    games: tuple[str, ...]
    """As the protocol names them, `GAME_BID`; a number that it does not know as digits."""
    max_asks: int


class Heard(NamedTuple):
    """
    One message of a bot.
    """

    kind: str
    """`hello`, `answers`, `leave`; `unknown` for another kind, `garbage` for no message."""
    hello: HelloHeard | None = None
    answers: tuple[tuple[int, Answer | Code], ...] = ()
    """The id of each answer with what it says, as in `decode.read_answers`."""


def hear(data: bytes) -> Heard:
    """
    Read a message of a bot, whatever it is.
    """
    try:
        request = referee_service_pb2.PlayRequest.FromString(data)
    except DecodeError:
        return Heard("garbage")
    kind = request.WhichOneof("kind")
    if kind == "hello":
        return Heard(kind, hello=_hello(request.hello))
    if kind == "answers":
        return Heard(kind, answers=tuple(read_answers(request.answers)))
    return Heard(kind or "unknown")


def _hello(message: referee_service_pb2.Hello) -> HelloHeard:
    names = {number: name for name, number in rules_pb2.Game.items()}
    return HelloHeard(
        message.protocol,
        message.instance,
        message.software,
        tuple(names.get(number, str(number)) for number in message.games),
        message.max_asks,
    )


def tells_frame(tells: Sequence[tuple[int, Told | Seated]]) -> bytes:
    """
    Return a frame without asks; without tells too if there are none.
    """
    response = referee_service_pb2.PlayResponse()
    response.frame.CopyFrom(tells_message(tells))
    return response.SerializeToString()


# A field that no message has: number 1000, a string.
_FIELD = b"\xc2\x3e\x05later"


def from_later(frame: bytes) -> bytes:
    """
    Return *frame* as a later version may send it: with an unknown field in every part.
    """
    response = referee_service_pb2.PlayResponse.FromString(frame)
    for ask in response.frame.asks:
        ask.view.public_view.MergeFromString(_FIELD)
        ask.view.MergeFromString(_FIELD)
        getattr(ask, ask.WhichOneof("question") or "play").MergeFromString(_FIELD)
        ask.MergeFromString(_FIELD)
    response.frame.MergeFromString(_FIELD)
    response.MergeFromString(_FIELD)
    return response.SerializeToString()


def unknown_tell(frame: bytes) -> bytes:
    """
    Return *frame* with a tell of a kind that is not known yet, before all others.
    """
    response = referee_service_pb2.PlayResponse()
    response.frame.tells.add().MergeFromString(_FIELD)
    response.MergeFromString(frame)
    return response.SerializeToString()


def unknown_message() -> bytes:
    """
    Return a message of a kind that is not known yet.
    """
    return _FIELD
