"""
`league resume`: go on where a run was interrupted.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from referee import shell
from referee.usage import add_command
from tournaments import runs
from tournaments.cli.parts import add_run, print_standings
from tournaments.cli.playing import add_playing, how_served, league_named, play
from tournaments.store import Store, default_url

if TYPE_CHECKING:
    import argparse

    from referee.usage import Commands
    from tournaments.store import Run


def add(commands: Commands) -> None:
    """
    Add the command to the parser.
    """
    parser = add_command(
        commands,
        "resume",
        _resume,
        summary="go on where a run was interrupted",
        description="Plays the games that a run has not stored yet, and prints the standings. "
        "A finished run is only printed; where there is none, one is begun. Refuses a league "
        "file or a seed that has changed.",
        examples=("league resume tournaments/leagues/quick.toml",),
    )
    add_playing(parser)
    add_run(parser)


def _resume(options: argparse.Namespace) -> int:
    text, league = league_named(options)
    how = how_served(options, league)
    with Store.open(options.store or default_url(league.id)) as store, store.lock(league.id):
        if options.run is not None:
            run: Run | None = store.run(options.run, league.id)
        else:
            run = store.latest_run(league.id)
        if run is None:
            run = runs.begin(store, league, text, str(options.file), how)
            return play(options, league, store, run, how)
        league = runs.check_same(run, league, str(options.file))
        if run.finished is not None:
            print_standings(options, league, store, run)
            return shell.OK
        return play(options, league, store, run, how)
