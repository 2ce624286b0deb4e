"""
How fast a league is verified, and how fast scenarios are adjudicated, on one core.

Verifying reads an export as `referee verify` does, from text to what it says. The
leagues are of random bots that answer badly now and then: one of Bid, one of Buck.

    python tests/bench/bench_verify.py [SECONDS]
"""

from __future__ import annotations

import json
import random
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

from referee.errors import ScenarioError
from referee.hall import FinishedGame
from referee.opening import open_table
from referee.rules.actions import Answer
from referee.rules.judge import Code
from referee.scenario import adjudicate_text
from referee.shuffle import commitment
from tournaments import files
from tournaments.exporting import export, text_of
from tournaments.games import game_row
from tournaments.pairing import fixtures
from tournaments.store import NewGame, Store
from tournaments.verifying import verify_lines

if TYPE_CHECKING:
    from tournaments.league import League
    from tournaments.pairing import Fixture

_SCENARIOS = Path(__file__).parents[1] / "vectors" / "scenarios.jsonl"
_SECRET = bytes(32)
_HANDS = 12
"""Deals of a game, about as many as games between bots that bid well have."""


def made(game: str, sets: int = 25) -> list[str]:
    """
    Return the export of a league of *game*.
    """
    text = f'[league]\nid = "bench"\ngame = "{game}"\nsets = {sets}\n'
    text += f"[rules]\nmax_hands = {_HANDS}\n"
    for bot in "ab" if game == "bid" else "abcd":
        text += f'[[bots]]\nid = "{bot}"\ncommand = ["x"]\n'
    league = files.parse(text, "bench.toml")
    rng = random.Random(game)
    with Store.open("sqlite://") as store:
        run = store.new_run(league, text=text, secret=_SECRET, commitment=commitment(_SECRET))
        store.add_games(run, [_played(rng, league, fixture) for fixture in fixtures(league)])
        store.finish(run)
        return [text_of(line) for line in export(store, store.run(run.number))]


def _played(rng: random.Random, league: League, fixture: Fixture) -> NewGame:
    table = open_table(
        league.rules,
        _SECRET,
        fixture.set_id,
        sitting=fixture.sitting,
        disguise=fixture.disguise,
        seats=fixture.seats,
    )
    table.start()
    while table.question is not None:
        late = rng.random() < 0.001
        table.answer(Code.TIMEOUT if late else Answer(rng.choice(table.question.legal)))
    return NewGame(game_row(fixture, FinishedGame.at(table)), table.record.to_json())


def verifying(game: str, seconds: float) -> dict[str, float]:
    """
    Return games, deals and decisions a second.
    """
    lines = made(game)
    games = deals = decisions = 0
    start = now = time.perf_counter()
    while now - start < seconds:
        found = verify_lines(lines)
        games += found.games
        deals += found.deals
        decisions += found.decisions
        now = time.perf_counter()
    took = now - start
    return {
        f"{game}_games_per_second": games / took,
        f"{game}_deals_per_second": deals / took,
        f"{game}_decisions_per_second": decisions / took,
    }


def adjudicating(seconds: float) -> float:
    """
    Return scenarios a second, from text to text as `referee adjudicate --jsonl` does it.
    """
    rows = [json.loads(line) for line in _SCENARIOS.read_text().splitlines()[1:]]
    texts = [json.dumps(row["scenario"]) for row in rows]
    count = 0
    start = now = time.perf_counter()
    while now - start < seconds:
        for text in texts:
            try:
                answer = adjudicate_text(text)
            except ScenarioError as error:
                answer = {"error": str(error)}
            json.dumps(answer, separators=(",", ":"))
        count += len(texts)
        now = time.perf_counter()
    return count / (now - start)


def measure(seconds: float = 2.0) -> dict[str, float]:
    """
    Return the rates of verification and of adjudication, *seconds* of time for each.
    """
    return {
        **verifying("bid", seconds),
        **verifying("buck", seconds),
        "scenarios_per_second": adjudicating(seconds),
    }


def main() -> None:
    """
    Print all rates.
    """
    for name, value in measure(float(sys.argv[1]) if len(sys.argv) > 1 else 2.0).items():
        print(f"{name:28}{value:12,.0f}")  # noqa: T201


if __name__ == "__main__":
    main()
