"""
What both command lines share: exit codes, and errors as one line.
"""

from __future__ import annotations

import errno
import io
import os
import sys
from typing import TYPE_CHECKING

from referee.errors import ConfigError, RefereeError
from referee.escaping import escaped

if TYPE_CHECKING:
    from collections.abc import Callable

OK = 0
FAILED = 1
USAGE = 2
INTERRUPTED = 130

_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO)
"""What a system says that cannot write any more."""


def prepare() -> None:
    """
    Make this process safe to be started in whatever way. Comes before gRPC is imported.

    There are three standard streams, and they take every character. Where one was closed,
    the next file that is opened would take its number, and whoever complains to standard
    error would write into a store; gRPC opens files when it is imported.

    gRPC adds nothing to standard error by itself: it would write a line that is none of our
    log whenever a client breaks its rules in some ways, as many as a client likes. What
    users should know of comes back as an error.
    """
    os.environ.setdefault("GRPC_VERBOSITY", "NONE")
    nowhere = os.open(os.devnull, os.O_RDWR)
    while nowhere <= 2:
        os.set_inheritable(nowhere, True)
        nowhere = os.dup(nowhere)
    os.close(nowhere)
    # Python has no object for a stream that was closed.
    for name, number, mode in (("stdin", 0, "r"), ("stdout", 1, "w"), ("stderr", 2, "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, os.fdopen(number, mode, encoding="utf-8", closefd=False))
    if isinstance(sys.stdout, io.TextIOWrapper):
        # A name that an encoding does not know is spelled out, as in the log.
        sys.stdout.reconfigure(errors="backslashreplace")


def run(program: str, command: Callable[[], int]) -> int:
    """
    Run *command* and return its exit code; a user's mistake is one line, not a traceback.
    """
    try:
        code = command()
        sys.stdout.flush()
    except (RefereeError, OSError, KeyboardInterrupt, BaseExceptionGroup) as error:
        found = _outcome(error)
        if found is None:
            raise
        code, said = found
        if said:
            print(f"{program}: {escaped(said)}", file=sys.stderr)  # noqa: T201
    return code


def _outcome(error: BaseException) -> tuple[int, str] | None:  # noqa: PLR0911  (one for each kind)
    """
    Return the exit code and the line that an error comes to; None if it is a bug.
    """
    match error:
        case ConfigError():
            return USAGE, str(error)
        case RefereeError():
            return FAILED, str(error)
        case KeyboardInterrupt():
            return INTERRUPTED, ""
        case BrokenPipeError():  # whoever read our output has enough of it
            _drop_output()
            return FAILED, ""
        case OSError() if error.errno in _FULL:
            _drop_output()
            return FAILED, f"cannot write: {error.strerror}"
        case BaseExceptionGroup():
            return _outcome_of_group(error)
    return None


def _outcome_of_group(group: BaseExceptionGroup) -> tuple[int, str] | None:
    """
    Return what the first error of a group comes to, if none in it is a bug.
    """
    interrupted, others = group.split(KeyboardInterrupt)
    if others is None:
        return INTERRUPTED, ""
    ours, bugs = others.split(RefereeError)
    if bugs is not None or ours is None:
        return None
    return (INTERRUPTED, "") if interrupted else _outcome(first_of(ours))


def first_of(error: BaseException) -> BaseException:
    """
    Return the first error of a group, however deep it is; an error that is none is its own.
    """
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return error


def _drop_output() -> None:
    """
    Let what is left of our output go nowhere; Python would complain again at exit.
    """
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
