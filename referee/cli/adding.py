"""
How a command is added to the parser.
"""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, TypeAlias

from referee import shell

if TYPE_CHECKING:
    from collections.abc import Callable

Commands: TypeAlias = "argparse._SubParsersAction[argparse.ArgumentParser]"  # noqa: SLF001  (it has no other name)
"""Where a command adds its parser."""


def add_command(
    commands: Commands,
    name: str,
    command: Callable[[argparse.Namespace], int] | None,
    *,
    summary: str,
    description: str,
    examples: tuple[str, ...],
    usage: str | None = None,
) -> argparse.ArgumentParser:
    """
    Add a command, and return its parser.

    Args:
        commands: Where to.
        name: What to type.
        command: Runs it, and returns the exit code; None if it only has commands of its own.
        summary: Half a line, for the list of commands.
        description: What it does, in full sentences.
        examples: Lines as they are typed.
        usage: Where argparse would get it wrong.
    """
    parser = commands.add_parser(
        name,
        help=summary,
        description=shell.explained(description, *examples),
        epilog=shell.EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        usage=usage,
    )
    if command is not None:
        parser.set_defaults(command=command)
    return parser
