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
from typing import TYPE_CHECKING, NamedTuple

from tournaments.ratings.means import LEVEL

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from tournaments.margins import MatchTally

CENTRE = 1500.0
"""The mean of all ratings."""

SCALE = 400 / math.log(10)
"""Points for a factor e in the odds."""

_NORMAL = 1.959963984540054
"""Standard errors that hold 95 % of a normal distribution."""

assert LEVEL == 0.95  # noqa: S101  (the number above says so)


class Strength(NamedTuple):
    """
    The rating of a bot, in points.
    """

    points: float
    error: float
    """Half the width of its 95 % interval, against the mean of all."""


def strengths(matches: Iterable[MatchTally]) -> dict[str, Strength]:
    """
    Return the ratings of all who have a complete set, by id.
    """
    weighted: dict[tuple[str, ...], float] = {}
    for match in matches:
        for places, sets in match.orders.items():
            for order, share in _orders(match.bots, places):
                weighted[order] = weighted.get(order, 0.0) + sets * share
    if not weighted:
        return {}
    from tournaments.ratings import numeric  # noqa: PLC0415  (slow to import: see there)

    bots = sorted({bot for order in weighted for bot in order})
    number = {bot: place for place, bot in enumerate(bots)}
    orders = {tuple(number[bot] for bot in order): each for order, each in weighted.items()}
    points, errors = numeric.fit(orders, len(bots))
    return {
        bot: Strength(CENTRE + SCALE * points[place], _NORMAL * SCALE * errors[place])
        for bot, place in number.items()
    }


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
