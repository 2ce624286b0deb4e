"""
`referee submit`: enter a bot.
"""

from __future__ import annotations

import asyncio
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from referee import client, shell
from referee.cli.parts import ADDRESS
from referee.errors import ConfigError
from referee.office import Submission
from referee.rules.variants import GAMES

if TYPE_CHECKING:
    import argparse

    from referee.cli.parts import Commands


def add(commands: Commands) -> None:
    """
    Add the command to the parser.
    """
    submit = commands.add_parser(
        "submit",
        help="enter a bot into an open league",
        description="Enters a bot into the open league of a referee, and keeps the token that it "
        "gets in a file that only you can read. The bot then connects with that token.",
        epilog=shell.EPILOG,
    )
    submit.add_argument("name", metavar="NAME", help="display name, 1 to 64 characters")
    submit.add_argument("--address", default=ADDRESS, help=f"HOST:PORT, default {ADDRESS}")
    submit.add_argument("--token-file", type=Path, help="where to keep it; default BOT-ID.token")
    submit.add_argument(
        "--game", action="append", choices=tuple(GAMES), default=[], help="what it plays; both"
    )
    submit.add_argument("--description", default="", help="what it is, for people")
    submit.add_argument("--contact", default="", help="how to reach you; not shown to others")
    submit.add_argument("--software", default="", help="program and version")
    submit.set_defaults(command=_submit)


def _submit(options: argparse.Namespace) -> int:
    submission = Submission(
        name=options.name,
        games=tuple(options.game),
        description=options.description,
        contact=options.contact,
        software=options.software,
    )
    if options.token_file is not None and options.token_file.exists():
        raise ConfigError("is there already", path=str(options.token_file), key="--token-file")
    admission = asyncio.run(client.submit(options.address, submission))
    path = _keep_token(options.token_file or Path(f"{admission.bot_id}.token"), admission.token)
    sys.stdout.write(
        f"{admission.bot_id} is entered. Its token is in {path}; nobody can show it again.\n"
        f"Start it with\n"
        f"  EUCHRE_REFEREE={options.address} EUCHRE_TOKEN=$(cat {path}) EUCHRE_INSTANCE=1 "
        f"YOUR-BOT\n"
        f"and in Bid Euchre a second time with EUCHRE_INSTANCE=2, for the partner.\n"
    )
    return shell.OK


def _keep_token(path: Path, token: str) -> Path:
    """
    Write a token where only our user can read it; return where that is.
    """
    place, number = path, 1
    while True:
        try:
            handle = os.open(place, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        except FileExistsError:
            number += 1
            place = path.with_name(f"{path.stem}-{number}{path.suffix}")
            continue
        except OSError as error:
            # It cannot be asked for again, so it must not be lost.
            sys.stderr.write(f"referee: cannot write {place}: {error.strerror}\n")
            sys.stdout.write(f"{token}\n")
            raise ConfigError("cannot be written", path=str(place), key="--token-file") from None
        with os.fdopen(handle, "w") as file:
            file.write(token + "\n")
        return place
