"""
`referee watch`: follow a league from outside.
"""

from __future__ import annotations

import asyncio
import dataclasses
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from referee import client, shell
from referee.cli.parts import add_remote, shown_token, tls_of
from referee.escaping import escaped
from referee.notation import fixture_id
from referee.usage import add_command

if TYPE_CHECKING:
    import argparse

    from referee.office import GameSummary, Report
    from referee.usage import Commands


def add(commands: Commands) -> None:
    """
    Add the command to the parser.
    """
    watch = add_command(
        commands,
        "watch",
        _watch,
        summary="follow the standings or the games of a league",
        description="Prints the standings of the league at a referee whenever they have changed, "
        "or each game when it has been stored, until Ctrl-C. With --json: a line of JSON each.",
        examples=(
            "referee watch standings",
            "referee watch games --json --after 0",
        ),
    )
    watch.add_argument("what", choices=("standings", "games"))
    add_remote(watch)
    watch.add_argument("--json", action="store_true", help="a line of JSON each")
    watch.add_argument(
        "--interval", type=float, metavar="SECONDS", help="between two standings at least; from 1"
    )
    watch.add_argument(
        "--after", type=int, metavar="N", help="also the games after number N, 0 for all"
    )
    watch.add_argument(
        "--token-file",
        type=Path,
        metavar="FILE",
        help="token of a bot or the operator, where only those of the league may watch",
    )


def _watch(options: argparse.Namespace) -> int:
    token = None if options.token_file is None else shown_token(options.token_file)
    follow = _standings if options.what == "standings" else _games
    asyncio.run(follow(options, token))
    return shell.OK


async def _standings(options: argparse.Namespace, token: str | None) -> None:
    reports = client.watch_standings(
        options.address, interval=options.interval, token=token, tls=tls_of(options)
    )
    async for report in reports:
        _print(_json(report) if options.json else _shown(report.table))


async def _games(options: argparse.Namespace, token: str | None) -> None:
    async for game in client.watch_games(
        options.address, after=options.after, token=token, tls=tls_of(options)
    ):
        _print(_json(game) if options.json else _line(game))


def _print(text: str) -> None:
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


def _json(value: Report | GameSummary) -> str:
    # Pure ASCII: nothing in it can act on a terminal.
    return json.dumps(dataclasses.asdict(value), sort_keys=True, separators=(",", ":"))


def _shown(table: str) -> str:
    """
    Return a table that another referee has sent, with all that is not plain text spelled out.
    """
    return "\n".join(escaped(line) for line in table.split("\n"))


def _line(game: GameSummary) -> str:
    """
    Return a game as a line for people.
    """
    won = ", ".join(
        dict.fromkeys(
            bot
            for seat, bot in enumerate(game.bot_ids)
            if game.scores and seat % len(game.scores) in game.winners
        )
    )
    parts = [
        str(game.game),
        fixture_id(game.set_id, game.sitting),
        " ".join(game.bot_ids),
        ":".join(map(str, game.scores)),
        game.ending,
        won or "nobody",
    ]
    for name, counts in (("reneges", game.reneges), ("faults", game.faults)):
        if any(counts):
            parts.append(f"{name} {' '.join(map(str, counts))}")
    return escaped("  ".join(parts))
