"""
What storing costs: games with their records, a batch in a transaction, into a file.

The benchmark of the wire says what the referee needs for a decision over gRPC
(`..._server_us`); what storing adds is `us_per_decision`, thread and disk included.

    python tests/bench/bench_store.py [SECONDS]
"""

from __future__ import annotations

import itertools
import random
import sys
import tempfile
import time
from typing import TYPE_CHECKING

from referee.hall import FinishedGame
from referee.opening import open_table
from referee.rules.actions import Answer
from tournaments import files
from tournaments.games import game_row
from tournaments.pairing import fixtures
from tournaments.store import NewGame, Store

if TYPE_CHECKING:
    from tournaments.pairing import Fixture

_SECRET = bytes(32)
_GAMES = 256
_BATCH = 32
"""Games in a transaction, about as many as come up while one is written."""


def measure(seconds: float = 1.5) -> dict[str, float]:
    """
    Return what storing a game costs in processor time, and a decision of it.
    """
    text = '[league]\nid = "bench"\ngame = "bid"\nsets = 1000000\n[rules]\nmax_hands = 12\n'
    text += "".join(f'[[bots]]\nid = "{bot}"\ncommand = ["x"]\n' for bot in "ab")
    league = files.parse(text, "bench.toml")
    schedule = fixtures(league)
    rng = random.Random(1)
    played = [_played(rng, fixture, league.rules) for fixture in itertools.islice(schedule, _GAMES)]
    decisions = sum(len(deal.entries) for game in played for deal in game.record.deals) / _GAMES
    stored = 0
    with (
        tempfile.TemporaryDirectory() as folder,
        Store.open(f"sqlite:///{folder}/bench.db") as store,
    ):
        run = store.new_run(league, text=text, secret=_SECRET, commitment="")
        games = zip(fixtures(league), itertools.cycle(played), strict=False)
        began, used = time.perf_counter(), time.process_time()
        while time.perf_counter() - began < seconds:
            batch = [
                NewGame(game_row(fixture, game), game.record.to_json())
                for fixture, game in itertools.islice(games, _BATCH)
            ]
            stored += sum(store.add_games(run, batch))
        used, took = time.process_time() - used, time.perf_counter() - began
    return {
        "games_per_second": stored / took,
        "us_per_game": used / stored * 1e6,
        "decisions_per_game": decisions,
        "us_per_decision": used / stored / decisions * 1e6,
    }


def _played(rng: random.Random, fixture: Fixture, rules: object) -> FinishedGame:
    table = open_table(rules, _SECRET, fixture.set_id, seats=fixture.seats)  # type: ignore[arg-type]
    table.start()
    while table.question is not None:
        table.answer(Answer(rng.choice(table.question.legal)))
    return FinishedGame.at(table)


def main() -> None:
    """
    Print what was measured.
    """
    for name, value in measure(float(sys.argv[1]) if len(sys.argv) > 1 else 1.5).items():
        print(f"{name:28}{value:12,.2f}")  # noqa: T201


if __name__ == "__main__":
    main()
