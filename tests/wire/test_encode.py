"""
What is sent says what the seat knows, no more and no less.
"""

from __future__ import annotations

import random

import pytest
from euchre.referee.v1 import game_pb2, referee_service_pb2, rules_pb2

from referee.hall import Ask, Frame, Limits, Seated
from referee.rules.actions import Bid, BidAsk, BidMoon, NameSuit, NameTrump
from referee.rules.deal import Phase
from referee.rules.options import BidRules, BuckRules
from referee.rules.variants import VARIANTS
from referee.seats import SEATS, Seat
from referee.wire.encode import public_message, welcome
from referee.wire.frames import FrameEncoder, varint
from referee.wire.rules import rules_message


def encode(encoder: FrameEncoder, asks: list[Ask]) -> list[game_pb2.Ask]:
    """
    The asks of a frame as a bot reads them: through bytes.
    """
    sent = encoder.encode(Frame([], asks))
    return list(referee_service_pb2.PlayResponse.FromString(sent).frame.asks)


def said(call: tuple) -> tuple:
    """
    A call in the words of the protocol.
    """
    seat, action = call
    words = {"NameTrump": "TRUMP", "NameSuit": "TRUMP", "BidAsk": "BID", "BidMoon": "BID"}
    name = type(action).__name__
    bid = 0
    if isinstance(action, Bid):
        bid = action.number
    elif isinstance(action, BidAsk | BidMoon):
        bid = game_pb2.BID_ASK if isinstance(action, BidAsk) else game_pb2.BID_MOON
    suit = int(action.suit) if isinstance(action, NameTrump | NameSuit) else 0
    return seat + 1, game_pb2.Said.Value(f"SAID_{words.get(name, name.upper())}"), bid, suit


def in_plain(view) -> dict:
    """
    Everything in the view of a seat.
    """
    public = view.public
    contract = public.contract
    bid = None
    if contract is not None:
        bid = (contract.seat + 1, 0 if contract.bid is None else said((0, contract.bid))[2])
    return {
        "seat": view.seat + 1,
        "hand": list(view.hand),
        "own": (view.discarded or 0, view.given or 0, view.received or 0),
        "deal": (public.deal, public.dealer + 1),
        "scores": list(public.scores),
        "calls": [said(call) for call in public.calls],
        "contract": bid,
        "trump": public.trump,
        "turn_up": public.turn_up or 0,
        "participants": [seat + 1 for seat in public.participants],
        "tricks": [
            (t.leader + 1, [s + 1 for s in t.seats], list(t.cards), (t.winner or 0) + 1)
            if t.winner is not None
            else (t.leader + 1, [s + 1 for s in t.seats], list(t.cards), 0)
            for t in public.tricks
        ],
        "taken": list(public.taken),
        "rulings": [
            (
                f"RULING_CODE_{r.code.name}",
                r.seat + 1,
                r.penalty,
                0 if r.challenged is None else r.challenged + 1,
                r.trick,
                r.card or 0,
            )
            for r in public.rulings
        ],
    }


def from_wire(view: game_pb2.SeatView) -> dict:
    """
    The same of a message.
    """
    public = view.public_view
    contract = (public.contract.seat, public.contract.bid) if public.HasField("contract") else None
    return {
        "seat": view.seat,
        "hand": list(view.hand),
        "own": (view.discarded, view.given, view.received),
        "deal": (public.deal, public.dealer),
        "scores": list(public.scores),
        "calls": [(c.seat, c.said, c.bid, c.suit) for c in public.calls],
        "contract": contract,
        "trump": public.trump if public.HasField("trump") else None,
        "turn_up": public.turn_up,
        "participants": list(public.participants),
        "tricks": [(t.leader, list(t.seats), list(t.cards), t.winner) for t in public.tricks],
        "taken": list(public.taken),
        "rulings": [
            (
                game_pb2.RulingCode.Name(r.code),
                r.seat,
                r.penalty,
                r.challenged,
                r.trick,
                r.card,
            )
            for r in public.rulings
        ],
    }


@pytest.mark.slow
def test_asks_say_what_the_seat_knows(random_tables) -> None:
    """
    At every question of 60 games the message holds the view, neither more nor less.
    """
    encoder = FrameEncoder()
    seen = set()
    for number, table in random_tables(1, 60):
        question = table.question
        (ask,) = encode(encoder, [Ask(7, number, question, 1.5)])

        assert in_plain(question.view) == from_wire(ask.view)
        assert (7, number) == (ask.ask_id, ask.game_id)
        assert question.phase.name.lower() == ask.WhichOneof("question")
        seen.add((question.phase, table.game.rules.renege_mode))

    assert set(Phase) == {phase for phase, _ in seen}
    assert 3 == len({mode for _, mode in seen})


@pytest.mark.slow
@pytest.mark.parametrize("skips", [0.0, 0.5, 0.95])
def test_growing_messages_are_those_made_from_nothing(random_tables, skips: float) -> None:
    """
    Byte for byte, also when many questions in between went to nobody (a bot that is gone).
    """
    rng = random.Random(2)
    encoder = FrameEncoder()
    for number, table in random_tables(3, 40):
        if rng.random() < skips:
            continue
        ask = Ask(1, number, table.question, 1.0)
        # Sent twice now and then, as after a lost connection.
        for message in encode(encoder, [ask] * rng.choice([1, 1, 2])):
            fresh = public_message(table.question.view.public)
            assert fresh == message.view.public_view
            assert fresh.SerializeToString(
                deterministic=True
            ) == message.view.public_view.SerializeToString(deterministic=True)


@pytest.mark.slow
def test_tables_do_not_mix(random_tables) -> None:
    """
    Many tables turn about in one encoder: each frame says what its table is like.
    """
    rng = random.Random(4)
    encoder = FrameEncoder()
    views: dict[int, list] = {}
    for number, table in random_tables(5, 20):
        views.setdefault(number, []).append(table.question)
    while views:
        games = rng.sample(sorted(views), min(len(views), 5))
        asks = [Ask(game, game, views[game].pop(0), 1.0) for game in games]
        for ask, message in zip(asks, encode(encoder, asks), strict=True):
            assert in_plain(ask.question.view) == from_wire(message.view)
        for game in games:
            if not views[game]:
                del views[game]
                encoder.forget(game)

    assert {} == encoder._public


@pytest.mark.parametrize(
    ("time_left", "seconds", "nanos"),
    [(1.5, 1, 500_000_000), (0.25, 0, 250_000_000), (60.0, 60, 0), (0.0, 0, 0), (-3.0, 0, 0)],
)
def test_time_left(random_tables, time_left: float, seconds: int, nanos: int) -> None:
    """
    As a Duration; a clock that has run out says nothing is left.
    """
    _, table = next(random_tables(7, 1))
    (ask,) = encode(FrameEncoder(), [Ask(1, 1, table.question, time_left)])

    assert (seconds, nanos) == (ask.time_left.seconds, ask.time_left.nanos)
    assert ask.HasField("time_left")


@pytest.mark.parametrize("number", [0, 1, 127, 128, 300, 16383, 16384, 2**31, 2**63 - 1])
def test_numbers_of_any_size(random_tables, number: int) -> None:
    """
    Ids are written as protobuf writes them.
    """
    _, table = next(random_tables(7, 1))
    (ask,) = encode(FrameEncoder(), [Ask(number, number, table.question, 1.0)])

    assert (number, number) == (ask.ask_id, ask.game_id)
    alone = game_pb2.Ask(ask_id=number).SerializeToString()
    assert alone[1:] == (varint(number) if number else b"")


def test_tells_come_before_asks(random_tables) -> None:
    """
    A frame with both has both, and an empty one is a frame all the same.
    """
    _, table = next(random_tables(7, 1))
    told = (9, Seated(SEATS[0], BidRules(), ("a", "b", "c", "d")))
    sent = FrameEncoder().encode(Frame([told, told], [Ask(1, 9, table.question, 1.0)]))
    frame = referee_service_pb2.PlayResponse.FromString(sent).frame
    empty = referee_service_pb2.PlayResponse.FromString(FrameEncoder().encode(Frame([], [])))

    assert (2, 1) == (len(frame.tells), len(frame.asks))
    assert "frame" == empty.WhichOneof("kind")


def test_legal_lists_are_complete(random_tables) -> None:
    """
    The list of a question has an entry for each legal action, in the same order.
    """
    for number, table in random_tables(8, 12):
        question = table.question
        (ask,) = encode(FrameEncoder(), [Ask(1, number, question, 1.0)])
        body = getattr(ask, ask.WhichOneof("question"))
        fields = body.DESCRIPTOR.fields
        if not fields:
            continue
        sent = list(getattr(body, fields[0].name))
        legal = [action for action in question.legal if hasattr(action, fields[0].name[6:-1])]
        if question.phase is Phase.AUCTION:
            assert len(question.legal) == len(sent)
        else:
            assert [getattr(a, fields[0].name[6:-1]) for a in legal] == sent


@pytest.mark.parametrize("name", list(VARIANTS))
def test_rules_are_sent_with_every_option(name: str) -> None:
    """
    The message has the value of every option, and absent ones are those that are None.
    """
    rules = VARIANTS[name].rules
    message = rules_message(rules)
    part = getattr(message, rules.game)
    names = {field.name: field for field in part.DESCRIPTOR.fields}

    assert set(names) == set(rules.options(every=True))
    for option, field in names.items():
        value = getattr(rules, option)
        sent = getattr(part, option)
        if value is None:
            assert not part.HasField(option)
        elif isinstance(value, Seat):
            assert value + 1 == sent
        elif field.enum_type is not None:
            assert field.enum_type.values_by_number[sent].name.endswith(f"_{value.name}")
        else:
            assert value == sent


def test_every_value_of_every_option_can_be_sent() -> None:
    """
    No enum value is without a number.
    """
    for kind in (BidRules, BuckRules):
        part = getattr(rules_pb2.Rules(), kind.game)
        for field in part.DESCRIPTOR.fields:
            value = getattr(kind(), field.name)
            if field.enum_type is None or isinstance(value, Seat) or value is None:
                continue
            for member in type(value):
                sent = rules_message(kind.from_options({field.name: member.value}))
                number = getattr(getattr(sent, kind.game), field.name)
                assert field.enum_type.values_by_number[number].name.endswith(f"_{member.name}")


def test_seated_and_welcome() -> None:
    """
    Seats and rules of a game, and limits of the referee.
    """
    names = ("a", "ü", "c", "d")
    frame = Frame([(9, Seated(seat, BidRules(), names)) for seat in SEATS], [])
    sent = FrameEncoder().encode(frame)
    tells = referee_service_pb2.PlayResponse.FromString(sent).frame.tells

    assert [1, 2, 3, 4] == [tell.seated.seat for tell in tells]
    assert [9] * 4 == [tell.seated.game_id for tell in tells]
    assert list(names) == list(tells[0].seated.names)
    sent = welcome(
        name="x",
        instance="1",
        limits=Limits(answer=0.5, grace=3.0),
        max_asks=5,
        max_instances=6,
        max_message_bytes=7,
        faults_to_forfeit=8,
        commitment="c",
        open_games=[3, 4],
    ).welcome
    assert 1 == sent.protocol
    assert 500 == sent.limits.answer.ToMilliseconds()
    assert 3000 == sent.limits.grace.ToMilliseconds()
    assert (5, 6, 7, 8) == (
        sent.limits.max_asks,
        sent.limits.max_instances,
        sent.limits.max_message_bytes,
        sent.limits.faults_to_forfeit,
    )
    assert [3, 4] == list(sent.open_games)
