"""
The sample bots: their tables of cards, that they answer legally, and the same every time.
"""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import pytest
from bold import Bold
from cautious import Cautious
from euchre.referee.v1 import game_pb2, referee_service_pb2
from euchrebot.bot import answer
from euchrebot.cards import ABOVE, JOKER, POWER, SUIT, bits, unseen, voids, winning
from euchrebot.hands import best_trump, expected, least
from euchrebot.outcomes import points_in_bid, points_in_buck
from euchrebot.sampling import Board, Situation, deals, play_out
from euchrebot.strategy import follow, lead
from random_bot import Random
from search import Search

from referee.hall import Ask, Frame
from referee.opening import open_table
from referee.rules.actions import Answer
from referee.rules.options import AskGiftRule, BidRules, BuckRules, JokerDiscard, RenegeMode, Rules
from referee.table import Question, RulingTold
from referee.wire.decode import read_answers
from referee.wire.frames import FrameEncoder

if TYPE_CHECKING:
    from referee.rules.judge import Code

CLUBS, DIAMONDS, HEARTS, SPADES, NONE = range(1, 6)
JC, QC, AC, JD, NH, JH, AH, NS, JS, AS = 3, 4, 6, 9, 13, 15, 18, 19, 21, 24

QUICK = (Cautious(), Bold(), Random())
TABLES: tuple[Rules, ...] = (
    BidRules(max_hands=8),
    BidRules(
        joker=True,
        ace_no_face=True,
        stick_the_dealer=True,
        plain_all_bid=True,
        ask_gift_rule=AskGiftRule.FREE,
        max_hands=8,
    ),
    BidRules(joker=True, joker_discard=JokerDiscard.AFTER_TRUMP, min_bid=1, max_hands=8),
    BidRules(double_deck=True, stick_the_dealer=True, max_hands=4),
    BidRules(double_deck=True, joker=True, renege_mode=RenegeMode.CHALLENGE, max_hands=4),
    BuckRules(max_hands=12),
    BuckRules(
        club_dealer_picks_up=True,
        allow_turned_down_suit=True,
        caller_may_drop=True,
        renege_mode=RenegeMode.CHALLENGE,
        max_hands=12,
    ),
    BuckRules(no_trump_drop_allowed=False, max_hands=12),
)


def message(question: Question, ask_id: int = 1, game_id: int = 1) -> game_pb2.Ask:
    """
    Encode *question* as a bot gets it.
    """
    sent = FrameEncoder().encode(Frame([], [Ask(game_id, ask_id, question, 2.0)]))
    response = referee_service_pb2.PlayResponse.FromString(sent)
    (ask,) = response.frame.asks
    return ask


def say(bot, ask: game_pb2.Ask) -> Answer | Code:
    """
    Return what *bot* answers, as the referee reads it.
    """
    answers = referee_service_pb2.Answers()
    answer(bot, ask, answers.answers.add())
    ((_, said),) = read_answers(answers)
    return said


def asks(rules: Rules, bots, set_id: str):
    """
    Let *bots* play a game; yield every ask with its question and what was answered.
    """
    table = open_table(rules, bytes(32), set_id, faults_to_forfeit=0)
    table.start()
    while (question := table.question) is not None:
        ask = message(question)
        said = say(bots[question.seat], ask)
        yield ask, question, said
        tells = table.answer(said)
        assert not [told for _, told in tells if isinstance(told, RulingTold)]


# --- cards -------------------------------------------------------------------------------


def test_bowers_and_the_joker_are_trumps() -> None:
    """
    With hearts trump: Joker, JH, JD, AH; without trump every jack is what is printed.
    """
    power = POWER[HEARTS]
    assert power[JOKER] > power[JH] > power[JD] > power[AH] > power[NH] > power[AS]
    assert HEARTS == SUIT[HEARTS][JD] == SUIT[HEARTS][JOKER]
    assert DIAMONDS == SUIT[NONE][JD] == SUIT[CLUBS][JD]
    assert CLUBS == SUIT[CLUBS][JS]
    assert bits([JH, JOKER]) == ABOVE[HEARTS][JD]


def test_the_first_of_equal_cards_wins_and_trump_beats_all() -> None:
    """
    Who is winning a trick, duplicates and cards of other suits included.
    """
    assert 0 == winning(HEARTS, [AS, AS, AC])
    assert 2 == winning(HEARTS, [AS, AC, NH])
    assert 1 == winning(CLUBS, [AC, JS, AH])
    assert 0 == winning(NONE, [NS, AH, AC])


def test_voids_and_unseen_cards() -> None:
    """
    A left bower follows trump; who plays another suit than was led has none of it.
    """
    shown = voids(HEARTS, [((1, 2, 3, 4), (NH, JD, AS, AH)), ((2, 3), (NS, QC))])
    assert [set(), set(), set(), {HEARTS, SPADES}, set()] == shown
    assert 22 == len(unseen([NH, AS], joker=False))
    assert JOKER in unseen([NH], joker=True)
    assert 47 == len(unseen([NH], joker=False, copies=2))


# --- rules of thumb ----------------------------------------------------------------------


def test_hands_are_valued_by_their_trumps() -> None:
    """
    More for better trumps, the right suit named, and trumps kept.
    """
    hand = [AC, JD, NH, JH, AH, NS]
    assert HEARTS == best_trump(hand)[1]
    assert expected(hand, HEARTS) > expected(hand, DIAMONDS) > expected(hand, SPADES)
    assert NS == least(hand, HEARTS)


def test_leads_and_follows_sensibly() -> None:
    """
    The side that must make it draws trumps, others lead aces; partners are not overtaken.
    """
    hand = [AC, JH, NS]
    gone = bits([*hand, JOKER])
    assert JH == lead(hand, HEARTS, offense=True, gone=gone)
    assert AC == lead(hand, HEARTS, offense=False, gone=gone)
    assert AC == lead(hand, HEARTS, offense=True, gone=bits(hand)), "a Joker may be out"
    assert NS == follow([NS, AS], HEARTS, SPADES, JS, ours=True, last=True, gone=0)
    assert AS == follow([NS, AS], HEARTS, SPADES, JS, ours=False, last=True, gone=0)
    assert NH == follow([NH, JH], HEARTS, SPADES, AS, ours=False, last=True, gone=0)


def test_points() -> None:
    """
    What a deal is worth: made, set, ask, moon; and in Buck the requirement and the sweep.
    """
    assert 2 == points_in_bid(1, 4, [0, 3, 1, 1, 1])
    assert -7 == points_in_bid(1, 4, [0, 2, 2, 1, 1])
    assert 12 == points_in_bid(2, 14, [0, 0, 6, 0, 0])
    assert -8 == points_in_bid(2, 15, [0, 1, 4, 1, 0])
    assert 3 == points_in_buck(1, 1, [0, 3, 0, 0, 0], [1])
    assert -5 == points_in_buck(1, 1, [0, 2, 3, 0, 0], [1, 2], others=0)


def test_a_board_is_played_to_the_end() -> None:
    """
    All tricks are taken by somebody; a hand of top trumps takes its own.
    """
    hands = [[], [JH, JD, AH], [AC, NH, QC], [NS, JS, JC], [AS, 1, 2]]
    board = Board(hands, [1, 2, 3, 4], HEARTS, 1)
    board.offense[1] = True
    assert [0, 3, 0, 0, 0] == play_out(board, teams=False)
    assert [[]] * 5 == hands


# --- whole games -------------------------------------------------------------------------


@pytest.mark.parametrize("rules", TABLES, ids=lambda rules: rules.game)
def test_every_answer_is_legal(rules: Rules) -> None:
    """
    In whole games under all options, whoever sits where, nothing is ruled on.
    """
    for number in range(6):
        order = random.Random(number).choices(QUICK, k=4)
        for _, question, said in asks(rules, order, f"legal{number}"):
            assert isinstance(said, Answer)
            assert said.action in question.legal


@pytest.mark.slow
@pytest.mark.parametrize("rules", TABLES, ids=lambda rules: rules.game)
def test_every_answer_of_search_is_legal(rules: Rules) -> None:
    """
    The same for the bot that samples, whose every question is answered without an error.
    """
    bots = (Search(), Cautious(), Search(), Random())
    for number in range(1 if rules.game == "bid" else 3):
        for _, question, said in asks(rules, bots, f"search{number}"):
            assert isinstance(said, Answer)
            assert said.action in question.legal


def test_errors_would_be_seen(capfd: pytest.CaptureFixture[str]) -> None:
    """
    The bots answer by themselves: the library never had to answer for them.
    """
    for rules in TABLES:
        for bots in ((Search(), Cautious(), Bold(), Random()), QUICK + QUICK[:1]):
            for _ in asks(rules, bots, "seen"):
                pass
    assert "" == capfd.readouterr().err


@pytest.mark.parametrize("bot", [*QUICK, Search()], ids=lambda bot: type(bot).__name__)
@pytest.mark.parametrize("rules", [TABLES[0], TABLES[5]], ids=lambda rules: rules.game)
def test_answers_depend_on_the_view_alone(bot, rules: Rules) -> None:
    """
    Another ask id, game id or time, a new bot, or asked again: the same answer.
    """
    for ask, _, _ in asks(rules, (Cautious(), Random(), Bold(), Cautious()), "same"):
        first = say(bot, ask)
        other = game_pb2.Ask()
        other.CopyFrom(ask)
        other.ask_id, other.game_id = 77, 5
        other.time_left.FromMilliseconds(1)
        assert first == say(bot, other) == say(type(bot)(), ask)


def test_deals_agree_with_what_is_known() -> None:
    """
    Every sampled deal has the right number of cards, none twice, and respects voids.
    """
    for rules in (TABLES[0], TABLES[5]):
        for ask, _, _ in asks(rules, (Cautious(),) * 4, "deals"):
            if ask.WhichOneof("question") != "play":
                continue
            now = Situation(ask.view)
            shown = voids(now.trump, [trick[:2] for trick in now.tricks])
            for hands in deals(now, 2, now.participants):
                dealt = [card for hand in hands for card in hand]
                assert len(set(dealt)) == len(dealt)
                assert not set(dealt) & {card for _, cards, _ in now.tricks for card in cards}
                assert now.hand == hands[now.seat]
                for seat in now.participants:
                    assert len(now.hand) - 1 <= len(hands[seat]) <= len(now.hand)
                    assert all(SUIT[now.trump][card] not in shown[seat] for card in hands[seat])


def test_long_games_are_no_trouble() -> None:
    """
    Deals beyond 255 and scores far below zero are answered by every bot.
    """
    table = open_table(TABLES[0], bytes(32), "long")
    table.start()
    ask = message(table.question)
    ask.view.public_view.deal = 70_000
    ask.view.public_view.scores[:] = [-1_000_000, 1_000_000]
    for bot in (*QUICK, Search()):
        assert bot.auction(ask) in ask.auction.legal_bids
