"""
`referee upload`: send the program of a bot.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from referee import client, shell
from referee.cli.parts import add_remote, file_of, keep_token, namesakes, shown_token, tls_of
from referee.errors import ConfigError
from referee.escaping import escaped
from referee.packing import pack
from referee.usage import EPILOG

if TYPE_CHECKING:
    from referee.usage import Commands

DESCRIPTION = """\
Sends a folder with the program of a bot to a referee, which builds it, examines
it and, if it is in order, lets it play in its open league. The program runs
over there, in a sandbox: it sees its own files, a /tmp and the referee, and no
network.

  referee upload sample_bots/python --address referee.example.org:50117 --tls

With --token-file it is not another bot but a new version of the one whose token
is in that file. It plays from the next run of the league on; until then the bot
plays as it was:

  referee upload sample_bots/python --token-file my-bot.token

At the top of the folder is a file bot.toml:

  name = "Cautious"                      # for people
  command = ["{python}", "cautious.py"]  # {python} is the referee's Python

That is enough; these may be added:

  build = ["make"]                       # run once before, without a network
  games = ["bid", "buck"]                # what it plays; left out: both
  instances = 4                          # processes; left out: as needed
  description = "Bids low, ruffs high."
  contact = "me@example.org"             # for those who run the league only
  software = "cautious 1.2"

Commands run in that folder. Names that begin with a dot, __pycache__ and
*.token are not sent; links are refused. Python bots find grpc, google.protobuf
and euchre.referee.v1 over there; what else they import must be in the folder.
"""


_REPLACED = " To replace yours by a new version, add --token-file."


def add(commands: Commands) -> None:
    """
    Add the command to the parser.
    """
    upload = commands.add_parser(
        "upload",
        help="enter a bot whose program the referee runs",
        description=DESCRIPTION,
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    upload.add_argument("folder", type=Path, metavar="DIR", help="with a bot.toml at its top")
    add_remote(upload)
    upload.add_argument("--invitation", default="", metavar="CODE", help="where one is needed")
    upload.add_argument(
        "--token-file",
        type=Path,
        metavar="FILE",
        help="holds the token of the bot that this is a new version of",
    )
    upload.add_argument(
        "--output",
        type=Path,
        metavar="FILE",
        help="where to keep the token of a new bot; default BOT-ID.token",
    )
    upload.set_defaults(command=_upload)


def _upload(options: argparse.Namespace) -> int:
    # What is wrong with it is said here rather than over there.
    from tournaments import programs  # noqa: PLC0415

    folder: Path = options.folder
    if not folder.is_dir():
        raise ConfigError("is not a folder", path=str(folder))
    programs.load(folder)
    token = "" if options.token_file is None else shown_token(options.token_file)
    if options.output is not None and token:
        raise ConfigError("a new version has the token that the bot has", key="--output")
    if options.output is not None and options.output.exists():
        raise ConfigError("is there already", path=str(options.output), key="--output")
    package = pack(folder)
    sys.stderr.write(f"sending {len(package)} bytes to {options.address}, which may take minutes\n")
    verdict = asyncio.run(
        client.upload(
            options.address, package, options.invitation, token=token, tls=tls_of(options)
        )
    )
    # The report comes from elsewhere: nothing in it may act on the terminal.
    for line in verdict.report.splitlines():
        sys.stdout.write(f"{escaped(line)}\n")
    admission = verdict.admission
    if admission is None:
        still = " The bot plays on as it was." if token else ""
        sys.stdout.write(f"\nIt was not accepted.{still}\n")
        return shell.FAILED
    default = file_of(admission)
    if verdict.from_next_run:
        sys.stdout.write(
            f"\n{default.stem} plays this version from the next run on, and until then the one "
            "before. Its token stays as it is.\n"
        )
        return shell.OK
    path = keep_token(options.output or default, admission.token)
    sys.stdout.write(
        f"\n{default.stem} is entered and plays. Its owner's token is in {path}; nobody can "
        "show it again.\n"
    )
    sys.stdout.write(namesakes(options.address, admission.bot_id, tls_of(options), _REPLACED))
    return shell.OK
