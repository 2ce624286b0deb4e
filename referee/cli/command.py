"""
The `referee` command: what it knows, and what runs it.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from referee import logs, shell, usage

if TYPE_CHECKING:
    from collections.abc import Sequence

COMMANDS = ("serve", "submit", "upload", "bots", "watch", "check", "rules", "adjudicate", "verify")
"""Each is a module beside this one, in the order of `--help`."""

DESCRIPTION = """\
Referees Bid Euchre and Buck Euchre between bots that dial in over gRPC.

  referee serve                          host an open league
  referee submit "My bot" --address example.org:50117
                                         enter a bot; keeps its token in a file
  referee upload sample_bots/python --address example.org:50117
                                         enter a bot whose program runs there
  referee bots list                      who is in it; also rotate, revoke
  referee watch standings --address example.org:50117
                                         follow a league from outside
  referee check -- ./my-bot              examine how a bot speaks the protocol
  referee rules bid                      the rules that are enforced, in English
  referee adjudicate deal.json           a ruling on one deal
  referee verify games.jsonl             check what `league export` wrote
"""


def main(arguments: Sequence[str] | None = None) -> None:
    """
    Run the command line, and leave the program with its exit code.
    """
    shell.prepare()
    given = sys.argv[1:] if arguments is None else arguments
    sys.exit(shell.run("referee", lambda: _command(given)))


def _command(arguments: Sequence[str]) -> int:
    options = usage.read(
        arguments,
        program="referee",
        description=DESCRIPTION,
        package="referee.cli",
        commands=COMMANDS,
    )
    logs.configure(options.log_level or "info")
    code: int = options.command(options)
    return code
