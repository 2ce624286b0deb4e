"""
The `league` command: what it knows, and what runs it.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from referee import logs, shell, usage

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
    options = usage.read(
        arguments,
        program="league",
        description=DESCRIPTION,
        package="tournaments.cli",
        commands=COMMANDS,
    )
    logs.configure(options.log_level)
    code: int = options.command(options)
    return code
