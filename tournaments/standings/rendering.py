"""
Which formats there are.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from referee.errors import ConfigError
from tournaments.standings.data import as_csv, as_json
from tournaments.standings.github import as_github
from tournaments.standings.latex import as_latex
from tournaments.standings.plain import as_plain

if TYPE_CHECKING:
    from tournaments.ranking import Standings

FORMATS = ("plain", "github", "latex", "csv", "json")
"""What `render` can do."""


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
        return as_plain(table, width)
    if form == "github":
        return as_github(table)
    if form == "latex":
        return as_latex(table)
    if form == "csv":
        return as_csv(table)
    if form == "json":
        return as_json(table)
    raise ConfigError(
        f"there is no format {form!r}", key="--format", hint=f"there are {', '.join(FORMATS)}"
    )
