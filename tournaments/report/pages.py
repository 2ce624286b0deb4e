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
    from collections.abc import Container, Mapping

    from tournaments.league import League
    from tournaments.ranking import PairRow, Standings

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
    found = _FIXTURE.fullmatch(fixture)
    if found is None:
        raise RecordError(f"{fixture!r} is no id of a fixture")
    match_id, number, letter = found.groups()
    return f"games/{match_id.translate(_IN_NAMES)}/{number}{letter}.html"


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


def side_names(league: League) -> list[str]:
    """
    Return what to call the sides of a table.
    """
    return [side_name("".join(SEATS[seat].letter for seat in seats)) for seats in league.sides]
