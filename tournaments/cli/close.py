"""
`league close`: end a run as it is, so that it can be verified.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from referee import shell
from referee.usage import add_command
from tournaments import runs
from tournaments.cli.parts import add_stored, chosen, stored
from tournaments.reading import league_of

if TYPE_CHECKING:
    import argparse

    from referee.usage import Commands


def add(commands: Commands) -> None:
    """
    Add the command to the parser.
    """
    parser = add_command(
        commands,
        "close",
        _close,
        summary="end an open league, and reveal its decks",
        description="Ends a run as it is: of an open league, which never ends by itself, or one "
        "with games that are void because the referee failed. Its secret is in the standings "
        "and exports from then on, so nothing more can be played in it: `referee serve` begins "
        "a new run. Refused while somebody plays it, and while games are missing that can be "
        "played.",
        examples=("league close tournaments/leagues/open.toml",),
    )
    add_stored(parser)


def _close(options: argparse.Namespace) -> int:
    with stored(options) as (store, found), store.lock(found.league_id):
        run = chosen(store, found.number, found.league_id)
        closed = runs.close(store, league_of(run), run)
    left = f"; {closed.missing} games of the schedule were not played" if closed.missing else ""
    if closed.void:
        what = "1 game is" if closed.void == 1 else f"{closed.void} games are"
        left += f"; {what} void for good, because the referee failed"
    sys.stdout.write(f"run {run.number} of {run.league_id} is over{left}\n")
    return shell.OK
