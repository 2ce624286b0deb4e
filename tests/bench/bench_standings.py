"""
How long the standings of a large store take, and going on with a large run.

The stores are made up: 100,000 games of a Bid league of ten bots whose table is read as
`league standings` does, and 50,000 of which `league resume` finds out which are missing.
Each game carries a record as large as real ones are, which nobody reads here.

    python tests/bench/bench_standings.py
"""

from __future__ import annotations

import io
import random
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

from referee.shuffle import commitment
from tournaments import files
from tournaments.commands import _left, _so_far
from tournaments.games import GameRow
from tournaments.pairing import count, fixtures
from tournaments.progress import Progress
from tournaments.reading import league_of, standings_of
from tournaments.runs import check_same
from tournaments.standings import render
from tournaments.store import NewGame, Store

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tournaments.league import League
    from tournaments.pairing import Fixture

STORED = 100_000
RESUMED = 50_000
BOTS = 10
_SECRET = bytes(32)
_BATCH = 5000
_RECORD = 1100
"""Bytes of a made-up record before it is packed, which cannot make it smaller."""


def measure(seconds: float) -> dict[str, float]:
    """
    Return seconds by name. Each is measured once, however many *seconds* are asked for.
    """
    del seconds
    with tempfile.TemporaryDirectory() as folder:
        url = f"sqlite:///{Path(folder) / 'bench.db'}"
        text = league_text(STORED)
        fill(url, text, STORED)
        standings = _standings(url)
    with tempfile.TemporaryDirectory() as folder:
        url = f"sqlite:///{Path(folder) / 'bench.db'}"
        text = league_text(RESUMED)
        fill(url, text, RESUMED - 1)
        resume = _resume(url, text)
    return {
        f"seconds to the standings of {STORED:,} games": standings,
        f"seconds to go on after {RESUMED - 1:,} games": resume,
    }


def league_text(games: int) -> str:
    """
    Return a league file that has so many *games*, or a few more.
    """
    pairs = BOTS * (BOTS - 1) // 2
    sets = -(-games // (2 * pairs))
    text = f'[league]\nid = "bench"\ngame = "bid"\nsets = {sets}\n'
    return text + "".join(f'[[bots]]\nid = "bot{n}"\ncommand = ["x"]\n' for n in range(BOTS))


def fill(url: str, text: str, games: int) -> None:
    """
    Store the first *games* of a league, as if they had been played.
    """
    league = files.parse(text, "bench.toml")
    with Store.open(url) as store:
        run = store.new_run(league, text=text, secret=_SECRET, commitment=commitment(_SECRET))
        batch = []
        for game in _games(league, games):
            batch.append(game)
            if len(batch) == _BATCH:
                store.add_games(run, batch)
                batch = []
        store.add_games(run, batch)


def _games(league: League, games: int) -> Iterator[NewGame]:
    rng = random.Random("games")
    record = {"noise": rng.randbytes(_RECORD).hex()}
    for _, fixture in zip(range(games), fixtures(league), strict=False):
        yield NewGame(_row(rng, fixture), record)


def _row(rng: random.Random, fixture: Fixture) -> GameRow:
    won = rng.randrange(2)
    scores = (32, rng.randrange(-40, 32))
    return GameRow(
        fixture=fixture.id,
        match_id=fixture.match_id,
        set_id=fixture.set_id,
        sitting=fixture.sitting,
        seats=fixture.seats,
        instances=tuple(f"{bot}-{seat}" for seat, bot in enumerate(fixture.seats)),
        ending="target",
        scores=scores[::-1] if won else scores,
        winners=(won,),
        places=(2, 1) if won else (1, 2),
        # As many buckets as the decisions of a small bot fall into.
        times=tuple(
            tuple(each for b in range(6, 15) for each in (b, rng.randrange(1, 30)))
            for _ in fixture.seats
        ),
    )


def _standings(url: str) -> float:
    began = time.perf_counter()
    with Store.open(url, create=False) as store:
        run = store.run(1)
        text = render(standings_of(league_of(run), store, run))
    spent = time.perf_counter() - began
    assert f"{STORED} of" in text
    return spent


def _resume(url: str, text: str) -> float:
    """
    Find the first game that is still to be played, as `league resume` does.
    """
    began = time.perf_counter()
    league = files.parse(text, "bench.toml")
    with Store.open(url, create=False) as store, store.lock(league.id):
        run = store.run(1)
        league = check_same(run, league, "bench.toml")
        done = store.played_ids(run)
        progress = Progress(io.StringIO(), count(league), len(done))
        first = next(_left(league, done, _so_far(league, store, run), progress))
    spent = time.perf_counter() - began
    assert first.id not in done
    assert count(league) > len(done) == RESUMED - 1
    return spent


if __name__ == "__main__":
    for what, value in measure(0).items():
        print(f"{what:45} {value:8.2f}")  # noqa: T201
