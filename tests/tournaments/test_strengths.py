"""
Ratings: who comes before whom, and how sure that is.
"""

from __future__ import annotations

import itertools
import math
import random

import pytest
from scipy.optimize import minimize_scalar

from tournaments.margins import MatchTally
from tournaments.ratings import CENTRE, SCALE, strengths
from tournaments.ratings.strengths import fitted


def match(bots, orders):
    """
    A match in which places, by bot, came so often.
    """
    made = MatchTally(tuple(bots.split()))
    made.orders.update(orders)
    made.sets = sum(orders.values())
    return made


def test_two_bots_as_the_textbook_has_it():
    """
    30 wins, 9 losses and a draw: the logit of the share, but for the virtual draws.
    """
    found = strengths([match("a b", {(1, 2): 30, (2, 1): 9, (1, 1): 1})])

    def loss(gap):
        real = 30.5 * math.log1p(math.exp(-gap)) + 9.5 * math.log1p(math.exp(gap))
        return real + math.log1p(math.exp(-gap / 2)) + math.log1p(math.exp(gap / 2))

    gap = minimize_scalar(loss, bounds=(-5, 5), method="bounded", options={"xatol": 1e-12}).x
    assert SCALE * gap == pytest.approx(found["a"].points - found["b"].points, abs=1e-3)
    share = 1 / (1 + math.exp(-gap))
    half = 1 / (1 + math.exp(-gap / 2))
    information = 40 * share * (1 - share) + half * (1 - half) / 2
    # Each bot's rating is half the gap, against the mean of the two.
    assert 1.96 * SCALE / math.sqrt(information) / 2 == pytest.approx(found["a"].error, rel=1e-4)
    assert abs(gap - math.log(30.5 / 9.5)) < 0.05


@pytest.mark.parametrize("sets", [1, 10, 1000, 100_000])
def test_who_always_wins_has_a_rating(sets):
    """
    Finite, and so is the error; and more wins are worth more.
    """
    found = strengths([match("a b", {(1, 2): sets}), match("b c", {(2, 1): sets})])
    fewer = strengths([match("a b", {(1, 2): sets // 2}), match("b c", {(2, 1): sets // 2})])
    for each in found.values():
        assert math.isfinite(each.points)
        assert 0 < each.error < 10_000
    assert found["a"].points == pytest.approx(found["c"].points, abs=1e-3)
    assert found["a"].points > CENTRE > found["b"].points
    assert sets == 1 or found["a"].points > fewer["a"].points


def test_no_sets_no_ratings():
    """
    Nothing comes of nothing.
    """
    assert {} == strengths([])


def test_ratings_do_not_depend_on_ids_or_order():
    """
    Renamed and shuffled, level sets included: the same numbers, with a mean of 1500.
    """
    source = random.Random(5)
    bots = ["a", "b", "c", "d", "e"]
    games = [
        match(f"{one} {two}", {order: source.randrange(9) for order in ((1, 2), (2, 1), (1, 1))})
        for one, two in itertools.combinations(bots, 2)
    ]
    found = strengths(games)
    assert sum(each.points for each in found.values()) / 5 == pytest.approx(CENTRE)
    assert found == strengths(reversed(games))
    for each in games:
        each.bots = tuple(chr(ord("z") - ord(bot) + ord("a")) for bot in each.bots)
    renamed = strengths(games)
    for one, two in zip("abcde", "zyxwv", strict=True):
        assert found[one].points == pytest.approx(renamed[two].points, abs=1e-4)


def test_four_bots_level_in_all_sets():
    """
    Ties of three and four count as every order of theirs: nobody is better.
    """
    level = strengths([match("a b c d", {(1, 1, 1, 1): 20})])
    assert [pytest.approx(CENTRE, abs=1e-4)] * 4 == [each.points for each in level.values()]
    ahead = strengths([match("a b c d", {(1, 2, 2, 2): 5})])
    assert ahead["a"].points > ahead["b"].points
    assert ahead["b"].points == pytest.approx(ahead["d"].points, abs=1e-4)


def test_plackett_and_luce_find_what_was_put_in():
    """
    4,000 sets of four drawn by the model: each rating within its interval, or nearly so.
    """
    source = random.Random(11)
    truth = {"a": 1.0, "b": 0.5, "c": 0.0, "d": -0.5, "e": -1.0}
    matches = {}
    for _ in range(4000):
        seats = tuple(sorted(source.sample(sorted(truth), 4)))
        # The least of exponential times is first with the odds of its rate.
        times = [source.expovariate(math.exp(truth[bot])) for bot in seats]
        places = tuple(1 + sum(other < time for other in times) for time in times)
        made = matches.setdefault(seats, match(" ".join(seats), {}))
        made.orders[places] += 1
    found = strengths(matches.values())
    for bot, strength in truth.items():
        assert found[bot].points == pytest.approx(CENTRE + SCALE * strength, abs=15)
        assert 5 < found[bot].error < 12


def test_fewer_sets_are_less_sure():
    """
    Four times the sets halve the error.
    """
    few, many = (strengths([match("a b", {(1, 2): 6 * n, (2, 1): 4 * n})]) for n in (10, 40))
    assert 2 == pytest.approx(few["a"].error / many["a"].error, rel=0.02)


def test_a_difference_of_two_bots_by_hand():
    """
    Against the mean of both, one is as far up as the other is down: all is twice as much.
    """
    found = fitted([match("a b", {(1, 2): 30, (2, 1): 18, (1, 1): 2})])
    one, two = found.strengths["a"], found.strengths["b"]
    gap = found.difference("a", "b", 0.95)
    assert one.points - two.points == pytest.approx(gap.mean)
    assert 2 * one.error == pytest.approx(gap.error)
    deviations = gap.mean / (gap.error / 1.959964)
    assert 0.5 * (1 + math.erf(deviations / math.sqrt(2))) == pytest.approx(gap.superiority)
    back = found.difference("b", "a", 0.95)
    assert 1 - gap.superiority == pytest.approx(back.superiority)
    assert not gap.separated
    assert found.difference("a", "b", 0.5).separated


def test_a_difference_knows_what_two_ratings_share():
    """
    Two that met only each other, and one of them a third: the chain is known less well.
    """
    even = {(1, 2): 50, (2, 1): 50}
    found = fitted([match("a b", even), match("b c", even)])
    near, far = found.difference("a", "b", 0.95), found.difference("a", "c", 0.95)
    assert near.mean == pytest.approx(0, abs=1e-3)
    assert 0.5 == pytest.approx(near.superiority, abs=1e-4)
    # Two independent steps of one size, but for the weak pull of the virtual draws.
    assert math.sqrt(2) * near.error == pytest.approx(far.error, rel=0.02)
