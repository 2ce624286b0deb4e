"""
Leagues whose schedule is not a round robin, played by real bots, killed and resumed.
"""

from __future__ import annotations

import pytest

pytestmark = pytest.mark.slow


@pytest.fixture
def scripts(first, last):
    """
    Five bots, of two kinds.
    """
    return first, last, first, last, last


@pytest.mark.parametrize(
    ("game", "keys", "games"),
    [
        ("bid", {"format": "swiss", "rounds": 2, "sets": 3}, 2 * 2 * 3 * 2),
        ("bid", {"format": "individual", "sets": 1}, 5 * 2),
        ("bid", {"format": "gauntlet", "newcomer": "c", "sets": 2}, 4 * 2 * 2),
        ("buck", {"sample": 2, "sets": 1}, 5 * 4),
    ],
)
def test_a_league_of_five_survives_a_kill_and_can_be_verified(place, scripts, game, keys, games):
    """
    The schedule goes on as it would have: results that are stored decide nothing anew.
    """
    bots_of = dict(zip("abcde", scripts, strict=True))
    count = 2 if game == "bid" and keys.get("format") != "individual" else 1
    bots = [(bot, script, f"instances = {count}") for bot, script in bots_of.items()]
    file = place.league(*bots, game=game, seed="s", tables=1, **keys)
    process = place.start("run", file)
    place.wait(lambda: len(place.stored()) >= games // 3, "a third of the games")
    process.kill()
    process.wait()
    place.nobody_left()
    assert len(place.stored()) < games
    table = place.json("resume", file, "--tables", "8")
    assert games == table["run"]["games"] == len(place.stored()) == len(set(place.stored()))
    assert table == place.json("run", file, "--store", "sqlite:///whole.db", "--tables", "64")
    assert "verified" in place.run("verify").stdout
