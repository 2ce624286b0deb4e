"""
Frames as bytes: the one place where a message is put together by hand.

An ask holds all that its seat may know, and most of it is what the last ask of its
table held. Making all those messages anew was the dearest step of a decision, so
the encoder keeps the serialized public part of each table and splices it into every
ask. Protobuf allows that: a message is its fields one behind the other, in any
order, and serialized messages of one kind may be concatenated. What is rare (calls,
rulings, tells, all questions but `play`) goes through `referee.wire.encode`.
"""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING

from euchre.referee.v1 import game_pb2, referee_service_pb2

from referee.rules.deal import Phase
from referee.seats import SEATS
from referee.wire.encode import calls_message, public_message, question_message, tells_message

if TYPE_CHECKING:
    from google.protobuf.message import Message

    from referee.hall import Ask, Frame
    from referee.rules.actions import Action
    from referee.rules.deal import Call
    from referee.view import PublicView, SeatView, TrickView

_LENGTH_DELIMITED = 2
_VARINT = 0
_CARDS = 32
"""More cards than any hand or trick has."""


def _long_varint(number: int) -> bytes:
    found = bytearray()
    while number > 0x7F:
        found.append(number & 0x7F | 0x80)
        number >>= 7
    found.append(number)
    return bytes(found)


_VARINTS = [_long_varint(number) for number in range(1 << 14)]


def varint(number: int) -> bytes:
    """
    Return a number, not negative, as protobuf writes it.
    """
    return _VARINTS[number] if number < 1 << 14 else _long_varint(number)


def _tag(kind: type[Message], name: str) -> bytes:
    """
    Return what stands before a field: its number and how it is written.
    """
    field = kind.DESCRIPTOR.fields_by_name[name]
    long = field.message_type is not None or field.is_repeated
    return varint(field.number << 3 | (_LENGTH_DELIMITED if long else _VARINT))


def _heads(kind: type[Message], name: str) -> list[bytes]:
    """
    Return what stands before a list of one-byte numbers, by their count.
    """
    return [_tag(kind, name) + varint(count) for count in range(_CARDS)]


def _by_seat(kind: type[Message], name: str) -> list[bytes]:
    """
    Return a field that names a seat, by seat.
    """
    return [_tag(kind, name) + varint(seat + 1) for seat in SEATS]


# A card, a seat and a number of tricks are one byte each.
_FRAME = _tag(referee_service_pb2.PlayResponse, "frame")
_ASK = _tag(referee_service_pb2.Frame, "asks")
_ASK_ID = _tag(game_pb2.Ask, "ask_id")
_GAME_ID = _tag(game_pb2.Ask, "game_id")
_VIEW = _tag(game_pb2.Ask, "view")
_PUBLIC = _tag(game_pb2.SeatView, "public_view")
_DISCARDED = _tag(game_pb2.SeatView, "discarded")
_GIVEN = _tag(game_pb2.SeatView, "given")
_RECEIVED = _tag(game_pb2.SeatView, "received")
_TRICK = _tag(game_pb2.PublicView, "tricks")
_SEAT = _by_seat(game_pb2.SeatView, "seat")
_WINNER = _by_seat(game_pb2.Trick, "winner")
_LEADER = _by_seat(game_pb2.Trick, "leader")
_HAND = _heads(game_pb2.SeatView, "hand")
_TAKEN = _heads(game_pb2.PublicView, "taken")
_TRICK_SEATS = _heads(game_pb2.Trick, "seats")
_TRICK_CARDS = _heads(game_pb2.Trick, "cards")
_PLAY = [
    _tag(game_pb2.Ask, "play") + varint(len(head) + count) + head
    for count, head in enumerate(_heads(game_pb2.PlayQuestion, "legal_cards"))
]


class FrameEncoder:
    """
    Makes frames, and keeps what is public at each table.
    """

    def __init__(self) -> None:
        self._public: dict[int, _Public] = {}

    def encode(self, frame: Frame) -> bytes:
        """
        Return a frame as the bytes of a `PlayResponse`.
        """
        parts = [tells_message(frame.tells).SerializeToString()] if frame.tells else []
        before, duration = None, b""
        for ask in frame.asks:
            # All that is new in a frame has the same time.
            if ask.time_left != before:
                before, duration = ask.time_left, _time_left(ask.time_left)
            body = self._ask(ask) + duration
            parts += (_ASK, varint(len(body)), body)
        body = b"".join(parts)
        return b"".join((_FRAME, varint(len(body)), body))

    def forget(self, game_id: int) -> None:
        """
        Drop what is kept of a table whose game is over.
        """
        self._public.pop(game_id, None)

    def _ask(self, ask: Ask) -> bytes:
        """
        Return an ask without its time.
        """
        ask_id, game_id, (_, phase, legal, view), _ = ask
        public = self._public.get(game_id)
        if public is None:
            public = self._public[game_id] = _Public(game_id)
        seen = _seen(view, public.updated(view.public))
        if phase is _PLAYING:
            cards = bytes([action.card for action in legal])  # type: ignore[attr-defined]
            question = _PLAY[len(cards)] + cards
        else:
            question = _question(phase, legal)
        return b"".join(
            (_ASK_ID, varint(ask_id), public.game_id, _VIEW, varint(len(seen)), seen, question)
        )


# In Python 3.11 reading a member from its enum takes long.
_PLAYING = Phase.PLAY


@functools.lru_cache(maxsize=1024)
def _question(phase: Phase, legal: tuple[Action, ...]) -> bytes:
    return question_message(phase, legal).SerializeToString()


def _time_left(seconds: float) -> bytes:
    message = game_pb2.Ask()
    message.time_left.FromNanoseconds(max(0, int(seconds * 1e9)))
    return message.SerializeToString()


def _seen(view: SeatView, public: bytes) -> bytes:
    """
    Return the view of a seat.
    """
    seat, hand, _, discarded, given, received = view
    found = b"".join(
        (_SEAT[seat], _HAND[len(hand)], bytes(hand), _PUBLIC, varint(len(public)), public)
    )
    if discarded is not None:
        found += _DISCARDED + varint(discarded)
    if given is not None:
        found += _GIVEN + varint(given)
    if received is not None:
        found += _RECEIVED + varint(received)
    return found


class _Public:
    """
    The public part of one table, serialized.

    The pieces are kept apart: calls, tricks that are complete, what a card changes, and
    the rest. Views are immutable and share what has not changed, so what is the same
    object is the same.
    """

    __slots__ = ("_calls", "_complete", "_done", "_last", "_rest", "_view", "bytes", "game_id")

    def __init__(self, game_id: int) -> None:
        self.game_id = _GAME_ID + varint(game_id)
        """The field of an ask that names the table."""
        self.bytes = b""
        """All of it."""
        self._view: PublicView | None = None
        self._rest = b""
        self._calls = b""
        self._done = b""
        self._complete = 0
        self._last: TrickView | None = None

    def updated(self, view: PublicView) -> bytes:
        """
        Return *view*, made from what is left of the view before.
        """
        before = self._view
        if view is before:
            return self.bytes
        if before is None or view.calls is not before.calls:
            self._calls = b"".join(map(_call, view.calls))
        if before is None or _differs(view, before):
            rest = view._replace(calls=(), tricks=(), taken=())
            self._rest = public_message(rest).SerializeToString()
        self._view = view
        tricks = view.tricks
        if self._complete and (
            len(tricks) < self._complete or tricks[self._complete - 1] is not self._last
        ):
            self._done, self._complete = b"", 0
        open_trick = b""
        for trick in tricks[self._complete :]:
            if trick.winner is None:
                open_trick = _trick(trick)
            else:
                self._done += _trick(trick)
                self._complete += 1
                self._last = trick
        taken = view.taken
        self.bytes = b"".join(
            (self._rest, self._calls, self._done, open_trick, _TAKEN[len(taken)], bytes(taken))
        )
        return self.bytes


def _differs(view: PublicView, before: PublicView) -> bool:
    """
    Whether anything but calls and tricks is new.
    """
    return (
        view.scores != before.scores
        or view.trump is not before.trump
        or view.contract is not before.contract
        or view.participants is not before.participants
        or view.rulings is not before.rulings
        or view.deal != before.deal
        or view.dealer is not before.dealer
        or view.turn_up is not before.turn_up
    )


@functools.cache
def _call(call: Call) -> bytes:
    """
    Return one call as a field of the public view; there are a hundred.
    """
    return calls_message((call,)).SerializeToString()


def _trick(trick: TrickView) -> bytes:
    leader, seats, cards, winner = trick
    body = _played(leader, seats) + bytes(cards)
    if winner is not None:
        body += _WINNER[winner]
    return _TRICK + varint(len(body)) + body


@functools.cache
def _played(leader: int, seats: tuple[int, ...]) -> bytes:
    """
    Return a trick up to its cards; there are some dozens of ways to sit at one.
    """
    count = len(seats)
    numbers = bytes([seat + 1 for seat in seats])
    return _LEADER[leader] + _TRICK_SEATS[count] + numbers + _TRICK_CARDS[count]
