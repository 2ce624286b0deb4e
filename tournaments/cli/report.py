"""
`league report`: write a run as pages of HTML.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from referee import shell
from referee.usage import add_command
from tournaments.cli.parts import add_stored, stored
from tournaments.report import GAMES, write_report

if TYPE_CHECKING:
    import argparse

    from referee.usage import Commands


def add(commands: Commands) -> None:
    """
    Add the command to the parser.
    """
    parser = add_command(
        commands,
        "report",
        _report,
        summary="write a run as pages for a browser",
        description="Writes standings, charts, every match, and games that are played again "
        "card by card, as pages that need no network and no server: open DIR/index.html. A "
        "report that is in DIR already is replaced. Hands are shown once nobody will play "
        "their decks again: when the run, or at least the set, is complete.",
        examples=(
            "league report pages",
            "league report pages class/league.toml --games all",
        ),
    )
    parser.add_argument("folder", type=Path, metavar="DIR", help="where to")
    parser.add_argument(
        "--games",
        type=_games,
        default=GAMES,
        metavar="N",
        help=f"how many games get a page, the newest, or `all`; default {GAMES}",
    )
    add_stored(parser)


def _games(text: str) -> int | None:
    """
    Read a number for argparse, which turns a ValueError into a usage error.
    """
    if text == "all":
        return None
    number = int(text)
    if number < 0:
        raise ValueError(text)
    return number


def _report(options: argparse.Namespace) -> int:
    with stored(options) as (store, run):
        written = write_report(store, run, options.folder, games=options.games)
    left_out = f" ({written.left_out} more have none)" if written.left_out else ""
    sys.stdout.write(
        f"{options.folder / 'index.html'}: {written.matches} matches, "
        f"{written.games} games with pages{left_out}\n"
    )
    return shell.OK
