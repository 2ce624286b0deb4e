"""
Standings for a terminal: no line is wider than it.

What does not fit gives way in a fixed order: first names are shortened to 16 columns,
then columns go (`_FIRST_TO_GO`), and in the end names are shortened to 8.
"""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING

from tabulate import DataRow, TableFormat, tabulate

from referee.escaping import escaped
from tournaments.cells import columns, isolated
from tournaments.standings import parts

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from tournaments.ranking import Standings
    from tournaments.standings.parts import Column

_FIRST_TO_GO = (
    parts.MEDIAN,
    parts.RENEGES,
    parts.PLACE,
    parts.OTHERS,
    parts.AGAINST,
    parts.SCORE,
    parts.FOR,
    parts.DRAWN,
    parts.FAULTS,
    parts.FORFEITS,
    parts.LOST,
    parts.WON,
    parts.TIE,
    parts.GAMES,
    parts.BETTER,
    *parts.WATCHING[::-1],
    parts.UNKNOWN,
    *parts.KINDS[::-1],
)
"""Columns that can be missed, those that are missed least in front."""

_GOOD_NAME, _LEAST_NAME = 16, 8
"""Columns that a name has as long as others can go, and in the narrowest table."""

_TIGHT = TableFormat(
    lineabove=None,
    linebelowheader=None,
    linebetweenrows=None,
    linebelow=None,
    headerrow=DataRow("", " ", ""),
    datarow=DataRow("", " ", ""),
    padding=0,
    with_header_hide=None,
)
"""One space between columns, so that all of them fit into 80."""


def as_plain(table: Standings, width: int) -> str:
    """
    Return *table* in lines of at most *width* columns, but of 20 at least.
    """
    width = max(width, 20)
    name = isolated(escaped(table.league_name))
    games = f"{table.games}" + ("" if table.scheduled is None else f" of {table.scheduled}")
    shown, lines = _table(table, parts.main_columns(table), 2, width)
    texts = [
        *_wrapped(f"{name} - {table.title}, run {table.run}, {games} games", width),
        "",
        *lines,
        "",
        *_wrapped(_legend(table, shown), width),
        *_strengths(table, width),
        *_faults(table, width),
        *(_watching(table, width) if table.challenges else ()),
        *_cross(table, width),
        *_seats(table, width),
        "",
        *(line for note in table.notes for line in _wrapped(note, width)),
    ]
    return "\n".join(texts) + "\n"


def _legend(table: Standings, shown: Sequence[Column]) -> str:
    said = {
        parts.TIE: "=: bots that share a letter are not told apart.",
        parts.WON: "W D L: won, drawn, lost.",
        parts.FOR: "for, agst: points a game of its team and of the other.",
        parts.SCORE: "score, others: mean final score of it and of the others.",
        parts.PLACE: "place: mean place.",
        parts.RENEGES: "ren: reneges caught.",
        parts.FAULTS: "flt: faults.",
        parts.FORFEITS: "ff: games forfeited.",
        parts.MEDIAN: "ms: median time of a decision.",
    }
    return _said(said, parts.main_columns(table), shown)


def _said(said: Mapping[Column, str], wanted: Sequence[Column], shown: Sequence[Column]) -> str:
    """
    Return what is to be said of the columns *shown*, and how many of those *wanted* are not.
    """
    text = " ".join(words for column, words in said.items() if column in shown)
    missing = len(wanted) - len(shown)
    if missing:
        text += f" {missing} more column{'s' * (missing > 1)} on a wider terminal."
    return text


def _strengths(table: Standings, width: int) -> list[str]:
    """
    Return the table of what the results say about the bots.
    """
    said = {
        parts.RATING: "rating: from the order in each set; 400 points are odds of ten to one, the "
        "mean is 1500.",
        parts.BETTER: "better than the next: likelihood that it truly is.",
    }
    wanted = [parts.SETS, parts.RATING, parts.BETTER]
    shown, lines = _table(table, wanted, 0, width)
    legend = _said(said, wanted, shown)
    return ["", *lines, "", *_wrapped(legend, width)]


def _faults(table: Standings, width: int) -> list[str]:
    """
    Return the table of what bots did wrong, if one had a fault.
    """
    wanted = parts.fault_columns(table)
    if not wanted:
        return []
    shown, lines = _table(table, wanted, 0, width)
    said = {
        parts.KINDS[0]: "timeout: not in time.",
        parts.KINDS[1]: "unreadable: no known action.",
        parts.KINDS[2]: "illegal: not legal, and no renege.",
        parts.KINDS[3]: "gone: the bot was not there.",
        parts.UNKNOWN: "unknown: stored by an earlier version, without a kind.",
    }
    legend = f"Faults by kind. {_said(said, wanted, shown)}"
    return ["", *lines, "", *_wrapped(legend, width)]


def _watching(table: Standings, width: int) -> list[str]:
    """
    Return the table of a league in challenge mode: who cheats, and who watches.
    """
    legend = (
        "Reneges caught were penalised; unpunished ones stood, and nobody challenged them "
        "rightly. Challenges right were upheld, wrong ones false; void ones are not counted."
    )
    _, lines = _table(table, parts.WATCHING, 0, width)
    return ["", *lines, "", *_wrapped(legend, width)]


def _cross(table: Standings, width: int) -> list[str]:
    """
    Return the cross table, in as many blocks as the width asks for.
    """
    if len(table.rows) > parts.MANY and table.pairs:
        return ["", *_wrapped("The cross table of so many bots is in --format json.", width)]
    cross = parts.cross(table)
    if cross is None:
        return []
    ranks = [[str(place + 1)] for place in range(len(table.rows))]
    heads = [each[0] for each in ranks]
    widest = [max(map(len, cells)) for cells in zip(*([heads, *cross.cells]), strict=True)]
    first = len(heads[-1]) + 1
    found = [""]
    begin = 0
    while begin < len(heads):
        end, taken = begin, first + _LEAST_NAME
        while end < len(heads) and (end == begin or taken + widest[end] + 1 <= width):
            taken += widest[end] + 1
            end += 1
        block = [[rank[0], *line[begin:end]] for rank, line in zip(ranks, cross.cells, strict=True)]
        found += _lines(table, ["#", *heads[begin:end]], block, 1, width, least=1)
        found.append("")
        begin = end
    legend = f"In points a game, each bot against each other by its place: {cross.said}."
    return [*found, *_wrapped(legend, width)]


def _seats(table: Standings, width: int) -> list[str]:
    """
    Return what each bot came to in each seat.
    """
    names = parts.seat_names(table)
    if not names or not table.games:
        return []
    everything = parts.by_seat(table)
    heads = [head for name in names for head in (name, "won")]
    cells = [[each for pair in line for each in pair] for line in everything]
    least = max(map(len, heads)) + max(len(each) for line in cells for each in line)
    if _LEAST_NAME + len(names) * (least + 2) > width:
        heads, cells = names, [[pair[0] for pair in line] for line in everything]
    legend = "Margin, in points a game, and games won, by seat: its luck shows in the last line."
    lines = _lines(table, heads, cells, 0, width, more=["all"])
    return ["", *lines, "", *_wrapped(legend, width)]


# --- lines -----------------------------------------------------------------------------------


def _table(
    table: Standings, wanted: Iterable[Column], before: int, width: int
) -> tuple[list[Column], list[str]]:
    """
    Return the columns that there is room for, and the lines of a table of them.

    Args:
        table: Whose rows.
        wanted: All that there should be.
        before: How many of them stand before the bots.
        width: Room.
    """
    shown = list(wanted)
    longest = max((columns(label) for label in parts.labels(table, None)), default=0)
    for column in _FIRST_TO_GO:
        taken = sum(
            1 + max(len(each.head), *(len(each.cell(row)) for row in table.rows), 0)
            for each in shown
        )
        if taken + max(3, min(longest, _GOOD_NAME)) <= width or len(shown) < 2:
            break
        if column in shown:
            before -= shown.index(column) < before
            shown.remove(column)
    cells = [[each.cell(row) for each in shown] for row in table.rows]
    left = {place for place, each in enumerate(shown) if each.left}
    return shown, _lines(table, [each.head for each in shown], cells, before, width, left=left)


def _lines(
    table: Standings,
    heads: Sequence[str],
    cells: Sequence[Sequence[str]],
    before: int,
    width: int,
    *,
    left: Iterable[int] = (),
    least: int = _LEAST_NAME,
    more: Sequence[str] = (),
) -> list[str]:
    """
    Return the lines of a table: a head, a rule, and one for each bot.

    Args:
        table: Whose bots.
        heads: Heads of the other columns.
        cells: Their cells, by line.
        before: How many of them stand before the bots.
        width: Room; names take what is left of it.
        left: Which of them are aligned to the left.
        least: Columns that names take at least.
        more: What stands in place of the bots in lines after theirs.
    """
    taken = sum(1 + max(map(len, column)) for column in zip(heads, *cells, strict=True))
    labels = [*parts.labels(table, max(least, width - taken)), *more]
    aligned = ["left" if place in left else "right" for place in range(len(heads))]
    text = tabulate(
        [
            [*line[:before], label, *line[before:]]
            for label, line in zip(
                ["bot", *map(isolated, labels)], [list(heads), *map(list, cells)], strict=True
            )
        ],
        tablefmt=_TIGHT,
        colalign=[*aligned[:before], "left", *aligned[before:]],
        disable_numparse=True,
    )
    head, *body = text.splitlines()
    return [head, "-" * columns(head), *body]


def _wrapped(note: str, width: int) -> list[str]:
    return textwrap.wrap(note, width, subsequent_indent="  ", break_on_hyphens=False)
