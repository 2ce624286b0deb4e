"""
Leagues and games made up for tests.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from referee.rules.options import BidRules, BuckRules
from tournaments.games import GameRow
from tournaments.league import Entrant, League

if TYPE_CHECKING:
    from collections.abc import Callable

    from tournaments.pairing import Fixture
    from tournaments.store import Run, Store

RULES = {"bid": BidRules, "buck": BuckRules}


def _league(game: str = "bid", bots: str = "a b", **more: Any) -> League:
    entrants = tuple(
        Entrant(id=bot, name=bot.upper(), command=("{python}", f"{bot}.py")) for bot in bots.split()
    )
    values = {"id": "test", "name": "Test", "rules": RULES[game](), "sets": 2} | more
    return League(**{"entrants": entrants} | values)


def _row(fixture: Fixture, *scores: int, **more: Any) -> GameRow:
    """
    A game of these final scores by side: most wins in Bid, fewest in Buck.
    """
    best = max(scores) if len(scores) == 2 else min(scores)
    leaders = tuple(side for side, score in enumerate(scores) if score == best)
    sign = -1 if len(scores) == 2 else 1
    values = {
        "fixture": fixture.id,
        "match_id": fixture.match_id,
        "set_id": fixture.set_id,
        "sitting": fixture.sitting,
        "seats": fixture.seats,
        "instances": tuple(
            f"{fixture.sitting}{fixture.seats[:seat].count(bot)}"
            for seat, bot in enumerate(fixture.seats)
        ),
        "ending": "target" if len(scores) == 2 else "zero",
        "scores": scores,
        "winners": leaders if len(scores) == 4 or len(leaders) == 1 else (),
        "places": tuple(
            1 + sum(sign * other < sign * score for other in scores) for score in scores
        ),
    }
    return GameRow(**values | more)


@pytest.fixture
def make_league() -> Callable[..., League]:
    """
    Makes a league: `make_league("bid", "a b c", sets=3)`.
    """
    return _league


@pytest.fixture
def league() -> League:
    """
    Three bots of Bid, with many sets.
    """
    return _league("bid", "c a b", sets=200, seed="x")


@pytest.fixture
def make_row() -> Callable[..., GameRow]:
    """
    Makes a game of a fixture: `make_row(fixture, 32, 10)`.
    """
    return _row


@pytest.fixture
def begin() -> Callable[[Store, League], Run]:
    """
    Begins a run in a store: `begin(store, league)`.
    """

    def begin(store: Store, league: League) -> Run:
        return store.new_run(league, text="the file", secret=bytes(range(32)), commitment="c" * 64)

    return begin
