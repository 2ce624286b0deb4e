"""
A told game says what happened: its steps add up to what the referee wrote down.
"""

from __future__ import annotations

from collections import Counter

import pytest

from referee.replay import steps
from tournaments.report.telling import pretty, side_name, tell

CASES = [
    ("bid", "reject"),
    ("bid", "stand"),
    ("bid", "challenge"),
    ("buck", "reject"),
    ("buck", "challenge"),
]


def add_up(told: dict) -> dict:
    """
    Add the steps of a deal up, as the page does.
    """
    hands = [Counter(hand.split()) for hand in told["hands"]]
    played, taken, rulings, changes = 0, Counter(), [], None
    for step in told["steps"]:
        for seat, cards in step.get("h", {}).items():
            hands[int(seat)] = Counter(cards.split())
        rulings += step.get("r", [])
        changes = step.get("c", changes)
        if "p" in step:
            assert hands[step["s"]][step["p"]] > 0, "a card is played out of a hand"
            hands[step["s"]] -= Counter([step["p"]])
            played += 1
        if "w" in step:
            taken[step["w"]] += 1
    return {
        "hands": hands,
        "played": played,
        "taken": taken,
        "rulings": rulings,
        "changes": changes,
    }


@pytest.mark.parametrize(("game", "mode"), CASES)
@pytest.mark.parametrize("rng", [1, 2, 3])
def test_steps_add_up_to_the_game(play, game: str, mode: str, rng: int) -> None:
    """
    Hands, tricks, rulings, points and scores are those of the replayed table, deal by deal.
    """
    played = play(game, mode, rng=rng, sets=3, hands=6)
    limit = played.league.limits.faults_to_forfeit
    for row in played.store.games(played.run):
        record = played.store.record(played.run, row.fixture)
        told = tell(record, played.run.secret, faults_to_forfeit=limit)
        deals = []
        for table in steps(record, played.run.secret, faults_to_forfeit=limit):
            if not deals or deals[-1] is not table.deal:
                deals.append(table.deal)
        assert len(deals) == len(told["deals"]) == len(record["deals"])
        assert list(row.scores) == told["scores"]
        for deal, each, log in zip(deals, told["deals"], record["deals"], strict=True):
            sums = add_up(each)
            assert [Counter(map(str, hand)) for hand in deal.hands] == sums["hands"]
            assert sum(len(trick.cards) for trick in deal.tricks) == sums["played"]
            winners = Counter(t.winner.value for t in deal.tricks if t.winner is not None)
            assert winners == sums["taken"]
            assert len(log["rulings"]) == len(sums["rulings"])
            if log["changes"] and not log["redeal"]:
                assert log["changes"] == sums["changes"]
            dealt = Counter(" ".join(each["hands"]).split())
            assert dealt <= Counter(dict.fromkeys(dealt, 1))
            sizes = [len(hand.split()) for hand in each["hands"]]
            assert max(sizes) - min(sizes) <= 1, "nobody had played when the hands were taken"


def test_the_end_is_told(play) -> None:
    """
    The last step of a deal that was played out says what it is worth, and a game who has won.
    """
    played = play("bid", "reject", sets=1, hands=2, rng=5)
    [row, *_] = played.store.games(played.run)
    record = played.store.record(played.run, row.fixture)
    told = tell(record, played.run.secret, faults_to_forfeit=3)
    over = [deal["steps"][-1]["t"] for deal in told["deals"] if deal["steps"][-1].get("e")]
    assert over
    assert all(text.startswith(("The deal is over", "Everybody passed", "An Ace")) for text in over)
    assert "won" in told["end"]


def test_words_of_cards_and_sides() -> None:
    """
    Codes become signs that are drawn as text; words that look like codes stay.
    """
    assert "West reneged with 10♥\ufe0e: EAST, S2" == pretty("West reneged with TH: EAST, S2")
    assert ["North\N{EN DASH}South", "West"] == [side_name("NS"), side_name("W")]
