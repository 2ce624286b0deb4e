"""
From sums to a mean with its error. Pure.

The unit is the set: games of one set share decks, so they are not independent,
and sets are. The interval is Student's, with one degree of freedom less than
there are sets.
"""

from __future__ import annotations

import functools
import math
from fractions import Fraction
from statistics import NormalDist
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from tournaments.tally import Margins

LEVEL = 0.95
"""How often an interval covers the truth."""

_MANY = 200
"""Degrees of freedom from which a series is exact to ten digits and quicker."""


class Rating(NamedTuple):
    """
    The mean margin of a bot, in points a game.
    """

    mean: float
    error: float | None
    """Half the width of its interval; None with fewer than two sets."""
    sets: int
    exact: Fraction
    """The mean again, for comparing."""


def rating(margins: Margins, unit: int) -> Rating | None:
    """
    Return the mean of *margins* with its error; None without a complete set.

    Args:
        margins: Whole numbers.
        unit: What they are multiplied by (`Tally.unit`).
    """
    sets = margins.sets
    if not sets:
        return None
    exact = Fraction(margins.total, sets * unit)
    error = None
    if sets > 1:
        # Exact until here: differences of large squares would lose their digits as floats.
        spread = Fraction(sets * margins.squares - margins.total**2, sets * (sets - 1) * unit**2)
        error = student_t(sets - 1) * math.sqrt(spread / sets)
    return Rating(float(exact), error, sets, exact)


@functools.cache
def student_t(freedom: int, level: float = LEVEL) -> float:
    """
    Return how many standard errors an interval reaches to each side of the mean.

    Up to 200 degrees of freedom by bisection of the exact distribution, which has
    a closed form for whole degrees (Abramowitz and Stegun 26.7.3, 26.7.4); above by
    their series 26.7.5 around the normal distribution.

    >>> round(student_t(10), 4)
    2.2281

    Args:
        freedom: Degrees of freedom, 1 or more.
        level: Probability that the interval covers the truth.
    """
    if freedom < 1:
        raise ValueError("there is no interval without a degree of freedom")
    if freedom > _MANY:
        return _series(freedom, NormalDist().inv_cdf((1 + level) / 2))
    low, high = 0.0, 1.0
    while _within(high, freedom) < level:
        low, high = high, 2 * high
    for _ in range(100):
        middle = (low + high) / 2
        if _within(middle, freedom) < level:
            low = middle
        else:
            high = middle
    return high


def _within(t: float, freedom: int) -> float:
    """
    The probability that Student's variable lies between -t and t.
    """
    angle = math.atan(t / math.sqrt(freedom))
    cosine, sine = math.cos(angle), math.sin(angle)
    term = cosine if freedom % 2 else 1.0
    total = 0.0
    for k in range(freedom % 2 + 1, freedom, 2):
        total += term
        term *= cosine**2 * k / (k + 1)
    if freedom % 2:
        return 2 / math.pi * (angle + sine * total)
    return sine * total


def _series(freedom: int, x: float) -> float:
    terms = (
        (x**3 + x) / 4,
        (5 * x**5 + 16 * x**3 + 3 * x) / 96,
        (3 * x**7 + 19 * x**5 + 17 * x**3 - 15 * x) / 384,
        (79 * x**9 + 776 * x**7 + 1482 * x**5 - 1920 * x**3 - 945 * x) / 92160,
    )
    return x + sum(term / float(freedom) ** power for power, term in enumerate(terms, 1))
