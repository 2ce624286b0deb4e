"""
95 % intervals hold the truth 95 times in 100: leagues of equal bots, simulated.
"""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

import pytest

BENCH = Path(__file__).parents[1] / "bench" / "coverage.py"


@pytest.fixture(scope="module")
def coverage():
    """
    The module behind the published table (docs/statistics.md).
    """
    spec = importlib.util.spec_from_file_location("coverage_of_intervals", BENCH)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    yield module
    del sys.modules[spec.name]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("game", "bots", "sets", "leagues"),
    [("bid", 2, 3, 1000), ("bid", 4, 2, 500), ("bid", 4, 10, 500), ("buck", 4, 12, 500)],
)
def test_intervals_hold_the_truth_as_often_as_they_say(coverage, game, bots, sets, leagues):
    """
    From 93 to 97 %, with few sets too; ratings at least as often, since few sets are coarse.
    """
    found = coverage.measure(game, bots, sets, leagues)
    assert 0.93 <= found.margins <= 0.97
    assert 0.93 <= found.pairs <= 0.97
    assert found.ratings >= 0.93
    assert found.separated <= 0.07


def test_bots_that_differ_are_told_apart(coverage):
    """
    The same leagues with one bot ten points ahead: its interval does not hold 0 any more.
    """
    league = coverage.league_of("bid", 4, 12)
    tally = coverage.simulated(league, coverage.np.random.default_rng(1))
    for match in tally.matches.values():
        if match.bots[0] == "b0":
            margins = [match.totals[0] // match.sets + shift for shift in (-8, -3, 0, 4, 7)]
            match.__init__(match.bots)
            for margin in margins:
                match.add({match.bots[0]: margin + 20, match.bots[1]: -margin - 20})
    rated = coverage.rate(tally)
    mean = rated.means["b0"]
    assert mean.mean - mean.error > 0
    assert rated.marks(sorted(rated.means, key=lambda bot: -rated.means[bot].exact))["b0"] == "a"
    assert all(rated.difference("b0", other).separated for other in ("b1", "b2", "b3"))
