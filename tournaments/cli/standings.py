"""
`league standings`: print the table of a run.
"""

from __future__ import annotations

import shutil
import sys
import time
from typing import TYPE_CHECKING

from referee import shell
from referee.usage import add_command
from tournaments.cli.parts import (
    add_format,
    add_stored,
    print_standings,
    seconds,
    stored,
)
from tournaments.reading import Follower, league_of
from tournaments.standings import render

if TYPE_CHECKING:
    import argparse
    from typing import TextIO

    from referee.usage import Commands


_LEAST = 0.1
"""Seconds between two looks at the store, at least."""

_ENTER, _LEAVE = "\x1b[?1049h", "\x1b[?1049l"
"""Changes to a screen of its own, and back."""
_HOME, _REST_OF_LINE, _REST_OF_SCREEN = "\x1b[H", "\x1b[K", "\x1b[J"


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
        "being played. Without FILE: of the newest run in results/. With --watch it is shown "
        "again whenever a game was stored, until the run is over or you press Ctrl-C: on a "
        "terminal in place, otherwise one after the other.",
        examples=(
            "league standings",
            "league standings class/league.toml --watch",
            "league standings --format csv",
        ),
    )
    add_stored(parser)
    add_format(parser)
    parser.add_argument(
        "--watch",
        type=seconds,
        nargs="?",
        const=2.0,
        metavar="SECONDS",
        help="show it again when it changes, and look every so many seconds; default 2",
    )


def _standings(options: argparse.Namespace) -> int:
    with stored(options) as (store, run):
        if options.watch is None:
            print_standings(options, league_of(run), store, run)
        else:
            follower = Follower(league_of(run), store, run)
            _watch(follower, sys.stdout, options.format, max(options.watch, _LEAST))
    return shell.OK


def _watch(follower: Follower, out: TextIO, form: str, pause: float) -> None:
    """
    Show standings as they change, until the run is over or somebody presses Ctrl-C.

    On a terminal they have a screen of their own, and the last ones stay when it is left.
    """
    live = out.isatty()
    text = ""
    if live:
        out.write(_ENTER)
    try:
        while True:
            finished = follower.finished  # before the games, so that none comes after it
            table = follower.news()
            if table is not None:
                text = render(table, form, width=shutil.get_terminal_size().columns)
                out.write(_screen(text) if live else text)
                out.flush()
            if finished:
                break
            time.sleep(pause)
    except KeyboardInterrupt:
        pass  # that is how one stops looking
    finally:
        if live:
            out.write(_LEAVE + text)
            out.flush()


def _screen(text: str) -> str:
    """
    Return what shows *text* from the top of the terminal, as many lines as there is room for.
    """
    lines = text.splitlines()[: shutil.get_terminal_size().lines - 1]
    return _HOME + "".join(f"{line}{_REST_OF_LINE}\r\n" for line in lines) + _REST_OF_SCREEN
