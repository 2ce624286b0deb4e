"""
`league games`: list the games of a run.
"""

from __future__ import annotations

import csv
import itertools
import json
import sys
from typing import TYPE_CHECKING

from referee import shell
from referee.errors import ConfigError
from referee.usage import add_command
from tournaments.cli.parts import add_stored, stored
from tournaments.listing import Line, lines, plain
from tournaments.reading import league_of
from tournaments.tally import Tally

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator

    from referee.usage import Commands
    from tournaments.games import GameRow
    from tournaments.store import Run, Store


def add(commands: Commands) -> None:
    """
    Add the command to the parser.
    """
    parser = add_command(
        commands,
        "games",
        _games,
        summary="list the games of a run",
        description="Prints a line for each bot of each game, match by match and set by set: "
        "seats, points, margin, place, reneges, faults, and how it ended. `league show GAME` "
        "tells one of them. As csv or json it is what the standings are computed from.",
        examples=(
            "league games --bot bold --penalised",
            "league games class.toml --format csv",
        ),
    )
    add_stored(parser)
    parser.add_argument("--bot", metavar="ID", help="only this bot's")
    parser.add_argument(
        "--penalised",
        action="store_true",
        help="only where it reneged, was at fault or forfeited",
    )
    parser.add_argument(
        "--format", default="plain", choices=("plain", "csv", "json"), help="default plain"
    )


def _games(options: argparse.Namespace) -> int:
    with stored(options) as (store, run):
        bots = [bot.id for bot in store.bots(run)]
        if options.bot is not None and options.bot not in bots:
            raise ConfigError(
                f"there is no bot {options.bot!r} in this league",
                key="--bot",
                hint=f"there are: {', '.join(bots)}",
            )
        found = [
            line
            for line in lines(Tally.of(league_of(run), store.games(run)), _scheduled(store, run))
            if options.bot in {None, line.bot} and (line.penalised or not options.penalised)
        ]
    if options.format == "csv":
        writer = csv.writer(sys.stdout, lineterminator="\n")
        writer.writerow(Line._fields)
        writer.writerows([_cell(value) for value in line] for line in found)
    elif options.format == "json":
        sys.stdout.write(json.dumps([line._asdict() for line in found], indent=2) + "\n")
    else:
        sys.stdout.write(plain(found))
    return shell.OK


def _scheduled(store: Store, run: Run) -> Iterator[GameRow]:
    """
    Yield the games of a run in the order of their ids, however they were played.
    """
    stored = store.games_by_match(run, store.last_game(run))
    for _, match in itertools.groupby(stored, lambda row: row.match_id):
        yield from sorted(match, key=lambda row: (row.set_number, row.sitting))


def _cell(value: object) -> object:
    """
    Return a value as it stands in CSV: what a spreadsheet and numpy both read as a number.
    """
    return int(value) if isinstance(value, bool) else value
