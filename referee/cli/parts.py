"""
What several commands share.
"""

from __future__ import annotations

import io
import sys
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, TextIO, TypeAlias

from referee.errors import ConfigError

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator
    from contextlib import AbstractContextManager

Commands: TypeAlias = "argparse._SubParsersAction[argparse.ArgumentParser]"  # noqa: SLF001  (it has no other name)
"""Where a command adds its parser."""

ADDRESS = "127.0.0.1:50117"
"""Where a referee is looked for unless somebody says otherwise."""


@contextmanager
def opened(path: str) -> Iterator[TextIO]:
    """
    Open a file of UTF-8, or standard input for `-`.
    """
    if path == "-":
        # What stands in a file must mean the same when it is piped.
        if isinstance(sys.stdin, io.TextIOWrapper):
            sys.stdin.reconfigure(encoding="utf-8")
        source: AbstractContextManager[TextIO] = nullcontext(sys.stdin)
    else:
        try:
            source = Path(path).open(encoding="utf-8")  # noqa: SIM115  (entered below)
        except OSError as error:
            raise ConfigError(f"cannot be read: {error.strerror}", path=path) from None
    with source as file:
        try:
            yield file
        except UnicodeDecodeError as error:
            raise ConfigError(f"is not UTF-8: {error.reason}", path=path) from None
        except IsADirectoryError as error:
            raise ConfigError(f"cannot be read: {error.strerror}", path=path) from None
