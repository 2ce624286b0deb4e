"""
All that the results of a league say about its bots, and how sure it is. Pure.

    rated = rate(tally)
    rated.means["bold"]                    mean margin with its interval
    rated.strengths["bold"]                rating with its interval
    rated.difference("bold", "cautious")   of the mean margins, over all opponents
    rated.gap("bold", "cautious")          of the ratings
    rated.pairs[("bold", "cautious")]      what these two came to against each other
    rated.marks(order)                     tie marks
"""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from tournaments.ratings.marks import marks
from tournaments.ratings.means import LEVEL, Mean, Strata, difference, mean_of
from tournaments.ratings.strengths import fitted

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from tournaments.margins import MatchTally, Stopped
    from tournaments.ratings.means import Difference
    from tournaments.ratings.strengths import Fitted, Strength
    from tournaments.tally import Tally


class Pair(NamedTuple):
    """
    What two bots came to in the sets in which both sat, as the first of them sees it.
    """

    first: str
    second: str
    sets: int
    won: int
    """Sets in which the first had the greater margin."""
    level: int
    lost: int
    difference: Difference
    """By how many points a game the first was better than the second."""
    stopped: tuple[Stopped, ...]
    """How tests ended their matches early."""


@dataclass(slots=True)
class _Together:
    """
    Sums of two bots over the matches in which both sat, by the number of sets.
    """

    apart: Strata = field(default_factory=Strata)
    """Of the difference of their margins."""
    common: dict[int, int] = field(default_factory=dict)
    """Of the spread of one with the other."""
    won: int = 0
    level: int = 0
    lost: int = 0
    stopped: list[Stopped] = field(default_factory=list)


class Ratings:
    """
    What `rate` has found.
    """

    def __init__(self, tally: Tally) -> None:
        self.sides = len(tally.league.sides)
        self.unit = tally.unit
        self._bots: dict[str, Strata] = {}
        self._together: dict[tuple[str, str], _Together] = {}
        # In order of their ids: sums of floats, further on, must not depend on who was first.
        matches = [tally.matches[match_id] for match_id in sorted(tally.matches)]
        for match in matches:
            self._take(match)
        self.means: dict[str, Mean] = {}
        """By bot; of those who have a complete set."""
        for bot, strata in self._bots.items():
            mean = mean_of(strata, self.unit)
            if mean is not None:
                self.means[bot] = mean
        self._matches = matches
        count = len(self.means)
        self.level = 1 - (1 - LEVEL) / max(1, math.comb(count, 2))
        """
        Above which two bots are told apart: so high that all pairs together, if no bot was
        better than another, would be mistaken once in twenty leagues at most (Bonferroni).
        """

    @cached_property
    def _fitted(self) -> Fitted:
        return fitted(self._matches)

    @property
    def strengths(self) -> Mapping[str, Strength]:
        """
        The ratings by bot, of those who have a complete set; fitted when somebody asks.
        """
        return self._fitted.strengths

    @property
    def pairs(self) -> dict[tuple[str, str], Pair]:
        """
        What each two bots came to that met, by their ids, sorted.
        """
        return {key: self._pair(key) for key in sorted(self._together)}

    def pair(self, first: str, second: str) -> Pair | None:
        """
        Return what two bots came to against each other, as *first* sees it; None if nothing.
        """
        if (first, second) in self._together:
            return self._pair((first, second))
        if (second, first) not in self._together:
            return None
        seen = self._pair((second, first))
        mean, error, superiority, separated = seen.difference
        return Pair(
            first,
            second,
            seen.sets,
            seen.lost,
            seen.level,
            seen.won,
            type(seen.difference)(
                -mean, error, None if superiority is None else 1 - superiority, separated
            ),
            seen.stopped,
        )

    def difference(self, first: str, second: str) -> Difference:
        """
        Return by how much the mean margin of *first* exceeds that of *second*.

        Raises:
            KeyError: One of them has no complete set.
        """
        one, two = self._bots[first], self._bots[second]
        mean = self.means[first].exact - self.means[second].exact
        together = self._together.get((min(first, second), max(first, second)), _Together())
        freedom = one.freedom + two.freedom - together.apart.freedom
        if not freedom:
            return self._guess(one, two, mean)
        squares = weight = variance = Fraction()
        for sets in sorted({*one.by_sets, *two.by_sets}):
            spread = Fraction()
            matches = 0
            for mine, count in ((one, one.matches), (two, two.matches)):
                sums = mine.by_sets.get(sets)
                if sums is not None:
                    spread += Fraction(sums.spread, count * count)
                    matches += sums.matches
            shared = together.apart.by_sets.get(sets)
            if shared is not None:
                spread -= Fraction(2 * together.common[sets], one.matches * two.matches)
                matches -= shared.matches
            squares += spread / sets
            weight += Fraction(matches, sets)
            if sets > 1:
                variance += spread / (sets * sets * (sets - 1))
        if 1 in one.by_sets or 1 in two.by_sets:
            variance = squares / freedom * weight  # as in `Strata.variance`
        return difference(mean, variance / self.unit**2, freedom, self.level)

    def _guess(self, one: Strata, two: Strata, mean: Fraction) -> Difference:
        """
        The difference where each match has one set, so that nothing shows how they go together.
        """
        found = [each.variance() for each in (one, two)]
        freedom = min((0 if each is None else each[1]) for each in found)
        # As if the luck of one was the bad luck of the other: the most that it can be.
        deviation = sum(math.sqrt(each[0]) for each in found if each is not None)
        return difference(mean, Fraction(deviation) ** 2 / self.unit**2, freedom, self.level)

    def gap(self, first: str, second: str) -> Difference:
        """
        Return by how many points the rating of *first* exceeds that of *second*.

        Raises:
            KeyError: One of them has no complete set.
        """
        return self._fitted.difference(first, second, self.level)

    def marks(
        self, order: Sequence[str], apart: Callable[[str, str], Difference] | None = None
    ) -> dict[str, str]:
        """
        Return the tie marks of bots that have a complete set.

        Args:
            order: Their ids, best first.
            apart: How they are compared, which must be what they are ordered by:
                `difference`, which is the default, or `gap`.
        """
        compare = apart or self.difference
        return marks(order, lambda first, second: compare(first, second).separated)

    # --- inside --------------------------------------------------------------------------

    def _take(self, match: MatchTally) -> None:
        for place, bot in enumerate(match.bots):
            strata = self._bots.setdefault(bot, Strata())
            strata.add(match.sets, match.totals[place], match.spread(place, place))
        for (one, first), (two, second) in itertools.combinations(enumerate(match.bots), 2):
            key = (first, second)
            together = self._together.get(key)
            if together is None:
                together = self._together[key] = _Together()
            common = match.spread(one, two)
            together.common[match.sets] = together.common.get(match.sets, 0) + common
            together.apart.add(
                match.sets,
                match.totals[one] - match.totals[two],
                match.spread(one, one) + match.spread(two, two) - 2 * common,
            )
            for places, sets in match.orders.items():
                together.won += sets * (places[one] < places[two])
                together.level += sets * (places[one] == places[two])
                together.lost += sets * (places[one] > places[two])
            if match.stopped is not None:
                together.stopped.append(match.stopped)

    def _pair(self, key: tuple[str, str]) -> Pair:
        together = self._together[key]
        apart = together.apart
        # A margin is against the mean of the others; between two of them it is points.
        unit = Fraction(self.unit * self.sides, self.sides - 1)
        mean = apart.mean() / unit
        found = apart.variance()
        variance, freedom = (Fraction(), 0) if found is None else found
        return Pair(
            *key,
            apart.sets,
            together.won,
            together.level,
            together.lost,
            difference(mean, variance / unit**2, freedom, LEVEL),
            tuple(together.stopped),
        )


def rate(tally: Tally) -> Ratings:
    """
    Return what *tally* says about the bots.
    """
    return Ratings(tally)
