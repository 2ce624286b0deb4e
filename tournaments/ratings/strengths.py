"""
One number for how good a bot is, from who came before whom. Pure.

A rating answers another question than the mean margin: not by how much, but how
often. It takes opponents into account, so it stays fair where not everybody meets
everybody. Each set counts once, as the order in which its bots ended: two
of them in Bid Euchre (the model of Bradley and Terry), four in Buck Euchre (Plackett
and Luce). Bots that end level count as every order of theirs, in equal parts, which
with two is half a win for each.

Ratings are on Elo's scale: 400 points are odds of ten to one to end before the other,
and the mean of all is 1500. A virtual draw against an average bot keeps them finite
for bots that win or lose every set; with more sets it weighs ever less.
"""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass
from statistics import NormalDist
from typing import TYPE_CHECKING, NamedTuple

from tournaments.ratings.means import LEVEL, Difference

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from tournaments.margins import MatchTally

CENTRE = 1500.0
"""The mean of all ratings."""

SCALE = 400 / math.log(10)
"""Points for a factor e in the odds."""

_NORMAL = NormalDist()

_REACH = _NORMAL.inv_cdf((1 + LEVEL) / 2)
"""Standard errors that an interval reaches to each side."""


class Strength(NamedTuple):
    """
    The rating of a bot, in points.
    """

    points: float
    error: float
    """Half the width of its 95 % interval, against the mean of all."""


@dataclass(frozen=True, slots=True)
class Fitted:
    """
    Ratings that were fitted to the same sets.
    """

    strengths: Mapping[str, Strength]
    """By id; of those who have a complete set."""
    covariance: Sequence[Sequence[float]]
    """Of the ratings in points, in the order of *strengths*."""

    def difference(self, first: str, second: str, level: float) -> Difference:
        """
        Return by how many points of rating one bot exceeds another.

        Args:
            first: The one.
            second: The other.
            level: Above which the two count as told apart.

        Raises:
            KeyError: One of them has no rating.
        """
        mean = self.strengths[first].points - self.strengths[second].points
        order = list(self.strengths)
        one, two = order.index(first), order.index(second)
        variance = (
            self.covariance[one][one] + self.covariance[two][two] - 2 * self.covariance[one][two]
        )
        deviation = math.sqrt(max(variance, 0.0))
        return Difference(
            mean,
            _REACH * deviation,
            _NORMAL.cdf(mean / deviation) if deviation else 0.5,
            separated=abs(mean) > _NORMAL.inv_cdf((1 + level) / 2) * deviation,
        )


def strengths(matches: Iterable[MatchTally]) -> dict[str, Strength]:
    """
    Return the ratings of all who have a complete set, by id.
    """
    return dict(fitted(matches).strengths)


def fitted(matches: Iterable[MatchTally]) -> Fitted:
    """
    Return the ratings of all who have a complete set, and how they go together.
    """
    weighted: dict[tuple[str, ...], float] = {}
    for match in matches:
        for places, sets in match.orders.items():
            for order, share in _orders(match.bots, places):
                weighted[order] = weighted.get(order, 0.0) + sets * share
    if not weighted:
        return Fitted({}, [])
    from tournaments.ratings import numeric  # noqa: PLC0415  (slow to import: see there)

    bots = sorted({bot for order in weighted for bot in order})
    number = {bot: place for place, bot in enumerate(bots)}
    orders = {tuple(number[bot] for bot in order): each for order, each in weighted.items()}
    points, covariance = numeric.fit(orders, len(bots))
    found = {
        bot: Strength(
            CENTRE + SCALE * points[place],
            _REACH * SCALE * math.sqrt(max(covariance[place][place], 0.0)),
        )
        for bot, place in number.items()
    }
    return Fitted(found, [[SCALE * SCALE * each for each in row] for row in covariance])


def _orders(
    bots: tuple[str, ...], places: tuple[int, ...]
) -> Iterator[tuple[tuple[str, ...], float]]:
    """
    Yield the orders that *places* stand for, best first, and the share of each.
    """
    level = [
        [bot for bot, each in zip(bots, places, strict=True) if each == place]
        for place in sorted(set(places))
    ]
    ways = math.prod(math.factorial(len(each)) for each in level)
    for parts in itertools.product(*(itertools.permutations(each) for each in level)):
        yield tuple(itertools.chain(*parts)), 1 / ways
