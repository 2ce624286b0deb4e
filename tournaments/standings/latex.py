r"""
Standings for a paper: tables of LaTeX, to be included with `\input`.

They need the package booktabs, and in pdfLaTeX fontenc with T1. Names in other scripts
need a font that has them, and so LuaLaTeX or XeLaTeX: a comment says so where there are
such names. Those that run from right to left need babel with `bidi=basic` besides.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from referee.escaping import JOINERS
from tournaments.cells import latex
from tournaments.standings import parts

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from tournaments.ranking import Standings
    from tournaments.standings.parts import Column

_LATIN = re.compile(
    r"[ -~\u00a0-\u017f\u2013\u2014\u2018-\u201a\u201c-\u201e\u2020-\u2022\u2026\u20ac\u2122]*"
)
"""
What pdfLaTeX knows, but for a handful of rare letters: accented Latin ones, and dashes,
quotation marks and the like.
"""


def as_latex(table: Standings) -> str:
    """
    Return the tables of the plain form, but for seats, and the notes as comments.

    No page is wide enough for all columns in one table.
    """
    shown = [each for each in parts.main_columns(table) if each is not parts.MEDIAN]
    end = shown.index(parts.MARGIN) + 1
    names = [latex(label) for label in parts.labels(table, None)]
    texts = [
        f"% {_comment(table.league_name)}: {table.title}.",
        "% Needs the package booktabs, and fontenc with T1 if it is for pdfLaTeX.",
        r"% With short names it fits a page with margins of an inch, in \small.",
    ]
    if not all(map(_LATIN.fullmatch, names)):
        texts.append(
            "% Has names that pdfLaTeX does not know: use LuaLaTeX or XeLaTeX, and a font for them."
        )
    texts += _rows(table, shown[:end], before=2)
    kinds = parts.fault_columns(table)
    rest = [each for each in shown[end:] if each not in kinds]
    texts += _rows(table, [parts.RANK, parts.SETS, parts.RATING, parts.BETTER, *rest])
    if kinds:
        texts += _rows(table, [parts.RANK, *kinds], said="Faults by kind.")
    if table.challenges:
        texts += _rows(table, [parts.RANK, *parts.WATCHING])
    cross = parts.cross(table)
    if cross is not None:
        places = [str(place) for place in range(1, len(names) + 1)]
        texts += _tabular(
            [("#", False), ("bot", True), *((place, False) for place in places)],
            (
                [place, name, *map(_number, line)]
                for place, name, line in zip(places, names, cross.cells, strict=True)
            ),
            f"Each against each other, by place in the table: {cross.said}.",
        )
    texts += [f"% {_comment(note)}" for note in table.notes]
    return "\n".join(texts) + "\n"


def _rows(
    table: Standings, columns: Sequence[Column], *, before: int = 1, said: str = ""
) -> list[str]:
    """
    Return a table of these columns, the bots behind the first few of them.
    """
    heads = [(each.title, each.left) for each in columns]
    cells = [[_number(each.cell(row)) for each in columns] for row in table.rows]
    return _tabular(
        [*heads[:before], ("bot", True), *heads[before:]],
        (
            [*line[:before], latex(name), *line[before:]]
            for name, line in zip(parts.labels(table, None), cells, strict=True)
        ),
        said,
    )


def _tabular(
    heads: Sequence[tuple[str, bool]], lines: Iterable[Sequence[str]], said: str = ""
) -> list[str]:
    """
    Return a table that is a paragraph of its own, with what is *said* of it in a comment.
    """
    kinds = "".join("l" if left else "r" for _, left in heads)
    return [
        "",
        *([f"% {said}"] if said else []),
        rf"\noindent\begin{{tabular}}{{{kinds}}}",
        r"\toprule",
        " & ".join(latex(head) for head, _ in heads) + r" \\",
        r"\midrule",
        *(" & ".join(line) + r" \\" for line in lines),
        r"\bottomrule",
        r"\end{tabular}",
        "",
    ]


def _number(text: str) -> str:
    """
    Return a cell of digits with the signs that a printer would set.
    """
    if text == "-":
        return "--"
    for sign, set_as in (("%", r"\%"), ("±", r"$\pm$"), ("+", "$+$"), ("-", "$-$")):
        text = text.replace(sign, set_as)
    return text


def _comment(text: str) -> str:
    """
    Return text for a comment: it is one line, since nothing in it ends one, and ASCII.
    """
    return (
        "".join(each for each in text if each not in JOINERS)
        .encode("ascii", "backslashreplace")
        .decode()
    )
