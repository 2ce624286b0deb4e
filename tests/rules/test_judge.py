"""
What becomes of answers: fallbacks, the renege modes, challenges, the last call.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from referee.cards import BY_CODE
from referee.errors import RuleViolation
from referee.notation import parse_cards
from referee.rules.actions import (
    Answer,
    Bid,
    Challenge,
    Claim,
    Decline,
    Discard,
    Drop,
    LastCall,
    NameSuit,
    NameTrump,
    Order,
    Pass,
    Play,
)
from referee.rules.bid import BidDeal
from referee.rules.buck import BuckDeal
from referee.rules.deal import Deal, Phase, Status
from referee.rules.judge import FAULTS, Code, Ruling, judge
from referee.rules.options import BidRules, BuckRules
from referee.rules.trump import Trump
from referee.scenario import adjudicate, ruling_row
from referee.seats import Seat

if TYPE_CHECKING:
    from collections.abc import Callable

HANDS = [
    "TC KD AD QH KH QS",
    "QC AC 9D TD JD JS",
    "9C 9H JH AH 9S TS",
    "JC KC QD TH KS AS",
]
N, E, S, W = Seat


def bid_deal(say: Callable[..., list[Ruling]], **options: Any) -> Deal:
    """
    The hand of TR1, S to lead with hearts as trump and a bid of four.
    """
    rules = BidRules.from_options(options)
    deal = BidDeal.from_hands(rules, N, [parse_cards(hand) for hand in HANDS])
    say(deal, ["E bid 3", "S bid 4", "W pass", "N pass", "S trump H"])
    return deal


def play(code: str, *challenges: tuple[Seat, int]) -> Answer:
    """
    An answer that plays a card.
    """
    return Answer(Play(BY_CODE[code]), tuple(Challenge(*each) for each in challenges))


def call(*challenges: tuple[Seat, int]) -> Answer:
    """
    An answer to the last call.
    """
    return Answer(LastCall(), tuple(Challenge(*each) for each in challenges))


def brief(rulings: tuple[Ruling, ...]) -> list[tuple[Any, ...]]:
    """
    Code, seat and penalty of each ruling.
    """
    return [(each.code.value, each.seat, each.penalty) for each in rulings]


def test_what_is_legal_is_not_ruled(say: Callable[..., list[Ruling]]) -> None:
    """
    A legal answer has no ruling.
    """
    assert () == judge(bid_deal(say), play("9C"))


@pytest.mark.parametrize("code", ["KS", "AC", "XX"], ids=["held", "not held", "no such card"])
def test_reject(say: Callable[..., list[Ruling]], code: str) -> None:
    """
    A card that may not be played is refused, charged at once, and replaced by the first legal one.
    """
    deal = bid_deal(say)
    judge(deal, play("9C"))
    (ruling,) = judge(deal, play(code))

    assert (Code.RENEGE, W, 2, BY_CODE[code], Play(BY_CODE["JC"])) == ruling[:5]
    assert [0, -2] == deal.changes
    assert parse_cards("9C JC") == deal.tricks[0].cards
    assert set() == deal.irregular
    assert N is deal.to_act


def test_stand(say: Callable[..., list[Ruling]]) -> None:
    """
    A held card stands, counts in the trick, and is charged at once; the trick goes by it.
    """
    deal = bid_deal(say, renege_mode="stand", renege_penalty=5)
    judge(deal, play("9C"))
    (ruling,) = judge(deal, play("TH"))
    judge(deal, play("TC"))
    judge(deal, play("AC"))

    assert (Code.STOOD, W, 5, BY_CODE["TH"], None) == ruling[:5]
    assert [0, -5] == deal.changes
    assert W is deal.tricks[0].winner
    assert {(W, 1)} == deal.irregular


@pytest.mark.parametrize("mode", ["stand", "challenge"])
def test_a_card_not_held_never_stands(say: Callable[..., list[Ruling]], mode: str) -> None:
    """
    A card not held is handled as in `reject`, whatever the mode (7.2).
    """
    deal = bid_deal(say, renege_mode=mode)
    judge(deal, play("9C"))

    assert [("renege", W, 2)] == brief(judge(deal, play("AC")))
    assert set() == deal.irregular


def test_challenge_mode_is_silent(say: Callable[..., list[Ruling]]) -> None:
    """
    In mode `challenge` a held card stands without a ruling and without a charge.
    """
    deal = bid_deal(say, renege_mode="challenge")
    judge(deal, play("9C"))

    assert () == judge(deal, play("TH"))
    assert [0, 0] == deal.changes
    assert {(W, 1)} == deal.irregular


def test_challenges_in_order(say: Callable[..., list[Ruling]]) -> None:
    """
    Challenges are judged once a play, in the order given, before the card of their answer.
    """
    deal = bid_deal(say, renege_mode="challenge", renege_penalty=3, false_challenge_penalty=1)
    judge(deal, play("9C"))
    judge(deal, play("TH"))  # a renege
    rulings = judge(deal, play("AS", (W, 1), (W, 1), (E, 1), (S, 1), (N, 1), (W, 2), (W, 0)))

    assert [
        ("upheld", N, 3),
        ("void_challenge", N, 0),  # judged already
        ("void_challenge", N, 0),  # has not played yet
        ("void_challenge", N, 0),  # the partner
        ("void_challenge", N, 0),  # the challenger
        ("void_challenge", N, 0),  # no such trick yet
        ("void_challenge", N, 0),
        ("renege", N, 3),  # and N does not hold the ace of spades
    ] == brief(rulings)
    assert [-3, -3] == deal.changes
    judge(deal, play("AC", (N, 1), (S, 1)))

    # N's card was the referee's, and S led: both were legal (7.5/54).
    assert [-3, -5] == deal.changes


def test_a_void_challenge_leaves_the_play_open(say: Callable[..., list[Ruling]]) -> None:
    """
    Only a judgement closes a play: one that was void may be repeated (7.5/55).
    """
    deal = bid_deal(say, renege_mode="challenge")
    judge(deal, play("9C", (W, 1)))
    judge(deal, play("TH"))

    assert [("upheld", N, 2)] == brief(judge(deal, play("TC", (W, 1))))


def test_challenges_are_heard_beside_fitting_answers_only(
    say: Callable[..., list[Ruling]],
) -> None:
    """
    Beside a pass, or `call` at a play question, challenges are not judged (7.5/53).
    """
    deal = bid_deal(say, renege_mode="challenge")
    judge(deal, play("9C"))
    judge(deal, play("TH"))

    assert [("illegal", N, 0)] == brief(judge(deal, call((W, 1))))
    assert set() == deal.judged


@pytest.mark.parametrize("mode", ["reject", "stand"])
def test_challenges_mean_nothing_in_other_modes(
    say: Callable[..., list[Ruling]], mode: str
) -> None:
    """
    Outside mode `challenge` nobody hears a challenge.
    """
    deal = bid_deal(say, renege_mode=mode)
    judge(deal, play("9C"))

    assert () == judge(deal, play("JC", (S, 1)))
    assert [0, 0] == deal.changes


def test_the_last_call(say: Callable[..., list[Ruling]]) -> None:
    """
    After the last trick each active seat is asked, its leader first, and then the deal is scored.
    """
    deal = bid_deal(say, renege_mode="challenge")
    judge(deal, play("9C"))
    judge(deal, play("TH"))
    while deal.phase is Phase.PLAY:
        judge(deal, Answer(deal.legal[0]))
    leader = deal.tricks[-1].leader
    asked = []
    while deal.to_act is not None:
        assert Phase.LAST_CALL is deal.phase
        assert (LastCall(),) == deal.legal
        assert Status.OPEN is deal.status
        asked.append(deal.to_act)
        judge(deal, call((W, 1)) if deal.to_act is N else call())

    assert [leader, leader.left, leader.left.left, leader.left.left.left] == asked
    assert {(W, 1)} == deal.judged
    assert Status.SCORED is deal.status


def test_the_last_call_of_two() -> None:
    """
    Who has dropped gets no last call; nor does a walkover have one (7.5/6).
    """
    scenario = {
        "game": "buck",
        "rules": {"renege_mode": "challenge"},
        "dealer": "N",
        "hands": {
            "N": "QC AC 9D JH TH", "E": "TC JD QD QH JS",
            "S": "KD 9S QS KS AS", "W": "JC AD 9H 9C AH",
        },
        "turn_up": "KH",
    }  # fmt: skip
    passes = [f"{seat} pass" for seat in "ESWNESWN"]
    two = adjudicate(
        {
            **scenario,
            "actions": [*passes, "E drop", "S stay", "W drop", "N stay"]
            + [f"{seat} timeout" for _ in range(10) for seat in "SN"],
        }
    )
    alone = adjudicate({**scenario, "actions": [*passes, "E drop", "S stay", "W drop", "N drop"]})

    # Five tricks of two cards and two last calls, of the leader first.
    timeouts = [each for each in two["rulings"] if each["ruling"] == "timeout"]
    assert 12 == len(timeouts)
    assert ["call", "call"] == [each["substitute"] for each in timeouts[-2:]]
    assert two["tricks"][-1]["leader"] == timeouts[-2]["seat"]
    assert "awaiting" != alone["status"]


@pytest.mark.parametrize("code", [Code.TIMEOUT, Code.GONE, Code.UNREADABLE])
def test_no_answer(say: Callable[..., list[Ruling]], code: Code) -> None:
    """
    Where there is no answer the fallback is played, for no points; it is a fault.
    """
    deal = bid_deal(say)
    (ruling,) = judge(deal, code)

    assert (code, S, 0, None, Play(BY_CODE["9C"])) == ruling[:5]
    assert [0, 0] == deal.changes
    assert code in FAULTS


def test_reneges_are_no_faults() -> None:
    """
    A renege is priced in points and never counts towards a forfeit (2.13).
    """
    assert {Code.ILLEGAL, Code.TIMEOUT, Code.UNREADABLE, Code.GONE} == FAULTS


@pytest.mark.parametrize("action", [Pass(), Bid(3), Discard(BY_CODE["9C"]), LastCall(), Drop()])
def test_other_verbs_in_play_are_no_reneges(say: Callable[..., list[Ruling]], action: Any) -> None:
    """
    Only `play CARD` at a play question can be a renege (7.5/4).
    """
    deal = bid_deal(say)

    assert [("illegal", S, 0)] == brief(judge(deal, Answer(action)))
    assert parse_cards("9C") == deal.tricks[0].cards


def test_a_deal_that_is_over_judges_nothing() -> None:
    """
    When nobody is on turn there is nothing to judge.
    """
    deal = BidDeal.from_hands(BidRules(), N, [parse_cards(hand) for hand in HANDS])
    for _ in range(4):
        judge(deal, Answer(Pass()))
    assert Status.REDEAL is deal.status
    for answer in (Answer(Pass()), Code.TIMEOUT):
        with pytest.raises((ValueError, RuleViolation)):
            judge(deal, answer)


FALLBACKS: dict[str, tuple[Callable[[], Deal], Any]] = {
    "claim": (
        lambda: BidDeal.from_hands(
            BidRules(ace_no_face=True),
            W,
            [parse_cards(hand) for hand in ["9C TC 9D TD 9S AH", *HANDS[1:]]],
        ),
        Decline(),
    ),
    "joker_discard": (
        lambda: BidDeal.from_hands(
            BidRules(joker=True),
            N,
            [parse_cards(hand) for hand in ["QS KH QH AD KD XX TC", *HANDS[1:]]],
        ),
        Discard(BY_CODE["TC"]),
    ),
    "auction": (
        lambda: BidDeal.from_hands(BidRules(), N, [parse_cards(hand) for hand in HANDS]),
        Pass(),
    ),
    "call_1": (
        lambda: BuckDeal(BuckRules(), N, BuckDeal.deck(BuckRules())),
        Pass(),
    ),
}


@pytest.mark.parametrize("name", FALLBACKS)
def test_fallbacks(name: str) -> None:
    """
    At each question the fallback is that of 2.13 and 3.10.
    """
    make, expected = FALLBACKS[name]
    deal = make()

    assert name == deal.phase
    assert expected is deal.fallback()


def test_the_fallback_of_a_stuck_dealer() -> None:
    """
    A stuck dealer falls back on the lowest legal bid; without numbers that is an ask (7.5/22).
    """
    for min_bid, expected in ((3, "bid 3"), (6, "ask")):
        rules = BidRules(stick_the_dealer=True, min_bid=min_bid)
        deal = BidDeal.from_hands(rules, N, [parse_cards(hand) for hand in HANDS])
        for _ in range(3):
            judge(deal, Code.TIMEOUT)
        judge(deal, Code.TIMEOUT)

        assert expected == str(deal.contract and deal.contract.bid)
        assert NameTrump(BY_CODE["9C"].suit) is deal.fallback()  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("turn_up", "hand", "discard"),
    [
        ("TH", "9D JD QH KH AH", "9D"),
        ("TH", "9H JD QH KH AH", "JD"),  # the left bower is trump too (7.5/51)
        ("TH", "9H JD QH KH 9S", "9S"),
    ],
)
def test_the_fallback_of_the_dealer_s_discard(turn_up: str, hand: str, discard: str) -> None:
    """
    The dealer discards the first card that is not trump, else the first.
    """
    rest = [
        card for card in BuckDeal.deck(BuckRules()) if card.code not in {*hand.split(), turn_up}
    ]
    hands = [parse_cards(hand), rest[:5], rest[5:10], rest[10:15]]
    deal = BuckDeal.from_hands(BuckRules(), N, hands, BY_CODE[turn_up])
    deal.apply(Order())

    assert Discard(BY_CODE[discard]) is deal.fallback()


def test_the_fallback_of_the_drop_round() -> None:
    """
    Who does not answer drops, the caller included where the caller may (7.5/19).
    """
    rules = BuckRules(caller_may_drop=True)
    deal = BuckDeal(rules, N, BuckDeal.deck(rules))
    deal.apply(Order())
    deal.apply(deal.fallback())
    assert Phase.DROP is deal.phase
    for _ in range(4):
        assert Drop() is deal.fallback()
        judge(deal, Code.TIMEOUT)

    assert (Status.SCORED, [0] * 4, ()) == (deal.status, deal.changes, deal.participants)
    assert deal.contract is not None


def test_rows_have_the_keys_of_their_kind() -> None:
    """
    A ruling prints with the keys of 7.5/46 and no other.
    """
    card, instead = BY_CODE["KS"], Play(BY_CODE["JC"])
    rows = {
        Code.RENEGE: Ruling(Code.RENEGE, W, 0, card, instead),
        Code.STOOD: Ruling(Code.STOOD, W, 0, card),
        Code.ILLEGAL: Ruling(Code.ILLEGAL, W, substitute=Pass(), tried=Claim(), why="no"),
        Code.TIMEOUT: Ruling(Code.TIMEOUT, W, substitute=Pass()),
        Code.UPHELD: Ruling(Code.UPHELD, W, 0, challenged=N, trick=2),
        Code.FALSE_CHALLENGE: Ruling(Code.FALSE_CHALLENGE, W, 2, challenged=N, trick=2),
        Code.VOID_CHALLENGE: Ruling(Code.VOID_CHALLENGE, W, challenged=N, trick=0),
    }
    keys = {
        Code.RENEGE: {"card", "penalty", "substitute"},
        Code.STOOD: {"card", "penalty"},
        Code.ILLEGAL: {"substitute"},
        Code.TIMEOUT: {"substitute"},
        Code.UPHELD: {"challenged", "trick", "penalty"},
        Code.FALSE_CHALLENGE: {"challenged", "trick", "penalty"},
        Code.VOID_CHALLENGE: {"challenged", "trick"},
    }
    for code, ruling in rows.items():
        assert keys[code] | {"index", "seat", "ruling"} == set(ruling_row(4, ruling))


def test_reasons() -> None:
    """
    A violation says why, so that a person can act on it.
    """
    bid = BidDeal.from_hands(
        BidRules(stick_the_dealer=True), N, [parse_cards(hand) for hand in HANDS]
    )
    said = []

    def refuse(deal: Deal, action: Any) -> None:
        with pytest.raises(RuleViolation) as caught:
            deal.apply(action)
        said.append(str(caught.value))

    refuse(bid, Play(BY_CODE["9C"]))
    refuse(bid, Bid(2))
    bid.apply(Pass())
    bid.apply(Pass())
    bid.apply(Pass())
    refuse(bid, Pass())
    bid.apply(Bid(5))
    refuse(bid, Pass())
    bid.apply(NameTrump(BY_CODE["9H"].suit))  # type: ignore[arg-type]
    assert Trump.HEARTS is bid.trump
    refuse(bid, Play(BY_CODE["9C"]))
    bid.apply(Play(BY_CODE["QS"]))
    refuse(bid, Play(BY_CODE["QC"]))
    buck = BuckDeal(BuckRules(), N, BuckDeal.deck(BuckRules()))
    for _ in range(4):
        buck.apply(Pass())
    refuse(buck, NameSuit(BY_CODE["9S"].suit))  # type: ignore[arg-type]
    refuse(buck, Drop())

    assert [
        "the question was to bid or to pass",
        "a bid here is one of 3, 4, 5, ask, moon",
        "the dealer must bid after three passes",
        "the question was to name a trump suit",
        "9C was not held",
        "spades were led and could be followed",
        "spades were turned down",
        "the question was to name a suit or to pass",
    ] == said
