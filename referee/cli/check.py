"""
`referee check`: examine a bot before it plays.
"""

from __future__ import annotations

import functools
import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import trio

from referee import examiner, shell
from referee.errors import ConfigError
from referee.launch import check_command
from referee.rules.variants import GAMES
from referee.usage import add_command

if TYPE_CHECKING:
    import argparse

    from referee.usage import Commands


def add(commands: Commands) -> None:
    """
    Add the command to the parser.
    """
    check = add_command(
        commands,
        "check",
        _check,
        summary="examine whether a bot speaks the protocol",
        description="Starts a bot as a league would and examines it: every kind of question of "
        "both games, many at once, being cut off, time limits, farewell. Says what was expected "
        "and what came.",
        examples=(
            "referee check -- ./my-bot",
            "referee check -- {python} my_bot.py",
            "referee check --address 127.0.0.1:50118",
            "referee check --list",
        ),
        usage="referee check [OPTIONS] -- COMMAND [ARGUMENT ...]\n"
        "       referee check [OPTIONS] --address HOST:PORT",
    )
    check.add_argument(
        "command_line",
        nargs="*",
        metavar="COMMAND",
        help="program and arguments, run in this folder; {python} is the referee's interpreter",
    )
    check.add_argument(
        "--address",
        metavar="HOST:PORT",
        help="listen there; without COMMAND, for a bot that you start yourself",
    )
    check.add_argument("--game", choices=tuple(GAMES), help="examine one game only")
    check.add_argument(
        "--patience", type=float, default=1.0, metavar="X", help="factor on time limits; default 1"
    )
    check.add_argument("--json", action="store_true", help="print the report as JSON")
    check.add_argument("--list", action="store_true", help="print all checks, and examine nothing")


def _check(options: argparse.Namespace) -> int:
    if options.list:
        sys.stdout.write(examiner.listing())
        return shell.OK
    if not 0.05 <= options.patience <= 100:
        raise ConfigError("must be from 0.05 to 100", key="--patience")
    run = None
    if options.command_line:
        check_command(options.command_line, Path.cwd())
        run = examiner.local(options.command_line)
    elif options.address is None:
        raise ConfigError(
            "needs a bot",
            key="check",
            hint="referee check -- COMMAND, or --address HOST:PORT for a bot that you start",
        )
    report = trio.run(
        functools.partial(
            examiner.examine,
            run,
            address=options.address,
            games=tuple(GAMES) if options.game is None else (options.game,),
            patience=options.patience,
            invite=_invite,
        )
    )
    sys.stdout.write(report.to_json() + "\n" if options.json else report.text())
    return shell.OK if report.passed else shell.FAILED


def _invite(address: str, token: str, instance: str) -> None:
    """
    Say how to start an instance; on standard error, since the report is the output.
    """
    where = shlex.quote(address)
    sys.stderr.write(
        f"referee: start instance {instance} of your bot with\n"
        f"  EUCHRE_REFEREE={where} EUCHRE_TOKEN={token} EUCHRE_INSTANCE={instance} YOUR-BOT\n"
    )
    sys.stderr.flush()
