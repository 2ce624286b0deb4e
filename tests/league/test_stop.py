"""
Matches that a test ends early, in leagues that are really played.
"""

from __future__ import annotations

import json

import pytest

pytestmark = pytest.mark.slow

STOP = "[stop]\nlow = -0.5\nhigh = 0.5\nmin_sets = 5"
SETS = 16

PROMPT = """
import trio
from tournaments.runner import Runner
real, begun = Runner._play_one, []
async def play_one(self, fixture, played):
    while self.stored < len(begun):
        await trio.sleep(0.001)
    begun.append(fixture)
    await real(self, fixture, played)
Runner._play_one = play_one
"""
"""Put before a program at one table, it stores each game before the next begins.

A slow disk would let it play more that does not count."""


@pytest.fixture
def file(place, first, samples):
    """
    A bot that bids what it can make against one that bids three, and one that passes.
    """
    passes = place.bot(
        "passes",
        "    def auction(self, ask):\n        return ask.auction.legal_bids[0]\n",
    )
    scripts = {"good": samples / "cautious.py", "three": first, "passes": passes}
    bots = [(bot, script, "instances = 2") for bot, script in scripts.items()]
    return place.league(*bots, sets=SETS, hands=2, rest=STOP)


def test_what_counts_is_the_same_at_any_number_of_tables(place, file, backends, store_url):
    """
    At 1, 8 and 64 tables: the same standings, though more games may be played at 64.

    Hash seeds and databases do not show either.
    """
    found, played = [], []
    for tables, hashes, patch in (("1", "0", PROMPT), ("8", "1", None), ("64", "2", None)):
        store = f"{tables}.db"
        url = ("--store", f"sqlite:///{store}")
        if tables == "8" and "postgresql" in backends:
            store = store_url("postgresql")
            url = ("--store", store)
        options = ("--seed", "s", "--tables", tables, *url)
        env = {"PYTHONHASHSEED": hashes}
        found.append(place.json("run", file, *options, env=env, patch=patch))
        played.append(len(place.stored(store)))
    assert "verified: " in place.run("verify", file, *url).stdout
    place.run("export", file, *url, "--output", "games.jsonl")
    assert "verified: " in place.run("verify", "games.jsonl", program="referee").stdout
    lines = (place.path / "games.jsonl").read_text().splitlines()
    assert len(lines) == 2 + played[-1]
    assert found[0] == found[1] == found[2]

    (table, *_) = found
    stops = {pair["stopped"] for pair in table["pairs"]} - {None}
    assert stops
    assert all(5 <= stop < SETS for stop in stops)
    assert table["run"]["games"] == table["run"]["scheduled"] < 3 * 2 * SETS
    # With one table nothing is played that does not count, but for the sitting at its side.
    assert played[0] <= table["run"]["games"] + 3
    assert table["run"]["games"] <= min(played)
    assert table["run"]["secret"] is not None
    assert any(note.startswith("Ended early: ") for note in table["notes"])

    # A resumed run has nothing left to do, and a game that counts must not be missing.
    place.run("resume", file, "--seed", "s", "--store", "sqlite:///1.db")
    assert played[0] == len(place.stored("1.db"))
    counted = next(n for n, line in enumerate(lines) if json.loads(line).get("fixture"))
    short = lines[:counted] + lines[counted + 1 :]
    (place.path / "short.jsonl").write_text("\n".join(short) + "\n")
    done = place.run("verify", "short.jsonl", program="referee", code=1)
    assert "stands where the schedule has" in done.stderr


def test_an_interrupted_run_ends_the_same(place, file):
    """
    Killed on the way and resumed: the standings of a run that was not.
    """
    expected = place.json("run", file, "--seed", "s", "--store", "sqlite:///whole.db")
    process = place.start("run", file, "--seed", "s", "--tables", "8")
    place.wait(lambda: len(place.stored()) > 20, "twenty games are stored")
    process.kill()
    process.wait()
    place.nobody_left()
    assert expected == place.json("resume", file, "--seed", "s")
