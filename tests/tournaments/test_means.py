"""
Means with their errors, differences between them, and tie marks.
"""

from __future__ import annotations

import itertools
import math
import random
import statistics
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tournaments.margins import MatchTally
from tournaments.ratings import Strata, mean_of, rate, student_t
from tournaments.ratings.marks import marks
from tournaments.tally import Tally

# Two-sided 95 % quantiles as printed in Abramowitz and Stegun, table 26.10.
PUBLISHED = {
    1: 12.706,
    2: 4.303,
    3: 3.182,
    4: 2.776,
    5: 2.571,
    6: 2.447,
    7: 2.365,
    8: 2.306,
    9: 2.262,
    10: 2.228,
    15: 2.131,
    20: 2.086,
    25: 2.060,
    30: 2.042,
    40: 2.021,
    60: 2.000,
    120: 1.980,
}


@pytest.mark.parametrize("freedom", PUBLISHED)
def test_quantiles_are_those_of_the_books(freedom):
    """
    To the three digits that are printed.
    """
    assert PUBLISHED[freedom] == round(student_t(freedom), 3)


def test_quantiles_at_other_levels_and_limits():
    """
    Other levels as printed, and the normal distribution in the end.
    """
    assert 3.250 == round(student_t(9, 0.99), 3)
    assert 2.920 == round(student_t(2, 0.90), 3)
    assert 1.960 == round(student_t(10**9), 3)
    with pytest.raises(ValueError, match="degree of freedom"):
        student_t(0)


def strata(*matches: list[int]) -> Strata:
    """
    The sums of these margins of sets, a list a match.
    """
    sums = Strata()
    for values in matches:
        spread = len(values) * sum(x * x for x in values) - sum(values) ** 2
        sums.add(len(values), sum(values), spread)
    return sums


def test_by_hand():
    """
    Sets of 4, 6 and 8 points over two sittings: mean 3, deviation 1, t of 2 is 4.303.
    """
    mean = mean_of(strata([4, 6, 8]), 2)
    assert mean is not None
    assert (3.0, 3, Fraction(3)) == (mean.mean, mean.sets, mean.exact)
    assert mean.error == pytest.approx(4.302653 / 3**0.5)


def test_too_few_sets():
    """
    No set has no mean, one set has no error, equal sets have none either but say so.
    """
    assert mean_of(Strata(), 2) is None
    one = mean_of(strata([5]), 2)
    assert one is not None
    assert (2.5, None) == (one.mean, one.error)
    equal = mean_of(strata([5, 5]), 2)
    assert equal is not None
    assert equal.error == 0.0


@given(st.lists(st.integers(-(10**6), 10**6), min_size=2, max_size=40), st.integers(1, 12))
def test_one_match_agrees_with_the_text_book(values, unit):
    """
    Sums of squares give the same as the two-pass formula.
    """
    mean = mean_of(strata(values), unit)
    assert mean is not None
    points = [Fraction(value, unit) for value in values]
    assert mean.exact == statistics.mean(points)
    deviation = float(statistics.variance(points)) ** 0.5
    error = student_t(len(values) - 1) * deviation / len(values) ** 0.5
    assert mean.error == pytest.approx(error)


def test_opponents_are_no_chance():
    """
    Two opponents, one much weaker: the error comes from within the matches only.
    """
    mean = mean_of(strata([1, 3], [101, 103]), 1)
    assert mean is not None
    assert (52.0, 4) == (mean.mean, mean.sets)
    assert mean.error == pytest.approx(student_t(2) * math.sqrt((2 / 2 + 2 / 2) / 4))


def test_opponents_count_alike():
    """
    Whom one met more often does not count for more, and its mean is known better.
    """
    mean = mean_of(strata([1, 3], [10, 12, 10, 12]), 1)
    assert mean is not None
    assert (6.5, 6) == (mean.mean, mean.sets)
    variance = (Fraction(2) / 2 + Fraction(4, 3) / 4) / 4
    assert mean.error == pytest.approx(student_t(4) * math.sqrt(variance))


def test_matches_of_a_single_set_borrow_the_spread_of_the_others():
    """
    And if all are like that, their means are the sample.
    """
    mean = mean_of(strata([5], [1, 3]), 1)
    assert mean is not None
    assert mean.error == pytest.approx(student_t(1) * math.sqrt(2 * (1 + 1 / 2) / 4))
    single = mean_of(strata([5], [1], [3]), 1)
    assert single is not None
    assert single.error == pytest.approx(student_t(2) * math.sqrt(4 / 3))


def tally_of(league, sets):
    """
    A tally of these margins by match and set.
    """
    tally = Tally(league)
    for match_id, margins in sets.items():
        match = tally.matches[match_id] = MatchTally(tuple(sorted(match_id.split(":"))))
        for each in margins:
            match.add(dict(zip(match.bots, each, strict=True)))
    return tally


def test_difference_of_two_bots_by_hand(make_league):
    """
    What they won from each other counts twice, and is one and the same luck.
    """
    league = make_league("bid", "a b c", sets=3)
    ab, ac, bc = [2, 4, 9], [1, 1, 7], [0, 5, 1]
    sets = {
        "a:b": [(x, -x) for x in ab],
        "a:c": [(x, -x) for x in ac],
        "b:c": [(x, -x) for x in bc],
    }
    found = rate(tally_of(league, sets)).difference("a", "b")
    mean = (statistics.mean(ab) + statistics.mean(ac)) / 2
    mean -= (-statistics.mean(ab) + statistics.mean(bc)) / 2
    assert found.mean == pytest.approx(mean / 2)
    parts = statistics.variance(ab), statistics.variance(ac) / 4, statistics.variance(bc) / 4
    deviation = math.sqrt(sum(parts) / 3) / 2
    assert found.error == pytest.approx(student_t(6) * deviation)
    back = rate(tally_of(league, sets)).difference("b", "a")
    assert found.superiority is not None
    assert back.superiority == pytest.approx(1 - found.superiority)
    assert (-found.mean, found.error) == (back.mean, back.error)


@pytest.mark.parametrize(
    ("game", "bots", "counts"), [("bid", "a b c", (2, 5, 1)), ("buck", "a b c d e", (3, 1, 4))]
)
def test_differences_agree_with_those_set_by_set(make_league, game, bots, counts):
    """
    Sums over matches give what the differences of each set would give, for any numbers of sets.
    """
    source = random.Random(3)
    league = make_league(game, bots)
    rated, values = random_league(league, counts, source)
    one, two = "a", "c"
    count = {bot: sum(bot in match.split(":") for match in values) for bot in (one, two)}
    parts = []
    for match_id, sets in values.items():
        here = sorted(match_id.split(":"))
        parts.append(
            [
                sum(
                    sign * Fraction(margins[here.index(bot)], count[bot] * rated.unit)
                    for bot, sign in ((one, 1), (two, -1))
                    if bot in here
                )
                for margins in sets
                if one in here or two in here
            ]
        )
    parts = [part for part in parts if part]
    assert Fraction(rated.difference(one, two).mean).limit_denominator(10**6) == sum(
        map(statistics.mean, parts)
    )
    freedom = sum(len(part) - 1 for part in parts)
    squares = sum(sum((x - statistics.mean(part)) ** 2 for x in part) for part in parts)
    variance = squares / freedom * sum(Fraction(1, len(part)) for part in parts)
    expected = student_t(freedom) * math.sqrt(variance)
    assert rated.difference(one, two).error == pytest.approx(expected)


def random_league(league, counts, source):
    """
    Ratings of margins made up, with these numbers of sets in turn; and the margins.
    """
    values = {}
    names = [bot.id for bot in league.entrants]
    for number, match_id in enumerate(sorted(matches_of(names, league.players))):
        sets = []
        for _ in range(counts[number % len(counts)]):
            scores = [source.randrange(-20, 21) for _ in range(league.players)]
            sets.append([league.players * score - sum(scores) for score in scores])
        values[match_id] = sets
    return rate(tally_of(league, values)), values


def matches_of(names, players):
    """
    The ids of all matches.
    """
    return [":".join(each) for each in itertools.combinations(names, players)]


def test_single_sets_tell_hardly_anybody_apart(make_league):
    """
    With one set a match the errors add up; with one match there is none at all.
    """
    league = make_league("bid", "a b c", sets=1)
    rated = rate(tally_of(league, {"a:b": [(2, -2)], "a:c": [(8, -8)], "b:c": [(1, -1)]}))
    errors = [rated.means[bot].error for bot in "ab"]
    assert rated.difference("a", "b").error == pytest.approx(sum(errors))
    alone = rate(tally_of(league, {"a:b": [(2, -2)]}))
    assert (None, None, False) == alone.difference("a", "b")[1:]
    assert {"a": "a", "b": "a"} == alone.marks(["a", "b"])


def test_bots_that_play_alike(make_league):
    """
    All sets level: no spread, no difference, and no division by it.
    """
    league = make_league("bid", "a b", sets=3)
    level = rate(tally_of(league, {"a:b": [(0, 0)] * 3}))
    assert (0.0, 0.0, 0.5, False) == level.difference("a", "b")
    ahead = rate(tally_of(league, {"a:b": [(3, -3)] * 3}))
    assert (3.0, 0.0, 1.0, True) == ahead.difference("a", "b")
    assert 0.0 == ahead.difference("b", "a").superiority


def test_a_pair_seen_from_both_sides(make_league):
    """
    Wins, margin and likelihood change sides, the error stays.
    """
    league = make_league("bid", "a b c", sets=3)
    rated = rate(tally_of(league, {"a:b": [(2, -2), (0, 0), (6, -6)]}))
    seen, back = rated.pair("a", "b"), rated.pair("b", "a")
    assert seen is not None
    assert back is not None
    assert (3, 2, 1, 0) == (seen.sets, seen.won, seen.level, seen.lost)
    assert (0, 1, 2) == (back.won, back.level, back.lost)
    assert -4 / 3 == pytest.approx(back.difference.mean)
    assert seen.difference.superiority == pytest.approx(1 - back.difference.superiority)
    assert rated.pair("a", "c") is None


@pytest.mark.parametrize(
    ("apart", "expected"),
    [
        ("", "a a a a a"),
        ("01 02 03 04 12 13 14 23 24 34", "a b c d e"),
        ("03 04 14", "a ab a-c bc c"),
        ("04", "a ab ab ab b"),
        ("12 13 14 02 03 04", "a a b b b"),
        ("02", "a ab b b b"),
    ],
)
def test_marks(apart, expected):
    """
    Letters cover neighbours none of whom are told apart, and no more letters than needed.
    """
    pairs = {tuple(each) for each in apart.split()}
    found = marks(list("01234"), lambda first, second: (first, second) in pairs)
    assert expected == " ".join(found.values())


@given(st.data())
def test_marks_say_who_is_told_apart(data):
    """
    Two that share a letter are not told apart, nor is anybody between them.
    """
    count = data.draw(st.integers(1, 8))
    pairs = {
        (first, second)
        for first in range(count)
        for second in range(first)
        if data.draw(st.booleans())
    }

    def separated(first, second):
        return (max(int(first), int(second)), min(int(first), int(second))) in pairs

    order = [str(number) for number in range(count)]
    found = marks(order, separated)
    letters = {bot: spread(mark) for bot, mark in found.items()}
    for first in range(count):
        for second in range(first + 1, count):
            run = order[first : second + 1]
            alike = not any(separated(a, b) for a in run for b in run if a != b)
            assert alike == bool(letters[str(first)] & letters[str(second)])


def spread(mark):
    """
    The letters that a mark stands for.
    """
    first, last = mark[0], mark[-1]
    return {chr(each) for each in range(ord(first), ord(last) + 1)}


def test_marks_beyond_the_alphabet():
    """
    Twenty-eight bots, all told apart.
    """
    order = [str(number) for number in range(28)]
    assert ["y", "z", "a1", "b1"] == list(marks(order, lambda a, b: True).values())[-4:]
