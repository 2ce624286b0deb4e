"""
How both command lines are read, and what their `--help` says.
"""

from __future__ import annotations

import argparse
import textwrap
from importlib import import_module
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

Commands: TypeAlias = "argparse._SubParsersAction[argparse.ArgumentParser]"  # noqa: SLF001  (it has no other name)
"""Where a command adds its parser."""

EPILOG = "Exit codes: 0 done, 1 failed, 2 wrong usage or configuration, 130 interrupted."

_WIDTH = 78
"""Columns of a description, so that it fits into 80."""


def read(
    arguments: Sequence[str],
    *,
    program: str,
    description: str,
    package: str,
    commands: Sequence[str],
) -> argparse.Namespace:
    """
    Read a command line; what is wrong with it, and `--help`, end the program.

    Args:
        arguments: What was typed behind the name of the program.
        program: That name.
        description: What stands at the top of its `--help`.
        package: Where its commands are.
        commands: Each is a module there, with a function `add`; in the order of `--help`.

    Returns:
        The options; `command` of them runs what is to be run.
    """
    parser = argparse.ArgumentParser(
        prog=program,
        description=description,
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.set_defaults(log_level="warning")
    added = parser.add_subparsers(required=True, metavar="COMMAND")
    # Importing all of them takes longer than most commands do.
    for name in arguments[:1] if arguments and arguments[0] in commands else commands:
        import_module(f"{package}.{name}").add(added)
    return parser.parse_args(arguments)


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
    lines = textwrap.wrap(description, _WIDTH, break_long_words=False, break_on_hyphens=False)
    parser = commands.add_parser(
        name,
        help=summary,
        description="\n".join([*lines, "", *(f"  {each}".rstrip() for each in examples)]),
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        usage=usage,
    )
    if command is not None:
        parser.set_defaults(command=command)
    return parser
