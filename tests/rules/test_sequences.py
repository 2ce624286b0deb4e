"""
Legality of actions in sequence: Q01 to Q32 and S37 to S40 of rules.md, and the gifts G01 to G07.
"""

from __future__ import annotations

from typing import Any

import pytest

from referee.cards import SUIT_BY_LETTER
from referee.notation import parse_cards
from referee.rules.actions import BidAsk, Give, NameTrump, Pass
from referee.rules.bid import BidDeal
from referee.rules.options import BidRules
from referee.rules.trump import Trump, best_trump
from referee.scenario import adjudicate
from referee.seats import SEATS, Seat

BID: dict[str, Any] = {
    "game": "bid",
    "dealer": "N",
    "hands": {
        "N": "TC KD AD QH KH QS",
        "E": "QC AC 9D TD JD JS",
        "S": "9C 9H JH AH 9S TS",
        "W": "JC KC QD TH KS AS",
    },
}
JOKER = {
    **BID,
    "rules": {"joker": True},
    "hands": {**BID["hands"], "N": "TC KD AD QH KH QS XX"},
}
STICK = {**BID, "rules": {"stick_the_dealer": True}}
CLAIM = {
    **BID,
    "rules": {"ace_no_face": True},
    "hands": {
        "N": "JC KD JD QH KH QS",
        "E": "QC AC 9S QD JH KC",
        "S": "AH AS 9C TC 9D TD",
        "W": "AD JS TH KS TS 9H",
    },
}
BUCK: dict[str, Any] = {
    "game": "buck",
    "dealer": "N",
    "hands": {
        "N": "QC AC 9D JH TH",
        "E": "TC JD QD QH JS",
        "S": "KD 9S QS KS AS",
        "W": "JC AD 9H 9C AH",
    },
    "turn_up": "KH",
}
CLUB = {**BUCK, "hands": {**BUCK["hands"], "W": "JC AD 9H KH AH"}, "turn_up": "9C"}

FOUR = ["E pass", "S bid 4", "W pass", "N pass"]
FOUR_HEARTS = [*FOUR, "S trump H"]
ASK = ["E pass", "S ask", "W pass", "N pass"]
MOON = ["E pass", "S moon"]
PASSES = [f"{seat} pass" for seat in "ESWN"]

CASES: dict[str, tuple[dict[str, Any], list[str], str | None]] = {
    # What the last action is ruled to be; None if it is in order.
    "Q01 the dealer does not bid first": (BID, ["N bid 3"], "out_of_turn"),
    "Q02 an equal bid": (BID, ["E bid 4", "S bid 4"], "illegal"),
    "Q03 over the partner": (BID, ["E bid 3", "S pass", "W bid 5"], None),
    "Q04 below the lowest": (BID, ["E bid 2"], "illegal"),
    "Q05 one turn each": (BID, [*FOUR, "E bid 5"], "out_of_turn"),
    "Q06 nobody is asked over a moon": (BID, ["E moon", "S pass"], "out_of_turn"),
    "Q07 the partner names trump": (BID, [*FOUR, "N trump H"], "out_of_turn"),
    "Q09 another leads": (BID, [*FOUR_HEARTS, "W play JC"], "out_of_turn"),
    "Q10 a gift before trump": (BID, [*ASK, "S give 9C"], "illegal"),
    "Q11 a card before the exchange": (BID, [*ASK, "S trump H", "S play 9C"], "illegal"),
    "Q12 the partner of an ask plays": (
        BID,
        [*ASK, "S trump H", "S give 9C", "N give KH", "N play TC"],
        "out_of_turn",
    ),
    "Q12 the partner of a moon plays": (
        BID,
        [*MOON, "S trump H", "S play 9C", "W play JC", "N play TC"],
        "out_of_turn",
    ),
    "Q13 a gift in a moon": (BID, [*MOON, "S trump H", "S give 9C"], "illegal"),
    "Q14 a moon goes on when it has failed": (
        BID,
        [*MOON, "S trump H", "S play 9C", "W play KC", "E play AC", "E play AC"],
        "renege",
    ),
    "Q15 no raise after the auction": (BID, ["E bid 4", *PASSES[1:], "E moon"], "illegal"),
    "Q16 no claim in the auction": (
        CLAIM,
        ["S decline", "E bid 3", "S pass", "W claim"],
        "illegal",
    ),
    "Q17 no bid before the discard": (JOKER, ["E bid 3"], "out_of_turn"),
    "Q18 the Joker may be discarded": (JOKER, ["N discard XX"], None),
    "Q19 the dealer is stuck": (STICK, [*PASSES[:3], "N pass"], "illegal"),
    "Q20 a renege": (BID, [*FOUR_HEARTS, "S play 9C", "W play KS"], "renege"),
    "Q21 no calls on a club": (CLUB, ["E order"], "illegal"),
    "Q21 no passes on a club": (CLUB, ["E pass"], "illegal"),
    "Q21 no drops on a club": (CLUB, ["E drop"], "illegal"),
    "Q22 the round is over": (BUCK, ["E pass", "S order", "W order"], "out_of_turn"),
    "Q23 the card just taken": (BUCK, ["E pass", "S order", "N discard KH"], None),
    "Q24 the suit turned down": (BUCK, [*PASSES, "E name H"], "illegal"),
    "Q24 with the option": (
        {**BUCK, "rules": {"allow_turned_down_suit": True}},
        [*PASSES, "E name H"],
        None,
    ),
    "Q25 clubs may be named": (BUCK, [*PASSES, "E name C"], None),
    "Q25 and then dropping is allowed": (BUCK, [*PASSES, "E name C", "S drop"], None),
    "Q26 the caller stays": (BUCK, [*PASSES, "E name C", "E drop"], "out_of_turn"),
    "Q27 the dealer may drop after picking up": (
        BUCK,
        ["E pass", "S order", "N discard KH", "E stay", "W stay", "N drop"],
        None,
    ),
    "Q28 the dealer's left decides first": (BUCK, [*PASSES, "W pass", "S drop"], "out_of_turn"),
    "Q30 dropping without trump": (BUCK, [*PASSES, *PASSES, "E drop"], None),
    "Q31 who has dropped plays no card": (
        BUCK,
        [*PASSES, *PASSES, "E drop", "S stay", "W stay", "N stay", "E play TC"],
        "out_of_turn",
    ),
    "Q32 the dealer may pass in the second round": (BUCK, [*PASSES, *PASSES], None),
}


@pytest.mark.parametrize("name", CASES)
def test_legality(name: str) -> None:
    """
    The last action is ruled as the table of 5.8 says.
    """
    scenario, actions, expected = CASES[name]

    rulings = adjudicate({**scenario, "actions": actions})["rulings"]

    last = [each["ruling"] for each in rulings if each["index"] == len(actions) - 1]
    assert [expected] * (expected is not None) == last


def test_q08_no_trump_cannot_be_named() -> None:
    """
    The bidder chooses among four suits.
    """
    answer = adjudicate({**BID, "actions": FOUR})

    assert ["trump C", "trump D", "trump H", "trump S"] == answer["to_act"]["legal"]


@pytest.mark.parametrize(("stays", "leader"), [("SWN", "S"), ("WN", "W"), ("SN", "S"), ("EN", "E")])
def test_q29_the_first_participant_leads(stays: str, leader: str) -> None:
    """
    The first seat in, from the dealer's left, leads (A34).
    """
    drops = [f"{seat} {'stay' if seat in stays else 'drop'}" for seat in "ESWN"]
    answer = adjudicate({**BUCK, "actions": [*PASSES, *PASSES, *drops]})

    assert (leader, "play") == (answer["to_act"]["seat"], answer["to_act"]["phase"])


def test_s37_four_passes() -> None:
    """
    Four passes: no score, and the deal passes to the left.
    """
    answer = adjudicate({**BID, "scores": {"NS": 3, "EW": 4}, "actions": PASSES})

    assert ("redeal", "E", {"NS": 3, "EW": 4}) == (
        answer["status"],
        answer["next_dealer"],
        answer["scores"],
    )


def test_s38_a_claim() -> None:
    """
    A claim: no score, the hands are still there, and the deal passes to the left.
    """
    answer = adjudicate({**CLAIM, "actions": ["S claim"]})

    assert ("redeal", "E", "9C TC 9D TD AH AS") == (
        answer["status"],
        answer["next_dealer"],
        answer["hands"]["S"],
    )


def test_s39_a_stuck_dealer_plays() -> None:
    """
    The dealer who was stuck names trump and leads.
    """
    answer = adjudicate({**STICK, "actions": [*PASSES[:3], "N bid 3", "N trump S"]})

    assert ("N", "play") == (answer["to_act"]["seat"], answer["to_act"]["phase"])
    assert {"seat": "N", "bid": "3"} == answer["contract"]


def test_s40_a_moon_scores_24_in_all() -> None:
    """
    A moon that is made earns 24, not 24 and 6.
    """
    hands = {"S": "9H TH KH AH JD JH", "W": "9C TC QC 9D TD QD", "N": "JC KC AC KD AD QH",
             "E": "9S TS JS QS KS AS"}  # fmt: skip
    cards = ["JH", "JD", "AH", "KH", "TH", "9H"]
    plays = []
    for card, west, east in zip(cards, hands["W"].split(), hands["E"].split(), strict=True):
        plays += [f"S play {card}", f"W play {west}", f"E play {east}"]
    answer = adjudicate({**BID, "hands": hands, "actions": [*MOON, "S trump H", *plays]})

    assert [] == answer["rulings"]
    assert {"NS": 24, "EW": 0} == answer["change"]


GIFTS = {
    "G01": ("H", "QH JD AS KC 9C TD", "JD", {}),
    "G02": ("H", "AH KH 9H AS AC AD", "AH", {}),
    "G03": ("H", "AS KC 9C TD JS QC", "9C QC KC TD JS AS", {}),
    "G04": ("S", "JS JC AS 9D TD KD", "JS", {}),
    "G05": ("C", "XX JC AC 9D TD KD", "XX", {"joker": True}),
    "G06": ("H", "JD JD AH 9C 9C TC TC QC QC KC KC AC", "JD", {"double_deck": True}),
    "G07": ("H", "QH JD AS KC 9C TD", "9C KC TD JD QH AS", {"ask_gift_rule": "free"}),
}


@pytest.mark.parametrize("name", GIFTS)
def test_gifts(name: str) -> None:
    """
    The partner may give what the table of 5.7 says.
    """
    suit, hand, legal, options = GIFTS[name]
    rules = BidRules.from_options(options)
    deal = BidDeal(rules, Seat.WEST, BidDeal.deck(rules))
    deal.hands[Seat.SOUTH] = sorted(parse_cards(hand))
    if rules.joker:
        deal.apply(deal.legal[0])
    for action in (BidAsk(), Pass(), Pass(), Pass()):
        deal.apply(action)
    deal.apply(NameTrump(SUIT_BY_LETTER[suit]))
    deal.apply(deal.legal[0])

    assert [Give(card) for card in parse_cards(legal)] == list(deal.legal)
    assert Seat.SOUTH is deal.to_act


def test_without_trump_there_is_no_best() -> None:
    """
    A hand without a trump has no best one, nor has an empty hand.
    """
    assert None is best_trump(parse_cards("AS KC"), Trump.HEARTS)
    assert None is best_trump([], Trump.HEARTS)
    assert None is best_trump(parse_cards("AS KC"), Trump.NONE)


@pytest.mark.parametrize("bidder", SEATS)
def test_the_exchange_is_known_to_two(bidder: Seat) -> None:
    """
    Both cards change hands together, when both are chosen; sizes stay.
    """
    rules = BidRules()
    deal = BidDeal(rules, bidder.left.left.left, BidDeal.deck(rules))
    deal.apply(BidAsk())
    for _ in range(3):
        deal.apply(Pass())
    deal.apply(deal.legal[0])
    before = [list(hand) for hand in deal.hands]
    deal.apply(deal.legal[0])
    assert before == deal.hands
    assert [bidder] == list(deal.given)
    deal.apply(deal.legal[0])

    given, gift = deal.given[bidder], deal.given[bidder.partner]
    assert sorted([*(c for c in before[bidder] if c is not given), gift]) == deal.hands[bidder]
    assert given in deal.hands[bidder.partner]
    assert [6] * 4 == list(map(len, deal.hands))
