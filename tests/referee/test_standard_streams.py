"""
Programs that are started with standard streams as nobody would wish them.
"""

from __future__ import annotations

import os
import shlex
import subprocess
import sys

import pytest

RULES = f"{shlex.quote(sys.executable)} -m referee.cli rules bid"


def started(script: str, **env: str) -> subprocess.CompletedProcess[str]:
    """
    Run a line of shell; what a terminal says of its encoding is left to *env*.
    """
    return subprocess.run(
        ["/bin/sh", "-c", script],
        capture_output=True,
        env={**os.environ, **env},
        encoding="utf-8",
        check=False,
        timeout=60,
    )


def test_nobody_reads_on() -> None:
    """
    Whoever closes the pipe has enough; that is no reason to complain.
    """
    done = started(f"{{ {RULES}; echo code $? >&2; }} | true")

    assert "Traceback" not in done.stderr
    assert done.stderr in ("code 0\n", "code 1\n")


@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-", "<&- >&- 2>&-"])
def test_a_stream_that_is_closed(closed: str) -> None:
    """
    What was closed leads nowhere, and that is all.
    """
    done = started(f"{RULES} {closed}")

    assert (0, "") == (done.returncode, done.stderr)
    assert done.stdout == ("" if ">&-" in closed.split() else started(RULES).stdout)


def test_files_take_no_number_of_a_standard_stream() -> None:
    """
    Else what somebody writes to standard error could end up in a store.
    """
    program = (
        "import os; from referee import shell; shell.prepare(); "
        "os._exit(os.open(os.devnull, os.O_RDONLY))"
    )
    done = started(f"exec {shlex.quote(sys.executable)} -c {shlex.quote(program)} <&- >&- 2>&-")

    assert 3 == done.returncode


def test_a_terminal_that_does_not_know_a_character() -> None:
    """
    It is spelled out: a name must not keep anybody from the standings.
    """
    program = "from referee import shell; shell.prepare(); print('Zo\\u00eb \\u65e5\\u672c')"
    line = f"{shlex.quote(sys.executable)} -c {shlex.quote(program)}"
    said = {code: started(line, PYTHONIOENCODING=code).stdout for code in ("ascii", "utf-8")}

    assert {"ascii": "Zo\\xeb \\u65e5\\u672c\n", "utf-8": "Zoë 日本\n"} == said
