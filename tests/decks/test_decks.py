"""
Two implementations in two languages, and the vectors that both must reproduce.
"""

from __future__ import annotations

import json
import re

from make_vectors import COUNT, VECTORS, answers, questions

from referee.opening import open_table
from referee.rules.options import BidRules
from referee.shuffle import commitment, secret_from_seed

DOCUMENT = VECTORS.parents[2] / "docs" / "shuffle.md"
ANSWER = ("commitment", "first_dealer", "deck")
HEADER, *ROWS = map(json.loads, VECTORS.read_text().splitlines())


def derived(row) -> dict[str, str]:
    """
    Answer *row* with the code that deals in leagues: a table opened as a fixture says.
    """
    secret = bytes.fromhex(row["secret"]) if "secret" in row else secret_from_seed(row["seed"])
    cards = row["cards"]
    rules = BidRules(double_deck=cards >= 48, joker=cards % 24 == 1)
    table = open_table(rules, secret, row["set"], disguise=row["disguise"])
    return {
        "commitment": commitment(secret),
        "first_dealer": table.game.dealer.letter,
        "deck": " ".join(card.code for card in table._deck(row["deal"])),
    }


def test_the_vectors_cover_everything() -> None:
    """
    A thousand decks of each size, in each disguise, of seeds and secrets, none twice.
    """
    assert COUNT == len(ROWS) == len({row["deck"] for row in ROWS})
    assert {24, 25, 48, 49} == {row["cards"] for row in ROWS}
    assert set(range(8)) == {row["disguise"] for row in ROWS}
    assert set("NESW") == {row["first_dealer"] for row in ROWS}
    assert any("seed" in row for row in ROWS)
    assert any(row["deal"] >= 2**31 for row in ROWS)
    assert questions() == [{key: row[key] for key in row if key not in ANSWER} for row in ROWS]


def test_node_reproduces_them() -> None:
    """
    The program written from docs/shuffle.md alone. Without Node this fails: nothing is skipped.
    """
    expected = [{key: row[key] for key in ANSWER} for row in ROWS]

    assert expected == answers(questions())


def test_the_referee_reproduces_them() -> None:
    """
    The code that deals in leagues.
    """
    for row in ROWS:
        assert {key: row[key] for key in ANSWER} == derived(row)


def test_the_examples_of_the_document() -> None:
    """
    What docs/shuffle.md shows in words is so.
    """
    blocks = re.findall(r"^```text\n(.*?)^```", DOCUMENT.read_text(), re.MULTILINE | re.DOTALL)
    examples = [
        dict(re.findall(r"^(\w[\w ]*?)  +(\S.*(?:\n {4,}\S.*)*)$", block, re.MULTILINE))
        for block in blocks
    ]
    assert 3 == len(examples)
    for example in examples:
        row = {
            "seed": example["seed"],
            "set": example["set"],
            "deal": int(example["deal"]),
            "cards": int(example["cards"]),
            "disguise": int(example["disguise"]),
        }
        expected = {
            "commitment": example["commitment"],
            "first_dealer": example["first dealer"],
            "deck": " ".join(example["deck"].split()),
        }
        assert expected == derived(row)
        assert [expected] == answers([row])
