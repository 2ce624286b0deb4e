"""
The conversation of one stream. Sans-IO.

How to think about it: a stream is in one of three states, and a message of the
bot moves it to the next. A move that is not in `TRANSITIONS` does not exist: it
ends the conversation as out of order.
"""

from __future__ import annotations

import enum
from typing import TYPE_CHECKING

from referee.wire.decode import MessageFault, hello

if TYPE_CHECKING:
    from euchre.referee.v1 import referee_service_pb2

    from referee.wire.decode import Hello


class State(enum.Enum):
    """
    Where a conversation stands.
    """

    OPENED = "opened"
    """Nothing was said yet."""
    PLAYING = "playing"
    """The instance was let in."""
    LEFT = "left"
    """The instance said that it goes."""


TRANSITIONS: dict[State, dict[str, State]] = {
    State.OPENED: {"hello": State.PLAYING},
    State.PLAYING: {"answers": State.PLAYING, "leave": State.LEFT},
    State.LEFT: {},
}
"""From state and kind of message to the next state."""

_EXPECTED = {
    State.OPENED: "the first message must be a Hello",
    State.PLAYING: "there is one Hello in a conversation",
    State.LEFT: "nothing may follow a Leave",
}


class OutOfOrder(Exception):  # noqa: N818  (it is the bot's)
    """
    A message that may not come here; its text may be shown to the bot.
    """


class Session:
    """
    One conversation, from the referee's side.
    """

    def __init__(self) -> None:
        self.state = State.OPENED
        self.hello: Hello | None = None
        """How the instance introduced itself, once it has."""

    def receive(self, request: referee_service_pb2.PlayRequest) -> str:
        """
        Take a message of the bot; return its kind.

        Raises:
            OutOfOrder: It may not come here.
            MessageFault: It may, but cannot be read.
        """
        kind = request.WhichOneof("kind")
        if kind is None:
            raise MessageFault("kind", "is not set, or is not known here")
        try:
            after = TRANSITIONS[self.state][kind]
        except KeyError:
            raise OutOfOrder(_EXPECTED[self.state]) from None
        if kind == "hello":
            self.hello = hello(request.hello)
        self.state = after
        return kind
