"""
One scheduled game, the sittings of a set, and which instances answer in it. Pure.
"""

from __future__ import annotations

import hashlib
import itertools
from dataclasses import dataclass
from typing import TYPE_CHECKING

from referee.hall import InstanceKey
from referee.notation import fixture_id
from referee.seats import SEATS
from referee.shuffle import DISGUISES

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from tournaments.league import League


@dataclass(frozen=True, slots=True)
class Fixture:
    """
    One scheduled game.
    """

    id: str
    """Unique in the league and stable: `bold:cautious/12b`, second sitting of the 12th set."""
    match_id: str
    """Its match: the ids of the bots, sorted: `bold:cautious`; partners `a+b:c+d`."""
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


def team_set(league: League, bots: Iterable[str], number: int) -> Iterator[Fixture]:
    """
    Yield the sittings of one set of *bots*, each of which is a side by itself.

    In the first sitting the bots sit clockwise in the order of their ids: partners
    of Bid are opposite since both seats of a team are one bot's. Each further
    sitting moves everybody one seat on. Without mirroring a set is one game, and
    the sets take the seatings in turn. Four players also take turns in who is
    whose neighbour: six ways to sit round a table, one after the other.
    """
    first, *others = sorted(bots)
    turn, moved = (number - 1, 0) if league.mirrored else divmod(number - 1, league.players)
    ways = tuple(itertools.permutations(others))
    order = (first, *ways[turn % len(ways)])
    yield from _sittings(league, ":".join((first, *others)), number, order, moved)


def partners_set(
    league: League, one: Iterable[str], other: Iterable[str], number: int
) -> Iterator[Fixture]:
    """
    Yield the sittings of one set of two pairs of partners.

    The second sitting moves everybody one seat on, so each pair gets the cards of the
    other, and everybody sits between the same two opponents.
    """
    north, east = sorted((sorted(one), sorted(other)))
    order = (north[0], east[0], north[1], east[1])
    moved = 0 if league.mirrored else number - 1
    match_id = f"{'+'.join(north)}:{'+'.join(east)}"
    yield from _sittings(league, match_id, number, order, moved)


def in_order(fixture_id: str) -> str:
    """
    Return the id of a fixture from one that names its bots in any order.
    """
    match_id, slash, rest = fixture_id.partition("/")
    sides = sorted("+".join(sorted(side.split("+"))) for side in match_id.split(":"))
    return f"{':'.join(sides)}{slash}{rest}"


def _sittings(
    league: League, match_id: str, number: int, order: Sequence[str], moved: int
) -> Iterator[Fixture]:
    set_id = f"{match_id}/{number}"
    for sitting in range(league.sittings):
        yield Fixture(
            id=fixture_id(set_id, sitting),
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
