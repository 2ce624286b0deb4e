"""
What stands around one program: the command that starts it in a sandbox. Pure.

A cell has its own user, process, network, IPC, host-name and cgroup namespaces, no
capability and no way to get one. It sees the system read-only, its program read-only at
`/bot`, the referee's socket, and a private `/tmp` of limited size that goes when it ends.
Nothing else of the machine is there: no home, no other program, no network.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

MB = 1 << 20

PROGRAM = "/bot"
"""Where a cell has its program."""
SOCKET = "/run/euchre/referee.sock"
"""Where a cell has the referee's socket."""
PYTHON_PATH = "/run/python"
"""Where a cell has the Python packages that are offered."""
SOURCE, BUILT = "/run/source", "/run/built.tar"
"""Where a cell that builds has what it builds from, and what it leaves."""
BUILD_FOLDER = ".build"
"""Suffix, beside the file that takes what it leaves, of where it builds without a sandbox."""

_USER = "1000"
"""Who a program is to itself."""
_SHARED_MEMORY = 16 * MB
FILTER_FD = 9
"""Where bubblewrap finds the filter of system calls; `confine.py` opens it there."""
_CONFINE = str(Path(__file__).absolute().with_name("confine.py"))

_BUILD = """\
cp -R "$1/." "$2" && cd "$2" && out=$3 && shift 3 || exit 125
"$@" 1>&2 || exit
tar --create --dereference --hard-dereference --ignore-failed-read --format=pax \
    --file "$out" --directory "$PWD" . || exit 125
"""
"""Shell program SOURCE FOLDER ARCHIVE COMMAND...: builds in a copy, and packs what came of it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """
    What the processes of one cell may use.
    """

    memory: int = 512 * MB
    """Bytes of resident memory, all together; somebody else watches them."""
    disk: int = 256 * MB
    """Bytes of `/tmp`, and of each file."""
    processes: int = 64
    """Processes and threads."""
    files: int = 512
    """Open files of a process."""
    cpu: int = 86_400
    """Seconds of processor time of a process."""
    nice: int = 5
    """How much others go before it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ground:
    """
    What all cells of a host stand on; see `open_ground`.
    """

    folder: Path
    """Ours, for what cells are shown; whoever they run as may enter it."""
    bwrap: str | None
    """The bubblewrap program; None: programs run without a sandbox."""
    prlimit: str
    """The program that limits processes, from within."""
    user: int | None = None
    """Who the programs run as; None: who we are."""
    group: int | None = None
    system: tuple[tuple[str, str], ...] = ()
    """What of the system a cell sees, and where."""
    links: tuple[tuple[str, str], ...] = ()
    """Links of the system: where they lead, and where they are."""
    python: str | None = None
    """What `{python}` means; None: no Python is offered."""
    packages: Path | None = None
    """The Python packages that are offered."""
    calls: Path | None = None
    """The filter of system calls."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """
    The sandbox of one process of a program.
    """

    ground: Ground
    program: Path
    """Folder of the program."""
    socket: Path | None = None
    """The referee's socket, if it may be reached; alone in a folder, which is what is shown, so
    that it may be made anew."""
    built: Path | None = None
    """For a build: the file that takes what it leaves."""
    limits: Limits = Limits()

    @property
    def cwd(self) -> Path:
        """
        The folder to be in when the command is started.
        """
        return self.program if self.ground.bwrap is None else Path("/")

    @property
    def address(self) -> str:
        """
        What the program dials.
        """
        return f"unix:{self.socket if self.ground.bwrap is None else SOCKET}"

    def environment(self) -> dict[str, str]:
        """
        Return all that a program finds in its environment, besides how it reaches us.
        """
        ground = self.ground
        packages = ground.packages if ground.bwrap is None else PYTHON_PATH
        return {
            "PATH": "/usr/local/bin:/usr/bin:/bin",
            "LANG": "C.UTF-8",
            "HOME": "/tmp",  # noqa: S108  (it is private)
            "TMPDIR": "/tmp",  # noqa: S108
            "PYTHONDONTWRITEBYTECODE": "1",
            **({"PYTHONPATH": str(packages)} if ground.packages else {}),
        }

    def argv(self, command: Sequence[str]) -> list[str]:
        """
        Return the command that runs *command* in the cell.
        """
        ground, limits = self.ground, self.limits
        filled = [each.replace("{python}", ground.python or "python3") for each in command]
        if self.built is not None:
            filled = [*("/bin/sh", "-c", _BUILD, "build"), *self._build_places(), *filled]
        inner = [ground.prlimit, f"--nproc={limits.processes}", "--", *filled]
        if ground.bwrap is None and ground.user is None:
            inner = filled  # the limit would count all that we run
        return [
            *(sys.executable, "-I", "-S", _CONFINE),
            "-" if ground.user is None else str(ground.user),
            "-" if ground.group is None else str(ground.group),
            str(limits.nice),
            f"fsize={limits.disk}",
            f"nofile={limits.files}",
            f"cpu={limits.cpu}",
            "core=0",
            *(() if ground.calls is None else (f"open={ground.calls}",)),
            "--",
            *(() if ground.bwrap is None else self._walls(ground.bwrap)),
            *inner,
        ]

    def _build_places(self) -> tuple[str, str, str]:
        if self.ground.bwrap is None:
            assert self.built is not None  # noqa: S101  (asked by the caller)
            return str(self.program), str(self.built.with_suffix(BUILD_FOLDER)), str(self.built)
        return SOURCE, PROGRAM, BUILT

    def _walls(self, bwrap: str) -> list[str]:
        ground = self.ground
        limits = self.limits
        walls = [
            bwrap,
            *("--unshare-user", "--unshare-pid", "--unshare-net", "--unshare-ipc"),
            *("--unshare-uts", "--unshare-cgroup", "--disable-userns"),
            *("--die-with-parent", "--new-session", "--cap-drop", "ALL"),
            *("--uid", _USER, "--gid", _USER, "--hostname", "sandbox"),
        ]
        if ground.calls is not None:
            walls += ["--seccomp", str(FILTER_FD)]
        for there, here in ground.system:
            walls += ["--ro-bind", there, here]
        for target, here in ground.links:
            walls += ["--symlink", target, here]
        if ground.packages is not None:
            walls += ["--ro-bind", str(ground.packages), PYTHON_PATH]
        walls += ["--proc", "/proc", "--dev", "/dev"]
        walls += ["--size", str(_SHARED_MEMORY), "--tmpfs", "/dev/shm"]  # noqa: S108
        walls += ["--size", str(limits.disk), "--tmpfs", "/tmp"]  # noqa: S108
        if self.built is None:
            walls += ["--ro-bind", str(self.program), PROGRAM]
        else:
            walls += ["--ro-bind", str(self.program), SOURCE]
            walls += ["--size", str(limits.disk), "--tmpfs", PROGRAM]
            walls += ["--bind", str(self.built), BUILT]
        if self.socket is not None:
            walls += ["--ro-bind", str(self.socket.parent), str(Path(SOCKET).parent)]
        # What bubblewrap has made itself is a file system of unlimited size.
        return [*walls, *("--remount-ro", "/dev", "--remount-ro", "/", "--chdir", PROGRAM, "--")]
