"""
What the sets of a match come to, as whole numbers. Pure.

The unit of statistics is the set. The margin of a bot in a game is its points
less those of the others; that of a set is the mean over its sittings. Bots of one
set share its luck, so their margins go together: what is kept of a match is the sum
for each bot, the sum of products for each two bots, and how often the bots came in
which order. From these everything in `ratings` follows, in whatever order the
sets were added.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping
    from collections.abc import Set as AbstractSet


class Stopped(NamedTuple):
    """
    Says that a sequential test has decided a match.
    """

    after: int
    """Number of the set that decided it; later ones do not count."""
    better: bool
    """Whether the first bot of the match reached the upper bound; else it is the lower one."""


@dataclass(slots=True)
class MatchTally:
    """
    The sums of one match.

    In whole numbers: margins are `Tally.unit` times those in points a game.
    """

    bots: tuple[str, ...]
    """Ids, sorted; everything else is in this order."""
    sets: int = 0
    """Complete sets that count."""
    totals: list[int] = field(default_factory=list)
    """Sum of the margins, by bot."""
    products: list[int] = field(default_factory=list)
    """Sum of the products of two margins: 00, 01 ... 11, 12 ..."""
    orders: Counter[tuple[int, ...]] = field(default_factory=Counter)
    """How many sets ended in which places, by bot; equal margins share a place."""
    stopped: Stopped | None = None
    """Set once a sequential test has decided it."""

    def __post_init__(self) -> None:
        count = len(self.bots)
        self.totals = self.totals or [0] * count
        self.products = self.products or [0] * (count * (count + 1) // 2)

    def add(self, margins: Mapping[str, int]) -> None:
        """
        Count one more set, in which *margins* were these.
        """
        values = [margins[bot] for bot in self.bots]
        self.sets += 1
        place = 0
        for first, value in enumerate(values):
            self.totals[first] += value
            for other in values[first:]:
                self.products[place] += value * other
                place += 1
        falling = sorted(values, reverse=True)
        self.orders[tuple([1 + falling.index(value) for value in values])] += 1

    def spread(self, first: int, second: int) -> int:
        """
        Return sets x (sum of products) - product of sums, of two bots by place.

        Divided by sets x (sets - 1) that is their covariance, or the variance of one.
        """
        low, high = sorted((first, second))
        count = len(self.bots)
        place = low * count - low * (low - 1) // 2 + high - low
        return self.sets * self.products[place] - self.totals[low] * self.totals[high]

    def __add__(self, other: MatchTally) -> MatchTally:
        return MatchTally(
            self.bots,
            self.sets + other.sets,
            [a + b for a, b in zip(self.totals, other.totals, strict=True)],
            [a + b for a, b in zip(self.products, other.products, strict=True)],
            self.orders + other.orders,
            self.stopped or other.stopped,
        )


@dataclass(slots=True)
class OpenSet:
    """
    A set of which not all sittings are there yet.
    """

    match_id: str
    sittings: int = 0
    margins: dict[str, int] = field(default_factory=dict)
    """Sum so far, by bot."""
    instances: set[tuple[str, str]] = field(default_factory=set)
    """Who sat in it: bot and instance."""
    repeated: bool = False
    """Whether an instance sat in two of its sittings."""

    def take(
        self, margins: dict[str, int], instances: AbstractSet[tuple[str, str]], sittings: int
    ) -> None:
        """
        Take in so many *sittings*.
        """
        self.sittings += sittings
        mine = self.margins
        for bot, margin in margins.items():
            mine[bot] = mine.get(bot, 0) + margin
        self.repeated = self.repeated or not self.instances.isdisjoint(instances)
        self.instances |= instances
