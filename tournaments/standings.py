"""
Standings as text: tables of rows in four formats.

The keys of JSON and the columns of CSV are explained in `tournaments.ranking`.
"""

from __future__ import annotations

import csv
import io
import json
import textwrap
from collections import Counter
from dataclasses import asdict, fields

from tabulate import DataRow, TableFormat, tabulate

from referee.errors import ConfigError
from referee.escaping import escaped
from tournaments.cells import columns, fitted, isolated, markdown, spreadsheet
from tournaments.ranking import Row, Standings, standings

__all__ = ["FORMATS", "Row", "Standings", "render", "standings"]

FORMATS = ("plain", "github", "csv", "json")
"""What `render` can do."""

_LEAST_NAME = 8
"""Columns that a name has in the narrowest table."""

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

_ALIGN = ["right", "left", "left", *["right"] * 20]
"""Numbers to the right, tie marks and names to the left."""


def render(table: Standings, form: str = "plain", *, width: int = 80) -> str:
    """
    Return *table* as text that ends with a line end.

    Args:
        table: What to show.
        form: One of `FORMATS`.
        width: Columns that the plain form may take.

    Raises:
        ConfigError: There is no such format.
    """
    if form == "plain":
        return _plain(table, width)
    if form == "github":
        return _github(table)
    if form == "csv":
        return _csv(table)
    if form == "json":
        return _json(table)
    raise ConfigError(
        f"there is no format {form!r}", key="--format", hint=f"there are {', '.join(FORMATS)}"
    )


# --- formats -----------------------------------------------------------------------------


def _plain(table: Standings, width: int) -> str:
    heads = ["#", "=", "bot", "games", "W", "D", "L", *_heads(table, short=True)]
    heads += ["margin", "ren", "flt", "ff", "ms"]
    lines = [heads, *_cells(table, [""] * len(table.rows))]
    taken = sum(max(map(len, cells)) + 1 for cells in zip(*lines, strict=True)) - len("bot ")
    labels = _labels(table, max(_LEAST_NAME, width - taken))
    lines = [heads, *_cells(table, [isolated(label) for label in labels])]
    text = tabulate(lines, tablefmt=_TIGHT, colalign=_ALIGN[: len(heads)], disable_numparse=True)
    head, *body = text.splitlines()
    name = isolated(escaped(table.league_name))
    games = f"{table.games}" + ("" if table.scheduled is None else f" of {table.scheduled}")
    legend = (
        f"=: bots that share a letter are not told apart. W D L: won, drawn, lost. "
        f"{_legend(table)} ren: reneges caught. flt: faults. ff: games forfeited. "
        "ms: median time of a decision."
    )
    return "\n".join(
        [
            f"{name} - {table.title}, run {table.run}, {games} games",
            "",
            head,
            "-" * columns(head),
            *body,
            *_strengths(table, width),
            *(_watching(table, width) if table.challenges else ()),
            "",
            *(part for note in (*table.notes, legend) for part in _wrapped(note, width)),
            "",
        ]
    )


def _strengths(table: Standings, width: int) -> list[str]:
    """
    Return the table of what the results say about the bots.
    """
    heads = ["bot", "sets", "rating", "better than the next"]
    cells = [[str(row.sets), _rating(row), _superiority(row)] for row in table.rows]
    legend = (
        "rating: from the order in each set; 400 points are odds of ten to one, the mean is 1500. "
        "better than the next: likelihood that it truly is."
    )
    return ["", *_small(table, heads, cells, width), "", *_wrapped(legend, width)]


def _watching(table: Standings, width: int) -> list[str]:
    """
    Return the table of a league in challenge mode: who cheats, and who watches.
    """
    heads = ["bot", "reneges tried", "caught", "unpunished", "challenges right", "wrong"]
    cells = [list(map(str, _watched(row))) for row in table.rows]
    legend = (
        "Reneges caught were penalised; unpunished ones stood, and nobody challenged them "
        "rightly. Challenges right were upheld, wrong ones false; void ones are not counted."
    )
    return ["", *_small(table, heads, cells, width), "", *_wrapped(legend, width)]


def _small(table: Standings, heads: list[str], cells: list[list[str]], width: int) -> list[str]:
    """
    Return the lines of a table of few columns, the first of which are the bots.
    """
    wide = [max(map(len, column)) for column in zip(heads[1:], *cells, strict=True)]
    labels = _labels(table, max(_LEAST_NAME, width - sum(wide) - len(wide)))
    lines = [[isolated(label), *row] for label, row in zip(labels, cells, strict=True)]
    text = tabulate(
        [heads, *lines],
        tablefmt=_TIGHT,
        colalign=_ALIGN[2 : len(heads) + 2],
        disable_numparse=True,
    )
    head, *body = text.splitlines()
    return [head, "-" * columns(head), *body]


def _watched(row: Row) -> tuple[int, ...]:
    return (
        row.reneges_tried,
        row.reneges,
        row.reneges_unpunished,
        row.challenges_right,
        row.challenges_wrong,
    )


def _github(table: Standings) -> str:
    heads = ["#", "tie", "bot", "games", "won", "drawn", "lost", *_heads(table, short=False)]
    heads += ["margin", "reneges", "faults", "forfeits", "median ms"]
    heads += ["sets", "rating", "better than the next"]
    heads += ["reneges tried", "unpunished", "challenges right", "wrong"]
    cells = _cells(table, [markdown(label) for label in _labels(table, None)])
    text = tabulate(
        [
            [
                *line,
                str(row.sets),
                _rating(row),
                _superiority(row),
                str(row.reneges_tried),
                str(row.reneges_unpunished),
                str(row.challenges_right),
                str(row.challenges_wrong),
            ]
            for line, row in zip(cells, table.rows, strict=True)
        ],
        headers=heads,
        tablefmt="github",
        colalign=_ALIGN[: len(heads)],
        disable_numparse=True,
    )
    listed = "\n".join(f"* {note}" for note in table.notes)
    return f"### {markdown(table.league_name)}: {table.title}\n\n{text}\n\n{listed}\n"


def _csv(table: Standings) -> str:
    """
    RFC 4180, with names that no spreadsheet takes for formulas.
    """
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\r\n")
    names = [each.name for each in fields(Row)]
    writer.writerow(names)
    for row in table.rows:
        values = asdict(row)
        values["name"] = spreadsheet(escaped(row.name))
        writer.writerow(["" if values[name] is None else values[name] for name in names])
    return out.getvalue()


def _json(table: Standings) -> str:
    value = {
        "league": {"id": table.league_id, "name": table.league_name},
        "game": table.game,
        "rules": table.rules,
        "run": {
            "commitment": table.commitment,
            "seeded": table.seeded,
            "secret": table.secret,
            "games": table.games,
            "scheduled": table.scheduled,
        },
        "rows": [asdict(row) for row in table.rows],
        "pairs": [asdict(pair) for pair in table.pairs],
        "notes": list(table.notes),
    }
    # Pure ASCII: no name can act on a terminal, and every reader gets it back whole.
    return json.dumps(value, indent=2, sort_keys=True, allow_nan=False) + "\n"


# --- cells -------------------------------------------------------------------------------


def _cells(table: Standings, labels: list[str]) -> list[list[str]]:
    """
    The cells of the tables for people.
    """
    return [
        [
            str(row.rank),
            row.tie or "",
            label,
            *map(str, (row.games, row.won, row.drawn, row.lost)),
            *("-" if value is None else f"{value:.1f}" for value in _points(table, row)),
            _margin(row),
            *map(str, (row.reneges, row.faults, row.forfeits)),
            "-" if row.median_decision_ms is None else f"{row.median_decision_ms:g}",
        ]
        for row, label in zip(table.rows, labels, strict=True)
    ]


def _labels(table: Standings, width: int | None) -> list[str]:
    """
    What to call the bots: by name, and where two have the same by id too.
    """
    alike = Counter(row.name for row in table.rows)
    labels = []
    for row in table.rows:
        name = escaped(row.name)
        suffix = f" ({row.bot})" if alike[row.name] > 1 else ""
        if width is not None and columns(name) + len(suffix) > width:
            # The id tells bots apart, so it is what stays.
            suffix = suffix[: max(0, width - 2)]
            name = fitted(name, width - len(suffix))
        labels.append(name + suffix)
    return labels


def _heads(table: Standings, *, short: bool) -> list[str]:
    if table.teams:
        return ["for", "agst" if short else "against"]
    return ["score", "others", "place"]


def _legend(table: Standings) -> str:
    if table.teams:
        return "for, agst: points a game of its team and of the other."
    return "score, others: mean final score of it and of the others. place: mean place."


def _points(table: Standings, row: Row) -> list[float | None]:
    points = [row.points_for, row.points_against]
    return points if table.teams else [*points, row.mean_place]


def _margin(row: Row) -> str:
    if row.margin is None:
        return "-"
    error = "?" if row.margin_error is None else f"{row.margin_error:.2f}"
    return f"{row.margin:+.2f} ±{error:>5}"


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


def _wrapped(note: str, width: int) -> list[str]:
    return textwrap.wrap(note, max(width, 20), subsequent_indent="  ", break_on_hyphens=False)
