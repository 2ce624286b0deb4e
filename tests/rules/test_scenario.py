"""
Adjudication of scenarios: 430 answers of another program, the rules' own example, errors.
"""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import pytest

from referee.errors import ScenarioError
from referee.scenario import adjudicate, adjudicate_text

SCENARIOS = [
    json.loads(line)
    for line in (Path(__file__).parent.parent / "vectors" / "scenarios.jsonl")
    .read_text()
    .splitlines()[1:]
]

EXAMPLE: dict[str, Any] = {
    "game": "bid",
    "rules": {"stick_the_dealer": True},
    "scores": {"NS": 10, "EW": 7},
    "dealer": "N",
    "deck": "AC 9S KS QH TD JH AS QS 9D TS TH KH JD 9C QD AD QC AH JC TC JS 9H KC KD",
    "actions": ["E bid 3", "S bid 4", "W pass", "N pass", "S trump H", "S play 9C"],
}

BUCK: dict[str, Any] = {
    "game": "buck",
    "dealer": "N",
    "hands": {
        "N": "QC AC 9D JH KH",
        "E": "TC JD QD QH JS",
        "S": "KD 9S QS KS AS",
        "W": "JC AD 9H TH AH",
    },
    "turn_up": "TS",
}

NO_DECK = {key: value for key, value in EXAMPLE.items() if key != "deck"}
BID_HANDS = {
    "N": "TC KD AD QH KH QS",
    "E": "QC AC 9D TD JD JS",
    "S": "9C 9H JH AH 9S TS",
    "W": "JC KC QD TH KS AS",
}


@pytest.mark.parametrize("row", SCENARIOS, ids=[f"line{n}" for n in range(2, len(SCENARIOS) + 2)])
def test_another_program_agrees(row: dict[str, Any]) -> None:
    """
    The answer is equal to that of another program; where that is an error, so is ours.
    """
    expected = row["answer"]
    before = copy.deepcopy(row["scenario"])
    if "error" in expected:
        with pytest.raises(ScenarioError):
            adjudicate(row["scenario"])
    else:
        answer = adjudicate(row["scenario"])

        assert expected == answer
        assert answer == json.loads(json.dumps(answer))
    assert before == row["scenario"]


def test_the_example_of_the_rules() -> None:
    """
    The scenario of 7.4 has the answer of 7.4, with its keys in that order.
    """
    answer = adjudicate(EXAMPLE)

    assert {
        "status": "awaiting",
        "to_act": {"seat": "W", "phase": "play", "legal": ["play JC", "play KC"]},
        "hands": {
            "N": "TC KD AD QH KH QS",
            "E": "QC AC 9D TD JD JS",
            "S": "9H JH AH 9S TS",
            "W": "JC KC QD TH KS AS",
        },
        "trump": "H",
        "contract": {"seat": "S", "bid": "4"},
        "tricks": [{"leader": "S", "cards": ["S 9C"], "winner": None}],
        "taken": {"NS": 0, "EW": 0},
        "rulings": [],
        "change": {"NS": 0, "EW": 0},
        "scores": {"NS": 10, "EW": 7},
        "winner": None,
        "ending": None,
        "next_dealer": None,
    } == answer
    assert [
        "status", "to_act", "hands", "trump", "contract", "tricks", "taken", "rulings", "change",
        "scores", "winner", "ending", "next_dealer",
    ] == list(answer)  # fmt: skip


def test_its_renege() -> None:
    """
    The renege of 7.5/2 is ruled as printed there.
    """
    answer = adjudicate({**EXAMPLE, "actions": [*EXAMPLE["actions"], "W play KS"]})

    assert [
        {
            "index": 6,
            "seat": "W",
            "ruling": "renege",
            "card": "KS",
            "penalty": 2,
            "substitute": "play JC",
        }
    ] == answer["rulings"]
    assert {"NS": 0, "EW": -2} == answer["change"]
    assert {"NS": 10, "EW": 5} == answer["scores"]


def test_hands_are_the_same_as_their_deck() -> None:
    """
    A scenario with hands gets the answer of the deck that deals them.
    """
    assert adjudicate(EXAMPLE) == adjudicate({**NO_DECK, "hands": BID_HANDS})


def test_buck_has_in() -> None:
    """
    Buck's answers list who has not dropped, at every status (7.5/31, 38).
    """
    assert ["N", "E", "S", "W"] == adjudicate(BUCK)["in"]
    dropped = adjudicate({**BUCK, "actions": ["E pass", "S order", "N discard 9D", "E drop"]})
    assert ["N", "S", "W"] == dropped["in"]
    assert {"seat": "S"} == dropped["contract"]


def test_lexical_form() -> None:
    """
    Further spaces between words and at the ends mean nothing (7.5/26).
    """
    spaced = {
        **EXAMPLE,
        "deck": "  " + EXAMPLE["deck"].replace(" ", "   "),
        "actions": [f" {line.replace(' ', '  ')} " for line in EXAMPLE["actions"]],
    }

    assert adjudicate(EXAMPLE) == adjudicate(spaced)


@pytest.mark.parametrize(
    ("place", "change"),
    [
        ("extra", {"extra": 1}),
        ("game", {"game": "poker"}),
        ("game", {"game": ["bid"]}),
        ("dealer", {"dealer": "n"}),
        ("dealer", {"dealer": {}}),
        ("rules", {"rules": None}),
        ("rules.min_bid", {"rules": {"min_bid": 7}}),
        ("rules.max_hands", {"rules": {"max_hands": "none"}}),
        ("rules.max_hands", {"rules": {"max_hands": 0}}),
        ("rules.target", {"rules": {"target": 32.0}}),
        ("rules.target", {"rules": {"target": True}}),
        ("rules.target", {"rules": {"target": 1_000_001}}),
        ("rules.ask_made", {"rules": {"ask_made": None}}),
        ("rules.moon_made", {"rules": {"moon_made": -1}}),
        ("rules.renege_mode", {"rules": {"renege_mode": "forfeit_hand"}}),
        ("rules.renege_mode", {"rules": {"renege_mode": []}}),
        ("rules.start_score", {"rules": {"start_score": 25}}),
        ("rules.auction", {"rules": {"auction": "single_round"}}),
        ("rules.first_dealer", {"rules": {"first_dealer": "X"}}),
        ("scores", {"scores": None}),
        ("scores.N", {"scores": {"N": 3}}),
        ("scores.NS", {"scores": {"NS": 1_000_001}}),
        ("scores.NS", {"scores": {"NS": True}}),
        ("deck", {"deck": EXAMPLE["deck"][:-3]}),
        ("deck", {"deck": EXAMPLE["deck"].replace("AC", "XX")}),
        ("deck", {"deck": EXAMPLE["deck"].replace("AC", "9S")}),
        ("deck", {"deck": EXAMPLE["deck"].replace(" ", "\t")}),
        ("deck", {"deck": EXAMPLE["deck"].lower()}),
        ("deck", {"deck": EXAMPLE["deck"].split()}),
        ("hands", {"hands": BID_HANDS}),
        ("turn_up", {"turn_up": "9C"}),
        ("actions", {"actions": "E pass"}),
        ("actions[0]", {"actions": [None]}),
        ("actions[0]", {"actions": [""]}),
        ("actions[0]", {"actions": ["E"]}),
        ("actions[0]", {"actions": ["E bid"]}),
        ("actions[0]", {"actions": ["E bid 03"]}),
        ("actions[0]", {"actions": ["E bid +3"]}),
        ("actions[0]", {"actions": ["E bid 10000"]}),
        ("actions[0]", {"actions": ["E bid \u0663"]}),
        ("actions[0]", {"actions": ["E bid 3 4"]}),
        ("actions[0]", {"actions": ["E\tpass"]}),
        ("actions[0]", {"actions": ["E pass\n"]}),
        ("actions[0]", {"actions": ["e pass"]}),
        ("actions[0]", {"actions": ["E Pass"]}),
        ("actions[0]", {"actions": ["E order"]}),
        ("actions[0]", {"actions": ["E call"]}),
        ("actions[0]", {"actions": ["E trump none"]}),
        ("actions[0]", {"actions": ["E play 1C"]}),
        ("actions[0]", {"actions": ["E timeout 3"]}),
        ("actions[0]", {"actions": ["E play 9C challenge N 1"]}),
        ("actions[7]", {"actions": ["E pass"] * 7 + ["E leap"]}),
    ],
)
def test_malformed(place: str, change: dict[str, Any]) -> None:
    """
    A malformed scenario is refused, and the error names the place.
    """
    with pytest.raises(ScenarioError) as caught:
        adjudicate({**EXAMPLE, **change})

    assert place == caught.value.place
    assert f"{place}: {caught.value.why}" == str(caught.value)


@pytest.mark.parametrize(
    ("place", "scenario"),
    [
        ("scenario", []),
        ("scenario", None),
        ("game", {}),
        ("dealer", {"game": "bid"}),
        ("deck", NO_DECK),
        ("turn_up", {**NO_DECK, "hands": BID_HANDS, "turn_up": "9C"}),
        ("hands", {**NO_DECK, "hands": []}),
        ("hands.N", {**NO_DECK, "hands": {k: v for k, v in BID_HANDS.items() if k != "N"}}),
        ("hands.X", {**NO_DECK, "hands": {**BID_HANDS, "X": ""}}),
        ("hands.W", {**NO_DECK, "hands": {**BID_HANDS, "W": "TC KC QD TH KS AS"}}),
        ("hands.N", {**NO_DECK, "rules": {"joker": True}, "hands": BID_HANDS}),
        ("turn_up", {key: value for key, value in BUCK.items() if key != "turn_up"}),
        ("turn_up", {**BUCK, "turn_up": "QC"}),
        ("turn_up", {**BUCK, "turn_up": "TS TD"}),
        ("turn_up", {**BUCK, "turn_up": None}),
        ("hands", {**BUCK, "deck": EXAMPLE["deck"]}),
        (
            "turn_up",
            {"game": "buck", "dealer": "N", "turn_up": "TS", "deck": EXAMPLE["deck"]},
        ),
        ("actions[0]", {**BUCK, "actions": ["E bid 3"]}),
        ("actions[0]", {**BUCK, "actions": ["E name X"]}),
        (
            "actions[0]",
            {**BUCK, "rules": {"renege_mode": "challenge"}, "actions": ["E play 9C challenge N"]},
        ),
        (
            "actions[0]",
            {**BUCK, "rules": {"renege_mode": "challenge"}, "actions": ["E call N 1"]},
        ),
        (
            "actions[0]",
            {**BUCK, "rules": {"renege_mode": "challenge"}, "actions": ["E pass challenge N 1"]},
        ),
    ],
)
def test_malformed_as_a_whole(place: str, scenario: object) -> None:
    """
    A scenario without what it needs, or with what it may not have, is refused.
    """
    with pytest.raises(ScenarioError) as caught:
        adjudicate(scenario)

    assert place == caught.value.place


@pytest.mark.parametrize(
    "line", ["E bid 0", "E bid 2", "E bid 99", "E claim", "E play XX", "E give 9C", "E discard XX"]
)
def test_illegal_is_not_malformed(line: str) -> None:
    """
    What is in the notation gets a ruling, however illegal (7.5/27, 29).
    """
    answer = adjudicate({**EXAMPLE, "actions": [line]})

    assert [{"index": 0, "seat": "E", "ruling": "illegal", "substitute": "pass"}] == answer[
        "rulings"
    ]


def test_a_card_that_is_not_in_the_deck_is_a_renege() -> None:
    """
    `play XX` without a Joker is a card not held (7.5/29).
    """
    answer = adjudicate({**EXAMPLE, "actions": [*EXAMPLE["actions"], "W play XX"]})

    assert "renege" == answer["rulings"][0]["ruling"]


def test_text() -> None:
    """
    JSON text is adjudicated like what it holds.
    """
    assert adjudicate(EXAMPLE) == adjudicate_text(json.dumps(EXAMPLE))


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        '{"game": "bid", "game": "bid"}',
        json.dumps(EXAMPLE).replace('"scores": {"NS": 10,', '"scores": {"NS": 10, "NS": 10,'),
        json.dumps(EXAMPLE).replace('"NS": 10', '"NS": NaN'),
        "[" * 100_000,
        '{"scores": ' + "9" * 5000 + "}",
    ],
    ids=["empty", "open", "twice", "twice inside", "nan", "deep", "long"],
)
def test_text_that_is_no_scenario(text: str) -> None:
    """
    Text that is no JSON, or has a key twice, is malformed (7.5/26).
    """
    with pytest.raises(ScenarioError):
        adjudicate_text(text)
