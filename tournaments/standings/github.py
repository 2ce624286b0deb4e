"""
Standings for a page of Markdown, as GitHub shows it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tabulate import tabulate

from tournaments.cells import isolated, markdown
from tournaments.standings import parts

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from tournaments.ranking import Standings

_LEFT = {"tie", "bot"}
"""Heads of columns that are aligned to the left."""


def as_github(table: Standings) -> str:
    """
    Return the table, the faults by kind, the cross table, the luck of seats, and the notes.
    """
    names = [isolated(markdown(label)) for label in parts.labels(table, None)]
    shown = [*parts.main_columns(table), parts.SETS, parts.RATING, parts.BETTER, *parts.WATCHING]
    shown.remove(parts.CAUGHT)  # that is the column of reneges
    cells = [[column.cell(row) for column in shown] for row in table.rows]
    texts = [
        f"### {markdown(table.league_name)}: {table.title}",
        _table(
            [*(each.title for each in shown[:2]), "bot", *(each.title for each in shown[2:])],
            ([*line[:2], name, *line[2:]] for name, line in zip(names, cells, strict=True)),
        ),
    ]
    kinds = parts.fault_columns(table)
    if kinds:
        texts += [
            "Faults by kind.",
            _table(
                ["bot", *(each.title for each in kinds)],
                (
                    [name, *(each.cell(row) for each in kinds)]
                    for name, row in zip(names, table.rows, strict=True)
                ),
            ),
        ]
    cross = parts.cross(table)
    if cross is not None:
        texts += [
            f"Each against each other, by place in the table: {cross.said}.",
            _table(
                ["#", "bot", *(str(place + 1) for place in range(len(names)))],
                (
                    [str(place), name, *map(markdown, line)]
                    for place, (name, line) in enumerate(zip(names, cross.cells, strict=True), 1)
                ),
            ),
        ]
    seats = parts.seat_names(table)
    if seats and table.games:
        texts += [
            "Margin and games won by seat.",
            _table(
                ["bot", *(head for seat in seats for head in (seat, "won"))],
                (
                    [name, *(cell for pair in line for cell in pair)]
                    for name, line in zip([*names, "all"], parts.by_seat(table), strict=True)
                ),
            ),
        ]
    texts.append("\n".join(f"* {note}" for note in table.notes))
    return "\n\n".join(texts) + "\n"


def _table(heads: Sequence[str], lines: Iterable[Sequence[str]]) -> str:
    return tabulate(
        list(lines),
        headers=heads,
        tablefmt="github",
        colalign=["left" if head in _LEFT else "right" for head in heads],
        disable_numparse=True,
    )
