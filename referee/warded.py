"""
One run of a command under a warden, to its end or to ours.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import structlog
import trio

from referee.background import background

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

log: structlog.stdlib.BoundLogger = structlog.get_logger()

LOG_LIMIT = 1 << 20
"""Bytes of standard error that are kept, over all the runs that use a log file."""

LAST_LINE = 300
"""Characters of a bot's last words that are repeated."""

_LOOKED_AT = 16 << 10
"""Bytes at the end of a log in which they are looked for: a stack trace is long."""

_TRACE = re.compile(
    r"""
      (?! \s+ what\(\): ) (?: \s | $ )    # frames are indented, but for what C++ caught
    | Node\.js\ v | note:\ | stack\ backtrace:$ | [>})\]]+ $
    | goroutine\ | created\ by\ | exit\ status\ | \[signal\ | [\w./*()-][\w./*)-]* \( .* \)$
    """,
    re.VERBOSE,
)
"""What the languages of the sample bots write below an error: where it was, and who they are.

Nothing in it can match a line in more ways than one: who writes the line would have us try all."""

WARDEN_PATIENCE = 10.0
"""Seconds a warden gets for killing everything before it is left to itself."""

_WARDEN = str(Path(__file__).absolute().with_name("warden.py"))


@dataclass(frozen=True, slots=True, kw_only=True)
class Command:
    """
    What is run, and where.
    """

    argv: Sequence[str] = field(repr=False)
    cwd: Path
    env: Mapping[str, str] = field(repr=False)
    log: Path
    """Takes what comes on standard error."""
    memory: int = 0
    """Bytes that all its processes together may have resident; 0 for any number."""
    name: str
    """What it is called in our own log."""


@trio.lowlevel.enable_ki_protection
async def run_warded(
    command: Command,
    dismissed: trio.Event | None = None,
) -> int:
    """
    Run *command* under a warden, and wait for its end. Cancelled, all of it is killed.

    Args:
        command: What to run.
        dismissed: Once set, it is asked to end gently.

    Returns:
        Its exit code; 128 + n after signal n, 126 or 127 if it could not be started.
    """
    try:
        running = await trio.lowlevel.open_process(
            [
                *(sys.executable, "-I", "-S", _WARDEN),
                *(str(command.log), str(LOG_LIMIT), str(command.memory)),
                *command.argv,
            ],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            cwd=command.cwd,
            env=command.env,
            start_new_session=True,
        )
    except OSError as error:
        log.error(  # noqa: TRY400  (the system's own words say it all)
            "bot_not_started", bot=command.name, why=str(error)
        )
        return 127
    lifeline = running.stdin
    assert lifeline is not None  # noqa: S101  (asked for above)
    try:
        async with background() as nursery:
            if dismissed is not None:
                nursery.start_soon(_pass_on, dismissed, lifeline)
            code = await running.wait()
    finally:
        await _cut(command, running, lifeline)
    return code if code >= 0 else 128 - code


async def _pass_on(dismissed: trio.Event, lifeline: trio.abc.SendStream) -> None:
    """
    Ask the warden for a gentle end once the process is dismissed.
    """
    await dismissed.wait()
    try:
        await lifeline.send_all(b"\n")
    except trio.BrokenResourceError:
        return  # it has ended in the meantime


async def _cut(command: Command, running: trio.Process, lifeline: trio.abc.SendStream) -> None:
    """
    Cut the lifeline and wait until the warden has killed what is left.
    """
    with trio.CancelScope(shield=True):
        await lifeline.aclose()
        with trio.move_on_after(WARDEN_PATIENCE):
            await running.wait()
            return
        # Something cannot be killed: another user's, or stuck in the kernel.
        log.error("bot_process_left", bot=command.name, warden=running.pid)
        running.kill()
        await running.wait()


def last_line(path: Path, secret: str = "") -> str:
    """
    Return the last line of what a process wrote to standard error: mostly why it ended.

    A stack trace below an error is passed over, where there is anything above it. The line
    is what the bot says, so it must be escaped wherever it is shown.

    Args:
        path: The log; it may be missing.
        secret: What is left out of it; before the line is cut, or a part could stay.

    Returns:
        At most `LAST_LINE` characters, empty if it said nothing.
    """
    try:
        with path.open("rb") as file:
            size = file.seek(0, os.SEEK_END)
            start = file.seek(max(0, size - _LOOKED_AT))
            lines = file.read().decode(errors="replace").strip().splitlines()
    except OSError:
        return ""
    if not lines:
        return ""
    if start and len(lines) > 1:
        del lines[0]  # what is left of a line
    told = (line for line in reversed(lines) if not _TRACE.match(line))
    line = next(told, lines[-1]).strip()
    return (line.replace(secret, "...") if secret else line)[:LAST_LINE]
