"""
`referee bots`: list the bots of a league, give one a new token, take one out.
"""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from referee import client, shell
from referee.cli.parts import add_remote, keep_token, shown_token, tls_of
from referee.errors import ConfigError
from referee.escaping import escaped
from referee.usage import add_command
from tournaments.names import is_id

if TYPE_CHECKING:
    import argparse

    from referee.usage import Commands


def add(commands: Commands) -> None:
    """
    Add the command to the parser.
    """
    bots = add_command(
        commands,
        "bots",
        None,
        summary="list the bots of a league, rotate a token, revoke a bot",
        description="Asks a referee about the bots of its open league. `rotate` and `revoke` need "
        "the bot's token or the operator's, which `referee serve` keeps in "
        "results/tokens/LEAGUE-ID/operator.token.",
        examples=(
            "referee bots list",
            "referee bots rotate my-bot",
        ),
    )
    actions = bots.add_subparsers(required=True, metavar="ACTION")

    listing = add_command(
        actions,
        "list",
        _list,
        summary="print who is in the league",
        description="Prints who is in the league, what each bot plays, and who is connected.",
        examples=(
            "referee bots list",
            "referee bots list --address referee.example.org:50117 --tls",
        ),
    )
    add_remote(listing)

    rotate = add_command(
        actions,
        "rotate",
        _rotate,
        summary="give a bot a new token",
        description="Gives a bot a new token and keeps it in a file. The old one is void at once, "
        "and what is connected with it is cut off.",
        examples=(
            "referee bots rotate my-bot",
            "referee bots rotate my-bot --token-file results/tokens/open/operator.token",
        ),
    )
    _changing(rotate)
    rotate.add_argument(
        "--output",
        type=Path,
        metavar="FILE",
        help="where to keep the new one; default BOT.token, in the place of the old one",
    )

    revoke = add_command(
        actions,
        "revoke",
        _revoke,
        summary="take a bot out",
        description="Takes a bot out of the league, for good: it is cut off and plays no more. "
        "What it has played stays and counts; games in progress are decided as for a bot that "
        "is gone.",
        examples=(
            "referee bots revoke my-bot",
            "referee bots revoke my-bot --token-file results/tokens/open/operator.token",
        ),
    )
    _changing(revoke)


def _changing(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("bot", metavar="BOT", help="its id, as `list` shows it")
    add_remote(parser)
    parser.add_argument(
        "--token-file",
        type=Path,
        metavar="FILE",
        help="holds the bot's token or the operator's; default BOT.token",
    )


def _list(options: argparse.Namespace) -> int:
    found = asyncio.run(client.list_bots(options.address, tls=tls_of(options)))
    lines = [("bot", "name", "games", "plays", "connected", "")]
    lines += [
        (
            bot.bot_id,
            bot.name,
            str(bot.played),
            "+".join(bot.games),
            str(bot.connected),
            "revoked" if bot.revoked else "",
        )
        for bot in found
    ]
    # A referee is as foreign to us as a bot.
    cells = [[escaped(cell) for cell in line] for line in lines]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    for line in cells:
        padded = (cell.ljust(width) for cell, width in zip(line, widths, strict=True))
        sys.stdout.write("  ".join(padded).rstrip() + "\n")
    return shell.OK


def _rotate(options: argparse.Namespace) -> int:
    default = _default(options.bot)
    shown = options.token_file or default
    output = options.output or default
    token = shown_token(shown)
    # Only the bot's own file is overwritten: what it holds is void then.
    own = output.name == default.name and output.exists() and shown.exists()
    own = own and output.samefile(shown)
    if options.output is not None and output.exists() and not own:
        raise ConfigError("is there already", path=str(output), key="--output")
    fresh = asyncio.run(client.rotate(options.address, options.bot, token, tls=tls_of(options)))
    if own:
        kept = keep_token(output.with_name(f"{output.name}.new"), fresh)
        kept.replace(output)
    else:
        output = keep_token(output, fresh)
    sys.stdout.write(f"{options.bot} has a new token, in {output}; the old one is void.\n")
    return shell.OK


def _revoke(options: argparse.Namespace) -> int:
    token = shown_token(options.token_file or _default(options.bot))
    asyncio.run(client.revoke(options.address, options.bot, token, tls=tls_of(options)))
    sys.stdout.write(f"{options.bot} is out.\n")
    return shell.OK


def _default(bot: str) -> Path:
    """
    Return where `submit` has put the token of a bot, unless it was told otherwise.
    """
    if not is_id(bot):
        raise ConfigError(f"{bot!r} is no id of a bot", key="BOT", hint="`bots list` shows them")
    return Path(f"{bot}.token")
