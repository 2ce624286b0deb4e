"""
Local bots as processes, each under a warden that lets nothing of it outlive us.

A bot is started by `Launcher.start`, started again when it dies, and ended when
the launcher's block ends: at once by default, gently by `Launcher.stop`. The
warden (see `referee/warden.py`) holds the promise also when we are killed.
"""

from __future__ import annotations

import math
import os
import re
import shutil
import sys
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

import structlog
import trio

from referee.background import background
from referee.errors import ConfigError
from referee.keeper import BotGone, Keeper, filled_in

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Sequence
    from pathlib import Path

    from referee.keeper import BotProcess

log: structlog.stdlib.BoundLogger = structlog.get_logger()


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
        self._keepers: list[Keeper] = []
        self._told: set[tuple[str, str]] = set()
        self._tell_gone, self.gone = channel
        """Receives a `BotGone` for each process that is not started again."""

    def start(self, process: BotProcess) -> None:
        """
        Start a process and keep it running until it has used up its restarts.

        A command that cannot be started counts as one that died. Use
        `check_command` first for a message to the user.
        """
        keeper = Keeper(process, self._address, self.log_path(process), self._told)
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

    async def _keep(self, keeper: Keeper) -> None:
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
