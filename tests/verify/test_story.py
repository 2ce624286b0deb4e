"""
`league show` tells every game, also those that ended badly.
"""

from __future__ import annotations

from referee.replay import steps
from referee.rules.deal import Status
from referee.story import story


def test_games_cut_short_are_told(play) -> None:
    """
    A forfeit may end a game by the very answer that ends a deal, which is then not scored.
    """
    played = play("bid", "challenge", sets=3, hands=4, rng=5)
    cut = 0
    for row in played.store.games(played.run):
        record = played.store.record(played.run, row.fixture)
        text = story(record, played.run.secret, "NESW", faults_to_forfeit=3)
        assert len(record["deals"]) == text.count("\nDeal ")
        *_, table = steps(record, played.run.secret, faults_to_forfeit=3)
        cut += table.deal.status is Status.SCORED and not record["deals"][-1]["scores"]
    assert cut, "none was cut short so"
