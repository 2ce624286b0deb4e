"""
The schedule of an open league, as bots come and go.
"""

from __future__ import annotations

import random

import pytest

from referee.rules.options import BidRules, BuckRules
from tournaments.arrivals import Arrivals
from tournaments.league import League
from tournaments.pairing import count, fixtures


def league(sets: int = 2, rules=None) -> League:
    """
    An open league.
    """
    rules = rules or BidRules()
    return League(id="x", name="x", rules=rules, entrants=(), sets=sets, open=True)


def drawn(arrivals: Arrivals) -> list:
    """
    Everything that can be played now.
    """
    return list(iter(arrivals.next, None))


def test_who_comes_adds_its_fixtures_only() -> None:
    """
    And their first sets come before the later ones of the others.
    """
    arrivals = Arrivals(league(3), set())
    arrivals.update(["a", "b"])
    first = arrivals.next()
    assert "a:b/1a" == first.id
    arrivals.update(["a", "b", "c"])
    order = [fixture.set_number for fixture in drawn(arrivals)]
    assert sorted(order) == order
    assert 17 == len(order)


@pytest.mark.parametrize("rules", [BidRules(), BuckRules()])
@pytest.mark.parametrize("seed", range(5))
def test_each_fixture_is_played_once_whoever_comes_and_goes(seed: int, rules) -> None:
    """
    None is drawn while a bot of it is away; in the end all are drawn, each once.
    """
    rng = random.Random(seed)
    bots = [f"b{number}" for number in range(6)]
    done = {fixture.id for fixture in fixtures(league(), bots) if rng.random() < 0.2}
    done &= {fixture.id for fixture in fixtures(league(rules=rules), bots)}
    before = set(done)
    arrivals = Arrivals(league(rules=rules), done)
    ids = []
    for _ in range(40):
        here = rng.sample(bots, rng.randrange(len(bots) + 1))
        arrivals.update(here)
        for _ in range(rng.randrange(8)):
            fixture = arrivals.next()
            if fixture is not None:
                assert set(fixture.seats) <= set(here)
                ids.append(fixture.id)
    arrivals.update(bots)
    ids += [fixture.id for fixture in drawn(arrivals)]

    assert len(set(ids)) == len(ids)
    everything = {fixture.id for fixture in fixtures(league(rules=rules), bots)}
    assert everything - before == set(ids)


def test_a_thousand_bots_cost_what_they_add() -> None:
    """
    An arrival looks at no fixture of the others, however many they are.
    """
    plan = league(1)
    arrivals = Arrivals(plan, set())
    bots = [f"b{number:04}" for number in range(1000)]
    for number in range(0, 1000, 100):
        arrivals.update(bots[: number + 100])
        assert arrivals.looked_at <= number + 200 + 100
        for _ in range(10):
            assert arrivals.next() is not None
    arrivals.update(bots[:150])
    for _ in drawn(arrivals):
        pass
    # Whoever went took its fixtures along, so those who stay are all that is looked at.
    assert arrivals.looked_at <= count(plan, 150) + 2000
