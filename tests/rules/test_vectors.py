"""
Worked examples and the judgements of other programs (tests/vectors/PROVENANCE.md).
"""

from __future__ import annotations

import gzip
import itertools
import json
from pathlib import Path
from typing import Any

import pytest

from referee.cards import BY_CODE, CARDS, DECK, Card
from referee.rules.actions import Bid, BidAsk, BidMoon, Pass
from referee.rules.bid import BidDeal, may_claim
from referee.rules.buck import BuckDeal
from referee.rules.deal import Contract, Ending, Phase
from referee.rules.game import Game, Outcome
from referee.rules.options import BidRules, BuckRules
from referee.rules.tricks import legal_follows, legal_leads, winner
from referee.rules.trump import Trump
from referee.seats import SEATS, Seat

VECTORS = Path(__file__).parent.parent / "vectors"
WORKED = json.loads((VECTORS / "rules_vectors.json").read_text())
TRUMPS = {trump.letter: trump for trump in Trump} | {None: Trump.NONE}


def rows(name: str) -> Any:
    """
    Parametrise a test by the rows of one table.
    """
    table = WORKED[name]
    ids = [row.get("id", f"N0{place}") for place, row in enumerate(table, 1)]
    return pytest.mark.parametrize("row", table, ids=ids)


def lines(name: str) -> list[dict[str, Any]]:
    """
    The rows of a file with one JSON object a line, without its header.
    """
    return [json.loads(line) for line in (VECTORS / name).read_text().splitlines()[1:]]


def cards(codes: list[str]) -> list[Card]:
    """
    Cards from their codes.
    """
    return [BY_CODE[code] for code in codes]


def bid_of(text: str) -> Bid | BidAsk | BidMoon:
    """
    A bid as the vectors write it.
    """
    return {"ask": BidAsk(), "moon": BidMoon()}.get(text) or Bid(int(text))


@rows("bid_scoring")
def test_bid_scoring(row: dict[str, Any]) -> None:
    """
    A deal of Bid Euchre is worth what the table of 5.1 says, and the game ends as it says.
    """
    rules = BidRules.from_options(row["options"])
    game = Game(rules, Seat.WEST)
    game.scores = list(row["start"])
    deal = game.start_deal(BidDeal.deck(rules))
    deal.contract = Contract(Seat.SOUTH, bid_of(row["bid"]))
    deal.taken = list(row["tricks"])
    for side, count in enumerate(row["reneges"]):
        for _ in range(count):
            deal.penalise(side, rules.renege_penalty)
    deal._finish()

    outcome = game.close(deal)

    assert row["change"] == deal.changes
    assert row["end"] == game.scores
    if row["result"] in ("B wins", "D wins"):
        side = "BD".index(row["result"][0])
        assert Outcome(Ending.TARGET, (side,), (1 + side, 2 - side)) == outcome
    else:
        assert row["result"] in ("continue", "tie->another hand")
        assert outcome is None


@rows("buck_scoring")
def test_buck_scoring(row: dict[str, Any]) -> None:
    """
    A deal of Buck Euchre is worth what the table of 5.2 says, and the game ends as it says.
    """
    rules = BuckRules.from_options(row["options"])
    game = Game(rules, Seat.WEST)
    game.scores = list(row["start"])
    deal = game.start_deal(BuckDeal.deck(rules))
    assert isinstance(deal, BuckDeal)
    if row["caller"] is not None:
        deal.contract = Contract(Seat(row["caller"]), None)
    deal.participants = tuple(seat for seat in SEATS if row["state"][seat] == "in")
    for side, count in enumerate(row["reneges"]):
        for _ in range(count):
            deal.penalise(side, rules.renege_penalty)
    if len(deal.participants) > 1:
        deal.taken = list(row["tricks"])
        deal._finish()
    else:
        deal._next_drop(deal.dealer)

    outcome = game.close(deal)

    assert row["change"] == deal.changes
    assert row["end"] == game.scores
    who, wins, *how = row["result"].partition(" wins")
    if wins:
        assert outcome is not None
        assert (deal.side_names.index(who),) == outcome.winners
        assert ("sweep" if how[0] else "zero") == outcome.ending
    else:
        assert outcome is None


@rows("legal_bids")
def test_legal_bids(row: dict[str, Any]) -> None:
    """
    Whoever may bid may bid what the table of 5.3 says; with nothing stronger left nobody is asked.
    """
    options = dict(row["options"])
    if row["id"] == "M11":
        options["double_deck"] = True
    rules = BidRules.from_options(options)
    deal = BidDeal(rules, Seat.NORTH, BidDeal.deck(rules))
    dealer_speaks = "dealer to speak" in row["case"]
    if row["high"] is not None:
        deal.apply(bid_of(row["high"]))
    while dealer_speaks and deal.to_act is not deal.dealer:
        deal.apply(Pass())

    if row["legal"] == ["pass"]:  # M06, M07: 7.5/7
        assert Phase.TRUMP is deal.phase
    else:
        legal = [str(action).removeprefix("bid ") for action in deal.legal]
        assert sorted(row["legal"]) == sorted(legal)


@rows("legal_cards")
def test_legal_cards(row: dict[str, Any]) -> None:
    """
    The cards that may be played are those of the table of 5.4.
    """
    hand = sorted(cards(row["hand"]))
    if row["led"] is None:
        legal = legal_leads(hand)
    else:
        legal = legal_follows(hand, BY_CODE[row["led"]], TRUMPS[row["trump"]])

    assert sorted(f"play {code}" for code in row["legal"]) == sorted(map(str, legal))


@rows("trick_winner")
def test_trick_winner(row: dict[str, Any]) -> None:
    """
    A trick is taken by the card of the table of 5.5.
    """
    assert row["winner_index"] == winner(cards(row["cards"]), TRUMPS[row["trump"]])


@rows("ace_no_face")
def test_ace_no_face(row: dict[str, Any]) -> None:
    """
    A hand may be claimed as the table of 5.6 says.
    """
    assert row["claim"] == may_claim(cards(row["hand"]))


@pytest.mark.parametrize("name", ["openspiel_tricks.jsonl", "double_deck_tricks.jsonl"])
def test_another_program_agrees(name: str) -> None:
    """
    Another program takes the same tricks and allows the same cards.
    """
    for row in lines(name):
        trump = TRUMPS[row["trump"]]
        if row["t"] == "trick":
            assert row["winner"] == winner(cards(row["cards"]), trump), row
        else:
            legal = legal_follows(sorted(cards(row["hand"])), BY_CODE[row["led"]], trump)
            assert {f"play {code}" for code in row["legal"]} == set(map(str, legal)), row
            assert len(legal) == len(set(legal)), row


@pytest.mark.slow
def test_every_trick() -> None:
    """
    All 1,070,928 ordered tricks of two, three and four cards are taken as in OpenSpiel.
    """
    by_number = [CARDS[6 * suit + rank] for rank in range(6) for suit in range(4)]
    assert set(DECK) == set(by_number)
    checked = 0
    with gzip.open(VECTORS / "openspiel_trick_exhaustive.txt.gz", "rt") as file:
        next(file)
        for line in file:
            letter, count, digits = line.split()
            trump = TRUMPS[letter]
            tricks = itertools.permutations(by_number, int(count))
            found = "".join([str(winner(trick, trump)) for trick in tricks])
            assert digits == found, (letter, count)
            checked += len(digits)

    assert 4 * (24 * 23 + 24 * 23 * 22 + 24 * 23 * 22 * 21) == checked
