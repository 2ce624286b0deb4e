"""
`referee verify`: check what `league export` wrote.
"""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING

from referee import replay, shell
from referee.cli.parts import opened
from referee.errors import ConfigError, RecordError
from referee.usage import add_command

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterable, Iterator
    from typing import Any

    from referee.usage import Commands


def add(commands: Commands) -> None:
    """
    Add the command to the parser.
    """
    verify = add_command(
        commands,
        "verify",
        _verify,
        summary="check an export of a league",
        description="Checks what `league export` wrote of a finished run: derives every deck "
        "again from the revealed secret, judges every answer again, and recomputes results and "
        "standings. Says what was verified, or the first thing that differs.",
        examples=(
            "referee verify games.jsonl",
            "league export | referee verify -",
        ),
    )
    verify.add_argument("file", metavar="FILE", help="the export; - for standard input")
    verify.add_argument(
        "--secret",
        metavar="HEX",
        help="check games without their header: lines of an export, or records of "
        "`league show --json`, by the secret of their league",
    )
    verify.add_argument(
        "--faults-to-forfeit",
        type=int,
        default=3,
        metavar="N",
        help="with --secret: limits.faults_to_forfeit of the league; default 3",
    )


def _verify(options: argparse.Namespace) -> int:
    with opened(options.file) as file:
        if options.secret is not None:
            sys.stdout.write(_verify_games(file, options.secret, options.faults_to_forfeit))
            return shell.OK
        from tournaments.verifying import verify_lines  # noqa: PLC0415  (as in `_serve`)

        sys.stdout.write(verify_lines(file).text())
    return shell.OK


def _verify_games(lines: Iterable[str], secret: str, faults_to_forfeit: int) -> str:
    """
    Check games by themselves; return what to say.
    """
    try:
        key = bytes.fromhex(secret)
    except ValueError:
        raise ConfigError("must be hexadecimal", key="--secret") from None
    games = deals = decisions = 0
    for number, line in enumerate(_values(lines), 1):
        record = line.get("record", line) if isinstance(line, dict) else line
        try:
            table = replay.check(record, key, faults_to_forfeit=faults_to_forfeit)
        except RecordError as error:
            raise RecordError(f"game {number}: {error}") from None
        games += 1
        deals += len(table.record.deals)
        decisions += sum(len(deal.entries) for deal in table.record.deals)
    return f"verified: {games} games, {deals} deals, {decisions} decisions\n"


def _values(lines: Iterable[str]) -> Iterator[Any]:
    """
    Yield JSON values: one a line, or a single one over many lines.
    """
    left = iter(lines)
    for number, line in enumerate(left, 1):
        try:
            # Only the first can be the beginning of one over many lines.
            yield json.loads(line if number > 1 or _is_whole(line) else line + "".join(left))
        except (ValueError, RecursionError) as error:
            raise RecordError(f"line {number}: is no JSON: {error}") from None


def _is_whole(line: str) -> bool:
    try:
        json.loads(line)
    except ValueError:
        return False
    return True
