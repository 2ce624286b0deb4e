"""
`referee submit`: enter a bot.
"""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from referee import client, shell
from referee.cli.adding import add_command
from referee.cli.parts import add_remote, file_of, keep_token, namesakes, tls_of
from referee.errors import ConfigError
from referee.office import Submission
from referee.rules.variants import GAMES

if TYPE_CHECKING:
    import argparse

    from referee.cli.adding import Commands


def add(commands: Commands) -> None:
    """
    Add the command to the parser.
    """
    submit = add_command(
        commands,
        "submit",
        _submit,
        summary="enter a bot into an open league",
        description="Enters a bot into the open league of a referee, and keeps the token that it "
        "gets in a file that only you can read. The bot then connects with that token.",
        examples=(
            'referee submit "My bot"',
            'referee submit "My bot" --address referee.example.org:50117 --tls',
        ),
    )
    submit.add_argument("name", metavar="NAME", help="display name, 1 to 64 characters")
    add_remote(submit)
    submit.add_argument(
        "--output", type=Path, metavar="FILE", help="where to keep its token; default BOT-ID.token"
    )
    submit.add_argument(
        "--game",
        action="append",
        choices=tuple(GAMES),
        default=[],
        help="what it plays; default both",
    )
    submit.add_argument("--description", default="", metavar="TEXT", help="what it is, for people")
    submit.add_argument(
        "--contact", default="", metavar="TEXT", help="how to reach you; not shown to others"
    )
    submit.add_argument("--software", default="", metavar="TEXT", help="program and version")
    submit.add_argument("--invitation", default="", metavar="CODE", help="where one is needed")


def _submit(options: argparse.Namespace) -> int:
    submission = Submission(
        name=options.name,
        games=tuple(options.game),
        description=options.description,
        contact=options.contact,
        software=options.software,
        invitation=options.invitation,
    )
    if options.output is not None and options.output.exists():
        raise ConfigError("is there already", path=str(options.output), key="--output")
    admission = asyncio.run(client.submit(options.address, submission, tls=tls_of(options)))
    default = file_of(admission)
    path = keep_token(options.output or default, admission.token)
    sys.stdout.write(
        f"{default.stem} is entered. Its token is in {path}; nobody can show it again.\n"
        f"Start it with\n"
        f"  EUCHRE_REFEREE={options.address} EUCHRE_TOKEN=$(cat {path}) EUCHRE_INSTANCE=1 "
        f"YOUR-BOT\n"
        f"and in Bid Euchre a second time with EUCHRE_INSTANCE=2, for the partner.\n"
    )
    sys.stdout.write(namesakes(options.address, admission.bot_id, tls_of(options)))
    return shell.OK
