r"""
Standings for a paper: tables of LaTeX, to be included with `\input`.

They need the package booktabs. Names in other scripts need a font that has them, and so
LuaLaTeX or XeLaTeX; names in Latin letters need neither.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from referee.escaping import JOINERS
from tournaments.cells import latex
from tournaments.standings import parts

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from tournaments.ranking import Standings


def as_latex(table: Standings) -> str:
    """
    Return the table, the faults by kind, the cross table, and the notes as comments.
    """
    names = [latex(label) for label in parts.labels(table, None)]
    shown = [
        each
        for each in [*parts.main_columns(table), parts.SETS, parts.RATING]
        if each is not parts.MEDIAN
    ]
    texts = [
        f"% {_comment(table.league_name)}: {table.title}. Needs the package booktabs.",
        *_tabular(
            [
                *((each.title, each.left) for each in shown[:2]),
                ("bot", True),
                *((each.title, each.left) for each in shown[2:]),
            ],
            (
                [*cells[:2], name, *cells[2:]]
                for name, cells in zip(
                    names,
                    ([_number(each.cell(row)) for each in shown] for row in table.rows),
                    strict=True,
                )
            ),
        ),
    ]
    kinds = parts.fault_columns(table)
    if kinds:
        texts += [
            "% Faults by kind.",
            *_tabular(
                [("bot", True), *((each.title, False) for each in kinds)],
                (
                    [name, *(each.cell(row) for each in kinds)]
                    for name, row in zip(names, table.rows, strict=True)
                ),
            ),
        ]
    cross = parts.cross(table)
    if cross is not None:
        texts += [
            f"% Each against each other, by place in the table: {cross.said}.",
            *_tabular(
                [("#", False), ("bot", True), *((str(n + 1), False) for n in range(len(names)))],
                (
                    [str(place), name, *map(_number, line)]
                    for place, (name, line) in enumerate(zip(names, cross.cells, strict=True), 1)
                ),
            ),
        ]
    texts += [f"% {_comment(note)}" for note in table.notes]
    return "\n".join(texts) + "\n"


def _tabular(heads: Sequence[tuple[str, bool]], lines: Iterable[Sequence[str]]) -> list[str]:
    kinds = "".join("l" if left else "r" for _, left in heads)
    return [
        rf"\begin{{tabular}}{{{kinds}}}",
        r"\toprule",
        " & ".join(latex(head) for head, _ in heads) + r" \\",
        r"\midrule",
        *(" & ".join(line) + r" \\" for line in lines),
        r"\bottomrule",
        r"\end{tabular}",
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
