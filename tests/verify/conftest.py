"""
Leagues played in memory by bots that do everything wrong now and then.
"""

from __future__ import annotations

import json
import random
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pytest

from referee.cards import CARDS
from referee.hall import FinishedGame
from referee.opening import open_table
from referee.rules.actions import Answer, Challenge, LastCall, Pass, Play
from referee.rules.deal import Phase
from referee.rules.judge import Code
from referee.seats import SEATS
from referee.shuffle import commitment, secret_from_seed
from tournaments import files
from tournaments.exporting import export, text_of
from tournaments.games import game_row
from tournaments.pairing import fixtures, instances_for
from tournaments.store import NewGame, Store

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from referee.table import Question, Table
    from tournaments.league import League
    from tournaments.pairing import Fixture
    from tournaments.store import Run

SECRET = bytes(range(32))


@dataclass
class Played:
    """
    A run in a store.
    """

    url: str
    store: Store
    run: Run
    league: League

    def lines(self) -> list[str]:
        """
        Its export.
        """
        return [text_of(line) for line in export(self.store, self.run)]


def league_text(game: str, mode: str, sets: int, hands: int, **more: Any) -> str:
    """
    A league file: two bots of Bid or four of Buck, four if partners change, and options.
    """
    stop = more.pop("stop", {})
    head = {"id": "test", "name": "Tést", "game": game, "sets": sets, **more}
    rules = {"renege_mode": mode, "max_hands": hands}
    if game == "bid":
        rules |= {"joker": True, "ace_no_face": True, "max_consecutive_redeals": 3}
    lines = ["[league]", *(f"{key} = {json.dumps(value)}" for key, value in head.items())]
    lines += ["[rules]", *(f"{key} = {json.dumps(value)}" for key, value in rules.items())]
    if stop:
        lines += ["[stop]", *(f"{key} = {json.dumps(value)}" for key, value in stop.items())]
    two = game == "bid" and more.get("format") != "individual"
    for bot in "ab" if two else "abcd":
        lines += ["[[bots]]", f'id = "{bot}"', f'name = "Bot {bot}"', 'command = ["x"]']
    return "\n".join(lines) + "\n"


def say(rng: random.Random, question: Question) -> tuple[Answer | Code, bool]:
    """
    Answer at random, and badly now and then; say as well whether all others are gone.
    """
    chance = rng.random()
    if chance < 0.03:
        return rng.choice([Code.TIMEOUT, Code.UNREADABLE]), False
    if chance < 0.035:
        return Code.GONE, rng.random() < 0.3
    if question.phase is Phase.PLAY and chance < 0.12:
        challenges = (Challenge(rng.choice(SEATS), rng.randrange(4)),)
        cards = rng.choice([CARDS, question.view.hand])
        return Answer(Play(rng.choice(cards)), challenges * (rng.random() < 0.7)), False
    if chance < 0.04:
        return Answer(LastCall()), False
    # When all pass the deal is thrown in.
    if Pass() in question.legal and rng.random() < 0.8:
        return Answer(Pass()), False
    return Answer(rng.choice(question.legal)), False


def play_table(rng: random.Random, table: Table, void_after: int | None) -> None:
    """
    Play to the end, or until the referee is made to fail.
    """
    table.start()
    answers = 0
    while (question := table.question) is not None:
        if answers == void_after:
            table.void()
            return
        answer, abandoned = say(rng, question)
        table.answer(answer, abandoned=abandoned)
        answers += 1


def _play(
    folder: Path,
    game: str = "bid",
    mode: str = "challenge",
    *,
    sets: int = 2,
    hands: int = 3,
    rng: int = 1,
    void: tuple[int, int] | None = None,
    finish: bool = True,
    skip: int = 0,
    url: str | None = None,
    **more: Any,
) -> Played:
    """
    Play a league and store it, in an order that is not the schedule's.

    Args:
        folder: For the store, unless there is a URL.
        game: `bid` or `buck`.
        mode: Of reneges.
        sets: Of the league.
        hands: At most, in a game.
        rng: Seed of the bots.
        void: Which game is void, and after how many answers.
        finish: Whether the run is finished.
        skip: Games that are not played.
        url: Of the store.
        more: Keys of the league file.
    """
    text = league_text(game, mode, sets, hands, **more)
    league = files.parse(text, folder / "test.toml")
    secret = SECRET if league.seed is None else secret_from_seed(league.seed)
    url = url or f"sqlite:///{folder}/{game}-{mode}.db"
    store = Store.open(url)
    run = store.new_run(league, text=text, secret=secret, commitment=commitment(secret))
    schedule = list(enumerate(fixtures(league)))
    generator = random.Random(rng)
    generator.shuffle(schedule)
    cuts = dict([void] if void is not None else [])
    store.add_games(
        run,
        [
            _new_game(generator, league, fixture, secret, cuts.get(number))
            for number, fixture in schedule[skip:]
        ],
    )
    if finish:
        store.finish(run)
    return Played(url, store, store.run(run.number), league)


def _new_game(
    rng: random.Random, league: League, fixture: Fixture, secret: bytes, void_after: int | None
) -> NewGame:
    available = {bot: [str(n) for n in range(1, 5)] for bot in fixture.seats}
    keys = instances_for(fixture, available)
    table = open_table(
        league.rules,
        secret,
        fixture.set_id,
        sitting=fixture.sitting,
        disguise=fixture.disguise,
        seats=fixture.seats,
        instances=tuple(key.name for key in keys),
    )
    play_table(rng, table, void_after)
    times = tuple([0, rng.randrange(9), 3] for _ in SEATS)
    error = None if void_after is None else RuntimeError("ours")
    finished = FinishedGame.at(table, times, error=error)
    return NewGame(game_row(fixture, finished), table.record.to_json())


@pytest.fixture
def play(tmp_path: Path) -> Callable[..., Played]:
    """
    Plays a league: `play("buck", "stand", sets=1)`.
    """
    opened: list[Store] = []

    def make(*arguments: Any, **more: Any) -> Played:
        played = _play(tmp_path, *arguments, **more)
        opened.append(played.store)
        return played

    yield make
    for store in opened:
        store.close()
