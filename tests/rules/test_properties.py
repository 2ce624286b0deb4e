"""
What holds under any options and any answers.
"""

from __future__ import annotations

import itertools
from collections import Counter
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from referee.cards import CARDS, SUITS
from referee.notation import cards_text, line_text
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
from referee.rules.deal import Deal, Ending, Status
from referee.rules.game import Game, deck_for
from referee.rules.judge import FAULTS, Code, Ruling, judge
from referee.rules.options import (
    AskGiftRule,
    BidRules,
    BothAtZero,
    BothOverTarget,
    BuckRules,
    JokerDiscard,
    RenegeMode,
    Rules,
    SetMode,
    SetPenalty,
)
from referee.rules.sheet import rule_sheet
from referee.scenario import adjudicate
from referee.seats import SEATS, Seat

if TYPE_CHECKING:
    import random

some = settings(max_examples=150)

small = st.integers(0, 9)
limits = st.none() | st.integers(1, 6)
flags = st.booleans()
common = {
    "renege_penalty": small,
    "renege_mode": st.sampled_from(RenegeMode),
    "false_challenge_penalty": small,
    "first_dealer": st.none() | st.sampled_from(SEATS),
    "max_hands": st.integers(1, 6),
}


@st.composite
def bid_rules(draw: st.DrawFn) -> BidRules:
    """
    Any options of Bid Euchre.
    """
    double = draw(flags)
    made = {}
    if draw(flags):
        made = {"ask_made": draw(small), "moon_made": draw(small)}
    return BidRules(
        double_deck=double,
        min_bid=draw(st.integers(1, 12 if double else 6)),
        target=draw(st.integers(1, 40)),
        moon_outbids_ask=draw(flags),
        plain_all_bid=draw(flags),
        ask_gift_rule=draw(st.sampled_from(AskGiftRule)),
        set_penalty=draw(st.sampled_from(SetPenalty)),
        set_bidders_keep_tricks=draw(flags),
        both_over_target=draw(st.sampled_from(BothOverTarget)),
        stick_the_dealer=draw(flags),
        ace_no_face=draw(flags),
        joker=draw(flags),
        joker_discard=draw(st.sampled_from(JokerDiscard)),
        max_consecutive_redeals=draw(st.integers(1, 6)),
        **made,
        **{name: draw(values) for name, values in common.items()},  # type: ignore[attr-defined]
    )


buck_rules = st.builds(
    BuckRules,
    start_score=st.integers(1, 30),
    club_dealer_picks_up=flags,
    allow_turned_down_suit=flags,
    no_trump_drop_allowed=flags,
    caller_may_drop=flags,
    set_mode=st.sampled_from(SetMode),
    sweep_requires_opponent=flags,
    both_at_zero=st.sampled_from(BothAtZero),
    **common,  # type: ignore[arg-type]
)
any_rules = bid_rules() | buck_rules

EVERYTHING: list[Action] = [
    *(kind() for kind in (Claim, Decline, Pass, BidAsk, BidMoon, Order, Stay, Drop, LastCall)),
    *(Bid(number) for number in range(14)),
    *(kind(suit) for kind in (NameTrump, NameSuit) for suit in SUITS),
    *(kind(card) for kind in (Discard, Give, Play) for card in CARDS),
]
NO_ANSWERS = (Code.TIMEOUT, Code.GONE, Code.UNREADABLE)


def some_answer(deal: Deal, rng: random.Random) -> Answer | Code:
    """
    What a bot might answer: mostly something legal, often a card, at times anything.
    """
    seat = deal.to_act
    assert seat is not None
    dice = rng.random()
    if dice < 0.02:
        return rng.choice(NO_ANSWERS)
    if dice < 0.70:
        action = rng.choice(deal.legal)
    elif dice < 0.93 and deal.hands[seat]:
        action = Play(rng.choice(deal.hands[seat]))
    else:
        action = rng.choice(EVERYTHING)
    if rng.random() < 0.8:
        return Answer(action)
    count = rng.randrange(1, 4)
    return Answer(
        action, tuple(Challenge(rng.choice(SEATS), rng.randrange(7)) for _ in range(count))
    )


def all_cards(deal: Deal) -> Counter[Any]:
    """
    Cards in hands, in tricks, and discarded.
    """
    found = Counter(itertools.chain(*deal.hands, *(trick.cards for trick in deal.tricks)))
    if deal.discarded is not None:
        found[deal.discarded] += 1
    return found


def check_rulings(deal: Deal, seat: Seat, rulings: tuple[Ruling, ...], before: list[int]) -> None:
    """
    Rulings are about who answered, and cost what `changes` says.
    """
    expected = list(before)
    for ruling in rulings:
        assert seat is ruling.seat
        assert ruling.penalty >= 0
        if ruling.code in FAULTS:
            assert 0 == ruling.penalty
            assert ruling.substitute is not None
        payer = ruling.challenged if ruling.code is Code.UPHELD else seat
        assert payer is not None
        expected[deal.side_of[payer]] += deal.bad_points * ruling.penalty
    if deal.status is Status.OPEN:
        assert expected == deal.changes
    assert sum(ruling.code in (Code.RENEGE, Code.STOOD) for ruling in rulings) <= 1


@pytest.mark.slow
@given(rules=any_rules, rng=st.randoms(use_true_random=False))
@some
def test_any_game(rules: Rules, rng: random.Random) -> None:
    """
    Whatever is answered, the game goes on to its end, no card is lost, and points add up.
    """
    game = Game(rules, rng.choice(SEATS))
    while game.outcome is None:
        deck = list(deck_for(rules))
        rng.shuffle(deck)
        deal = game.start_deal(deck)
        whole = Counter(deck)
        answered = 0
        while deal.to_act is not None:
            assert deal.legal
            assert len(set(deal.legal)) == len(deal.legal)
            seat, changes = deal.to_act, list(deal.changes)
            rulings = judge(deal, some_answer(deal, rng))
            check_rulings(deal, seat, rulings, changes)
            assert not all_cards(deal) - whole
            answered += 1
            assert answered < 80
        assert sum(deal.taken) in (0, len(deal.tricks), 5)
        assert rules.renege_mode is RenegeMode.CHALLENGE or not deal.judged
        if rules.renege_mode is RenegeMode.REJECT:
            assert set() == deal.irregular
        game.close(deal)

    assert game.outcome.ending in (Ending.TARGET, Ending.ZERO, Ending.SWEEP, Ending.ADJUDICATED)
    assert game.scored <= 6


@pytest.mark.slow
@given(rules=any_rules, rng=st.randoms(use_true_random=False))
@some
def test_a_scenario_tells_the_same(rules: Rules, rng: random.Random) -> None:
    """
    A deal and its scenario, lines and options through text, come to the same end.
    """
    game = Game(rules, rng.choice(SEATS))
    deck = list(deck_for(rules))
    rng.shuffle(deck)
    deal = game.start_deal(deck)
    lines = []
    rulings = 0
    while deal.to_act is not None:
        answer = some_answer(deal, rng)
        if isinstance(answer, Code):
            answer = Code.TIMEOUT
        elif type(answer.action) not in (*deal.verbs, LastCall) or (
            rules.renege_mode is not RenegeMode.CHALLENGE and type(answer.action) is LastCall
        ):
            answer = Answer(deal.legal[0])
        elif rules.renege_mode is not RenegeMode.CHALLENGE or not isinstance(
            answer.action, Play | LastCall
        ):
            answer = Answer(answer.action)
        lines.append(line_text(deal.to_act, answer))
        rulings += len(judge(deal, answer))
    scenario = {
        "game": rules.game,
        "rules": rules.options(),
        "dealer": deal.dealer.letter,
        "deck": cards_text(deck),
        "actions": lines,
    }

    answer_ = adjudicate(scenario)
    assert list(deal.changes) == list(answer_["change"].values())
    assert list(deal.taken) == list(answer_["taken"].values())
    assert rulings == len(answer_["rulings"])
    assert (game.close(deal) is not None and game.outcome.ending is not Ending.ADJUDICATED) == (  # type: ignore[union-attr]
        answer_["status"] == "game_over"
    )


@pytest.mark.slow
@given(rules=any_rules)
@some
def test_options_come_back(rules: Rules) -> None:
    """
    Any rules are read back from their options, and print within 80 columns.
    """
    assert rules == rules.from_options(rules.options())
    assert rules == rules.from_options(rules.options(every=True))
    assert max(map(len, rule_sheet(rules).splitlines())) <= 80


@pytest.mark.parametrize(
    "alternatives",
    list(itertools.product([False, True], repeat=4)),
    ids=lambda each: "".join("-x"[on] for on in each),
)
def test_all_alternatives_combine(alternatives: tuple[bool, ...], rng: random.Random) -> None:
    """
    The four alternatives of Bid Euchre are played in all 16 combinations (A25, 7.1).
    """
    stick, anf, joker, double = alternatives
    for discard, mode in itertools.product(JokerDiscard, RenegeMode):
        rules = BidRules(
            stick_the_dealer=stick, ace_no_face=anf, joker=joker, double_deck=double,
            joker_discard=discard, renege_mode=mode, max_hands=4,
        )  # fmt: skip
        game = Game(rules, rng.choice(SEATS))
        while game.outcome is None:
            deck = list(deck_for(rules))
            rng.shuffle(deck)
            deal = game.start_deal(deck)
            while deal.to_act is not None:
                judge(deal, some_answer(deal, rng))
            if deal.status is Status.SCORED:
                assert rules.tricks == sum(deal.taken) == len(deal.tricks)
                assert joker == (deal.discarded is not None)
            elif stick:
                assert deal.claimed_hand
            game.close(deal)
