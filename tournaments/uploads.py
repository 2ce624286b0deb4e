"""
Takes in programs: unpacks, builds and examines them, and keeps those that are in order.

What is kept is one file, the package or what its build left; it is unpacked anew, into a
folder of this run, whenever the referee starts. Nothing of a program is run outside of a
sandbox, and nothing that it leaves is trusted more than what came in.
"""

from __future__ import annotations

import errno
import hashlib
import os
import shutil
import tempfile
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import structlog
import trio

from referee.errors import ConfigError
from referee.escaping import escaped
from referee.examiner import examine
from referee.keeper import BotProcess, run_bot
from referee.packing import Allowance
from referee.refusals import Reason, Refused
from referee.sandbox import BUILD_FOLDER, Cell, Limits, open_ground
from referee.unpacking import unpack, unpack_plain
from referee.warded import Command, run_warded
from tournaments import programs

if TYPE_CHECKING:
    from collections.abc import Iterator

    from referee.door import Door
    from referee.examiner import Report
    from referee.sandbox import Ground
    from tournaments.programs import Program
    from tournaments.serving import Uploads

MB = 1 << 20

_SPARE = 128 * MB
"""Bytes of a disk that programs leave to others, the store above all."""

_COPIES = 4
"""Times that a program may lie on a disk while it is made ready: as it came, packed and
unpacked by its build, and kept."""

_PATIENCE = 5.0
"""Factor on the time limits of an examination: games are played here meanwhile, and who is
slow because of them is not to be refused for it."""

_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EROFS)

_TAIL = 4000
"""Characters of a build's output that its author gets to see."""

_PLAIN = ".tar"
"""How the name of a file ends that a build has left; packages are compressed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ready:
    """
    A program that lies ready to be run.
    """

    program: Program
    folder: Path
    archive: Path
    """The file that it can be unpacked from again."""
    said: str
    """How it was made ready, for its author."""


class BuildFailed(Exception):  # noqa: N818  (an outcome, not a mistake of ours)
    """
    A build ended badly; the text is for the program's author.
    """


class Workshop:
    """
    Makes programs ready to be run. Made by `open_workshop`; used from trio.
    """

    def __init__(self, ground: Ground, how: Uploads, keep: Path, owner: str = "") -> None:
        """
        Be ready.

        Args:
            ground: What sandboxes stand on.
            how: What programs may use.
            keep: Folder of the programs that are kept.
            owner: Who keeps them: leagues of one id in two stores share the folder.
        """
        self._ground = ground
        self._how = how
        self._keep = keep
        self._owner = owner
        self._limits = Limits(
            memory=how.memory_mb * MB, disk=how.disk_mb * MB, processes=how.processes
        )
        self._packed = Allowance(packed=how.package_mb * MB, unpacked=how.disk_mb * MB)
        # What a build leaves is its own affair as long as it is not too much.
        self._built = replace(self._packed, entries=50_000, path=1000, depth=64)
        self.socket = self.new_socket()
        """Where the programs reach the referee; alone in its folder."""

    @property
    def most(self) -> int:
        """
        Bytes that a package may have.
        """
        return self._packed.packed

    @property
    def most_bots(self) -> int:
        """
        Bots that may have programs here at a time.
        """
        return self._how.bots

    def check_room(self) -> None:
        """
        Refuse another program where the disk has no room for it.

        A full disk would not end with that program: the store could keep no more games.

        Raises:
            Refused: There is too little.
        """
        needed = _SPARE + self._packed.packed + _COPIES * self._limits.disk
        kept = next(
            place for place in (self._keep, *self._keep.absolute().parents) if place.is_dir()
        )
        for place in (self._ground.folder, kept):
            free = shutil.disk_usage(place).free
            if free < needed:
                structlog.get_logger("uploads").warning(
                    "no_room", folder=str(place), free_mb=free // MB, needed_mb=needed // MB
                )
                raise _no_room()

    def new_socket(self) -> Path:
        """
        Return the path of a socket that programs may be shown, alone in a folder of its own.
        """
        folder = self._folder("door")
        if self._ground.group is not None:
            os.chown(folder, 0, self._ground.group)
        folder.chmod(0o750)
        return folder / "referee.sock"

    def cell(self, folder: Path, socket: Path | None = None) -> Cell:
        """
        Return the sandbox of a program that lies in *folder*.
        """
        return Cell(
            ground=self._ground,
            program=folder,
            socket=socket or self.socket,
            limits=self._limits,
        )

    async def make_ready(self, package: bytes) -> Ready:
        """
        Unpack a package, and build what is in it.

        Raises:
            ConfigError: The package, or its `bot.toml`, cannot be used.
            BuildFailed: The build did not end well.
            Refused: The disk is full.
        """
        with _room():
            return await self._make_ready(package)

    async def _make_ready(self, package: bytes) -> Ready:
        place = self._folder("upload")
        try:
            source = place / "source"
            await trio.to_thread.run_sync(unpack, package, source, self._packed)
            program = programs.load(source)
            if not program.build:
                archive = place / "package.tar.gz"
                archive.write_bytes(package)
                return Ready(
                    program=program, folder=source, archive=archive, said="Nothing was to be built."
                )
            began = trio.current_time()
            archive = await self._build(program, source, place)
            took = trio.current_time() - began
            folder = place / "built"
            await trio.to_thread.run_sync(self._unpack, archive, folder)
            program = programs.load(folder)  # what will be read of it after a restart
        except BaseException:
            self.drop(place)
            raise
        return Ready(
            program=program, folder=folder, archive=archive, said=f"It was built in {took:.1f} s."
        )

    async def examine(self, ready: Ready, game: str, door: Door) -> Report:
        """
        Examine a program in the game that is to be played, in sandboxes as for playing.
        """
        socket = self.new_socket()
        process = BotProcess(
            bot_id="examined",
            instance="",
            command=ready.program.command,
            cwd=ready.folder,
            token="",
            cell=self.cell(ready.folder, socket),
        )

        async def run(
            token: str, instance: str, address: str, log: Path, dismissed: trio.Event
        ) -> int:
            one = replace(process, token=token, instance=instance)
            return await run_bot(one, address, log, dismissed)

        try:
            return await examine(
                run, address=f"unix:{socket}", games=(game,), patience=_PATIENCE, door=door
            )
        finally:
            self.drop(socket)

    async def unpacked(self, archive: Path) -> Ready:
        """
        Unpack a program that was kept.

        Raises:
            ConfigError: It is not there any more, or was changed.
        """
        folder = self._folder("kept") / "program"
        try:
            await trio.to_thread.run_sync(self._unpack, archive, folder)
        except OSError as error:
            raise ConfigError(f"cannot be read: {error.strerror}", path=str(archive)) from None
        return Ready(program=programs.load(folder), folder=folder, archive=archive, said="")

    def keep(self, ready: Ready, bot_id: str) -> Path:
        """
        Keep a program for its bot; return where.

        It is on the disk before the store names it. What it holds and whose it is are in its
        name, so that one never takes the place of another, as of the same bot in another store.

        Raises:
            Refused: The disk is full.
        """
        with ready.archive.open("rb") as file:
            content = hashlib.file_digest(file, lambda: hashlib.sha256(self._owner.encode()))
        name = f"{bot_id}-{content.hexdigest()[:16]}{''.join(ready.archive.suffixes)}"
        place = self._keep / name
        part = place.with_name(f"{place.name}.part")
        with _room():
            try:
                self._keep.mkdir(parents=True, exist_ok=True, mode=0o700)
                shutil.copyfile(ready.archive, part)
                part.chmod(0o600)
                with part.open("rb+") as file:
                    os.fsync(file.fileno())
                part.replace(place)
            except BaseException:
                discard(str(part))
                raise
        return place.absolute()

    def drop(self, place: Path) -> None:
        """
        Remove what was made ready, or the place where it was to be.
        """
        while place.parent != self._ground.folder:
            place = place.parent
        shutil.rmtree(place, ignore_errors=True)

    def _folder(self, kind: str) -> Path:
        folder = Path(tempfile.mkdtemp(prefix=f"{kind}-", dir=self._ground.folder))
        folder.chmod(0o755)
        return folder

    def _unpack(self, archive: Path, folder: Path) -> None:
        if archive.suffix == _PLAIN:
            with archive.open("rb") as file:
                unpack_plain(file, folder, self._built)
        else:
            unpack(archive.read_bytes(), folder, self._packed)

    async def _build(self, program: Program, source: Path, place: Path) -> Path:
        ground = self._ground
        built = place / f"built{_PLAIN}"
        built.touch(0o600)
        # Where there is no sandbox the build needs a folder of its own that it may write to.
        mine = [built]
        if ground.bwrap is None:
            mine.append(built.with_suffix(BUILD_FOLDER))
            mine[-1].mkdir(0o700)
        if ground.user is not None and ground.group is not None:
            for each in mine:
                os.chown(each, ground.user, ground.group)
        log = place / "build.log"
        # Less polite than games: they go before it.
        limits = replace(self._limits, nice=10, cpu=4 * self._how.build_seconds)
        cell = Cell(ground=ground, program=source, built=built, limits=limits)
        command = Command(
            argv=cell.argv(program.build),
            cwd=cell.cwd,
            env=cell.environment(),
            log=log,
            memory=limits.memory,
            name="build",
        )
        code: int | None = None
        with trio.move_on_after(self._how.build_seconds):
            code = await run_warded(command)
        if code != 0:
            tail = log.read_bytes()[-_TAIL:].decode(errors="replace") if log.exists() else ""
            why = (
                f"took longer than {self._how.build_seconds} seconds"
                if code is None
                else f"ended with exit code {code}"
            )
            structlog.get_logger("uploads").info("build_failed", why=why)
            said = "\n".join(f"  {escaped(line)}" for line in tail.splitlines())
            raise BuildFailed(f"The build {why}. The last that it said:\n{said or '  nothing'}")
        return built


def discard(program: str) -> None:
    """
    Remove a program that was kept, and that nobody will run any more.
    """
    with suppress(OSError):  # it takes some room, and that is all
        Path(program).unlink()


@contextmanager
def _room() -> Iterator[None]:
    """
    Refuse a program that is too much for the disk, which is no fault of the referee.
    """
    try:
        yield
    except OSError as error:
        if error.errno not in _FULL:
            raise
        structlog.get_logger("uploads").warning("no_room", why=str(error))
        raise _no_room() from error


def _no_room() -> Refused:
    return Refused(Reason.LEAGUE_FULL, "there is no room for another program on the disk here")


@contextmanager
def open_workshop(how: Uploads, keep: Path, owner: str = "") -> Iterator[Workshop | None]:
    """
    Make ready to take in programs, for the time of the body.

    Args:
        how: Whether, and what they may use.
        keep: Folder of the programs that are kept.
        owner: Who keeps them, as for `Workshop`.

    Yields:
        The workshop; None if no programs are taken.

    Raises:
        ConfigError: There can be no sandboxes here.
    """
    if not how.enabled:
        yield None
        return
    with open_ground(how.user, without_sandbox=how.without_sandbox) as ground:
        yield Workshop(ground, how, keep, owner)
