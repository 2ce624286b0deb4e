"""
The bot that cheats and the bot that watches: what they do, and that the one catches the other.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from bold import Bold
from cautious import Cautious
from cheat import Cheat
from euchre.referee.v1 import game_pb2, referee_service_pb2, rules_pb2
from euchrebot.bot import Bot, answer, seat
from watch import Watch, proven

from referee.opening import open_table
from referee.rules.actions import Answer
from referee.rules.deal import Phase
from referee.rules.options import BidRules, BuckRules, RenegeMode, Rules
from referee.wire.decode import read_answers
from referee.wire.encode import public_message
from tournaments.reneges import watch_of

if TYPE_CHECKING:
    from referee.record import GameRecord
    from referee.table import Question

HEARTS, SPADES = 3, 4
NC, AC, ND, QD, NH, KH, NS, TS, QS, AS = 1, 6, 7, 10, 13, 17, 19, 20, 22, 24
MODES = {
    RenegeMode.REJECT: rules_pb2.RENEGE_MODE_REJECT,
    RenegeMode.STAND: rules_pb2.RENEGE_MODE_STAND,
    RenegeMode.CHALLENGE: rules_pb2.RENEGE_MODE_CHALLENGE,
}


def seated(rules: Rules) -> referee_service_pb2.Seated:
    """
    What a bot is told at first.
    """
    told = referee_service_pb2.Seated(game_id=1, seat=1)
    options = told.rules.bid if rules.game == "bid" else told.rules.buck
    options.renege_mode = MODES[rules.renege_mode]
    return told


def message(question: Question) -> game_pb2.Ask:
    """
    A question of play as a bot gets it.
    """
    view = question.view
    ask = game_pb2.Ask(ask_id=1, game_id=1)
    ask.view.seat = view.seat + 1
    ask.view.hand.extend(view.hand)
    ask.view.public_view.CopyFrom(public_message(view.public))
    if question.phase is Phase.PLAY:
        ask.play.legal_cards.extend(action.card for action in question.legal)
    else:
        ask.last_call.SetInParent()
    return ask


def said_by(bot: Bot, ask: game_pb2.Ask) -> Answer:
    """
    What *bot* answers, as the referee reads it.
    """
    answers = referee_service_pb2.Answers()
    answer(bot, ask, answers.answers.add())
    ((_, said),) = read_answers(answers)
    return said


def played(rules: Rules, bots: tuple[Bot, ...], set_id: str) -> GameRecord:
    """
    A game in which *bots* answer what is asked while cards are played.
    """
    table = open_table(rules, bytes(32), set_id, faults_to_forfeit=0)
    table.start()
    for bot in bots:
        seat(bot, seated(rules))
    while (question := table.question) is not None:
        if question.phase in {Phase.PLAY, Phase.LAST_CALL}:
            table.answer(said_by(bots[question.seat], message(question)))
        else:
            table.answer(Answer(question.legal[0]))
    return table.record


def bid(mode: RenegeMode = RenegeMode.CHALLENGE) -> BidRules:
    """
    Rules by which the first legal thing gets a deal played.
    """
    return BidRules(renege_mode=mode, stick_the_dealer=True, max_hands=10)


def test_the_watcher_catches_the_cheat() -> None:
    """
    In a few games every renege of the cheat is challenged, each once, and nothing else is.
    """
    tried = 0
    for number in range(6):
        cheat, watch = Cheat(), Watch()
        watched = watch_of(played(bid(), (cheat, watch, cheat, watch), f"caught{number}"))
        tried += sum(watched.right)
        assert (0, 0, 0, 0) == watched.unpunished
        assert (0, 0, 0, 0) == watched.wrong
        assert 0 == watched.right[0] + watched.right[2]
    assert tried > 5


def test_who_does_not_watch_catches_nobody() -> None:
    """
    Against the plain bot the same cheat goes unpunished, and nobody else reneges.
    """
    cheat, plain = Cheat(), Cautious()
    watched = watch_of(played(bid(), (cheat, plain, cheat, plain), "caught0"))

    assert ((0, 0, 0, 0), (0, 0, 0, 0)) == (watched.right, watched.wrong)
    assert watched.unpunished[0] + watched.unpunished[2] > 0
    assert 0 == watched.unpunished[1] + watched.unpunished[3]


@pytest.mark.parametrize("mode", [RenegeMode.REJECT, RenegeMode.STAND])
def test_the_cheat_is_honest_where_reneges_are_seen(mode: RenegeMode) -> None:
    """
    Where the referee itself rules on them, it plays as the plain bot does.
    """
    cheat, watch, plain = Cheat(), Watch(), Cautious()
    record = played(bid(mode), (cheat, watch, cheat, watch), "seen")

    assert not any(deal.rulings for deal in record.deals)
    assert played(bid(mode), (plain,) * 4, "seen").deals == record.deals


def test_in_buck_everybody_else_is_an_opponent() -> None:
    """
    Two cheats at a table of four are caught by the two who watch, and by them only.
    """
    cheat, watch = Cheat(), Watch()
    rules = BuckRules(renege_mode=RenegeMode.CHALLENGE, max_hands=40)
    watched = watch_of(played(rules, (cheat, cheat, watch, watch), "buck"))

    assert sum(watched.right[2:]) > 0
    assert (0, 0) == watched.right[:2]
    assert (0, 0, 0, 0) == watched.wrong


def view_of(*tricks: tuple[tuple[int, ...], tuple[int, ...]], trump: int) -> game_pb2.PublicView:
    """
    Tricks on the table: seats and cards of each.
    """
    public = game_pb2.PublicView(trump=trump)
    for seats, cards in tricks:
        public.tricks.add(leader=seats[0], seats=seats, cards=cards)
    return public


def test_what_is_proven() -> None:
    """
    Seat 2 trumped spades and led one later; seat 3's clubs prove nothing; a left bower is a trump.
    """
    tricks = [((1, 2, 3, 4), (NS, NH, NC, TS)), ((2, 3, 4, 1), (AS, AC, QS, KH))]
    assert [(2, 1)] == proven(view_of(*tricks, trump=HEARTS))
    assert [] == proven(view_of(*tricks[:1], trump=HEARTS))

    jack_of_diamonds = 9
    tricks = [((1, 2), (ND, NC)), ((2, 1), (jack_of_diamonds, QD))]
    assert [] == proven(view_of(*tricks, trump=HEARTS))
    assert [(2, 1)] == proven(view_of(*tricks, trump=SPADES))


def test_two_reneges_are_proven_by_one_card() -> None:
    """
    A card of a suit that was missed twice proves both, and the next one nothing more.
    """
    tricks = [((1, 2), (NS, NH)), ((1, 2), (TS, KH)), ((1, 2), (AS, QS)), ((2, 1), (AS, NC))]

    assert [(2, 1), (2, 2)] == proven(view_of(*tricks, trump=HEARTS))


class Broken(Bold):
    """
    Raises wherever it can.
    """

    def seated(self, _told):
        """
        Raise.
        """
        raise ValueError("seated")

    def challenges(self, _ask):
        """
        Raise.
        """
        raise ValueError("challenges")


def test_an_error_while_challenging_loses_no_game(capfd: pytest.CaptureFixture[str]) -> None:
    """
    It is shown, and the first legal thing is answered without a challenge.
    """
    record = played(bid(), (Broken(),) * 4, "broken")

    assert not any(deal.rulings for deal in record.deals)
    shown = capfd.readouterr().err
    assert "ValueError: seated" in shown
    assert "ValueError: challenges" in shown
