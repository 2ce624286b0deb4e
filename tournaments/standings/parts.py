"""
What the tables for people are made of, whatever they are written in: heads and cells as text.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

from referee.escaping import escaped
from tournaments.cells import columns, fitted

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from tournaments.ranking import Row, SeatRow, Standings


class Column(NamedTuple):
    """
    A column of numbers, or of tie marks.
    """

    head: str
    """For a terminal: as short as can be."""
    title: str
    """For a page."""
    cell: Callable[[Row], str]
    left: bool = False
    """Whether it is aligned to the left."""


def tenth(value: float | None) -> str:
    """
    Return a mean.
    """
    return "-" if value is None else f"{value:.1f}"


def signed(value: float) -> str:
    """
    Return a margin; what rounds to nothing has a plus.
    """
    return f"{round(value, 1) + 0.0:+.1f}"


def margin(value: float | None, error: float | None) -> str:
    """
    Return a margin with its interval.
    """
    if value is None:
        return "-"
    return f"{value:+.2f} ±{'?' if error is None else f'{error:.2f}':>5}"


def _median(row: Row) -> str:
    return "-" if row.median_decision_ms is None else f"{row.median_decision_ms:g}"


def _rating(row: Row) -> str:
    if row.rating is None or row.rating_error is None:
        return "-"
    return f"{row.rating:.0f} ±{row.rating_error:4.0f}"


def _superiority(row: Row) -> str:
    """
    In percent; never 100 or 0, which nothing is.
    """
    if row.superiority is None:
        return "-"
    return f"{min(max(100 * row.superiority, 0.1), 99.9):.1f} %"


RANK = Column("#", "#", lambda row: str(row.rank))
TIE = Column("=", "tie", lambda row: row.tie or "", left=True)
GAMES = Column("games", "games", lambda row: str(row.games))
WON = Column("W", "won", lambda row: str(row.won))
DRAWN = Column("D", "drawn", lambda row: str(row.drawn))
LOST = Column("L", "lost", lambda row: str(row.lost))
FOR = Column("for", "for", lambda row: tenth(row.points_for))
AGAINST = Column("agst", "against", lambda row: tenth(row.points_against))
SCORE = Column("score", "score", lambda row: tenth(row.points_for))
OTHERS = Column("others", "others", lambda row: tenth(row.points_against))
PLACE = Column("place", "place", lambda row: tenth(row.mean_place))
MARGIN = Column("margin", "margin", lambda row: margin(row.margin, row.margin_error))
RENEGES = Column("ren", "reneges", lambda row: str(row.reneges))
FAULTS = Column("flt", "faults", lambda row: str(row.faults))
FORFEITS = Column("ff", "forfeits", lambda row: str(row.forfeits))
MEDIAN = Column("ms", "median ms", _median)

SETS = Column("sets", "sets", lambda row: str(row.sets))
RATING = Column("rating", "rating", _rating)
BETTER = Column("better than the next", "better than the next", _superiority)

CAUGHT = Column("caught", "caught", lambda row: str(row.reneges))
WATCHING = (
    Column("reneges tried", "reneges tried", lambda row: str(row.reneges_tried)),
    CAUGHT,
    Column("unpunished", "unpunished", lambda row: str(row.reneges_unpunished)),
    Column("challenges right", "challenges right", lambda row: str(row.challenges_right)),
    Column("wrong", "wrong", lambda row: str(row.challenges_wrong)),
)
"""Who cheats, and who watches."""

KINDS = (
    Column("timeout", "timeout", lambda row: str(row.faults_timeout)),
    Column("unreadable", "unreadable", lambda row: str(row.faults_unreadable)),
    Column("illegal", "illegal", lambda row: str(row.faults_illegal)),
    Column("gone", "gone", lambda row: str(row.faults_gone)),
)
"""Faults by kind."""
UNKNOWN = Column("unknown", "unknown", lambda row: str(row.faults_unknown))
"""Faults that an earlier version has stored without their kinds."""


def main_columns(table: Standings) -> list[Column]:
    """
    Return the columns of the table proper, the bots between the first two and the others.
    """
    points = [FOR, AGAINST] if table.teams else [SCORE, OTHERS, PLACE]
    return [
        RANK,
        TIE,
        GAMES,
        WON,
        DRAWN,
        LOST,
        *points,
        MARGIN,
        RENEGES,
        FAULTS,
        FORFEITS,
        MEDIAN,
    ]


def fault_columns(table: Standings) -> list[Column]:
    """
    Return the columns of the table of faults; none if there are no faults.
    """
    if not any(row.faults for row in table.rows):
        return []
    unknown = [UNKNOWN] if any(row.faults_unknown for row in table.rows) else []
    return [FAULTS, *KINDS, *unknown, FORFEITS, RENEGES]


def labels(table: Standings, width: int | None) -> list[str]:
    """
    Return what to call the bots: by name, and where two have the same by id too.

    Args:
        table: Whose.
        width: Columns of a terminal that each may take; None for any number.
    """
    alike = Counter(row.name for row in table.rows)
    found = []
    for row in table.rows:
        name = escaped(row.name)
        suffix = f" ({row.bot})" if alike[row.name] > 1 else ""
        if width is not None and columns(name) + len(suffix) > width:
            # The id tells bots apart, so it is what stays.
            if len(suffix) > width - 2:
                name, suffix = row.bot, ""
            name = fitted(name, width - len(suffix))
        found.append(name + suffix)
    return found


# --- the cross table -------------------------------------------------------------------------


MANY = 40
"""Bots beyond which nobody reads a cross table; CSV and JSON have no such bound."""


class Cross(NamedTuple):
    """
    What each bot came to against each other.
    """

    said: str
    """What stands in a cell, in words."""
    cells: list[list[str]]
    """By rank, and by rank of the other."""


def cross(table: Standings) -> Cross | None:
    """
    Return the cross table; None if there is nothing to show, or too much.
    """
    if not table.pairs or not 3 <= len(table.rows) <= MANY:
        return None
    least = min(pair.sets for pair in table.pairs)
    most = max(pair.sets for pair in table.pairs)
    # While a league is played they differ a little; that is not worth a number in each cell.
    alike = most <= least * 1.2
    found = {}
    for pair in table.pairs:
        sets = "" if alike else f"/{pair.sets}"
        found[pair.bot, pair.other] = signed(pair.margin) + sets
        found[pair.other, pair.bot] = signed(-pair.margin) + sets
    bots = [row.bot for row in table.rows]
    cells = [["*" if one == two else found.get((one, two), "-") for two in bots] for one in bots]
    if not alike:
        return Cross("margin/sets", cells)
    sets = f"{least} to {most} sets" if least < most else f"{least} set" + "s" * (least != 1)
    return Cross(f"margin, from {sets} each", cells)


# --- the luck of seats -----------------------------------------------------------------------


def seat_names(table: Standings) -> list[str]:
    """
    Return the seats that count, clockwise.
    """
    return list(dict.fromkeys(seat.seat for seat in table.seats))


def by_seat(table: Standings) -> list[list[tuple[str, str]]]:
    """
    Return for each bot, by rank, and then for all together: margin and games won, by seat.
    """
    names = seat_names(table)
    found = {(each.bot, each.seat): each for each in table.seats}
    lines = [[_sat([found[row.bot, name]]) for name in names] for row in table.rows]
    lines.append([_sat([each for each in table.seats if each.seat == name]) for name in names])
    return lines


def _sat(seats: Sequence[SeatRow]) -> tuple[str, str]:
    games = sum(each.games for each in seats)
    if not games:
        return ("-", "-")
    total = sum((each.margin or 0) * each.games for each in seats)
    won = sum(each.won for each in seats)
    return (signed(total / games), f"{100 * won / games:.0f} %")
