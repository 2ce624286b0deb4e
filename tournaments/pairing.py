"""
Who plays whom, with which decks, in which seats. Lazy and pure.

A schedule is an iterator: it costs nothing until it is read, it is the same
each time, and whoever continues a run skips the fixtures that are stored. Ids
are made of the ids of the bots, sorted, and of numbers; so a bot that is added
later changes no fixture, and no deck, of the others.
"""

from __future__ import annotations

import hashlib
import itertools
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from referee.hall import InstanceKey
from referee.seats import SEATS
from referee.shuffle import DISGUISES

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from tournaments.league import League

_LETTERS = "abcd"
"""Sittings in the id of a fixture."""


@dataclass(frozen=True, slots=True)
class Fixture:
    """
    One scheduled game.
    """

    id: str
    """Unique in the league and stable: `bold:cautious/12b`, second sitting of the 12th set."""
    match_id: str
    """Its match: the ids of the bots, sorted: `bold:cautious`."""
    set_id: str
    """Its set, from which the key of its decks derives: `bold:cautious/12`."""
    set_number: int
    """From 1, in its match."""
    sitting: int
    """From 0, in its set."""
    disguise: int
    """Which suits its decks wear, 0 for their own (`referee.shuffle.DISGUISES`)."""
    seats: tuple[str, ...]
    """Ids of the bots, N, E, S, W."""


def fixtures(league: League, bots: Sequence[str] | None = None) -> Iterator[Fixture]:
    """
    Yield every fixture: the first set of every match, then the second of every match ...

    So all pairings progress evenly, and the sittings of a set come one after the other.

    Args:
        league: What is played.
        bots: Ids of those who play, each once; None for the entrants of the league.
    """
    ids = _ids(league) if bots is None else bots
    for number in range(1, league.sets + 1):
        for match in itertools.combinations(ids, league.players):
            yield from _set(league, match, number)


def newcomer_fixtures(league: League, bot: str, before: Sequence[str]) -> Iterator[Fixture]:
    """
    Yield what *bot* adds to the fixtures of those who were there *before*.

    Together with `fixtures(league, before)` these are `fixtures(league, [*before, bot])`.
    """
    for number in range(1, league.sets + 1):
        for others in itertools.combinations(before, league.players - 1):
            yield from _set(league, (*others, bot), number)


def count(league: League, bots: int | None = None) -> int:
    """
    Return how many fixtures there are among so many *bots*; None for the league's own.
    """
    number = len(league.entrants) if bots is None else bots
    return math.comb(number, league.players) * league.sets * league.sittings


def instances_for(
    fixture: Fixture,
    available: Mapping[str, Sequence[str]],
    *,
    shared: bool = False,
) -> tuple[InstanceKey, ...]:
    """
    Return who answers for N, E, S, W.

    The seats of a bot go to different instances, and so do the sittings of a set
    when it has enough of them. Bots with more instances than a set needs spread
    their sets over all of them. The choice depends on the names that are available
    and on the fixture, and on nothing else.

    Args:
        fixture: The game.
        available: Names of the instances that each bot has.
        shared: Whether one instance may answer for both seats of a team.

    Raises:
        ValueError: A bot has fewer instances than it needs.
    """
    keys = []
    taken: dict[str, int] = {}
    for bot in fixture.seats:
        names = sorted(set(available.get(bot, ())))
        seats = fixture.seats.count(bot)
        if len(names) < (1 if shared else seats):
            raise ValueError(f"{bot} has {len(names)} instances and needs {seats}")
        nth = taken.get(bot, 0)
        taken[bot] = nth + 1
        place = _hash(f"instances {fixture.set_id}") + fixture.sitting * seats + nth
        keys.append(InstanceKey(bot, names[place % len(names)]))
    return tuple(keys)


def _ids(league: League) -> tuple[str, ...]:
    return tuple(entrant.id for entrant in league.entrants)


def _set(league: League, bots: Iterable[str], number: int) -> Iterator[Fixture]:
    """
    Yield the sittings of one set.

    In the first sitting the bots sit clockwise in the order of their ids: partners
    of Bid are opposite since both seats of a team are one bot's. Each further
    sitting moves everybody one seat on. Without mirroring a set is one game, and
    the sets take the seatings in turn. Four players also take turns in who is
    whose neighbour: six ways to sit round a table, one after the other.
    """
    first, *others = sorted(bots)
    match_id = ":".join((first, *others))
    set_id = f"{match_id}/{number}"
    turn, moved = (number - 1, 0) if league.mirrored else divmod(number - 1, league.players)
    ways = tuple(itertools.permutations(others))
    order = (first, *ways[turn % len(ways)])
    for sitting in range(league.sittings):
        yield Fixture(
            id=f"{set_id}{_LETTERS[sitting]}",
            match_id=match_id,
            set_id=set_id,
            set_number=number,
            sitting=sitting,
            disguise=_disguise(league, set_id, sitting),
            seats=tuple(order[(seat - moved - sitting) % len(order)] for seat in SEATS),
        )


def _disguise(league: League, set_id: str, sitting: int) -> int:
    """
    The suits of a sitting: their own in the first, others in the second.
    """
    if not league.disguised or sitting == 0:
        return 0
    return 1 + _hash(f"disguise {set_id}") % (len(DISGUISES) - 1)


def _hash(text: str) -> int:
    """
    A number that is the same in every process, unlike `hash`.
    """
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big")
