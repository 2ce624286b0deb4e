"""
Records as plain values.
"""

from __future__ import annotations

import pytest

from referee.record import DealRecord, GameRecord
from referee.rules.actions import Answer, Pass
from referee.rules.judge import Code, Ruling
from referee.seats import Seat

NORTH, EAST = Seat.NORTH, Seat.EAST


@pytest.mark.parametrize(
    ("ruling", "says"),
    [
        (Ruling(Code.UPHELD, NORTH, 2, challenged=EAST, trick=3), {"penalty": 2}),
        (Ruling(Code.FALSE_CHALLENGE, NORTH, 0, challenged=EAST, trick=3), {"penalty": 0}),
        (Ruling(Code.VOID_CHALLENGE, NORTH, challenged=EAST, trick=3), {}),
    ],
)
def test_a_challenge_names_seat_and_trick(ruling, says):
    """
    And its price, unless there was nothing to judge.
    """
    deal = DealRecord(NORTH, entries=[(NORTH, Answer(Pass()))], rulings=[(0, ruling)])
    game = GameRecord("bid", {}, "a:b/1", 0, 0, tuple("abab"), tuple("1122"), [deal])
    [found] = game.to_json()["deals"][0]["rulings"]
    place = {"index": 0, "seat": "N", "ruling": str(ruling.code)}
    assert place | {"challenged": "E", "trick": 3} | says == found
