"""
What the pages say, as plain values: the templates only put them into place.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

from referee.errors import RecordError
from referee.escaping import escaped
from referee.seats import SEATS
from tournaments.report.charts import signed
from tournaments.report.telling import side_name

if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Mapping, Sequence

    from tournaments.league import League
    from tournaments.ranking import PairRow, Standings
    from tournaments.tally import GameRow, Tally

CROSSED = 24
"""Bots in the cross table; more do not fit on a page."""

_FIXTURE = re.compile(r"([a-z0-9][a-z0-9._+:-]*)/([0-9]+)([a-d])", re.ASCII)
"""The id of a fixture: match, set, sitting."""

_IN_NAMES = str.maketrans({":": "~", "+": "="})
"""What stands in the names of files for what some systems do not allow there."""


class Label(NamedTuple):
    """
    What to call a bot.
    """

    name: str
    """Safe as text, but not as HTML."""
    id: str | None
    """Where another bot has the same name."""


class Cell(NamedTuple):
    """
    What two bots came to, as the one of the row sees it.
    """

    margin: str
    error: str
    kind: str
    """`better`, `worse`, or `open` while chance may explain it."""
    sets: int
    page: str | None
    """Of their match, if they have one of their own."""


class Place(NamedTuple):
    """
    A side of a game: who sat there, and what came of it.
    """

    bots: tuple[str, ...]
    score: int
    won: bool
    forfeited: bool


class GameLine(NamedTuple):
    """
    A game in the list of its match.
    """

    number: int
    """Of its set."""
    sitting: str
    sides: tuple[Place, ...]
    ending: str
    reneges: int
    faults: int
    page: str | None
    """None: it has no page."""


class BotLine(NamedTuple):
    """
    What a bot came to in a match.
    """

    bot: str
    games: int
    won: int
    drawn: int
    lost: int
    margin: str


class MatchLine(NamedTuple):
    """
    A match in the list of all.
    """

    bots: tuple[str, ...]
    """Ids in order; with partners, the first two against the others."""
    partners: bool
    page: str
    sets: int
    """Complete ones."""
    games: int
    leader: str | None
    """Who is ahead, if it is one."""
    margin: str
    stopped: int | None
    """After so many sets a sequential test has decided it."""


def labels(names: Mapping[str, str]) -> dict[str, Label]:
    """
    Return what to call the bots, from their names by id.
    """
    alike = Counter(names.values())
    return {
        bot: Label(escaped(name), bot if alike[name] > 1 else None) for bot, name in names.items()
    }


def match_file(match_id: str, part: int = 1) -> str:
    """
    Return where a match stands, from the folder of the report on.

    Raises:
        RecordError: It is no id of a match.
    """
    if not _FIXTURE.fullmatch(f"{match_id}/1a"):
        raise RecordError(f"{match_id!r} is no id of a match")
    more = "" if part == 1 else f"~{part}"
    return f"matches/{match_id.translate(_IN_NAMES)}{more}.html"


def game_file(fixture: str) -> str:
    """
    Return where a game stands, from the folder of the report on.

    Raises:
        RecordError: It is no id of a fixture.
    """
    match_id, number, letter = _parts(fixture)
    return f"games/{match_id.translate(_IN_NAMES)}/{number}{letter}.html"


def set_number(row: GameRow) -> int:
    """
    Return the number of the set of a game in its match.
    """
    return int(_parts(row.fixture)[1])


def _parts(fixture: str) -> tuple[str, str, str]:
    found = _FIXTURE.fullmatch(fixture)
    if found is None:
        raise RecordError(f"{fixture!r} is no id of a fixture")
    return found[1], found[2], found[3]


def bots_of(match_id: str) -> tuple[str, ...]:
    """
    Return the ids of the bots of a match.
    """
    return tuple(re.split("[:+]", match_id))


def cross(
    table: Standings, matches: Container[str]
) -> tuple[list[str], dict[tuple[str, str], Cell]]:
    """
    Return the cross table: its bots, best first, and its cells by row and column.

    Args:
        table: The standings.
        matches: Those that have pages.
    """
    shown = [row.bot for row in table.rows if row.games][:CROSSED]
    cells = {}
    for pair in table.pairs:
        for one, other, sign in ((pair.bot, pair.other, 1), (pair.other, pair.bot, -1)):
            if one in shown and other in shown:
                cells[one, other] = _cell(pair, sign, matches)
    return shown, cells


def _cell(pair: PairRow, sign: int, matches: Container[str]) -> Cell:
    match_id = ":".join(sorted((pair.bot, pair.other)))
    margin, error = sign * pair.margin, pair.margin_error
    kind = "open"
    if error is not None and abs(margin) > error:
        kind = "better" if margin > 0 else "worse"
    return Cell(
        signed(margin, 1),
        "?" if error is None else f"{error:.1f}",
        kind,
        pair.sets,
        match_file(match_id) if match_id in matches else None,
    )


def match_line(league: League, match_id: str, games: int, tally: Tally) -> MatchLine:
    """
    Return what stands in the list of matches about one of so many *games*.
    """
    sums = tally.matches.get(match_id)
    leader, margin = None, ""
    if sums is not None and sums.sets:
        best = max(sums.totals)
        ahead = [bot for bot, each in zip(sums.bots, sums.totals, strict=True) if each == best]
        margin = signed(best / (sums.sets * tally.unit), 1)
        leader = ahead[0] if len(ahead) == 1 else None
    return MatchLine(
        bots_of(match_id),
        league.players == len(SEATS) and len(league.sides) == 2,
        match_file(match_id),
        0 if sums is None else sums.sets,
        games,
        leader,
        margin,
        None if sums is None or sums.stopped is None else sums.stopped.after,
    )


def bot_lines(tally: Tally, match_id: str) -> list[BotLine]:
    """
    Return what the bots of a match came to in it.
    """
    sums = tally.matches.get(match_id)
    totals = {} if sums is None else dict(zip(sums.bots, sums.totals, strict=True))
    return [
        BotLine(
            bot,
            each.games,
            each.won,
            each.drawn,
            each.lost,
            signed(totals[bot] / (sums.sets * tally.unit), 2) if sums and bot in totals else "",
        )
        for bot, each in sorted((bot, seats.whole) for bot, seats in tally.bots.items())
    ]


def game_line(league: League, row: GameRow, *, page: bool) -> GameLine:
    """
    Return what stands in the list of a match about a game.
    """
    sides = []
    for side, seats in enumerate(league.sides):
        bots = dict.fromkeys(row.seats[seat] for seat in seats)
        sides.append(
            Place(tuple(bots), row.scores[side], side in row.winners, side in row.forfeits)
        )
    return GameLine(
        set_number(row),
        "abcd"[row.sitting],
        tuple(sides),
        row.ending,
        sum(row.reneges),
        sum(row.faults),
        game_file(row.fixture) if page else None,
    )


def side_names(league: League) -> list[str]:
    """
    Return what to call the sides of a table.
    """
    return [side_name("".join(SEATS[seat].letter for seat in seats)) for seats in league.sides]


def complete(league: League, rows: Iterable[GameRow], *, over: bool) -> set[str]:
    """
    Return the sets whose hands may be shown: nobody will play their decks again.

    Args:
        league: What is played.
        rows: Games of a match, all that are stored.
        over: Whether all games of the run are played.
    """
    stored = Counter(row.set_id for row in rows)
    return {each for each, sittings in stored.items() if over or sittings >= league.sittings}


def chunks(rows: Sequence[GameRow], size: int) -> list[Sequence[GameRow]]:
    """
    Return *rows* in parts of so many, one at least.
    """
    return [rows[start : start + size] for start in range(0, max(1, len(rows)), size)]
