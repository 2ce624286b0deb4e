"""
What a command line comes to: exit codes and one line, or a bug that is not hidden.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from referee import shell
from referee.errors import ConfigError, StoreError


def raising(error):
    """
    Return a command that fails.
    """

    def command():
        raise error

    return command


@pytest.mark.parametrize(
    ("error", "code", "said"),
    [
        (ConfigError("no"), 2, "x: no\n"),
        (StoreError("a\x1b[2Jb"), 1, "x: a\\x1b[2Jb\n"),
        (KeyboardInterrupt(), 130, ""),
        (BaseExceptionGroup("", [KeyboardInterrupt()]), 130, ""),
        (BaseExceptionGroup("", [KeyboardInterrupt(), StoreError("s")]), 130, ""),
        (ExceptionGroup("", [ExceptionGroup("", [ConfigError("deep")])]), 2, "x: deep\n"),
        (ExceptionGroup("", [StoreError("first"), StoreError("second")]), 1, "x: first\n"),
    ],
)
def test_what_is_no_bug_is_one_line(error, code, said, capsys):
    """
    Also in a group, as a nursery raises it, and when somebody has pressed Ctrl-C.
    """
    assert code == shell.run("x", raising(error))
    assert ("", said) == tuple(capsys.readouterr())


@pytest.mark.parametrize(
    "error",
    [
        ValueError("bug"),
        FileNotFoundError("bug"),
        ExceptionGroup("", [StoreError("s"), ValueError("bug")]),
        BaseExceptionGroup("", [KeyboardInterrupt(), ValueError("bug")]),
    ],
)
def test_a_bug_is_not_hidden(error):
    """
    Nobody could mend it.
    """
    with pytest.raises(type(error)):
        shell.run("x", raising(error))


@pytest.mark.parametrize("text", ["short", "long " * 10_000])
def test_a_full_disk_is_said_once(text):
    """
    Also of what is only written at the end.
    """
    program = (
        "import sys\nfrom referee import shell\n"
        f"sys.exit(shell.run('x', lambda: sys.stdout.write({text!r}) and 0))"
    )
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [sys.executable, "-c", program],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
    assert (1, "x: cannot write: No space left on device\n") == (done.returncode, done.stderr)
