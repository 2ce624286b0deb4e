"""
Local bots as processes, each under a warden that lets nothing of it outlive us.

A bot is started by `Launcher.start`, started again when it dies, and ended when
the launcher's block ends: at once by default, gently by `Launcher.stop`. The
warden (see `referee/warden.py`) holds the promise also when we are killed.
"""

from __future__ import annotations

import logging
import math
import os
import re
import shutil
import sys
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import structlog
import trio

from referee.background import background
from referee.errors import ConfigError
from referee.warded import Command, last_line, run_warded

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Mapping, Sequence
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


class Launcher:
    """
    The local bots of one run. Made by `open_launcher`.
    """

    def __init__(
        self,
        nursery: trio.Nursery,
        address: str,
        log_folder: Path,
        channel: tuple[trio.MemorySendChannel[BotGone], trio.MemoryReceiveChannel[BotGone]],
    ) -> None:
        self._nursery = nursery
        self._address = address
        self._log_folder = log_folder
        self._keepers: list[_Keeper] = []
        self._told: set[tuple[str, str]] = set()
        self._tell_gone, self.gone = channel
        """Receives a `BotGone` for each process that is not started again."""

    def start(self, process: BotProcess) -> None:
        """
        Start a process and keep it running until it has used up its restarts.

        A command that cannot be started counts as one that died. Use
        `check_command` first for a message to the user.
        """
        keeper = _Keeper(process, self._address, self.log_path(process), self._told)
        self._keepers.append(keeper)
        self._nursery.start_soon(self._keep, keeper)

    def log_path(self, process: BotProcess) -> Path:
        """
        Return the file that takes the process's standard error.
        """
        name = re.sub(r"[^A-Za-z0-9._-]", "_", f"{process.bot_id}-{process.instance}")
        return self._log_folder / f"{name}.log"

    def dismiss(self, bot_id: str) -> None:
        """
        End all processes of a bot gently; they are not started again.

        Gently: SIGTERM, and a second later SIGKILL.
        """
        for keeper in self._keepers:
            if keeper.process.bot_id == bot_id:
                keeper.dismissed.set()

    async def stop(self, patience: float = 2.0) -> None:
        """
        End all processes gently and wait for their end.

        From now on nothing is started again.

        Args:
            patience: Seconds in which they may leave by themselves (they have
                been told farewell) before they are dismissed.
        """
        for keeper in self._keepers:
            keeper.leaving = True
        with trio.move_on_after(patience):
            for keeper in self._keepers:
                await keeper.ended.wait()
        for keeper in self._keepers:
            keeper.dismissed.set()
        for keeper in self._keepers:
            await keeper.ended.wait()
        self._tell_who_wrote()

    def _tell_who_wrote(self) -> None:
        """
        Log which bots wrote to standard error although none of their processes died.

        They may have failed and played on, as the Python library does, and nobody would look.
        """
        logs: dict[str, str] = {}
        for keeper in self._keepers:
            bot = keeper.process.bot_id
            if ("bot_died", bot) not in self._told and keeper.wrote():
                logs.setdefault(bot, str(self.log_path(keeper.process)))
        if logs:
            log.warning("bots_wrote", bots=list(logs), logs=list(logs.values()))

    async def _keep(self, keeper: _Keeper) -> None:
        gone = await keeper.keep()
        if gone is not None:
            self._tell_gone.send_nowait(gone)


@asynccontextmanager
async def open_launcher(address: str, log_folder: Path) -> AsyncIterator[Launcher]:
    """
    Launch local bots for the time of the body.

    When the body ends, whether by itself, an exception or a cancellation, all
    processes are killed, with all that they have started, and waited for. An
    exception of the body leaves as it is.

    Args:
        address: Where the bots connect to: `unix:/path` or `host:port`.
        log_folder: Takes a file of standard error for each process.

    Yields:
        The launcher.

    Raises:
        ConfigError: *log_folder* cannot be made.
    """
    folder = _made(log_folder)
    send, receive = channel = trio.open_memory_channel[BotGone](math.inf)
    with send, receive:
        async with background() as nursery:
            yield Launcher(nursery, address, folder, channel)


def _made(folder: Path) -> Path:
    """
    Return *folder* with its full path, and there.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ConfigError(
            f"the folder for the bots' logs cannot be made: {error.strerror}", path=str(folder)
        ) from error
    return folder.absolute()


class _Keeper:
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
            "said": last_line(self._log_path).replace(process.token or "\0", "..."),
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
    keeper = _Keeper(process, address, log_path)
    keeper.dismissed = dismissed
    return await keeper.run_once()


def filled_in(command: Sequence[str]) -> list[str]:
    """
    Return *command* with our interpreter in the place of `{python}`.
    """
    return [argument.replace("{python}", sys.executable) for argument in command]


def check_command(command: Sequence[str], cwd: Path) -> None:
    """
    Make sure that a command can be started, before anything is.

    Args:
        command: Program and arguments, as in the league file.
        cwd: The folder in which it will run.

    Raises:
        ConfigError: It cannot: there is no such program, folder or Python
            script, or the program may not be executed. Its key is `command`.
    """
    if sys.platform != "linux":
        raise ConfigError(
            "local bots need Linux", key="command", hint="start the bot yourself, without `command`"
        )
    if not command or not command[0]:
        raise ConfigError("is empty", key="command", hint='for example ["{python}", "bot.py"]')
    if not cwd.is_dir():
        raise ConfigError(f"cannot run in {cwd}: there is no such folder", key="command")
    program, *arguments = filled_in(command)
    if "/" in program:
        path = cwd / program
        if not path.exists():
            raise ConfigError(
                f"there is no program {program}", key="command", hint=f"looked for {path}"
            )
        if not path.is_file():
            raise ConfigError(f"{program} is not a program but a folder", key="command")
        if not os.access(path, os.X_OK):
            raise ConfigError(
                f"{program} may not be executed", key="command", hint=f"chmod +x {path}"
            )
    elif shutil.which(program) is None:
        beside = (cwd / program).exists()
        hint = f"./{program} is the one in {cwd}" if beside else "is it installed and on the PATH?"
        raise ConfigError(f"there is no program {program}", key="command", hint=hint)
    script = arguments[0] if arguments else ""
    if command[0] == "{python}" and script.endswith(".py") and not (cwd / script).exists():
        raise ConfigError(
            f"there is no script {script}", key="command", hint=f"looked for {cwd / script}"
        )
