"""
What both command lines share: exit codes, and errors as one line.
"""

from __future__ import annotations

import os
import sys
import textwrap
from typing import TYPE_CHECKING

from referee.errors import ConfigError, RefereeError
from referee.escaping import escaped

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

OK = 0
FAILED = 1
USAGE = 2
INTERRUPTED = 130

EPILOG = "Exit codes: 0 done, 1 failed, 2 wrong usage or configuration, 130 interrupted."

_WIDTH = 78
"""Columns of a description, so that it fits into 80."""


def explained(description: str, *examples: str) -> str:
    """
    Return what stands at the top of a command's `--help`: what it does, and what to type.

    Args:
        description: In full sentences.
        examples: Lines as they are typed.
    """
    lines = textwrap.wrap(description, _WIDTH, break_long_words=False, break_on_hyphens=False)
    return "\n".join([*lines, "", *(f"  {each}".rstrip() for each in examples)])


def called(commands: Sequence[str], arguments: Sequence[str]) -> Sequence[str]:
    """
    Return the commands that a parser has to know: the one that is called, or all.

    Importing all of them takes longer than most commands do.
    """
    return arguments[:1] if arguments and arguments[0] in commands else commands


def run(program: str, command: Callable[[], int]) -> int:
    """
    Run *command* and return its exit code; a user's mistake is one line, not a traceback.
    """
    try:
        return command()
    except ConfigError as error:
        print(f"{program}: {escaped(str(error))}", file=sys.stderr)  # noqa: T201
        return USAGE
    except RefereeError as error:
        print(f"{program}: {escaped(str(error))}", file=sys.stderr)  # noqa: T201
        return FAILED
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        # Whoever read our output has enough of it. Python would complain once more when it
        # flushes at exit, so the rest goes nowhere.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return FAILED
    except BaseExceptionGroup as group:
        first = _ours(group)
        if first is None:
            raise
        print(f"{program}: {escaped(str(first))}", file=sys.stderr)  # noqa: T201
        return USAGE if isinstance(first, ConfigError) else FAILED


def _ours(group: BaseExceptionGroup) -> RefereeError | None:
    """
    The first error that we raised on purpose, if the group holds nothing else.
    """
    ours, others = group.split(RefereeError)
    if others is not None or ours is None:
        return None
    error: BaseException = ours
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return error if isinstance(error, RefereeError) else None
