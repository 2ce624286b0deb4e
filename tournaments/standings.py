"""
Standings: rows, and tables of them in four formats.

Keys of the JSON form, which are the columns of CSV too: `rank` (equal bots share
one), `bot` (id), `name`, `games`, `won`, `drawn`, `lost`; `points_for` and
`points_against`, final points a game (in Buck Euchre the bot's mean final score,
and that of the others); `margin`, the mean margin in points a game, and
`margin_error`, half the width of its 95 % interval, over `sets` complete sets;
`mean_place` (null in Bid Euchre); `reneges`, `faults`, `forfeits`; and
`median_decision_ms`, the only key that holds a time. Null is what has no value
yet. Beside the `rows` there are `league`, `game`, `rules` (those that differ from
their defaults), `run` and `notes`. The number of the run is not in it, so that two
runs with the same seed say the same.
"""

from __future__ import annotations

import csv
import io
import json
import textwrap
from collections import Counter
from dataclasses import asdict, dataclass, fields
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from tabulate import DataRow, TableFormat, tabulate

from referee.errors import ConfigError
from referee.timing import median_ms
from tournaments.cells import columns, fitted, isolated, markdown, spreadsheet
from tournaments.names import shown
from tournaments.notes import notes
from tournaments.ratings import rating
from tournaments.tally import BotTally

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tournaments.league import League
    from tournaments.tally import Tally

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

_ALIGN = ["right", "left", *["right"] * 12]
"""Numbers to the right, names to the left."""


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
    mean_place: float | None
    reneges: int
    faults: int
    forfeits: int
    median_decision_ms: float | None


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
    keys = {bot: _key(league, tally, bot) for bot, _ in bots}
    rows = [
        _row(league, tally, bot, name, 1 + sum(other < keys[bot] for other in keys.values()))
        for bot, name in bots
    ]
    return Standings(
        league_id=league.id,
        league_name=league.name,
        game=league.game,
        title=league.title,
        teams=league.players == 2,
        rules=league.rules.options(),
        run=run,
        commitment=commitment,
        seeded=seeded,
        secret=secret.hex() if secret is not None else None,
        games=tally.games,
        scheduled=scheduled,
        rows=tuple(sorted(rows, key=lambda row: row.rank)),
        notes=notes(
            league,
            tally,
            commitment=commitment,
            seeded=seeded,
            secret=secret,
            scheduled=scheduled,
        ),
    )


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


# --- rows --------------------------------------------------------------------------------


def _key(league: League, tally: Tally, bot: str) -> tuple[Fraction | int, ...]:
    """
    What bots are ordered by; the smaller, the better.
    """
    sums = tally.bots.get(bot, BotTally())
    rated = rating(sums.margin, tally.unit)
    if not sums.games:
        return (1, 0, 0, 0)
    if league.players == 2:
        third = Fraction(-sums.points_for, sums.games)
    else:
        third = Fraction(sums.places, sums.games)
    return (
        0 if rated is not None else 1,
        -rated.exact if rated is not None else 0,
        -Fraction(2 * sums.won + sums.drawn, 2 * sums.games),
        third,
    )


def _row(league: League, tally: Tally, bot: str, name: str, rank: int) -> Row:
    sums = tally.bots.get(bot, BotTally())
    rated = rating(sums.margin, tally.unit)
    return Row(
        rank=rank,
        bot=bot,
        name=name,
        games=sums.games,
        won=sums.won,
        drawn=sums.drawn,
        lost=sums.lost,
        points_for=_per(sums.points_for, sums.games),
        points_against=_per(sums.points_against, sums.games * (league.players - 1)),
        margin=None if rated is None else _rounded(rated.mean),
        margin_error=None if rated is None else _rounded(rated.error),
        sets=0 if rated is None else rated.sets,
        mean_place=None if league.players == 2 else _per(sums.places, sums.games),
        reneges=sums.reneges,
        faults=sums.faults,
        forfeits=sums.forfeits,
        median_decision_ms=median_ms(sums.times),
    )


def _per(total: int, count: int) -> float | None:
    return _rounded(total / count) if count else None


def _rounded(value: float | None) -> float | None:
    # Six digits are more than anybody needs; adding zero turns -0.0 into 0.0.
    return None if value is None else round(value, 6) + 0.0


# --- formats -----------------------------------------------------------------------------


def _plain(table: Standings, width: int) -> str:
    heads = ["#", "bot", "games", "W", "D", "L", *_heads(table, short=True)]
    heads += ["margin", "ren", "flt", "ff", "ms"]
    lines = [heads, *_cells(table, [""] * len(table.rows))]
    taken = sum(max(map(len, cells)) + 1 for cells in zip(*lines, strict=True)) - len("bot ")
    labels = _labels(table, max(_LEAST_NAME, width - taken))
    lines = [heads, *_cells(table, [isolated(label) for label in labels])]
    text = tabulate(lines, tablefmt=_TIGHT, colalign=_ALIGN[: len(heads)], disable_numparse=True)
    head, *body = text.splitlines()
    games = f"{table.games}" + ("" if table.scheduled is None else f" of {table.scheduled}")
    legend = (
        f"W D L: won, drawn, lost. {_legend(table)} ren: reneges. flt: faults. ff: games "
        "forfeited. ms: median time of a decision."
    )
    return "\n".join(
        [
            f"{isolated(shown(table.league_name))} - {table.title}, run {table.run}, {games} games",
            "",
            head,
            "-" * columns(head),
            *body,
            "",
            *(part for note in (*table.notes, legend) for part in _wrapped(note, width)),
            "",
        ]
    )


def _github(table: Standings) -> str:
    heads = ["#", "bot", "games", "won", "drawn", "lost", *_heads(table, short=False)]
    heads += ["margin", "reneges", "faults", "forfeits", "median ms"]
    text = tabulate(
        _cells(table, [markdown(label) for label in _labels(table, None)]),
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
        values["name"] = spreadsheet(shown(row.name))
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
        name = shown(row.name)
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


def _wrapped(note: str, width: int) -> list[str]:
    return textwrap.wrap(note, max(width, 20), subsequent_indent="  ", break_on_hyphens=False)
