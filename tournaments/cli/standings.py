"""
`league standings`: print the table of a run.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from referee import shell
from tournaments.cli.parts import add_command, add_format, add_stored, print_standings, stored
from tournaments.reading import league_of

if TYPE_CHECKING:
    import argparse

    from tournaments.cli.parts import Commands


def add(commands: Commands) -> None:
    """
    Add the command to the parser.
    """
    parser = add_command(
        commands,
        "standings",
        _standings,
        summary="print the table of a run",
        description="Prints the standings of a run as they are stored now, also while it is "
        "being played. Without FILE: of the newest run in results/.",
    )
    add_stored(parser)
    add_format(parser)


def _standings(options: argparse.Namespace) -> int:
    with stored(options) as (store, run):
        print_standings(options, league_of(run), store, run)
    return shell.OK
