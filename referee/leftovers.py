"""
Folders that a referee which was killed has left behind.

Each private folder holds a lock for as long as its process lives; the kernel lets
go of it however that ends. So a folder whose lock is free belongs to nobody.
"""

from __future__ import annotations

import fcntl
import os
import shutil
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

PREFIX = "euchre-"
"""What the names of private folders begin with."""

_LOCK = "lock"


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
