"""
The shared strategy: the same answers to the same questions from every bot that is built.
"""

from __future__ import annotations

import pytest
import strategy_vectors
from euchre.referee.v1 import game_pb2, referee_service_pb2
from languages import answers, built

VECTORS = strategy_vectors.read()


def legal(ask: game_pb2.Ask) -> list[int]:
    """
    Return the legal list of an ask; empty if its kind has none.
    """
    kind = ask.WhichOneof("question")
    fields = getattr(ask, kind).ListFields() if kind else []
    return list(fields[0][1]) if fields else []


@pytest.mark.slow
def test_the_file_is_what_the_script_writes() -> None:
    """
    Neither the strategy nor the questions have changed since it was written.
    """
    assert strategy_vectors.text() == strategy_vectors.VECTORS.read_text()


def test_every_kind_of_question_and_of_answer_is_in_it() -> None:
    """
    Also one of no known kind, and every action that a seat can choose but one.
    """
    kinds = {field.name for field in game_pb2.Ask.DESCRIPTOR.oneofs_by_name["question"].fields}
    actions = {field.name for field in game_pb2.Answer.DESCRIPTOR.oneofs_by_name["action"].fields}
    actions.remove("decline")  # this strategy never does
    assert kinds | {None} == {ask.WhichOneof("question") for _, ask, _ in VECTORS}
    assert actions | {None} == {said.WhichOneof("action") for _, _, said in VECTORS}
    assert set(strategy_vectors.TABLES) < {rules for rules, _, _ in VECTORS}


def test_forced_and_rare_answers_are_in_it() -> None:
    """
    One legal card, a dealer who must bid, and bids from the lowest to the moon.
    """
    forced = {ask.WhichOneof("question") for _, ask, _ in VECTORS if len(legal(ask)) == 1}
    assert {"play", "ask_gift"} == forced
    auctions = [(ask, said) for _, ask, said in VECTORS if ask.HasField("auction")]
    assert any(game_pb2.BID_PASS not in legal(ask) for ask, _ in auctions)
    assert {3, 4, 5, 6, 7, 13, 14, 15} <= {said.bid for _, said in auctions}


@pytest.mark.slow
@pytest.mark.parametrize("language", built())
def test_answers_as_the_file_says(language: str) -> None:
    """
    All questions in one frame, answered in order.
    """
    frame = referee_service_pb2.Frame(asks=[ask for _, ask, _ in VECTORS])
    said = referee_service_pb2.Answers.FromString(
        answers(built()[language], frame.SerializeToString())
    )
    wrong = [
        (vector, answer)
        for vector, answer in zip(VECTORS, said.answers, strict=True)
        if answer != vector[2]
    ]
    assert [] == wrong[:3]
