"""
The shared strategy: the same answers to the same questions from every bot that is built.
"""

from __future__ import annotations

import base64
import json

import make_vectors
import pytest
from euchre.referee.v1 import game_pb2, referee_service_pb2
from languages import answers, built

ROWS = [json.loads(line) for line in make_vectors.VECTORS.read_text().splitlines()[1:]]


def question(row: dict[str, str]) -> game_pb2.Ask:
    """
    Return the ask of a vector.
    """
    return game_pb2.Ask.FromString(base64.b64decode(row["ask"]))


def expected(row: dict[str, str]) -> game_pb2.Answer:
    """
    Return the answer of a vector.
    """
    return game_pb2.Answer.FromString(base64.b64decode(row["answer"]))


@pytest.mark.slow
def test_the_file_is_what_the_script_writes() -> None:
    """
    Neither the strategy nor the questions have changed since it was written.
    """
    assert make_vectors.text() == make_vectors.VECTORS.read_text()


def test_every_kind_of_question_and_of_answer_is_in_it() -> None:
    """
    Also those with one legal answer, and every action that a seat can choose.
    """
    kinds = {field.name for field in game_pb2.Ask.DESCRIPTOR.oneofs_by_name["question"].fields}
    actions = {field.name for field in game_pb2.Answer.DESCRIPTOR.oneofs_by_name["action"].fields}
    actions.remove("decline")  # this strategy never does
    assert kinds | {None} == {row["kind"] for row in ROWS}
    assert actions | {None} == {expected(row).WhichOneof("action") for row in ROWS}
    assert set(make_vectors.TABLES) < {row["rules"] for row in ROWS}
    forced = {row["kind"] for row in ROWS if len(legal(question(row))) == 1}
    assert {"play", "ask_gift"} <= forced
    must = [row for row in ROWS if row["kind"] == "auction" and 13 not in legal(question(row))]
    bids = {expected(row).bid for row in ROWS if row["kind"] == "auction"}
    assert must
    assert {3, 4, 5, 6, 13, 14, 15} < bids


def legal(ask: game_pb2.Ask) -> list[int]:
    """
    Return the legal list of an ask, if it has one.
    """
    fields = getattr(ask, ask.WhichOneof("question") or "view").ListFields()
    return list(fields[0][1]) if fields and ask.WhichOneof("question") else []


@pytest.mark.slow
@pytest.mark.parametrize("language", built())
def test_answers_as_the_file_says(language: str) -> None:
    """
    All questions in one frame, answered in order.
    """
    frame = referee_service_pb2.Frame(asks=map(question, ROWS))
    said = referee_service_pb2.Answers.FromString(
        answers(built()[language], frame.SerializeToString())
    )
    wrong = [
        (row, answer)
        for row, answer in zip(ROWS, said.answers, strict=True)
        if answer != expected(row)
    ]
    assert [] == wrong[:3]
