"""
The `league` command: its parser, and what runs what.
"""

from __future__ import annotations

import argparse
import sys
from importlib import import_module
from typing import TYPE_CHECKING

from referee import logs, shell

if TYPE_CHECKING:
    from collections.abc import Sequence

COMMANDS = (
    "run",
    "resume",
    "standings",
    "games",
    "show",
    "report",
    "close",
    "export",
    "verify",
)
"""Each is a module beside this one, in the order of `--help`."""

DESCRIPTION = """\
Plays leagues of bots for Bid Euchre and Buck Euchre, and shows their results.

  league run tournaments/leagues/quick.toml     play a league, print its table
  league resume tournaments/leagues/quick.toml  go on where it was interrupted
  league standings                              the table of the newest run
  league games --bot bold --penalised           where a bot lost points, and why
  league show bold:cautious/3a                  one game, trick by trick
  league report pages                           pages for a browser
  league close tournaments/leagues/open.toml    end an open league
  league export --output games.jsonl            every game as a line of JSON
  league verify                                 judge every answer again

The store is sqlite:///results/LEAGUE-ID.db unless --store says otherwise. `run`
always begins a new run; the other commands take the newest one, or --run N.
"""


def main(arguments: Sequence[str] | None = None) -> None:
    """
    Run the command line, and leave the program with its exit code.
    """
    shell.prepare()
    given = sys.argv[1:] if arguments is None else arguments
    sys.exit(shell.run("league", lambda: _command(given)))


def _command(arguments: Sequence[str]) -> int:
    options = _parser(arguments).parse_args(arguments)
    logs.configure(options.log_level)
    code: int = options.command(options)
    return code


def _parser(arguments: Sequence[str]) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="league",
        description=DESCRIPTION,
        epilog=shell.EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    for name in shell.called(COMMANDS, arguments):
        import_module(f"tournaments.cli.{name}").add(commands)
    return parser
