"""
Who plays whom, by format: an iterator of fixtures for each. Lazy and pure.

A schedule costs nothing until it is read, it is the same each time, and whoever
continues a run skips the fixtures that are stored. Ids are made of the ids of the
bots, sorted, and of numbers.
"""

from __future__ import annotations

import itertools
import math
from typing import TYPE_CHECKING, NamedTuple

from tournaments.pairing import cyclic
from tournaments.pairing.fixture import partners_set, team_set
from tournaments.pairing.swiss import swiss, swiss_matches

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tournaments.league import League
    from tournaments.pairing.fixture import Fixture
    from tournaments.pairing.swiss import Look


def fixtures(
    league: League, bots: Sequence[str] | None = None, look: Look | None = None
) -> Iterator[Fixture]:
    """
    Yield every fixture: the first set of every match, then the second of every match ...

    So all pairings progress evenly, and the sittings of a set come one after the other.
    In an open league a bot that comes later changes no fixture, and no deck, of the others.

    Args:
        league: What is played.
        bots: Ids of those who play, each once; None for the entrants of the league.
        look: In a `swiss`, what came of a round, which decides the next; None, or when it
            does not know yet: the schedule ends there.
    """
    ids = _ids(league) if bots is None else bots
    if league.format == "swiss":
        yield from swiss(league, ids, look)
        return
    if league.format == "individual":
        yield from _individual(league, ids)
        return
    for number in range(1, league.sets + 1):
        for match in _matches(league, ids):
            yield from team_set(league, match, number)


def newcomer_fixtures(league: League, bot: str, before: Sequence[str]) -> Iterator[Fixture]:
    """
    Yield what *bot* adds to the fixtures of those who were there *before*.

    Together with `fixtures(league, before)` these are `fixtures(league, [*before, bot])`.
    """
    for number in range(1, league.sets + 1):
        for others in itertools.combinations(before, league.players - 1):
            yield from team_set(league, (*others, bot), number)


def count(league: League, bots: int | None = None) -> int:
    """
    Return how many fixtures there are among so many *bots*; None for the league's own.
    """
    number = len(league.entrants) if bots is None else bots
    return _number_of_matches(league, number) * league.sets * league.sittings


class Balance(NamedTuple):
    """
    How often any two bots meet in one round of all matches: the least and the most.
    """

    partners: tuple[int, int] | None
    """As partners; None where nobody has one but itself."""
    opponents: tuple[int, int]


def balance(league: League) -> Balance | None:
    """
    Return how even a schedule is in which not everybody meets everybody in every way.

    None for formats where there is nothing to say: all matches are played, or results
    decide which.
    """
    bots = len(league.entrants)
    if league.format == "individual":
        games = list(cyclic.whist(bots).play())
        partners = [pair for a, b, c, d in games for pair in ((a, b), (c, d))]
        opponents = [(x, y) for a, b, c, d in games for x in (a, b) for y in (c, d)]
        return Balance(_range(bots, partners), _range(bots, opponents))
    sample = _sample(league, bots)
    if sample is None:
        return None
    meetings = [pair for game in sample.play() for pair in itertools.combinations(game, 2)]
    return Balance(None, _range(bots, meetings))


def _range(bots: int, pairs: list[tuple[int, int]]) -> tuple[int, int]:
    counts = dict.fromkeys(itertools.combinations(range(bots), 2), 0)
    for one, other in pairs:
        counts[min(one, other), max(one, other)] += 1
    return min(counts.values()), max(counts.values())


def _ids(league: League) -> tuple[str, ...]:
    return tuple(entrant.id for entrant in league.entrants)


def _matches(league: League, ids: Sequence[str]) -> Iterator[tuple[str, ...]]:
    """
    Yield who plays against each other, each being a side.
    """
    if league.format == "gauntlet":
        newcomer = str(league.newcomer)
        field = [each for each in ids if each != newcomer]
        for others in itertools.combinations(field, league.players - 1):
            yield (newcomer, *others)
    elif sample := _sample(league, len(ids)):
        for four in sample.play():
            yield tuple(ids[place] for place in four)
    else:
        yield from itertools.combinations(ids, league.players)


def _individual(league: League, ids: Sequence[str]) -> Iterator[Fixture]:
    """
    Yield the sets of a league of changing partners, one game of its schedule after the other.

    Two pairs can meet more than once in it, so their sets are numbered over the league.
    """
    numbers = itertools.count(1)
    for _ in range(league.sets):
        for a, b, c, d in cyclic.whist(len(ids)).play():
            yield from partners_set(league, (ids[a], ids[b]), (ids[c], ids[d]), next(numbers))


def _sample(league: League, bots: int) -> cyclic.Cycle | None:
    """
    Return the fours that are played; None if it is all: a sample of more than half is.
    """
    if league.sample is None or 2 * league.sample >= math.comb(bots, league.players):
        return None
    return cyclic.fours(bots, league.sample)


def _number_of_matches(league: League, bots: int) -> int:
    if league.format == "gauntlet":
        return math.comb(bots - 1, league.players - 1)
    if league.format == "individual":
        return len(cyclic.whist(bots))
    if league.format == "swiss":
        return swiss_matches(league, bots)
    sample = _sample(league, bots)
    return math.comb(bots, league.players) if sample is None else len(sample)
