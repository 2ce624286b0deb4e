"""
Means with their errors.
"""

from __future__ import annotations

import random
import statistics
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tournaments.ratings import rating, student_t
from tournaments.tally import Margins

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
    Other levels as printed, and the normal distribution in the end; no jump between formulas.
    """
    assert 3.250 == round(student_t(9, 0.99), 3)
    assert 2.920 == round(student_t(2, 0.90), 3)
    assert 1.960 == round(student_t(10**9), 3)
    assert student_t(199) > student_t(200) > student_t(201) > student_t(202)
    assert abs(student_t(200) - 2 * student_t(201) + student_t(202)) < 1e-6
    with pytest.raises(ValueError, match="degree of freedom"):
        student_t(0)


def margins(values: list[int]) -> Margins:
    """
    The sums of these margins of sets.
    """
    sums = Margins()
    for value in values:
        sums.add(value)
    return sums


def test_by_hand():
    """
    Sets of 4, 6 and 8 points over two sittings: mean 3, deviation 1, t of 2 is 4.303.
    """
    rated = rating(margins([4, 6, 8]), 2)
    assert rated is not None
    assert (3.0, 3, Fraction(3)) == (rated.mean, rated.sets, rated.exact)
    assert rated.error == pytest.approx(4.302653 / 3**0.5)


def test_too_few_sets():
    """
    No set has no mean, one set has no error, equal sets have none either but say so.
    """
    assert rating(Margins(), 2) is None
    one = rating(margins([5]), 2)
    assert one is not None
    assert (2.5, None) == (one.mean, one.error)
    equal = rating(margins([5, 5]), 2)
    assert equal is not None
    assert equal.error == 0.0


@given(st.lists(st.integers(-(10**6), 10**6), min_size=2, max_size=40), st.integers(1, 12))
def test_agrees_with_the_text_book(values, unit):
    """
    Sums of squares give the same as the two-pass formula.
    """
    rated = rating(margins(values), unit)
    assert rated is not None
    points = [Fraction(value, unit) for value in values]
    assert rated.exact == statistics.mean(points)
    deviation = float(statistics.variance(points)) ** 0.5
    error = student_t(len(values) - 1) * deviation / len(values) ** 0.5
    assert rated.error == pytest.approx(error)


def test_intervals_cover_as_often_as_they_say():
    """
    2,000 simulated leagues of equal bots, 12 sets each: 93 to 97 % cover nothing.
    """
    source = random.Random("coverage")
    covered = 0
    for _ in range(2000):
        rated = rating(margins([round(source.gauss(0, 300)) for _ in range(12)]), 2)
        assert rated is not None
        assert rated.error is not None
        covered += abs(rated.mean) <= rated.error
    assert 0.93 < covered / 2000 < 0.97
