"""
The table: what it tells to whom, and what it refuses.
"""

from __future__ import annotations

import pytest

from referee.opening import open_table
from referee.rules.actions import Answer, Pass
from referee.rules.deal import Phase
from referee.rules.judge import Code
from referee.rules.options import BidRules
from referee.seats import SEATS, Seat
from referee.table import GameOver, RulingTold, Table


def asked_to_claim() -> Table:
    """
    A table at which the first question is whether to claim an Ace No Face hand.
    """
    for number in range(10_000):
        table = open_table(BidRules(ace_no_face=True), bytes(32), str(number))
        table.start()
        if table.question.phase is Phase.CLAIM:
            return table
    raise AssertionError("no hand can be claimed in 10,000 deals")


@pytest.mark.parametrize("answer", [Code.TIMEOUT, Code.UNREADABLE, Answer(Pass())])
def test_a_fault_in_the_claim_round_stays_with_the_seat(answer) -> None:
    """
    Who is asked to claim holds such a hand: the others are not told, nor do they see it later.
    """
    table = asked_to_claim()
    seat = table.question.seat
    tells = table.answer(answer)

    assert [(seat, True)] == [
        (who, told.own) for who, told in tells if isinstance(told, RulingTold)
    ]
    assert () == table.question.view.public.rulings
    assert 1 == table.faults[seat]


def test_a_fault_elsewhere_is_told_to_all() -> None:
    """
    In the auction everybody hears of it, and it stands in the view and in the record.
    """
    table = open_table(BidRules(), bytes(32), "s")
    table.start()
    seat = table.question.seat
    tells = table.answer(Code.TIMEOUT)

    assert 4 == len(tells)
    assert [Code.TIMEOUT] == [r.code for r in table.question.view.public.rulings]
    [deal] = table.record.to_json()["deals"]
    [ruling] = deal["rulings"]
    assert {"index": 0, "seat": seat.letter, "ruling": "timeout", "substitute": "pass"} == ruling


@pytest.mark.parametrize(("seats", "due"), [("abab", 3), ("abcd", 5)])
def test_faults_forfeit_by_bot(seats: str, due: int) -> None:
    """
    A team pays for both of its seats; partners who are two bots each have their own count.
    """
    table = open_table(BidRules(), bytes(32), "s", seats=tuple(seats), faults_to_forfeit=3)
    table.start()
    faults = 0
    turn = Seat.NORTH
    while table.outcome is None:
        seat = table.question.seat
        if seat is turn:
            table.answer(Code.TIMEOUT)
            faults += 1
            turn = seat.partner
        else:
            table.answer(Answer(table.question.legal[0]))

    assert due == faults
    assert (0,) == table.record.forfeits
    assert {Seat.NORTH: (due + 1) // 2, Seat.SOUTH: due // 2} == {
        seat: table.faults[seat] for seat in (Seat.NORTH, Seat.SOUTH)
    }


def test_everybody_hears_of_a_forfeit() -> None:
    """
    Why the game is over, and who has won: also those who have done nothing but wait.
    """
    table = open_table(BidRules(), bytes(32), "s", seats=tuple("abab"), faults_to_forfeit=1)
    table.start()
    loser = table.question.seat
    tells = table.answer(Code.GONE)

    for seat in SEATS:
        told = [each for who, each in tells if who is seat]
        rulings = [each for each in told if isinstance(each, RulingTold)]
        assert [Code.GONE, Code.FORFEIT] == [each.ruling.code for each in rulings]
        assert {seat is loser} == {each.own for each in rulings}
        assert isinstance(told[-1], GameOver)
        assert (seat not in (loser, loser.partner)) is told[-1].won


def test_there_is_no_answer_without_a_question() -> None:
    """
    Before the start and after the end nobody can answer.
    """
    table = open_table(BidRules(max_hands=1), bytes(32), "s")
    with pytest.raises(RuntimeError, match="no question"):
        table.answer(Answer(Pass()))
    table.start()
    while table.question is not None:
        table.answer(Answer(table.question.legal[-1]))
    with pytest.raises(RuntimeError, match="no question"):
        table.answer(Answer(Pass()))


def test_a_deal_that_lost_its_seat_is_a_fault_of_ours() -> None:
    """
    Such a thing cannot happen; if it does, the game is not played on as if nothing were wrong.
    """
    table = open_table(BidRules(), bytes(32), "s")
    table.start()
    with pytest.raises(RuntimeError, match="not over"):
        table._close_game([])
    table.deal.to_act = None
    with pytest.raises(RuntimeError, match="on turn"):
        table._ask()
    with pytest.raises(RuntimeError, match="on turn"):
        table._advance([])
