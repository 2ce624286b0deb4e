"""
`league run`: play a league from its file.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from referee.usage import add_command
from tournaments import runs
from tournaments.cli.playing import add_playing, how_served, league_named, play
from tournaments.store import Store, default_url

if TYPE_CHECKING:
    import argparse

    from referee.usage import Commands


def add(commands: Commands) -> None:
    """
    Add the command to the parser.
    """
    parser = add_command(
        commands,
        "run",
        _run,
        summary="play a league from its file",
        description="Begins a new run of a league, plays all its games with the bots that its "
        "file names, and prints the standings. Nothing that was played before is touched.",
        examples=(
            "league run tournaments/leagues/quick.toml",
            "league run v8-v7.toml --seed another --tables 8 --format json",
        ),
    )
    add_playing(parser)


def _run(options: argparse.Namespace) -> int:
    text, league = league_named(options)
    how = how_served(options, league)
    with Store.open(options.store or default_url(league.id)) as store, store.lock(league.id):
        run = runs.begin(store, league, text, str(options.file), how)
        return play(options, league, store, run, how)
