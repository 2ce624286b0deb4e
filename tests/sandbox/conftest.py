"""
Cells for programs of tests.
"""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
import trio

from referee.sandbox import Cell, Limits, open_ground
from referee.warded import Command, run_warded

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from referee.sandbox import Ground

MB = 1 << 20
LIMITS = Limits(memory=128 * MB, disk=16 * MB)


class Yard:
    """
    Runs programs in cells, and keeps what they say.
    """

    def __init__(self, ground: Ground, folder: Path) -> None:
        self.ground = ground
        self.folder = folder

    def program(self, *files: Path, **texts: str) -> Path:
        """
        Make the folder of a program, as unpacking would.
        """
        folder = Path(tempfile.mkdtemp(prefix="program-", dir=self.ground.folder))
        for file in files:
            shutil.copy(file, folder)
        for name, text in texts.items():
            (folder / name.replace("_", ".")).write_text(text)
        for path in folder.iterdir():
            path.chmod(0o755)
        folder.chmod(0o755)
        return folder

    def cell(self, program: Path, **changes) -> Cell:
        """
        Make a cell for a program.
        """
        return Cell(**{"ground": self.ground, "program": program, "limits": LIMITS} | changes)

    async def run(
        self,
        cell: Cell,
        command: Sequence[str],
        *,
        name: str = "program",
        dismissed: trio.Event | None = None,
    ) -> tuple[int, str]:
        """
        Run a command in a cell; return its exit code and what it wrote to standard error.
        """
        log = self.folder / f"{name}.log"
        done = Command(
            argv=cell.argv(command),
            cwd=cell.cwd,
            env=cell.environment(),
            log=log,
            memory=cell.limits.memory,
            name=name,
        )
        with trio.fail_after(120):
            code = await run_warded(done, dismissed)
        return code, log.read_text(errors="replace")


@pytest.fixture(scope="session")
def ground() -> Iterator[Ground]:
    """
    What cells stand on; made once.
    """
    with open_ground() as ground:
        yield ground


@pytest.fixture
def yard(ground: Ground, tmp_path: Path) -> Yard:
    """
    A place for the cells of one test.
    """
    return Yard(ground, tmp_path)
