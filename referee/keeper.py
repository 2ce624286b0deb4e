"""
One bot as a local process: what it is run with, and again when it has died.
"""

from __future__ import annotations

import logging
import os
import sys
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import structlog
import trio

from referee.warded import Command, last_line, run_warded

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from referee.sandbox import Cell

log: structlog.stdlib.BoundLogger = structlog.get_logger()

FIRST_PAUSE = 0.2
"""Seconds before a bot that died is started again; twice as long each time."""

OURS = "EUCHRE_"
"""Environment variables of this prefix are ours: a bot gets no others of them than its own."""


@dataclass(frozen=True, kw_only=True, slots=True)
class BotProcess:
    """
    One instance of a bot, to be run as a local process.
    """

    bot_id: str
    """The bot's id."""
    instance: str
    """The name of this instance, unique within the bot."""
    command: Sequence[str]
    """Program and arguments; `{python}` in them is our interpreter."""
    cwd: Path
    """The folder it runs in."""
    token: str = field(repr=False)
    """What it shows when it connects."""
    env: Mapping[str, str] = field(default_factory=dict)
    """Environment variables besides those that it inherits."""
    restarts: int = 3
    """How many times it is started again after it died."""
    memory_mb: int = 0
    """Megabytes that all its processes together may have resident; 0 for any number."""
    cell: Cell | None = None
    """The sandbox it runs in, each time in a fresh one; None: as we do."""


@dataclass(frozen=True, slots=True)
class BotGone:
    """
    A bot process has died for the last time.
    """

    process: BotProcess
    """Whose process."""
    exit_code: int
    """Its last exit code; 128 + n after signal n, 126 or 127 if it could not be started."""


class Keeper:
    """
    Keeps one bot process running.
    """

    def __init__(
        self,
        process: BotProcess,
        address: str,
        log_path: Path,
        told: set[tuple[str, str]] | None = None,
    ) -> None:
        """
        Keep *process*, not yet started.

        Args:
            process: What runs.
            address: Where it connects to.
            log_path: Takes its standard error.
            told: Which event was logged aloud of which bot: a bot that does not start has
                many processes that die many times, and one line of it says as much as all.
        """
        self.process = process
        self._told = set() if told is None else told
        self.leaving = False
        """It may end without being started again."""
        self.dismissed = trio.Event()
        """It is asked to end, and not started again."""
        self.ended = trio.Event()
        """It is not running, and will not be."""
        self._address = address
        self._log_path = log_path
        self._written_before = self._written()

    def wrote(self) -> bool:
        """
        Whether it has written to standard error; a log may have lines of an earlier start.
        """
        return self._written() > self._written_before

    def _written(self) -> int:
        try:
            return self._log_path.stat().st_size
        except OSError:
            return 0

    async def keep(self) -> BotGone | None:
        """
        Run the process, again and again as long as it may be started.

        Returns:
            That it is gone; None if it was to end.
        """
        process = self.process
        try:
            for start in range(1 + process.restarts):
                code = await self.run_once()
                if self._may_end():
                    return None
                left = process.restarts - start
                level = self._level("bot_died", logging.WARNING)
                log.log(level, "bot_died", **self._end(code), restarts_left=left)
                if left:
                    with trio.move_on_after(FIRST_PAUSE * 2**start):
                        await self.dismissed.wait()
                    if self._may_end():
                        return None
        finally:
            self.ended.set()
        log.log(self._level("bot_gone", logging.ERROR), "bot_gone", **self._end(code))
        return BotGone(process, code)

    def _level(self, event: str, level: int) -> int:
        """
        Return *level* for the first event of its kind of this bot, and info for others.
        """
        kind = (event, self.process.bot_id)
        first = kind not in self._told
        self._told.add(kind)
        return level if first else logging.INFO

    def _end(self, exit_code: int) -> dict[str, str | int]:
        """
        Say what there is to say about an end of the process.
        """
        process = self.process
        return {
            "bot": process.bot_id,
            "instance": process.instance,
            "exit_code": exit_code,
            "said": last_line(self._log_path, process.token),
            "log": str(self._log_path),
        }

    def _may_end(self) -> bool:
        return self.leaving or self.dismissed.is_set()

    async def run_once(self) -> int:
        """
        Run the process under a warden, and wait for its end.

        Returns:
            Its exit code.
        """
        process, cell = self.process, self.process.cell
        command = Command(
            argv=filled_in(process.command) if cell is None else cell.argv(process.command),
            cwd=process.cwd if cell is None else cell.cwd,
            env=self._environment(),
            log=self._log_path,
            memory=process.memory_mb << 20 if cell is None else cell.limits.memory,
            name=f"{process.bot_id}-{process.instance}",
        )
        return await run_warded(command, self.dismissed)

    def _environment(self) -> dict[str, str]:
        """
        What the bot inherits, what its league file adds, and how it reaches us.

        In a sandbox it inherits nothing. The token goes this way since others could read
        a command line.
        """
        process, cell = self.process, self.process.cell
        if cell is None:
            inherited = {k: v for k, v in os.environ.items() if not k.startswith(OURS)}
            address = self._address
        else:
            inherited, address = cell.environment(), cell.address
        return {
            **inherited,
            **process.env,
            "EUCHRE_REFEREE": address,
            "EUCHRE_TOKEN": process.token,
            "EUCHRE_INSTANCE": process.instance,
        }


async def run_bot(process: BotProcess, address: str, log_path: Path, dismissed: trio.Event) -> int:
    """
    Run a bot's process once and wait for its end, whatever that is; for who judges ends.

    Args:
        process: Its `restarts` do not count.
        address: Where it connects to.
        log_path: Takes its standard error.
        dismissed: Set from outside, asks it to end: SIGTERM, and a second later SIGKILL.

    Returns:
        Its exit code, as in `BotGone`.
    """
    keeper = Keeper(process, address, log_path)
    keeper.dismissed = dismissed
    return await keeper.run_once()


def filled_in(command: Sequence[str]) -> list[str]:
    """
    Return *command* with our interpreter in the place of `{python}`.
    """
    return [argument.replace("{python}", sys.executable) for argument in command]
