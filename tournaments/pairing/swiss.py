"""
Swiss rounds: each bot meets those that stand as it does, and nobody twice. Pure.

The next round follows from the results of the rounds before and from nothing else,
so a run that was interrupted goes on with the pairing that it would have had. A
match won counts 2 here, a drawn one 1; who is equal stands in order of its margins,
then of entry. With an odd number of bots the last that has not had one yet has a
bye: it counts as a match won here, and nowhere in the standings, since nothing was
played.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from tournaments.pairing.fixture import team_set

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from tournaments.league import League
    from tournaments.pairing.fixture import Fixture

WON, DRAWN = 2, 1
"""What a match counts for the pairing of the next round."""

_FIRST = 1_000_000
"""Makes the first of two weights count before the second."""

_WINDOW = 12
"""Bots are paired within so many places of each other if that can be."""


class Look(Protocol):
    """
    Tells what came of matches.
    """

    def __call__(self, matches: Sequence[str]) -> Mapping[str, int] | None:
        """
        Return the margin of each match, positive for the bot whose id comes first.

        None while not all of their games are stored.
        """


def swiss(league: League, bots: Sequence[str], look: Look | None) -> Iterator[Fixture]:
    """
    Yield the fixtures round by round, as long as *look* knows the results.
    """
    points = dict.fromkeys(bots, 0)
    margins = dict.fromkeys(bots, 0)
    entry = {bot: place for place, bot in enumerate(bots)}
    met: set[frozenset[str]] = set()
    byes: set[str] = set()
    for number in range(league.rounds or 1):
        order = sorted(bots, key=lambda bot: (-points[bot], -margins[bot], entry[bot]))
        if len(order) % 2:
            free = next(bot for bot in reversed(order) if bot not in byes)
            byes.add(free)
            points[free] += WON
            order.remove(free)
        pairs = _pairs(order, points, met) if number else _first_round(order)
        met.update(map(frozenset, pairs))
        for set_number in range(1, league.sets + 1):
            for pair in pairs:
                yield from team_set(league, pair, set_number)
        if number + 1 == league.rounds or look is None:
            return
        matches = {":".join(sorted(pair)): tuple(sorted(pair)) for pair in pairs}
        results = look(list(matches))
        if results is None:
            return
        for match, (first, second) in matches.items():
            margin = results.get(match, 0)
            margins[first] += margin
            margins[second] -= margin
            points[first] += WON * (margin > 0) + DRAWN * (margin == 0)
            points[second] += WON * (margin < 0) + DRAWN * (margin == 0)


def swiss_matches(league: League, bots: int) -> int:
    """
    Return how many matches all rounds have together.
    """
    return (league.rounds or 1) * (bots // 2)


def _first_round(order: Sequence[str]) -> list[tuple[str, str]]:
    """
    Pair the upper half with the lower half, as nothing is known yet.
    """
    half = len(order) // 2
    return list(zip(order[:half], order[half:], strict=True))


def _pairs(
    order: Sequence[str], points: Mapping[str, int], met: set[frozenset[str]]
) -> list[tuple[str, str]]:
    """
    Pair everybody with somebody that stands near and was not met yet.

    That is a matching of least weight. A pair weighs the square of the difference of its
    points, and then that of the distance between its places. With at most half as many
    rounds as bots there always is one (Dirac's theorem); it is looked for nearby first,
    which is quicker.
    """
    import networkx as nx  # noqa: PLC0415  (most leagues have no use for it)

    places = range(len(order))
    window = _WINDOW
    while True:
        graph: nx.Graph[int] = nx.Graph()
        graph.add_nodes_from(places)
        graph.add_weighted_edges_from(
            (
                one,
                other,
                (points[order[one]] - points[order[other]]) ** 2 * _FIRST + (other - one) ** 2,
            )
            for one in places
            for other in range(one + 1, min(len(order), one + window + 1))
            if frozenset((order[one], order[other])) not in met
        )
        matching = nx.min_weight_matching(graph)
        if 2 * len(matching) == len(order):
            pairs = sorted((min(pair), max(pair)) for pair in matching)
            return [(order[one], order[other]) for one, other in pairs]
        if window >= len(order):
            raise ValueError("there is no pairing without a second meeting")
        window *= 2
