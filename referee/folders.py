"""
Private folders for sockets and the like, also those of a referee that was killed.

Each private folder holds a lock for as long as its process lives; the kernel lets
go of it however that ends. So a folder whose lock is free belongs to nobody.
"""

from __future__ import annotations

import fcntl
import os
import shutil
import tempfile
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from referee.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Iterator

PREFIX = "euchre-"
"""What the names of private folders begin with."""

SOCKET_PATH_LIMIT = 107
"""Bytes of a unix socket's path, without the closing zero (the kernel's limit)."""

_LOCK = "lock"


@contextmanager
def private_folder(room: int = len("/referee.sock")) -> Iterator[Path]:
    """
    Make a fresh folder that only our user can enter, and remove it at the end.

    Those that a referee which was killed has left are removed as well.

    Args:
        room: Bytes that a socket's name, with its slash, adds to the path.

    Yields:
        The folder; its path is short enough for a unix socket.

    Raises:
        ConfigError: No folder for temporary files has a path that is short enough.
    """
    for parent in (tempfile.gettempdir(), "/tmp"):  # noqa: S108  (mkdtemp makes it safe)
        sweep(Path(parent))
        folder = Path(tempfile.mkdtemp(prefix=PREFIX, dir=parent))
        try:
            if len(os.fsencode(folder)) + room <= SOCKET_PATH_LIMIT:
                with held(folder):
                    yield folder
                return
        finally:
            shutil.rmtree(folder, ignore_errors=True)
    raise ConfigError(
        "the path of the folder for temporary files is too long for a socket",
        key="TMPDIR",
        hint="set TMPDIR to a shorter one",
    )


@contextmanager
def held(folder: Path) -> Iterator[None]:
    """
    Hold the lock of a fresh folder for the time of the body.
    """
    new = folder / f"{_LOCK}.new"
    handle = os.open(new, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        # It gets its name when it is locked, so nobody sees it free in between.
        new.rename(folder / _LOCK)
        yield
    finally:
        os.close(handle)


def sweep(parent: Path) -> None:
    """
    Remove the private folders in *parent* that are ours and that nobody holds.

    One without a lock is just being made, or is no private folder: it stays.
    """
    for folder in parent.glob(f"{PREFIX}*"):
        # Gone meanwhile, not ours to enter, a link, or held.
        with suppress(OSError):
            status = folder.lstat()
            if status.st_uid != os.getuid() or status.st_mode & 0o27 or folder.is_symlink():
                continue
            handle = os.open(folder / _LOCK, os.O_RDWR | os.O_NOFOLLOW)
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
                shutil.rmtree(folder, ignore_errors=True)
            finally:
                os.close(handle)
