"""
`league export`: write a run as JSON, a game a line.
"""

from __future__ import annotations

import os
import sys
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from referee import shell
from referee.errors import ConfigError
from referee.usage import add_command
from tournaments.cli.parts import add_stored, stored
from tournaments.exporting import export, text_of

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator
    from typing import TextIO

    from referee.usage import Commands


def add(commands: Commands) -> None:
    """
    Add the command to the parser.
    """
    parser = add_command(
        commands,
        "export",
        _export,
        summary="write a run as JSON, a game a line",
        description="Writes a header, a line a game with its whole record, and a footer with "
        "the standings; docs/records.md explains every key. The secret of the decks is in it "
        "once the run is finished; `referee verify` then checks all of it.",
        examples=(
            "league export --output games.jsonl",
            "league export class/league.toml --run 2 | referee verify -",
        ),
    )
    parser.add_argument(
        "--output", default="-", metavar="PATH", help="where to; - is standard output, the default"
    )
    add_stored(parser)


def _export(options: argparse.Namespace) -> int:
    with stored(options) as (store, run), _output(options.output) as out:
        for line in export(store, run):
            out.write(text_of(line) + "\n")
    return shell.OK


@contextmanager
def _output(path: str) -> Iterator[TextIO]:
    """
    Open what is written to; a file is there whole or not at all.
    """
    if path == "-":
        yield sys.stdout
        return
    target = Path(path)
    try:
        if target.exists() and not target.is_file():  # a pipe or a device is no file to replace
            with target.open("w", encoding="utf-8") as out:
                yield out
            return
        target = target.resolve()  # a link goes on to be one
        part = target.with_name(f"{target.name}.{os.getpid()}.part")
        try:
            with part.open("w", encoding="utf-8") as out:
                yield out
                out.flush()
                os.fsync(out.fileno())
            part.replace(target)
        finally:
            part.unlink(missing_ok=True)
    except OSError as error:
        raise ConfigError(
            f"cannot be written: {error.strerror}", path=path, key="--output"
        ) from None
