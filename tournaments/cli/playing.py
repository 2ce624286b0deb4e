"""
What `league run` and `league resume` share: options, and the playing itself.
"""

from __future__ import annotations

import dataclasses
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import trio

from referee import shell
from referee.errors import ConfigError, StoreError
from tournaments import commands, files, runs, serving
from tournaments.cli.parts import add_format, add_store, print_standings, seconds
from tournaments.serving import Serving

if TYPE_CHECKING:
    import argparse

    from tournaments.league import League
    from tournaments.store import Run, Store


def add_playing(parser: argparse.ArgumentParser) -> None:
    """
    Add the options of a command that plays games.
    """
    add_store(parser)
    parser.add_argument("file", type=Path, metavar="FILE", help="the league, a TOML file")
    add_format(parser)
    parser.add_argument("--tables", type=int, metavar="N", help="games at once")
    parser.add_argument(
        "--config",
        type=Path,
        metavar="FILE",
        help="how bots from outside reach it: listen, TLS (docs/operations.md)",
    )
    parser.add_argument(
        "--seed", metavar="TEXT", help="repeatable decks; whoever knows it knows them all"
    )
    parser.add_argument(
        "--drain",
        type=seconds,
        metavar="SECONDS",
        help="what games in progress get after Ctrl-C or SIGTERM; "
        f"default {Serving().drain:g}, or what --config says",
    )


def league_named(options: argparse.Namespace) -> tuple[str, League]:
    """
    Return the league file that was named, as text and as a league.
    """
    text = files.read(options.file)
    league = files.parse(text, options.file)
    if options.tables is not None and options.tables < 1:
        raise ConfigError("must be at least 1", key="--tables")
    return text, league if options.seed is None else league.with_seed(options.seed)


def how_served(options: argparse.Namespace, league: League) -> Serving:
    """
    Return how the league is served, as the options say; looked at before a run is begun.
    """
    how = Serving() if options.config is None else serving.load(options.config)
    runs.check_served(league, how)
    return how if options.drain is None else dataclasses.replace(how, drain=options.drain)


def play(options: argparse.Namespace, league: League, store: Store, run: Run, how: Serving) -> int:
    """
    Play what a run still lacks, and print its standings.
    """

    async def play_run() -> commands.Ended:
        return await commands.play_run(league, store, run, how, tables=options.tables)

    try:
        ended = trio.run(play_run)
    except* StoreError as errors:
        why = shell.first_of(errors)
        raise StoreError(
            f"{why}; what was stored is safe: once this is mended, `league resume` goes on"
        ) from why
    run = store.run(run.number, league.id)
    print_standings(options, league, store, run)
    if ended.void and run.finished is None:
        sys.stderr.write(
            f"void because the referee failed: {ended.void}; `league resume` plays what is void "
            "again, `league close` ends the run as it is\n"
        )
    if ended.interrupted:
        sys.stderr.write("interrupted: `league resume` with the same league file goes on\n")
        return shell.INTERRUPTED
    return shell.FAILED if ended.void else shell.OK
