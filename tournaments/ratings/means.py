"""
Means with their errors, and differences between two of them. Pure.

Sets are independent of each other, games of one set are not; so sets are what is
averaged, and their spread is where errors come from. The mean of a bot is the mean
over its matches of the mean of each, so that an opponent whom it met more often (a
test ended other matches early) does not count for more. The spread is taken within
each match: that some opponents are better than others is no chance, and does not
make a bot's result less certain. Bots that sat in the same sets share their luck,
and the error of their difference takes that into account.

Everything is exact up to the last square root.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cache
from typing import NamedTuple

LEVEL = 0.95
"""How often an interval covers the truth."""


class Mean(NamedTuple):
    """
    The mean margin of a bot, in points a game.
    """

    mean: float
    error: float | None
    """Half the width of its interval; None while nothing can be said."""
    sets: int
    exact: Fraction
    """The mean again, for comparing."""


class Difference(NamedTuple):
    """
    By how much one bot exceeds another: in mean points a game, or in points of rating.
    """

    mean: float
    error: float | None
    """Half the width of its interval; None while nothing can be said."""
    superiority: float | None
    """Likelihood that the first is truly the greater: from 0 to 1, 0.5 for no idea."""
    separated: bool
    """Whether the two are told apart, at the level that was asked for."""


@dataclass(slots=True)
class Sums:
    """
    Sums over matches of so many sets each: what a mean and its error are made of.
    """

    matches: int = 0
    total: int = 0
    """Of what is averaged."""
    spread: int = 0
    """Sum of sets x (sum of squares) - (square of sum), of each match."""


@dataclass(slots=True)
class Strata:
    """
    `Sums` by the number of sets that the matches have.
    """

    by_sets: dict[int, Sums] = field(default_factory=dict)
    between: int = 0
    """Sum of squares of the totals, of matches of one set."""

    def add(self, sets: int, total: int, spread: int) -> None:
        """
        Take in one match.
        """
        sums = self.by_sets.get(sets)
        if sums is None:
            sums = self.by_sets[sets] = Sums()
        sums.matches += 1
        sums.total += total
        sums.spread += spread
        if sets == 1:
            self.between += total * total

    @property
    def matches(self) -> int:
        """
        How many there are.
        """
        return sum(sums.matches for sums in self.by_sets.values())

    @property
    def sets(self) -> int:
        """
        Of all matches.
        """
        return sum(sets * sums.matches for sets, sums in self.by_sets.items())

    @property
    def freedom(self) -> int:
        """
        Degrees of freedom: in each match one less than it has sets.
        """
        return sum((sets - 1) * sums.matches for sets, sums in self.by_sets.items())

    def mean(self) -> Fraction:
        """
        Return the mean over matches of the mean of each.
        """
        means = (Fraction(sums.total, sets) for sets, sums in sorted(self.by_sets.items()))
        return sum(means, Fraction()) / self.matches

    def variance(self) -> tuple[Fraction, int] | None:
        """
        Return the variance of `mean` and its degrees of freedom; None if there is no telling.

        With two sets a match or more: from the spread within each. A match of a single
        set has none, so the others lend it theirs; and if all are like that, the spread
        between matches stands for it, which is rather too large than too small.
        """
        matches, freedom = self.matches, self.freedom
        if not freedom:
            if matches < 2:
                return None
            single = self.by_sets[1]
            spread = Fraction(matches * self.between - single.total**2, matches * (matches - 1))
            return spread / matches, matches - 1
        if 1 in self.by_sets:
            squares = weight = Fraction()
            for sets, sums in self.by_sets.items():
                squares += Fraction(sums.spread, sets)
                weight += Fraction(sums.matches, sets)
            return squares / freedom * weight / matches**2, freedom
        parts = (
            Fraction(sums.spread, sets * sets * (sets - 1)) for sets, sums in self.by_sets.items()
        )
        return sum(parts, Fraction()) / matches**2, freedom


def mean_of(strata: Strata, unit: int) -> Mean | None:
    """
    Return the mean with its error; None without a complete set.

    Args:
        strata: Whole numbers.
        unit: What they are multiplied by (`Tally.unit`).
    """
    if not strata.matches:
        return None
    exact = strata.mean() / unit
    found = strata.variance()
    error = None
    if found is not None:
        variance, freedom = found
        error = student_t(freedom) * math.sqrt(variance) / unit
    return Mean(float(exact), error, strata.sets, exact)


def difference(mean: Fraction, variance: Fraction, freedom: int, level: float) -> Difference:
    """
    Return a difference that is known this well.

    Args:
        mean: In points.
        variance: Of that.
        freedom: Degrees of freedom of the variance; 0: nothing is known of it.
        level: Above which the two count as told apart.
    """
    if not freedom:
        return Difference(float(mean), None, None, separated=False)
    deviation = math.sqrt(variance)
    if not deviation:
        # All sets ended alike, as those of bots that play alike do.
        sure = 0.5 if not mean else float(mean > 0)
        return Difference(float(mean), 0.0, sure, separated=bool(mean))
    from tournaments.ratings import numeric  # noqa: PLC0415  (slow to import: see there)

    return Difference(
        float(mean),
        student_t(freedom) * deviation,
        numeric.probability_below(freedom, float(mean) / deviation),
        separated=abs(mean) > student_t(freedom, level) * deviation,
    )


@cache
def student_t(freedom: int, level: float = LEVEL) -> float:
    """
    Return how many standard errors an interval reaches to each side of the mean.

    >>> round(student_t(10), 4)
    2.2281

    Args:
        freedom: Degrees of freedom, 1 or more.
        level: Probability that the interval covers the truth.
    """
    if freedom < 1:
        raise ValueError("there is no interval without a degree of freedom")
    from tournaments.ratings import numeric  # noqa: PLC0415  (slow to import: see there)

    return numeric.quantile(freedom, (1 + level) / 2)
