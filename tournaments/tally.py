"""
What came of games, as sums. Pure.

A tally is a fold of game rows: rows may come in any order, and tallies of parts
of a run may be added. It holds whole numbers only, so the order cannot show in
the last digit of a mean; means and errors are made of it in `ratings`.

What the sets of a match come to is in `margins`; only complete sets enter it. In
Bid Euchre a team's points are good; in Buck Euchre a player's points are bad, so
there the margin is the others' mean less one's own. Higher is better in both.
"""

from __future__ import annotations

import functools
from collections import Counter, defaultdict
from typing import TYPE_CHECKING

from referee.rules.deal import Ending
from referee.rules.variants import GAMES
from referee.seats import SEATS
from tournaments.margins import MatchTally, OpenSet
from tournaments.reneges import Watch
from tournaments.stopping import Gate
from tournaments.sums import BotTally

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from tournaments.games import GameRow
    from tournaments.league import League

_ADJUDICATED = str(Ending.ADJUDICATED)
_NOBODY = (0, 0, 0, 0)
_UNEVENTFUL = Watch()


@functools.lru_cache(4096)
def _who(seats: tuple[str, ...], instances: tuple[str, ...]) -> frozenset[tuple[str, str]]:
    """
    Return who sits at a table: bots and instances, which soon meet at the same seats again.
    """
    return frozenset(zip(seats, instances, strict=True))


class Tally:
    """
    The sums of a run, or of a part of it.
    """

    def __init__(self, league: League) -> None:
        """
        Start with nothing.

        Args:
            league: Says what a set is and which points are good.
        """
        self.league = league
        self.bots: defaultdict[str, BotTally] = defaultdict(BotTally)
        """By id; those who have played."""
        self.matches: dict[str, MatchTally] = {}
        """By id; those of which a set is complete."""
        self.games = 0
        """Games that count."""
        self.voids = 0
        """Games that count for nobody."""
        self.adjudicated = 0
        """Games that too many deals have ended."""
        self.forfeited = 0
        """Games in which a side forfeited."""
        self.whispers = 0
        """Games in which one instance had both seats of a side."""
        self.sets = 0
        """Complete sets."""
        self.repeated = 0
        """Complete sets of which an instance sat in two sittings."""
        self.unit = (len(league.sides) - 1) * league.sittings
        """What the margins of sets are multiplied by."""
        self._sittings = league.sittings
        self._swiss = league.format == "swiss"
        self._entries = tuple(
            (side, seat)
            for side, seats in enumerate(league.sides)
            # A team is one bot, and has one entry, unless partners change.
            for seat in (seats if league.players == len(SEATS) else seats[:1])
        )
        self._deal = GAMES[league.game].deal
        self._first = self._deal.first_scores(league.rules)
        self._open: dict[str, OpenSet] = {}
        self._stored: Counter[str] = Counter()
        """Games by match, void ones included; where results decide who plays next."""
        self._gate: Gate[GameRow] | None = None
        if league.stop is not None:
            self._gate = Gate(league.stop, unit=self.unit, sittings=league.sittings)

    @classmethod
    def of(cls, league: League, rows: Iterable[GameRow]) -> Tally:
        """
        Return the tally of *rows*.
        """
        tally = cls(league)
        for row in rows:
            tally.add(row)
        return tally

    @property
    def incomplete(self) -> int:
        """
        Sets of which only some sittings are there; they are not in the margins.
        """
        return len(self._open)

    def look(self, matches: Sequence[str]) -> dict[str, int] | None:
        """
        Return what came of the *matches* of a round of two bots each (`pairing.swiss.Look`).
        """
        games = self.league.sets * self.league.sittings
        if any(self._stored[match] < games for match in matches):
            return None
        return {match: self.matches[match].totals[0] for match in matches if match in self.matches}

    @property
    def beyond(self) -> int:
        """
        Games that do not count, since a test had decided their match before.
        """
        return 0 if self._gate is None else self._gate.beyond

    @property
    def waiting(self) -> int:
        """
        Games that do not count yet: whether they will is up to earlier sets of their match.
        """
        return 0 if self._gate is None else self._gate.waiting

    @property
    def spared(self) -> int:
        """
        Games of the schedule that do not count, whether they were played or not.
        """
        return sum(
            (self.league.sets - match.stopped.after) * self.league.sittings
            for match in self.matches.values()
            if match.stopped is not None
        )

    def decided(self, match_id: str) -> bool:
        """
        Whether a test has decided a match, so that none of its later games count.
        """
        return self._gate is not None and self._gate.stopped(match_id) is not None

    def is_beyond(self, row: GameRow) -> bool:
        """
        Whether a test had decided the match of a game before its set.
        """
        match = self.matches.get(row.match_id)
        stopped = None if match is None else match.stopped
        return stopped is not None and row.set_number > stopped.after

    def add(self, row: GameRow) -> None:
        """
        Count one game; where a test may end matches, as soon as it is sure that it counts.
        """
        if self._swiss:
            self._stored[row.match_id] += 1
        if self._gate is None:
            self._count(row)
            return
        margin = None
        if not row.void:
            margins = self._margins(row, self._counted(row))
            margin = margins[min(margins)]
        for each in self._gate.add(row.match_id, row.set_number, row, margin):
            self._count(each)
        self._note_stop(row.match_id)

    def _note_stop(self, match_id: str) -> None:
        match = self.matches.get(match_id)
        if self._gate is not None and match is not None:
            match.stopped = self._gate.stopped(match_id)

    def _count(self, row: GameRow) -> None:
        if row.void:
            self.voids += 1
            return
        self.games += 1
        self.adjudicated += row.ending == _ADJUDICATED
        self.forfeited += bool(row.forfeits)
        self._add_seats(row)
        margins = self._add_sides(row)
        instances = _who(row.seats, row.instances)
        self.whispers += len(instances) < len(row.seats)
        open_set = self._open.get(row.set_id)
        if open_set is None:
            open_set = self._open[row.set_id] = OpenSet(row.match_id)
        open_set.take(margins, instances, 1)
        self._complete(row.set_id)

    def __add__(self, other: Tally) -> Tally:
        both = Tally(self.league)
        for part in (self, other):
            for bot, each in part.bots.items():
                both.bots[bot] += each
            for match_id, match in part.matches.items():
                mine = both.matches.get(match_id)
                both.matches[match_id] = match + (MatchTally(match.bots) if mine is None else mine)
            both.games += part.games
            both.voids += part.voids
            both.adjudicated += part.adjudicated
            both.forfeited += part.forfeited
            both.whispers += part.whispers
            both.sets += part.sets
            both.repeated += part.repeated
            both._stored += part._stored
            for set_id, open_set in part._open.items():
                whole = both._open.setdefault(set_id, OpenSet(open_set.match_id))
                whole.take(open_set.margins, open_set.instances, open_set.sittings)
                whole.repeated = whole.repeated or open_set.repeated
                both._complete(set_id)
            if both._gate is not None and part._gate is not None:
                for row in both._gate.take(part._gate):
                    both._count(row)
        for match_id in both.matches:
            both._note_stop(match_id)
        return both

    def _add_seats(self, row: GameRow) -> None:
        bots = self.bots
        mine = [bots[bot] for bot in row.seats]
        for bot, times in zip(mine, row.times, strict=True):
            counts = bot.times
            flat = iter(times)
            for place, count in zip(flat, flat, strict=True):
                counts[place] += count
        # Most games have none of the rest.
        if row.faults != _NOBODY or row.reneges != _NOBODY:
            for bot, faults, reneges in zip(mine, row.faults, row.reneges, strict=True):
                bot.faults += faults
                bot.reneges += reneges
            for kind, by_seat in enumerate(row.fault_kinds):
                for bot, count in zip(mine, by_seat, strict=True):
                    bot.fault_kinds[kind] += count
        if row.watch != _UNEVENTFUL:
            for bot, unpunished, right, wrong in zip(mine, *row.watch, strict=True):
                bot.unpunished += unpunished
                bot.right += right
                bot.wrong += wrong

    def _add_sides(self, row: GameRow) -> dict[str, int]:
        """
        Count what the sides came to; return the margins of the bots in this game.
        """
        scores = self._counted(row)
        points, winners = sum(scores), row.winners
        margins = self._margins(row, scores)
        for side, seat in self._entries:
            bot = row.seats[seat]
            mine = self.bots[bot].seats[seat]
            mine.games += 1
            if side in winners:
                if len(winners) == 1:
                    mine.won += 1
                else:
                    mine.drawn += 1
            elif winners or side in row.forfeits:
                mine.lost += 1
            else:
                mine.drawn += 1
            score = scores[side]
            mine.points_for += score
            mine.points_against += points - score
            mine.places += row.places[side]
            mine.forfeits += side in row.forfeits and self.to_blame(row, side, bot)
            mine.margins += margins[bot]
        return margins

    def to_blame(self, row: GameRow, side: int, bot: str) -> bool:
        """
        Whether the forfeit of a side is that of *bot*, and not of a partner that is another bot.

        Faults forfeit; where nobody had too many, everybody had left.
        """
        faults: Counter[str] = Counter()
        for seat in self.league.sides[side]:
            faults[row.seats[seat]] += row.faults[seat]
        limit = self.league.limits.faults_to_forfeit
        return faults[bot] >= limit or max(faults.values()) < limit

    def margins_of(self, row: GameRow) -> dict[str, float]:
        """
        Return the margins of the bots in a game that is not void, in points.
        """
        margins = self._margins(row, self._counted(row))
        return {bot: margin / (len(row.scores) - 1) for bot, margin in margins.items()}

    def _margins(self, row: GameRow, scores: Sequence[int]) -> dict[str, int]:
        """
        Return the margins of the bots in a game, (sides - 1) times those in points.
        """
        standing = self._deal.standing(scores)  # the smaller, the better
        sides, everybody = len(scores), sum(standing)
        return {row.seats[seat]: everybody - sides * standing[side] for side, seat in self._entries}

    def _counted(self, row: GameRow) -> Sequence[int]:
        """
        The scores that count: who forfeits never does better by it than anybody at the table.

        So it has the worst score there, and at best the one that it began with. (The
        game ends a forfeited game of Bid like that by itself; in one of Buck the others
        play on, and the score of a seat that only drops out stands still.)
        """
        if not row.forfeits:
            return row.scores
        scores = list(row.scores)
        worst = max((*scores, *self._first), key=lambda score: self._deal.standing([score]))
        for side in row.forfeits:
            scores[side] = worst
        return scores

    def _complete(self, set_id: str) -> None:
        """
        Move a set that has all its sittings into the margins.
        """
        done = self._open[set_id]
        if done.sittings < self._sittings:
            return
        del self._open[set_id]
        self.sets += 1
        self.repeated += done.repeated
        match = self.matches.get(done.match_id)
        if match is None:
            match = self.matches[done.match_id] = MatchTally(tuple(sorted(done.margins)))
        match.add(done.margins)
