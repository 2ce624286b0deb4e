"""
Balanced schedules out of a few games: each is played again with everybody moved one place on.

Number the bots 0 .. m-1 and play a game once for every shift, with the shift added
to its numbers (modulo m). A pair of bots then meets as often as its difference
occurs in the games, so a schedule of thousands of games is balanced if a handful
is. With an even number of bots one of them, the pivot, stays where it is.

Whist tournaments (everybody partners everybody once and opposes everybody twice)
are made so since E. H. Moore (1896). For a prime number 4t + 1 of bots his games are
known by formula; for other numbers they are looked for, by annealing from a fixed
start: the same every time. Up to `EXACT` bots that finds a perfect balance (a test
looks); beyond, the nearest to it that a fraction of a second allows.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cache
from itertools import combinations
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

EXACT = 30
"""Up to so many bots every schedule of changing partners is balanced perfectly."""

_STEPS = 60_000
"""Steps of a search, about half a second."""

_STARTS = 5
"""Searches for few bots, which are quick; many bots get one."""

_NOTHING = 1e-9
"""A cost that is only the error of floating point."""

Game: TypeAlias = tuple[int, int, int, int]
"""Numbers of four bots."""

PIVOT = -1
"""In a game: the bot that stays where it is."""


@dataclass(frozen=True, slots=True)
class Cycle:
    """
    A schedule as the games that it develops from.
    """

    bots: int
    games: tuple[Game, ...]
    """Numbers of four bots; where there are partners, the first two against the others."""

    @property
    def shifts(self) -> int:
        """
        How often each game is played, each time with everybody moved on.
        """
        return self.bots - any(PIVOT in game for game in self.games)

    def __len__(self) -> int:
        return self.shifts * len(self.games)

    def play(self) -> Iterator[Game]:
        """
        Yield every game, as numbers of bots; the pivot is the last of them.
        """
        m = self.shifts
        for shift in range(m):
            for game in self.games:
                a, b, c, d = (m if bot == PIVOT else (bot + shift) % m for bot in game)
                yield a, b, c, d


@cache
def whist(bots: int) -> Cycle:
    """
    Return a schedule of changing partners for at least four *bots*.

    Everybody partners everybody equally often, once or twice, and opposes everybody
    twice as often; beyond `EXACT` bots nearly so.
    """
    if bots % 4 == 1 and _is_prime(bots):
        return Cycle(bots, _moore(bots))
    return Cycle(bots, _best(bots, lambda dice: _partners(bots, dice)))


@cache
def fours(bots: int, at_least: int) -> Cycle:
    """
    Return a sample of *at_least* so many different fours of more than four *bots*.

    Everybody plays equally often, and meets everybody else as nearly so as was found.
    """
    blocks = -(-at_least // bots)
    return Cycle(bots, _best(bots, lambda dice: _fours(bots, blocks, dice)))


def _moore(prime: int) -> tuple[Game, ...]:
    """
    Return the games of a whist tournament for a prime number 4t + 1.

    With a primitive root r they are r^i and r^(i+2t) against r^(i+t) and r^(i+3t).
    """
    t = prime // 4
    root = next(
        r for r in range(2, prime) if len({pow(r, i, prime) for i in range(prime - 1)}) == prime - 1
    )
    power = [pow(root, i, prime) for i in range(4 * t)]
    return tuple((power[i], power[i + 2 * t], power[i + t], power[i + 3 * t]) for i in range(t))


def _is_prime(number: int) -> bool:
    return number > 1 and all(number % each for each in range(2, math.isqrt(number) + 1))


# --- searching ---------------------------------------------------------------------------


class _Dice:
    """
    Numbers that look random and are the same everywhere (SplitMix64, Steele et al. 2014).
    """

    def __init__(self, start: int) -> None:
        self._state = start

    def below(self, end: int) -> int:
        """
        Return a number from 0 to *end* - 1.
        """
        self._state = (self._state + 0x9E3779B97F4A7C15) & 0xFFFFFFFFFFFFFFFF
        z = self._state
        z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9 & 0xFFFFFFFFFFFFFFFF
        z = (z ^ (z >> 27)) * 0x94D049BB133111EB & 0xFFFFFFFFFFFFFFFF
        return (z ^ (z >> 31)) % end

    def unit(self) -> float:
        """
        Return a number from 0 to 1.
        """
        return self.below(1 << 53) / (1 << 53)


class _Puzzle(NamedTuple):
    """
    Games to be changed until every difference occurs as often as it should.
    """

    games: list[Game]
    modulus: int
    often: float
    """How often a pair of bots should meet, in what is counted."""
    pairs: Callable[[Game], Iterable[tuple[int, int]]]
    """The pairs of a game that are counted; none with the pivot."""
    propose: Callable[[list[Game]], dict[int, Game]]
    """Games to be put in the place of some."""

    def differences(self, game: Game) -> Iterator[int]:
        """
        Yield how far the two of each pair are from each other, the shorter way round.
        """
        for one, other in self.pairs(game):
            far = (one - other) % self.modulus
            yield min(far, self.modulus - far)

    def moved(self, games: list[Game], changed: dict[int, Game]) -> dict[int, int]:
        """
        Return by how much the occurrences of differences change with the games.
        """
        moved: dict[int, int] = {}
        for place, game in changed.items():
            for each in self.differences(games[place]):
                moved[each] = moved.get(each, 0) - 1
            for each in self.differences(game):
                moved[each] = moved.get(each, 0) + 1
        return moved

    def weight(self, difference: int, count: int) -> float:
        """
        Return what it costs that a difference occurs so often.
        """
        if difference == 0:  # a bot that meets itself
            return 10.0 * count * count
        # Two bots half a turn apart meet twice in a turn.
        twice = 2 if 2 * difference == self.modulus else 1
        return (twice * count - self.often) ** 2


def _best(bots: int, make: Callable[[_Dice], _Puzzle]) -> tuple[Game, ...]:
    """
    Return the games of the best of some searches; the first that cannot be bettered ends them.
    """
    found: list[tuple[float, list[Game]]] = []
    for start in range(_STARTS if bots <= EXACT else 1):
        dice = _Dice(start)
        found.append(_anneal(make(dice), dice))
        if found[-1][0] < _NOTHING:
            break
    return tuple(min(found, key=lambda each: each[0])[1])


def _least(puzzle: _Puzzle) -> float:
    """
    Return the least that a puzzle can cost: what is counted, dealt out as evenly as it goes.
    """
    counts = [0] * (puzzle.modulus // 2 + 1)
    for _ in range(sum(len(list(puzzle.pairs(game))) for game in puzzle.games)):
        best = min(
            range(1, len(counts)),
            key=lambda each: (
                puzzle.weight(each, counts[each] + 1) - puzzle.weight(each, counts[each])
            ),
        )
        counts[best] += 1
    return sum(puzzle.weight(each, count) for each, count in enumerate(counts))


def _anneal(puzzle: _Puzzle, dice: _Dice) -> tuple[float, list[Game]]:
    """
    Change games until they cost the least, or time is up; return the rest and the games.
    """
    games, weight = puzzle.games, puzzle.weight
    found = [0] * (puzzle.modulus // 2 + 1)
    for game in games:
        for each in puzzle.differences(game):
            found[each] += 1
    cost = sum(weight(each, count) for each, count in enumerate(found)) - _least(puzzle)
    heat = 2.0
    for _ in range(_STEPS):
        if cost < _NOTHING:
            break
        heat = max(0.25, heat * 0.9999)
        changed = puzzle.propose(games)
        moved = puzzle.moved(games, changed)
        more = sum(
            weight(each, found[each] + by) - weight(each, found[each]) for each, by in moved.items()
        )
        if more <= 0 or dice.unit() < math.exp(-more / heat):
            for each, by in moved.items():
                found[each] += by
            for place, game in changed.items():
                games[place] = game
            cost += more
    return cost, games


def _partners(bots: int, dice: _Dice) -> _Puzzle:
    """
    Return the puzzle of a whist tournament: partners are right already, opponents to be found.

    Each game is (0, p) against (c, c + q). The differences p and q of partners are dealt
    out once; what changes is c, and who has which p and q. With the pivot as a partner of
    0 there is no p.
    """
    pivot = bots % 2 == 0
    modulus = bots - pivot
    # Nine bots are balanced at once in other groups only.
    often = 1 if bots % 4 in (0, 1) and bots != 9 else 2
    parts = [each for each in range(1, modulus // 2 + 1) for _ in range(often)]
    for place in range(len(parts) - 1, 0, -1):
        other = dice.below(place + 1)
        parts[place], parts[other] = parts[other], parts[place]
    games: list[Game] = []
    while parts:
        p = PIVOT if pivot and len(games) < often else parts.pop()
        q, c = parts.pop(), dice.below(modulus)
        games.append((0, p, c, (c + q) % modulus))

    def propose(games: list[Game]) -> dict[int, Game]:
        place = dice.below(len(games))
        _, p, c, d = games[place]
        q, c = (d - c) % modulus, dice.below(modulus)
        if dice.below(3):
            return {place: (0, p, c, (c + q) % modulus)}
        # Another game's partners for these.
        other = dice.below(len(games))
        _, p2, c2, d2 = games[other]
        if other == place:
            return {place: (0, p, c, (c - q) % modulus)}
        q2 = (d2 - c2) % modulus
        return {
            place: (0, p, c, (c + q2) % modulus),
            other: (0, p2, c2, (c2 + q) % modulus),
        }

    def pairs(game: Game) -> list[tuple[int, int]]:
        _, p, c, d = game
        return [(0, c), (0, d)] if p == PIVOT else [(0, c), (0, d), (p, c), (p, d)]

    return _Puzzle(games, modulus, 2.0 * often, pairs, propose)


def _fours(bots: int, blocks: int, dice: _Dice) -> _Puzzle:
    """
    Return the puzzle of fours in which everybody meets everybody alike.

    No two games may be the same four moved on, or it would be played twice; and none may
    come back to itself before everybody has moved once round.
    """
    games: list[Game] = []
    shape = cache(lambda game: _shape(game, bots))

    def four() -> Game:
        while True:
            game = (0, dice.below(bots), dice.below(bots), dice.below(bots))
            if len(set(game)) == 4 and shape(game) and all(shape(game) != shape(g) for g in games):
                return game

    while len(games) < blocks:
        games.append(four())
    return _Puzzle(
        games,
        bots,
        12 * blocks / (bots - 1),
        lambda game: combinations(game, 2),
        lambda games: {dice.below(len(games)): four()},
    )


def _shape(game: Game, bots: int) -> tuple[int, ...]:
    """
    Return what a four and all that it is moved on to have in common; nothing if it comes back.
    """
    seen_from = {tuple(sorted((each - bot) % bots for each in game)) for bot in game}
    return min(seen_from) if len(seen_from) == len(game) else ()
