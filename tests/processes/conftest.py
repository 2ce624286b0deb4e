"""
Tools for tests with real processes: marking them, finding them, waiting for them.
"""

from __future__ import annotations

import os
import time
import uuid
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
import trio

from referee.keeper import BotProcess

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

NASTY = Path(__file__).with_name("nasty.py")


class Zoo:
    """
    The processes of one test, known by a variable of their environment that they all inherit.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.ready = folder / "ready"
        self.ready.touch()
        self.env = {"READY": str(self.ready), "ZOO": uuid.uuid4().hex}

    def bot(self, kind: str, instance: str = "1", *, restarts: int = 0) -> BotProcess:
        """
        A nasty bot of this zoo.
        """
        return BotProcess(
            bot_id=kind,
            instance=instance,
            command=["{python}", str(NASTY), kind],
            cwd=self.folder,
            token="secret",  # noqa: S106  (it is no secret here)
            env=self.env,
            restarts=restarts,
        )

    def alive(self) -> list[int]:
        """
        The ids of its processes that have not ended (wardens included).
        """
        mark = f"ZOO={self.env['ZOO']}".encode()
        found = []
        for path in Path("/proc").glob("[0-9]*/environ"):
            try:
                if mark in path.read_bytes().split(b"\0"):
                    found.append(int(path.parent.name))
            except OSError:
                continue
        return found

    def started(self) -> int:
        """
        How many have said that they are ready.
        """
        return len(self.ready.read_text().splitlines())

    async def wait_ready(self, number: int) -> None:
        """
        Wait until *number* of them have said that they are ready.
        """
        await self.wait_until(lambda: self.started() >= number, f"{number} are ready")

    async def wait_empty(self) -> None:
        """
        Wait until none of them is left.
        """
        await self.wait_until(lambda: not self.alive(), "none is left")

    async def wait_until(self, condition: Callable[[], object], what: str) -> None:
        """
        Wait for a condition of other processes, which can only be looked at again and again.

        Args:
            condition: Is true in the end.
            what: It in words, for a test that fails.
        """
        with self.patience(what):
            while not condition():  # noqa: ASYNC110  (no event comes from over there)
                await trio.sleep(0.005)

    @contextmanager
    def patience(self, what: str) -> Iterator[None]:
        """
        Give the body a minute, after which the test fails and tells what there is to see.
        """
        with trio.move_on_after(60) as waited:
            yield
        assert not waited.cancelled_caught, f"a minute later not yet: {what}\n{self.seen()}"

    def seen(self) -> str:
        """
        Tell who lives, how many are ready, and what the logs say.
        """
        lines = [f"{self.started()} have said that they are ready"]
        for pid in self.alive():
            with suppress(OSError):
                command = Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ")
                state = Path(f"/proc/{pid}/stat").read_text().rpartition(") ")[2][:1]
                lines.append(f"{pid} ({state}): {command.decode(errors='replace')[-200:]}")
        lines += [
            f"{path.name}: {path.read_bytes()[-2000:].decode(errors='replace')}"
            for path in sorted(self.folder.glob("*.log"))
        ]
        return "\n".join(lines)

    def clear(self) -> None:
        """
        Kill what a failed test has left.
        """
        deadline = time.monotonic() + 60
        while (left := self.alive()) and time.monotonic() < deadline:
            for pid in left:
                try:
                    os.kill(pid, 9)
                except ProcessLookupError:
                    continue


@pytest.fixture
def zoo(tmp_path: Path) -> Iterator[Zoo]:
    """
    A zoo that is empty again after the test.
    """
    zoo = Zoo(tmp_path)
    yield zoo
    zoo.clear()
