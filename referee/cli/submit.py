"""
`referee submit`: enter a bot.
"""

from __future__ import annotations

import asyncio
import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from referee import client, shell
from referee.cli.parts import add_remote, file_of, keep_token, namesakes, tls_of
from referee.errors import ConfigError
from referee.office import Submission
from referee.rules.variants import GAMES
from referee.usage import add_command

if TYPE_CHECKING:
    import argparse

    from referee.usage import Commands


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
        f"{_start(options, path)}"
    )
    sys.stdout.write(namesakes(options.address, admission.bot_id, tls_of(options)))
    return shell.OK


def _start(options: argparse.Namespace, token: Path) -> str:
    """
    Return how the bot is started, with all that it must be told.
    """
    told = {"EUCHRE_REFEREE": options.address, "EUCHRE_TOKEN": f"$(cat {shlex.quote(str(token))})"}
    tls = tls_of(options)
    if tls is not None:
        files = {"_CA": tls.ca, "_CERT": tls.certificate, "_KEY": tls.key}
        named = {f"EUCHRE_TLS{end}": str(file) for end, file in files.items() if file is not None}
        told |= {key: shlex.quote(file) for key, file in named.items()} or {"EUCHRE_TLS": "1"}
    told["EUCHRE_INSTANCE"] = "1"
    line = " ".join(f"{key}={value}" for key, value in told.items())
    lines = ["Start it with", f"  {line} YOUR-BOT"]
    if not options.game or "bid" in options.game:
        lines.append("and in Bid Euchre a second time with EUCHRE_INSTANCE=2, for the partner.")
    return "\n".join(lines) + "\n"
