"""
How often do 95 % intervals hold the truth? Simulated leagues of equal bots.

Nobody is better than anybody, so the true margin of each bot is 0 and its true rating
is the mean, and an interval that does not hold these is wrong. Scores are those of
games, not of the normal distribution: whole points, skewed, and the sittings of a set
share their luck.

    python tests/bench/coverage.py [--leagues 20000]

Then matches that a sequential test ends: how often it ends at the wrong bound, and
after how many sets.

Docs: docs/statistics.md.
"""

from __future__ import annotations

import argparse
import itertools
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from tabulate import tabulate

from referee.rules.options import BidRules, BuckRules
from tournaments.league import Entrant, League
from tournaments.margins import MatchTally
from tournaments.ratings import CENTRE, rate
from tournaments.stopping import Evidence, Stop
from tournaments.tally import Tally

if TYPE_CHECKING:
    from numpy.random import Generator

CASES = [
    ("bid", 2, 3),
    ("bid", 2, 30),
    ("bid", 4, 2),
    ("bid", 4, 10),
    ("bid", 6, 40),
    ("buck", 4, 3),
    ("buck", 4, 20),
    ("buck", 6, 5),
]
"""Game, bots, sets a match."""


STOP = Stop(low=-1, high=1)
"""Which of two is better, with the defaults."""

TRUTHS = (-3.0, -1.0, 0.0, 1.0, 3.0)
"""True margins, in points a game."""

DEVIATION = 9.0
"""Of the margin of a set, in points: that of two good bots of Bid Euchre."""


class Found(NamedTuple):
    """
    Shares of all that was looked at.
    """

    margins: float
    """Intervals of mean margins that hold 0."""
    pairs: float
    """Intervals of the margin between two bots that hold 0."""
    ratings: float
    """Intervals of ratings that hold 1500."""
    separated: float
    """Leagues in which any two bots are shown as told apart: at most 5 % should be."""


def league_of(game: str, bots: int, sets: int) -> League:
    """
    A league of so many equal bots.
    """
    return League(
        id="equal",
        name="Equal",
        rules=BidRules() if game == "bid" else BuckRules(),
        entrants=tuple(Entrant(id=f"b{n}", name=f"B{n}", command=("x",)) for n in range(bots)),
        sets=sets,
    )


def sets_of(game: str, count: int, source: Generator) -> np.ndarray:
    """
    Margins of *count* sets by player, in whole numbers as in a `Tally`.
    """
    players = 2 if game == "bid" else 4
    luck = source.normal(0, 6, (count, players))
    total = np.zeros((count, players))
    for sitting in range(players):
        # Each hand was somebody else's in the sitting before: luck goes round, and mostly cancels.
        held = np.roll(luck, sitting, axis=1) + source.gamma(2.0, 6.0, (count, players))
        points = np.rint(held if game == "buck" else np.minimum(held, 32))
        total += players * points - points.sum(axis=1, keepdims=True)
    return total.astype(np.int64)


def simulated(league: League, source: Generator) -> Tally:
    """
    Return what came of a league of equal bots.
    """
    tally = Tally(league)
    names = [entrant.id for entrant in league.entrants]
    for bots in itertools.combinations(sorted(names), league.players):
        match = tally.matches[":".join(bots)] = MatchTally(bots)
        for margins in sets_of(league.game, league.sets, source).tolist():
            match.add(dict(zip(bots, margins, strict=True)))
    return tally


def measure(game: str, bots: int, sets: int, leagues: int, seed: int = 1) -> Found:
    """
    Simulate *leagues* and count.
    """
    source = np.random.default_rng([seed, bots, sets])
    league = league_of(game, bots, sets)
    counts = np.zeros(3)
    looked = np.zeros(3)
    separated = 0
    for _ in range(leagues):
        rated = rate(simulated(league, source))
        means = [abs(each.mean) <= (each.error or 0.0) for each in rated.means.values()]
        pairs = [
            abs(p.difference.mean) <= (p.difference.error or 0.0) for p in rated.pairs.values()
        ]
        strengths = [abs(each.points - CENTRE) <= each.error for each in rated.strengths.values()]
        for place, held in enumerate((means, pairs, strengths)):
            counts[place] += sum(held)
            looked[place] += len(held)
        names = sorted(rated.means)
        separated += any(
            rated.difference(*two).separated for two in itertools.combinations(names, 2)
        )
    return Found(*(counts / looked).tolist(), separated / leagues)


def stops(truth: float, matches: int, seed: int = 1) -> tuple[float, float]:
    """
    Return how many of so many matches end at the upper bound, and their mean number of sets.
    """
    source = np.random.default_rng([seed, round(100 + truth)])
    better = sets = 0
    for _ in range(matches):
        evidence, found = Evidence(), None
        while found is None:
            evidence.add(round(2 * source.normal(truth, DEVIATION)))
            found = evidence.decided(STOP, 2)
        better += found.better
        sets += found.after
    return better / matches, sets / matches


def main() -> None:
    """
    Print a table of all cases.
    """
    parser = argparse.ArgumentParser(description="How often 95 % intervals hold the truth.")
    parser.add_argument("--leagues", type=int, default=2000, help="a case; default 2000")
    options = parser.parse_args()
    rows = [
        (game, bots, sets, *(100 * each for each in measure(game, bots, sets, options.leagues)))
        for game, bots, sets in CASES
    ]
    heads = ["game", "bots", "sets", "margin %", "pair %", "rating %", "told apart %"]
    print(tabulate(rows, headers=heads, floatfmt=".1f"))  # noqa: T201
    rows = []
    for truth in TRUTHS:
        better, mean = stops(truth, options.leagues)
        rows.append((f"{truth:+g}", 100 * better, mean))
    heads = ["true margin", "ends at high %", "sets, mean"]
    print(f"\n{tabulate(rows, headers=heads, floatfmt='.1f')}")  # noqa: T201


if __name__ == "__main__":
    main()
