"""
Rows of standings: from sums to an order and numbers. Pure.

Keys of the JSON form, which are the columns of CSV too: `rank` (equal bots share
one), `bot` (id), `name`, `games`, `won`, `drawn`, `lost`; `points_for` and
`points_against`, final points a game (in Buck Euchre the bot's mean final score,
and that of the others); `margin`, the mean margin in points a game, and
`margin_error`, half the width of its 95 % interval, over `sets` complete sets; `tie`, letters
that it shares with whom it is not told apart from; `superiority`, the likelihood that it is
truly better than the next in the table (both by rating in Swiss rounds and gauntlets, else
by margin);
`rating` and `rating_error` in points of Elo's scale;
`mean_place` (null in Bid Euchre); `reneges`, those that were caught (penalised), which with
`reneges_unpunished` are all `reneges_tried`; `challenges_right` (upheld) and
`challenges_wrong` (false; void ones are in neither); `faults`, and of these by kind
`faults_timeout`, `faults_unreadable`, `faults_illegal`, `faults_gone` (less than all together
where games were stored by an earlier version, which kept no kinds); `forfeits`; and
`median_decision_ms`, the only key that holds a time. Null is what has no value
yet. `pairs` are the cross table: two ids, complete `sets`, how many of them the first `won`,
both had the same margin (`level`), it `lost`, `margin` with `margin_error`, `superiority`, and
after how many sets a test had `stopped` their match. `seats` say how a bot fared in each
`seat`: N, E, S, W, or for teams NS and EW: `games`, `won`, `drawn`, `lost`, and the mean
`margin`. Beside these and the `rows` there are `league`, `game`, `rules` (those that differ from
their defaults), `run` and `notes`. The number of the run is not in it, so that two
runs with the same seed say the same.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from referee.rules.options import RenegeMode
from referee.seats import SEATS
from referee.timing import median_ms
from tournaments.faults import KINDS
from tournaments.notes import by_rating, notes
from tournaments.ratings import rate
from tournaments.sums import BotTally

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tournaments.league import League
    from tournaments.ratings import Difference, Pair, Ratings
    from tournaments.tally import Tally


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """
    One bot in the standings; the keys are explained above.
    """

    rank: int
    bot: str
    name: str
    games: int
    won: int
    drawn: int
    lost: int
    points_for: float | None
    points_against: float | None
    margin: float | None
    margin_error: float | None
    sets: int
    tie: str | None
    superiority: float | None
    rating: float | None
    rating_error: float | None
    mean_place: float | None
    reneges: int
    reneges_tried: int
    reneges_unpunished: int
    challenges_right: int
    challenges_wrong: int
    faults: int
    faults_timeout: int
    faults_unreadable: int
    faults_illegal: int
    faults_gone: int
    forfeits: int
    median_decision_ms: float | None

    @property
    def faults_unknown(self) -> int:
        """
        Faults of which an earlier version has stored no kind.
        """
        known = self.faults_timeout + self.faults_unreadable + self.faults_illegal
        return self.faults - known - self.faults_gone


@dataclass(frozen=True, slots=True, kw_only=True)
class PairRow:
    """
    Two bots that met, as the first of them sees it; the keys are explained above.
    """

    bot: str
    other: str
    sets: int
    won: int
    level: int
    lost: int
    margin: float
    margin_error: float | None
    superiority: float | None
    stopped: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class SeatRow:
    """
    One bot in one seat; the keys are explained above.
    """

    bot: str
    seat: str
    games: int
    won: int
    drawn: int
    lost: int
    margin: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Standings:
    """
    The standings of a run, as they are now.
    """

    league_id: str
    league_name: str
    game: str
    title: str
    """What people call the game."""
    teams: bool
    """Whether two sides play against each other; otherwise it is each for itself."""
    rules: dict[str, Any]
    """Options that differ from their defaults."""
    challenges: bool
    """Whether reneges are found by challenges."""
    run: int
    """Number of the run."""
    commitment: str
    seeded: bool
    secret: str | None
    """The secret of the decks in hexadecimal, once all games are played."""
    games: int
    """Games that count."""
    scheduled: int | None
    """Games that there will be; None if nobody can know."""
    rows: tuple[Row, ...]
    """Best first."""
    pairs: tuple[PairRow, ...]
    """By ids."""
    seats: tuple[SeatRow, ...]
    """Bots best first, seats clockwise."""
    notes: tuple[str, ...]


def standings(
    league: League,
    bots: Sequence[tuple[str, str]],
    tally: Tally,
    *,
    run: int,
    commitment: str,
    seeded: bool,
    secret: bytes | None = None,
    scheduled: int | None = None,
) -> Standings:
    """
    Return the standings.

    The order is that of `notes.ranking_rule`, compared in whole fractions. Bots that
    are equal in all of it share a rank and stand in order of entry.

    Args:
        league: What is played.
        bots: Id and name of each bot, in order of entry.
        tally: What came of their games.
        run: Number of the run.
        commitment: Hash of the secret that the decks derive from.
        seeded: Whether that derives from a seed.
        secret: The secret; only once no further deck derives from it.
        scheduled: Games that there will be; None if nobody can know.
    """
    rated = rate(tally)
    keys = {bot: _key(league, tally, rated, bot) for bot, _ in bots}
    ranked = sorted(bots, key=lambda bot: keys[bot[0]])
    order = [bot for bot, _ in ranked if bot in rated.means]
    compare = rated.gap if by_rating(league) else rated.difference
    ties = rated.marks(order, compare)
    nexts = dict(itertools.pairwise(order))
    rows = [
        _row(
            league,
            tally,
            rated,
            bot,
            name=name,
            rank=1 + sum(other < keys[bot] for other in keys.values()),
            tie=ties.get(bot),
            difference=compare(bot, nexts[bot]) if bot in nexts else None,
        )
        for bot, name in ranked
    ]
    return Standings(
        league_id=league.id,
        league_name=league.name,
        game=league.game,
        title=league.title,
        teams=len(league.sides) == 2,
        rules=league.rules.options(),
        challenges=league.rules.renege_mode is RenegeMode.CHALLENGE,
        run=run,
        commitment=commitment,
        seeded=seeded,
        secret=secret.hex() if secret is not None else None,
        games=tally.games,
        scheduled=scheduled,
        rows=tuple(rows),
        pairs=tuple(map(_pair, rated.pairs.values())),
        seats=tuple(row for bot, _ in ranked for row in _seats(league, tally, bot)),
        notes=notes(
            league,
            tally,
            commitment=commitment,
            seeded=seeded,
            secret=secret,
            scheduled=scheduled,
        ),
    )


# --- rows --------------------------------------------------------------------------------


def _key(league: League, tally: Tally, rated: Ratings, bot: str) -> tuple[Fraction | int, ...]:
    """
    What bots are ordered by; the smaller, the better.
    """
    sums = tally.bots.get(bot, BotTally()).whole
    mean = rated.means.get(bot)
    if not sums.games:
        return (1, 0, 0, 0, 0)
    if len(league.sides) == 2:
        third = Fraction(-sums.points_for, sums.games)
    else:
        third = Fraction(sums.places, sums.games)
    strength = rated.strengths.get(bot) if by_rating(league) else None
    return (
        0 if mean is not None else 1,
        # As it is shown, so that what looks equal is.
        0 if strength is None else -Fraction(round(10 * strength.points), 10),
        -mean.exact if mean is not None else 0,
        -Fraction(2 * sums.won + sums.drawn, 2 * sums.games),
        third,
    )


def _row(
    league: League,
    tally: Tally,
    rated: Ratings,
    bot: str,
    *,
    name: str,
    rank: int,
    tie: str | None,
    difference: Difference | None,
) -> Row:
    mine = tally.bots.get(bot, BotTally())
    sums = mine.whole
    mean = rated.means.get(bot)
    strength = rated.strengths.get(bot)
    return Row(
        rank=rank,
        bot=bot,
        name=name,
        games=sums.games,
        won=sums.won,
        drawn=sums.drawn,
        lost=sums.lost,
        points_for=_per(sums.points_for, sums.games),
        points_against=_per(sums.points_against, sums.games * (len(league.sides) - 1)),
        margin=None if mean is None else _rounded(mean.mean),
        margin_error=None if mean is None else _rounded(mean.error),
        sets=0 if mean is None else mean.sets,
        tie=tie,
        superiority=_likelihood(league, difference),
        rating=None if strength is None else round(strength.points, 1),
        rating_error=None if strength is None else round(strength.error, 1),
        mean_place=None if len(league.sides) == 2 else _per(sums.places, sums.games),
        reneges=mine.reneges,
        reneges_tried=mine.reneges + mine.unpunished,
        reneges_unpunished=mine.unpunished,
        challenges_right=mine.right,
        challenges_wrong=mine.wrong,
        faults=mine.faults,
        **{f"faults_{kind}": count for kind, count in zip(KINDS, mine.fault_kinds, strict=True)},
        forfeits=sums.forfeits,
        median_decision_ms=median_ms(mine.times),
    )


def _likelihood(league: League, difference: Difference | None) -> float | None:
    if difference is None or difference.superiority is None:
        return None
    # Ratings are fitted step by step, so their last digits may depend on the machine; who
    # verifies on another must come to the same.
    return round(difference.superiority, 4 if by_rating(league) else 6) + 0.0


def _pair(pair: Pair) -> PairRow:
    return PairRow(
        bot=pair.first,
        other=pair.second,
        sets=pair.sets,
        won=pair.won,
        level=pair.level,
        lost=pair.lost,
        margin=round(pair.difference.mean, 6) + 0.0,
        margin_error=_rounded(pair.difference.error),
        superiority=_rounded(pair.difference.superiority),
        stopped=pair.stopped[0].after if pair.stopped else None,
    )


def _seats(league: League, tally: Tally, bot: str) -> Iterator[SeatRow]:
    """
    Yield what a bot came to in each seat; a team sits in two, which share a name.
    """
    sums = tally.bots.get(bot, BotTally())
    alone = league.players == len(SEATS)
    for seats in league.sides:
        for seat in seats if alone else seats[:1]:
            mine = sums.seats[seat]
            yield SeatRow(
                bot=bot,
                seat=SEATS[seat].name[0] if alone else "".join(SEATS[s].name[0] for s in seats),
                games=mine.games,
                won=mine.won,
                drawn=mine.drawn,
                lost=mine.lost,
                margin=_per(mine.margins, mine.games * (len(league.sides) - 1)),
            )


def _per(total: int, count: int) -> float | None:
    return _rounded(total / count) if count else None


def _rounded(value: float | None) -> float | None:
    # Six digits are more than anybody needs; adding zero turns -0.0 into 0.0.
    return None if value is None else round(value, 6) + 0.0
