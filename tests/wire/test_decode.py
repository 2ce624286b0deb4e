"""
What bots send: every legal answer is understood, and nothing else becomes one.
"""

from __future__ import annotations

import pytest
from euchre.referee.v1 import game_pb2, referee_service_pb2

from referee.cards import CARDS, SUITS
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
from referee.rules.judge import FAULTS, Code
from referee.seats import SEATS
from referee.wire.decode import MAX_CHALLENGES, MessageFault, hello, read_answers, text_fault

PLAIN = {
    Claim: "claim",
    Decline: "decline",
    Order: "order",
    Pass: "pass_turn",
    Stay: "stay",
    Drop: "drop",
    LastCall: "call",
}
NUMBERED = ["play", "give", "discard", "bid", "trump", "name"]


def written(action: Action) -> list[game_pb2.Answer]:
    """
    Every way to say *action*, as a bot would write it down.
    """
    answers = []
    kind = type(action)
    if kind in PLAIN:
        answers.append(game_pb2.Answer(**{PLAIN[kind]: game_pb2.Plain()}))
    if isinstance(action, Play | Give | Discard):
        answers.append(game_pb2.Answer(**{kind.__name__.lower(): int(action.card)}))
    elif isinstance(action, NameTrump):
        answers.append(game_pb2.Answer(trump=int(action.suit)))
    elif isinstance(action, NameSuit):
        answers.append(game_pb2.Answer(name=int(action.suit)))
    elif isinstance(action, Bid):
        answers.append(game_pb2.Answer(bid=action.number))
    elif isinstance(action, BidAsk):
        answers.append(game_pb2.Answer(bid=game_pb2.BID_ASK))
    elif isinstance(action, BidMoon):
        answers.append(game_pb2.Answer(bid=game_pb2.BID_MOON))
    elif isinstance(action, Pass):
        answers.append(game_pb2.Answer(bid=game_pb2.BID_PASS))
    return answers


def parsed(*answers: game_pb2.Answer) -> list[tuple[int, Answer | Code]]:
    """
    What the referee reads, through bytes.
    """
    sent = referee_service_pb2.Answers(answers=answers).SerializeToString()
    return list(read_answers(referee_service_pb2.Answers.FromString(sent)))


def read(answer: game_pb2.Answer) -> Answer | Code:
    """
    The same of one answer.
    """
    ((_, said),) = parsed(answer)
    return said


EVERYTHING = [
    *(kind() for kind in (*PLAIN, BidAsk, BidMoon)),
    *(kind(card) for kind in (Play, Give, Discard) for card in CARDS),
    *(kind(suit) for kind in (NameTrump, NameSuit) for suit in SUITS),
    *(Bid(number) for number in range(1, 13)),
]


def test_every_action_comes_back_as_itself() -> None:
    """
    Read twice, it is equal and even the same object: nothing is made for an answer.
    """
    for action in EVERYTHING:
        for answer in written(action):
            said = read(answer)

            assert Answer(action) == said
            assert said is read(answer)


@pytest.mark.slow
def test_every_legal_action_is_accepted_from_the_wire(random_tables) -> None:
    """
    Case R3: at every question of 40 games, a legal action that was parsed anew is no violation.
    """

    def through_the_wire(table, rng):
        action = rng.choice(table.question.legal)
        return read(rng.choice(written(action)))

    table = None
    for _, table in random_tables(1, 40, through_the_wire):
        for action in table.question.legal:
            assert all(read(answer).action in table.question.legal for answer in written(action))
        # In stand and challenge modes a legal action gets no ruling either.
        assert not [r for deal in table.record.deals for _, r in deal.rulings if r.code in FAULTS]


@pytest.mark.parametrize("field", NUMBERED)
@pytest.mark.parametrize("number", [0, 26, 99, -1, 2**31 - 1])
def test_numbers_that_mean_nothing_are_unreadable(field: str, number: int) -> None:
    """
    Case G21: never the nine of clubs, never a pass.
    """
    assert Code.UNREADABLE is read(game_pb2.Answer(**{field: number}))


@pytest.mark.parametrize(("field", "most"), [("bid", 15), ("trump", 4), ("name", 4), ("play", 25)])
def test_the_first_number_too_many(field: str, most: int) -> None:
    """
    Trump.NONE is not a suit that can be named, and there is no bid after a moon.
    """
    assert isinstance(read(game_pb2.Answer(**{field: most})), Answer)
    assert Code.UNREADABLE is read(game_pb2.Answer(**{field: most + 1}))


def test_no_action_is_unreadable() -> None:
    """
    An empty message, one with an id only, and one whose action is of a later protocol.
    """
    unknown = game_pb2.Answer.FromString(b"\x08\x05\xf2\x01\x00")

    assert [(0, Code.UNREADABLE), (7, Code.UNREADABLE), (5, Code.UNREADABLE)] == parsed(
        game_pb2.Answer(), game_pb2.Answer(ask_id=7), unknown
    )
    assert [] == parsed()


def test_the_last_action_counts_when_bytes_hold_two() -> None:
    """
    A oneof that is sent twice is what protobuf says: the last.
    """
    first, last = game_pb2.Answer(ask_id=1, play=1), game_pb2.Answer(play=9)  # type: ignore[arg-type]
    twice = game_pb2.Answer.FromString(first.SerializeToString() + last.SerializeToString())

    assert Answer(Play(CARDS[8])) == read(twice)


def test_challenges() -> None:
    """
    They keep their order; tricks that do not exist are left to the rules.
    """
    answer = game_pb2.Answer(call=game_pb2.Plain())
    for seat, trick in ((1, 1), (4, 6), (2, -3), (3, 2**31 - 1)):
        answer.challenges.add(seat=seat, trick=trick)

    said = read(answer)
    assert isinstance(said, Answer)
    assert LastCall() == said.action
    assert (
        Challenge(SEATS[0], 1),
        Challenge(SEATS[3], 6),
        Challenge(SEATS[1], -3),
        Challenge(SEATS[2], 2**31 - 1),
    ) == said.challenges


@pytest.mark.parametrize("seat", [0, 5, 99, -1])
def test_a_challenge_of_nobody_is_unreadable(seat: int) -> None:
    """
    Also when the play beside it would be fine.
    """
    answer = game_pb2.Answer(play=1)  # type: ignore[arg-type]
    answer.challenges.add(seat=1, trick=1)
    answer.challenges.add(seat=seat, trick=1)  # type: ignore[arg-type]

    assert Code.UNREADABLE is read(answer)


def test_too_many_challenges_are_unreadable() -> None:
    """
    A deal has not so many plays.
    """
    answer = game_pb2.Answer(play=1)  # type: ignore[arg-type]
    for _ in range(MAX_CHALLENGES):
        answer.challenges.add(seat=1, trick=1)
    assert isinstance(read(answer), Answer)
    answer.challenges.add(seat=1, trick=1)

    assert Code.UNREADABLE is read(answer)


def a_hello(**fields) -> referee_service_pb2.Hello:
    """
    A Hello that is right but for *fields*.
    """
    return referee_service_pb2.Hello(**{"protocol": 1, **fields})


def test_what_is_left_out_of_a_hello() -> None:
    """
    Instance 1, both games, one ask at a time.
    """
    said = hello(a_hello())

    assert ("1", "", frozenset({"bid", "buck"}), 1) == said
    assert frozenset({"buck"}) == hello(a_hello(games=[2, 2])).games


@pytest.mark.parametrize(
    ("fields", "says"),
    [
        ({"protocol": 0}, "protocol is 0"),
        ({"protocol": 2}, "speaks 1"),
        ({"instance": "a" * 33}, "instance"),
        ({"instance": "a b"}, "instance"),
        ({"instance": "a\n"}, "instance"),
        ({"instance": "\u0661"}, "instance"),
        ({"instance": "../a"}, "instance"),
        ({"software": "x" * 201}, "at most 200"),
        ({"software": "a\x1b[2J"}, "control"),
        ({"games": [0]}, "games has 0"),
        ({"games": [1, 99]}, "games has 99"),
        ({"max_asks": -1}, "max_asks"),
    ],
)
def test_what_is_wrong_with_a_hello(fields: dict, says: str) -> None:
    """
    The fault names the field.
    """
    with pytest.raises(MessageFault, match=says):
        hello(a_hello(**fields))


@pytest.mark.parametrize(
    "text", ["a\nb", "\x00", "\x7f", "\x9b31m", "\u2028", "\u2029", "\u202eabc", "\u2066", "\ue000"]
)
def test_text_that_could_do_harm(text: str) -> None:
    """
    Control characters, line breaks of Unicode, and those that turn text around.
    """
    assert "control" in text_fault(text, 200)


@pytest.mark.parametrize("text", ["", "Bot 7", "Jürgens Böt", "机器人", "🂡 ace", "é", "👩‍💻"])
def test_text_that_is_fine(text: str) -> None:
    """
    Any language, and emoji that are joined.
    """
    assert "" == text_fault(text, 200)
    assert text_fault(text, -1)
