"""
The complete hands of rules.md 5.9, card by card.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from referee.notation import cards_text, parse_cards
from referee.rules.deal import Phase
from referee.rules.game import Game
from referee.rules.variants import find_variant
from referee.seats import BY_LETTER, SEATS

if TYPE_CHECKING:
    from collections.abc import Callable

TRACES: dict[str, dict[str, Any]] = {
    "TR1": {
        "game": "bid",
        "dealer": "N",
        "deck": "AC 9S KS QH TD JH AS QS 9D TS TH KH JD 9C QD AD QC AH JC TC JS 9H KC KD",
        "hands": [
            "TC KD AD QH KH QS",
            "QC AC 9D TD JD JS",
            "9C 9H JH AH 9S TS",
            "JC KC QD TH KS AS",
        ],
        "said": ["E bid 3", "S bid 4", "W pass", "N pass", "S trump H"],
        "tricks": [
            "S:9C W:JC N:TC E:QC > E",
            "E:AC S:9H W:KC N:KD > S",
            "S:JH W:TH N:QH E:JD > S",
            "S:AH W:QD N:KH E:9D > S",
            "S:9S W:KS N:QS E:JS > W",
            "W:AS N:AD E:TD S:TS > W",
        ],
        "taken": [3, 3],
        "changes": [-4, 3],
    },
    "TR2": {
        "game": "bid",
        "dealer": "W",
        "deck": "JH 9D KC 9C TS 9H TH QD QS AC KH TC KS 9S QC AH JC KD AS TD JS AD JD QH",
        "hands": [
            "JC JH TS JS QS KS",
            "AC 9D KD AD 9H 9S",
            "QC KC JD TH KH AS",
            "9C TC TD QD QH AH",
        ],
        "said": [
            "N ask",
            "E pass",
            "S pass",
            "W pass",
            "N trump S",
            "N give JH",
            "S give AS",
        ],
        "tricks": [
            "N:JC E:9S W:9C > N",
            "N:TS E:AC W:TC > N",
            "N:JS E:9D W:TD > N",
            "N:QS E:KD W:QD > N",
            "N:KS E:AD W:QH > N",
            "N:AS E:9H W:AH > N",
        ],
        "taken": [6, 0],
        "changes": [12, 0],
    },
    "TR3": {
        "game": "bid",
        "dealer": "W",
        "deck": "KS TD AH JC KC KD TH AC QC AD AS JH KH QS TS JS 9S JD TC QH QD 9D 9C 9H",
        "hands": [
            "QC KC QD KH 9S KS",
            "9D TD JD KD AD QS",
            "9C TC TH AH TS AS",
            "JC AC 9H JH QH JS",
        ],
        "said": [
            "N pass",
            "E ask",
            "S pass",
            "W pass",
            "E trump D",
            "E give QS",
            "W give JH",
        ],
        "tricks": [
            "E:9D S:9C N:QD > N",
            "N:QC E:TD S:TC > E",
            "E:JD S:TH N:KC > E",
            "E:KD S:AH N:KH > E",
            "E:AD S:TS N:9S > E",
            "E:JH S:AS N:KS > E",
        ],
        "taken": [1, 5],
        "changes": [1, -6],
    },
    "TR4": {
        "game": "buck",
        "dealer": "N",
        "deck": "JS TC KD KS TH 9H KH 9D JD QH QD 9S QS AS AH JC AD QC AC JH TS 9C TD KC",
        "hands": ["QC AC 9D JH KH", "TC JD QD QH JS", "KD 9S QS KS AS", "JC AD 9H TH AH"],
        "said": ["E pass", "S order", "N discard 9D", "E drop", "W stay", "N stay"],
        "tricks": [
            "S:KD W:AD N:QC > W",
            "W:JC N:TS S:9S > W",
            "W:9H N:JH S:QS > S",
            "S:KS W:TH N:AC > S",
            "S:AS W:AH N:KH > S",
        ],
        "taken": [0, 0, 3, 2],
        "changes": [5, 0, -3, -2],
    },
    "TR5": {
        "game": "buck",
        "dealer": "N",
        "deck": "9D KH QS JH TC AC TS KD QD TH AS 9H QC JD JS KS 9C JC QH AD KC AH 9S TD",
        "hands": ["JC KD AD QH TS", "9D QD TH KH AS", "QC JD 9H JH QS", "9C TC AC JS KS"],
        "said": [],
        "tricks": [
            "E:9D S:JD W:9C N:KD > W",
            "W:TC N:JC E:QD S:QC > N",
            "N:AD E:TH S:9H W:AC > W",
            "W:JS N:QH E:KH S:JH > W",
            "W:KS N:TS E:AS S:QS > E",
        ],
        "taken": [1, 1, 0, 3],
        "changes": [-1, -1, 5, -3],
    },
    "TR6": {
        "game": "buck",
        "dealer": "N",
        "deck": "JC 9S TD QS TS KH AS KD TH AH 9H AC KS 9D JD 9C QH JS QC AD JH KC QD TC",
        "hands": ["QC KD AD JS AS", "JC 9H TH AH 9S", "AC 9D TD QS KS", "9C JD QH KH TS"],
        "said": [f"{seat} pass" for seat in "ESWNESWN"] + ["E drop", "S stay", "W stay", "N stay"],
        "tricks": [
            "S:AC W:9C N:QC > S",
            "S:9D W:JD N:KD > N",
            "N:AD S:TD W:QH > N",
            "N:JS S:QS W:TS > S",
            "S:KS W:KH N:AS > N",
        ],
        "taken": [3, 0, 2, 0],
        "changes": [-3, 0, -2, 5],
    },
}


@pytest.mark.parametrize("name", TRACES)
def test_trace(name: str, say: Callable[..., list[Any]]) -> None:
    """
    With everybody playing the first legal card, each trick falls as written down.
    """
    trace = TRACES[name]
    game = Game(find_variant(f"{trace['game']}/standard"), BY_LETTER[trace["dealer"]])
    start = game.scores
    deal = game.start_deal(parse_cards(trace["deck"]))
    assert trace["hands"] == [cards_text(deal.hands[seat]) for seat in SEATS]

    assert [] == say(deal, trace["said"])
    assert Phase.PLAY is deal.phase
    while deal.to_act is not None:
        deal.apply(deal.legal[0])

    assert trace["tricks"] == [
        " ".join(f"{seat}:{card}" for seat, card in zip(trick.seats, trick.cards, strict=True))
        + f" > {trick.winner}"
        for trick in deal.tricks
    ]
    assert trace["taken"] == deal.taken
    assert trace["changes"] == deal.changes
    assert None is game.close(deal)
    assert [a + b for a, b in zip(start, trace["changes"], strict=True)] == game.scores
    assert BY_LETTER[trace["dealer"]].left is game.dealer
