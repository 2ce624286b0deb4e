"""
Runs a Python program that must end; one that does not says where each of its threads is.
"""

from __future__ import annotations

import signal
import subprocess
import sys
from typing import Any


def bounded(*arguments: str, seconds: float, **options: Any) -> subprocess.CompletedProcess[str]:
    """
    Run Python, and return its end with what it wrote.

    Args:
        arguments: Of Python.
        seconds: After so many its exit code is -6, and standard error ends with tracebacks.
        options: Of `subprocess.Popen`.
    """
    with subprocess.Popen(
        [sys.executable, "-X", "faulthandler", *arguments],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        **options,
    ) as process:
        try:
            out, err = process.communicate(timeout=seconds)
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGABRT)
            out, err = process.communicate()
    return subprocess.CompletedProcess(process.args, process.returncode, out, err)
