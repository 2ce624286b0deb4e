"""
`league verify`: check a finished run in its store.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from referee import shell
from referee.usage import add_command
from tournaments.cli.parts import add_stored, stored
from tournaments.verifying import verify_store

if TYPE_CHECKING:
    import argparse

    from referee.usage import Commands


def add(commands: Commands) -> None:
    """
    Add the command to the parser.
    """
    parser = add_command(
        commands,
        "verify",
        _verify,
        summary="check a finished run in its store",
        description="Derives every deck again from the secret, judges every answer again, and "
        "recomputes results and standings; says what was verified, or the first thing that "
        "differs.",
        examples=(
            "league verify",
            "league verify class/league.toml --run 2",
        ),
    )
    add_stored(parser)


def _verify(options: argparse.Namespace) -> int:
    with stored(options) as (store, run):
        sys.stdout.write(verify_store(store, run).text())
    return shell.OK
