"""
The bot that remembers: it knows a deal again, and only where it can have seen it.
"""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import pytest
from euchre.referee.v1 import referee_service_pb2
from euchrebot.bot import answer
from remember import Memory, Remember, disguises

from referee.hall import Ask, Frame
from referee.opening import open_table
from referee.rules.options import BidRules
from referee.shuffle import DISGUISES
from referee.wire.decode import read_answers
from referee.wire.frames import FrameEncoder

if TYPE_CHECKING:
    from pathlib import Path

SECRET = bytes(32)
CARDS = random.Random(1).sample(range(1, 25), 24)
HANDS = [[], *(CARDS[first : first + 6] for first in (0, 6, 12, 18))]


def test_it_thinks_of_all_disguises() -> None:
    """
    Its tables are those of the referee.
    """
    assert {tuple(map(int, table[1:25])) for table in DISGUISES} == {
        tuple(table[1:]) for table in disguises()
    }


@pytest.mark.parametrize("disguise", range(8))
def test_a_deal_is_known_again_in_other_suits(disguise: int) -> None:
    """
    By the hand of its own seat, though a card of each hand was never seen.
    """
    memory = Memory(None, suits="all")
    memory.note(1, 3, [hand[:5] for hand in HANDS])
    table = DISGUISES[disguise]
    dealt = [[int(table[card]) for card in hand] for hand in HANDS]
    found = memory.recognised(2, 3, 4, dealt[4])
    assert found is not None
    assert sorted(dealt[4]) == sorted(found[4])
    assert all(set(dealt[seat][:5]) <= set(found[seat]) for seat in range(5))
    assert list(range(1, 25)) == sorted(card for hand in found for card in hand)
    simple = Memory(None, suits="own")
    simple.note(1, 3, [hand[:5] for hand in HANDS])
    assert (simple.recognised(2, 3, 4, dealt[4]) is not None) == (dealt == HANDS)


def test_what_is_not_known_again() -> None:
    """
    The game that it comes from itself, another deal, another hand, another seat.
    """
    memory = Memory(None, suits="all")
    memory.note(1, 3, HANDS)
    assert memory.recognised(2, 3, 4, HANDS[4]) is not None
    assert memory.recognised(1, 3, 4, HANDS[4]) is None
    assert memory.recognised(2, 4, 4, HANDS[4]) is None
    assert memory.recognised(2, 3, 3, HANDS[4]) is None


def test_processes_share_a_folder_or_nothing(tmp_path: Path) -> None:
    """
    What one has written down the other reads, unless each is on its own.
    """
    one, two = (Memory(str(tmp_path), suits="all") for _ in range(2))
    one.note(1, 1, HANDS)
    assert HANDS == two.recognised(2, 1, 1, HANDS[1])
    one.note(1, 2, HANDS)
    assert two.recognised(2, 2, 1, HANDS[1]) is not None
    alone = Memory(None, suits="all")
    assert alone.recognised(2, 1, 1, HANDS[1]) is None


def play(bots: list[Remember], sitting: int, number: int) -> tuple[int, ...]:
    """
    Play a sitting with a bot for each seat, and return the scores.
    """
    table = open_table(
        BidRules(max_hands=6), SECRET, f"a:b/{number}", sitting=sitting, disguise=5 * sitting
    )
    encoder = FrameEncoder()
    table.start()
    while (question := table.question) is not None:
        frame = encoder.encode(Frame([], [Ask(1, 2 * number + sitting, question, 2.0)]))
        (ask,) = referee_service_pb2.PlayResponse.FromString(frame).frame.asks
        said = referee_service_pb2.Answers()
        answer(bots[question.seat], ask, said.answers.add())
        ((_, what),) = read_answers(said)
        table.answer(what)
    assert (0, 0, 0, 0) == tuple(table.faults)
    return tuple(table.game.scores)


@pytest.mark.slow
def test_remembering_pays_in_the_second_sitting(capfd: pytest.CaptureFixture[str]) -> None:
    """
    In other suits too: thirty second sittings against bots that saw nothing.
    """
    mine = Remember()
    gained = 0
    for number in range(30):
        fresh = [Remember() for _ in range(4)]
        # The first sitting: mine are N and S, and remember what was played.
        first = play([mine, fresh[0], mine, fresh[1]], 0, number)
        second = play([fresh[2], mine, fresh[3], mine], 1, number)
        gained += second[1] - second[0] - (first[1] - first[0])
    assert gained / 30 > 10
    assert "Traceback" not in capfd.readouterr().err
