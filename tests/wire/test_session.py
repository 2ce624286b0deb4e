"""
The conversation: what may follow what.
"""

from __future__ import annotations

import pytest
from euchre.referee.v1 import referee_service_pb2 as pb

from referee.wire.decode import MessageFault
from referee.wire.session import TRANSITIONS, OutOfOrder, Session, State

MESSAGES = {
    "hello": pb.PlayRequest(hello=pb.Hello(protocol=1)),
    "answers": pb.PlayRequest(answers=pb.Answers()),
    "leave": pb.PlayRequest(leave=pb.Leave()),
}
WAYS = {State.OPENED: [], State.PLAYING: ["hello"], State.LEFT: ["hello", "leave"]}
ALLOWED = {
    (State.OPENED, "hello"): State.PLAYING,
    (State.PLAYING, "answers"): State.PLAYING,
    (State.PLAYING, "leave"): State.LEFT,
}


def session_in(state: State) -> Session:
    """
    A session that was brought to *state* by messages.
    """
    session = Session()
    for kind in WAYS[state]:
        session.receive(MESSAGES[kind])
    assert state is session.state
    return session


@pytest.mark.parametrize("state", State)
@pytest.mark.parametrize("kind", MESSAGES)
def test_every_message_in_every_state(state: State, kind: str) -> None:
    """
    It leads to the next state or is out of order, and then nothing has changed.
    """
    session = session_in(state)
    after = ALLOWED.get((state, kind))
    if after is None:
        with pytest.raises(OutOfOrder):
            session.receive(MESSAGES[kind])
        assert state is session.state
    else:
        assert kind == session.receive(MESSAGES[kind])
        assert after is session.state


def test_the_table_knows_every_kind_of_the_protocol() -> None:
    """
    A new kind of message must be given a place in the conversation.
    """
    kinds = {field.name for field in pb.PlayRequest.DESCRIPTOR.oneofs_by_name["kind"].fields}

    assert set(MESSAGES) == kinds
    assert kinds == {kind for row in TRANSITIONS.values() for kind in row}
    assert set(State) == set(TRANSITIONS)


@pytest.mark.parametrize("state", State)
@pytest.mark.parametrize("sent", [b"", b"\xf2\x01\x00"])
def test_a_kind_that_is_not_known(state: State, sent: bytes) -> None:
    """
    Nothing set, or a kind of a later protocol.
    """
    session = session_in(state)
    with pytest.raises(MessageFault, match="kind"):
        session.receive(pb.PlayRequest.FromString(sent))
    assert state is session.state


def test_a_wrong_hello_lets_nobody_in() -> None:
    """
    The state stays what it was, and there is no introduction.
    """
    session = Session()
    with pytest.raises(MessageFault, match="protocol"):
        session.receive(pb.PlayRequest(hello=pb.Hello(protocol=3)))
    assert State.OPENED is session.state
    assert session.hello is None


def test_the_introduction_is_kept() -> None:
    """
    Whoever runs the session reads it there.
    """
    hello = session_in(State.PLAYING).hello

    assert hello is not None
    assert "1" == hello.instance
