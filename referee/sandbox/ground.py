"""
Finds out what sandboxes can be built of on this machine, and tries it.
"""

from __future__ import annotations

import os
import pwd
import shutil
import subprocess
import sys
import tempfile
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from referee.errors import ConfigError
from referee.folders import PREFIX, held, sweep
from referee.sandbox.cell import Cell, Ground
from referee.sandbox.filter import filter_for

if TYPE_CHECKING:
    from collections.abc import Iterator

_ETC = ("ld.so.cache", "ld.so.conf", "ld.so.conf.d", "alternatives", "localtime", "java-*")
"""What programs need of /etc, as far as it is there; nothing that is secret or says who we are."""
_ROOTS = ("bin", "sbin", "lib", "lib32", "lib64", "libx32")
_FILES = {
    "passwd": "bot:x:1000:1000::/tmp:/bin/sh\n",
    "group": "bot:x:1000:\n",
    "hosts": "127.0.0.1 localhost\n",
    "nsswitch.conf": "passwd: files\ngroup: files\nhosts: files\n",
}
"""Files of /etc that are made for them."""
_PACKAGES = ("grpc", "google", "typing_extensions", "euchre")
"""Python packages that are offered: what a bot needs to speak to a referee."""
_WANTED = "import grpc, google.protobuf, euchre.referee.v1.referee_service_pb2_grpc"
_PATIENCE = 30.0
_WITHOUT = "or set uploads.without_sandbox = true, if you know everybody who may upload"


@contextmanager
def open_ground(user: str = "nobody", *, without_sandbox: bool = False) -> Iterator[Ground]:
    """
    Make ready what sandboxes need, for the time of the body.

    Args:
        user: Who the programs run as if we are root.
        without_sandbox: Whether programs may run without one where there is no bubblewrap.

    Yields:
        What they stand on. It has been tried.

    Raises:
        ConfigError: There can be no sandboxes here; says why, and what to do.
    """
    bwrap = _program("bwrap")
    prlimit = _program("prlimit")
    if bwrap is None and not without_sandbox:
        raise ConfigError(
            "there is no bubblewrap here, so programs cannot be run in a sandbox",
            key="uploads.enabled",
            hint=f"apt install bubblewrap; {_WITHOUT}",
        )
    if prlimit is None:
        raise ConfigError(
            "there is no prlimit here", key="uploads.enabled", hint="apt install util-linux"
        )
    uid, gid = _user(user)
    # mkdtemp makes it safe; what is in it is for sandboxes only.
    sweep(Path("/tmp"))  # noqa: S108
    folder = Path(tempfile.mkdtemp(prefix=PREFIX, dir="/tmp"))
    try:
        system, links = _system(folder)
        python = _python()
        ground = Ground(
            folder=folder,
            bwrap=bwrap,
            prlimit=prlimit,
            user=uid,
            group=gid,
            system=system,
            links=links,
            python=python,
            packages=_packages(folder / "python") if python else None,
            calls=_filter(folder / "calls.bpf") if bwrap else None,
        )
        if uid is not None and gid is not None:
            # Nobody but the programs' user may enter, and only to read.
            os.chown(folder, 0, gid)
        folder.chmod(0o750)
        with held(folder):
            _try(ground)
            yield ground
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _program(name: str) -> str | None:
    return shutil.which(name, path="/usr/bin:/bin:/usr/sbin:/sbin:/usr/local/bin")


def _user(name: str) -> tuple[int | None, int | None]:
    """
    Return who programs run as; None if that is us, since we are nobody special.
    """
    if os.geteuid() != 0:
        return None, None
    try:
        entry = pwd.getpwnam(name)
    except KeyError:
        raise ConfigError(f"there is no user {name!r} here", key="uploads.user") from None
    if entry.pw_uid == 0 or entry.pw_gid == 0:
        raise ConfigError("must not be root", key="uploads.user", hint='"nobody" will do')
    return entry.pw_uid, entry.pw_gid


def _system(folder: Path) -> tuple[tuple[tuple[str, str], ...], tuple[tuple[str, str], ...]]:
    """
    Return what of the system is shown, as binds and links.
    """
    binds, links = [("/usr", "/usr")], []
    for name in _ROOTS:
        path = Path("/", name)
        if path.is_symlink():
            links.append((str(path.readlink()), str(path)))
        elif path.is_dir():
            binds.append((str(path), str(path)))
    binds += [
        (str(path), str(path)) for pattern in _ETC for path in sorted(Path("/etc").glob(pattern))
    ]
    made = folder / "etc"
    made.mkdir(mode=0o755)
    for name, text in _FILES.items():
        file = made / name
        file.write_text(text)
        file.chmod(0o644)
        binds.append((str(file), f"/etc/{name}"))
    made.chmod(0o755)
    return tuple(binds), tuple(links)


def _python() -> str | None:
    """
    Return a Python that a sandbox can run and that our packages fit; None if there is none.

    That is ours, if it belongs to the system, else the system's of the same version.
    """
    ours = Path(sys.executable).resolve()
    if ours.is_relative_to("/usr"):
        return str(ours)
    version = f"python{sys.version_info.major}.{sys.version_info.minor}"
    return shutil.which(version, path="/usr/local/bin:/usr/bin")


def _packages(folder: Path) -> Path:
    """
    Copy the Python packages that are offered, so that nothing else of ours is seen.
    """
    folder.mkdir(mode=0o755)
    folder.chmod(0o755)
    for name in _PACKAGES:
        spec = find_spec(name)
        if spec is None:
            continue
        if spec.submodule_search_locations is None and spec.origin:
            shutil.copy(spec.origin, folder)
        for place in spec.submodule_search_locations or ():
            shutil.copytree(
                place,
                folder / name,
                dirs_exist_ok=True,
                ignore=shutil.ignore_patterns("__pycache__", "*.proto"),
            )
    for path in folder.rglob("*"):
        path.chmod(0o755 if path.is_dir() else 0o644)
    return folder


def _filter(file: Path) -> Path:
    """
    Write the filter of system calls.
    """
    machine = os.uname().machine
    calls = filter_for(machine)
    if calls is None:
        raise ConfigError(f"there are no sandboxes for {machine}", key="uploads.enabled")
    file.write_bytes(calls)
    return file


def _try(ground: Ground) -> None:
    """
    Make sure that a sandbox can be built, and that the Python that is offered works.
    """
    empty = ground.folder / "empty"
    empty.mkdir(mode=0o755)
    empty.chmod(0o755)
    cell = Cell(ground=ground, program=empty)
    for command in (["/bin/true"], *([["{python}", "-c", _WANTED]] if ground.python else ())):
        try:
            done = subprocess.run(  # noqa: S603  (our own command)
                cell.argv(command),
                cwd=cell.cwd,
                env=cell.environment(),
                stdin=subprocess.DEVNULL,
                capture_output=True,
                timeout=_PATIENCE,
                check=False,
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            raise ConfigError(f"no sandbox can be built: {error}", key="uploads.enabled") from None
        if done.returncode != 0:
            said = done.stderr.decode(errors="replace").strip().splitlines()
            raise ConfigError(
                f"no sandbox can be built: {said[-1] if said else f'exit {done.returncode}'}",
                key="uploads.enabled",
                hint="bubblewrap 0.8 or newer and user namespaces are needed (docs/uploads.md)",
            )
