"""
Examines a bot: the one function that others call.
"""

from __future__ import annotations

import asyncio
import contextlib
import functools
import time
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

import trio

from referee.door import Door, DoorClosed, open_door
from referee.escaping import escaped
from referee.examiner.course import Course
from referee.examiner.pace import Pace, Running
from referee.examiner.report import Report
from referee.examiner.stage import Stage
from referee.folders import private_folder
from referee.keeper import BotProcess, run_bot
from referee.rules.variants import GAMES
from referee.warded import last_line

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Mapping, Sequence

QUIET = 64 << 10
"""Bytes that an instance may write to standard error."""

QUOTED, QUOTED_BYTES = 16, 4096
"""Lines and bytes of it that the report quotes, at most."""


class Run(Protocol):
    """
    Runs one instance of a bot, in trio.
    """

    async def __call__(
        self, token: str, instance: str, address: str, log: Path, dismissed: trio.Event
    ) -> int:
        """
        Start an instance and wait for its end; cancelled, nothing of it is left.

        Args:
            token: Its EUCHRE_TOKEN.
            instance: Its EUCHRE_INSTANCE.
            address: Where the examiner listens; its EUCHRE_REFEREE, as seen from here.
            log: Takes its standard error.
            dismissed: When it is set, SIGTERM; and a second later SIGKILL.

        Returns:
            Its exit code; 128 + n after signal n.
        """


def local(
    command: Sequence[str], cwd: Path | None = None, env: Mapping[str, str] | None = None
) -> Run:
    """
    Return what runs a bot as a local process, under a warden.

    Args:
        command: Program and arguments, as in a league file.
        cwd: Where it runs; by default here.
        env: Environment variables besides those that it inherits.
    """

    async def run(token: str, instance: str, address: str, log: Path, dismissed: trio.Event) -> int:
        process = BotProcess(
            bot_id="examined",
            instance=instance,
            command=command,
            cwd=cwd or Path.cwd(),
            token=token,
            env=env or {},
        )
        return await run_bot(process, address, log, dismissed)

    return run


async def examine(
    run: Run | None,
    *,
    address: str | None = None,
    games: Sequence[str] = tuple(GAMES),
    patience: float = 1.0,
    beyond_loopback: bool = False,
    invite: Callable[[str, str, str], None] = lambda *_: None,
    door: Door | None = None,
) -> Report:
    """
    Examine a bot.

    Args:
        run: Runs an instance of it (`local` makes one); None if it is started elsewhere.
        address: Where to listen, `unix:/path` or `host:port`; by default a socket of our own.
        games: What to examine, of the games that it plays.
        patience: Factor on all time limits.
        beyond_loopback: Whether tokens may cross a network in the clear.
        invite: Without *run*: is told address, token and name of each instance to start.
        door: To the asyncio thread, if the program has one already.

    Returns:
        The report; a bad bot is no error.

    Raises:
        ConfigError: It cannot be listened at *address*.
    """
    began = time.monotonic()
    async with contextlib.AsyncExitStack() as stack:
        folder = stack.enter_context(private_folder())
        opened = door if door is not None else await stack.enter_async_context(open_door())
        stage = Stage(address or f"unix:{folder}/referee.sock", beyond_loopback=beyond_loopback)
        course = await opened.run(
            functools.partial(
                _examine,
                opened,
                stage,
                run,
                folder,
                games=frozenset(games),
                pace=Pace.patient(patience),
                invite=invite,
            )
        )
        said: tuple[str, ...] = ()
        if run is not None:
            _judge_logs(course, folder)
            said = _said(folder)
        results = course.book.results(course.games, course.blocked)
    return Report(escaped(course.software), results, time.monotonic() - began, said)


async def _examine(
    door: Door,
    stage: Stage,
    run: Run | None,
    folder: Path,
    *,
    games: frozenset[str],
    pace: Pace,
    invite: Callable[[str, str, str], None],
) -> Course:
    """
    Examine, on the asyncio side.
    """
    async with _performed(stage), _cast(door, stage, run, folder) as start:
        course = Course(
            stage,
            pace,
            games,
            start if run is not None else None,
            lambda token, instance: invite(stage.address, token, instance),
        )
        await course.run()
    return course


@contextlib.asynccontextmanager
async def _performed(stage: Stage) -> AsyncIterator[None]:
    await stage.start()
    try:
        yield
    finally:
        await stage.stop()


@contextlib.asynccontextmanager
async def _cast(
    door: Door, stage: Stage, run: Run | None, folder: Path
) -> AsyncIterator[Callable[[str, str], Running]]:
    """
    Start instances on the trio side; at the end none is left.
    """
    tasks: list[asyncio.Task[int]] = []

    def start(token: str, instance: str) -> Running:
        if run is None:
            raise RuntimeError("nobody can start this bot here")
        dismissed = trio.Event()
        log = folder / f"{len(tasks)}.log"
        performing = functools.partial(run, token, instance, stage.address, log, dismissed)
        task = asyncio.create_task(door.enter(performing))
        tasks.append(task)

        async def dismiss() -> None:
            with contextlib.suppress(DoorClosed):
                await door.enter(functools.partial(_set, dismissed))

        return Running(task, dismiss, functools.partial(last_line, log))

    try:
        yield start
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


async def _set(event: trio.Event) -> None:
    event.set()


def _judge_logs(course: Course, folder: Path) -> None:
    most = max((path.stat().st_size for path in folder.glob("*.log")), default=0)
    course.book.judge(
        "output.quiet", "" if most <= QUIET else f"it wrote {most // 1024} KiB or more"
    )


def _said(folder: Path) -> tuple[str, ...]:
    """
    Return how the standard error of the instance that wrote most begins.

    A single line is left out: a good bot says one when it is refused, and what a bad one said
    before it ended stands where it failed.
    """
    logs = sorted(folder.glob("*.log"), key=lambda path: (-path.stat().st_size, path.name))
    if not logs:
        return ()
    with logs[0].open("rb") as file:
        lines = file.read(QUOTED_BYTES).decode(errors="replace").splitlines()
    if len(lines) < 2:
        return ()
    return tuple(escaped(line.rstrip().expandtabs(4)) for line in lines[:QUOTED])
