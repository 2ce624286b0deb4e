"""
What a package may be, and a folder made into one: a tar archive compressed with gzip.

Packing is deterministic: the same files give the same bytes.
"""

from __future__ import annotations

import gzip
import io
import os
import tarfile
import unicodedata
from dataclasses import dataclass
from typing import TYPE_CHECKING

from referee.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

MB = 1 << 20

PIECE = 1 << 18
"""Bytes of a package that are sent, or read, at a time."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Allowance:
    """
    How large a package may be.
    """

    packed: int = 32 * MB
    """Bytes of the package itself."""
    unpacked: int = 256 * MB
    """Bytes of all its files together, and of the archive around them."""
    entries: int = 10_000
    """Files and folders."""
    path: int = 240
    """Bytes of a path."""
    depth: int = 16
    """Parts of a path."""


DEFAULT = Allowance()


def pack(folder: Path, allowance: Allowance = DEFAULT) -> bytes:
    """
    Return the package of a folder. The same files give the same bytes.

    Left out is what is nobody else's business: names that begin with a dot,
    `__pycache__`, and `*.token`.

    Raises:
        ConfigError: Something in it cannot be packed, or it is too large.
    """
    packed = io.BytesIO()
    total = entries = 0
    with (
        gzip.GzipFile(filename="", mode="wb", fileobj=packed, mtime=0) as compressed,
        tarfile.open(fileobj=compressed, mode="w|", format=tarfile.PAX_FORMAT) as archive,
    ):
        for path in _walk(folder):
            name = path.relative_to(folder).as_posix()
            parts_of(name, allowance)
            entry = tarfile.TarInfo(name)
            entries += 1
            if path.is_dir():
                entry.type, entry.mode = tarfile.DIRTYPE, 0o755
                archive.addfile(entry)
            else:
                content = _content(path)
                entry.mode = 0o755 if os.access(path, os.X_OK) else 0o644
                entry.size = len(content)
                total += len(content)
                archive.addfile(entry, io.BytesIO(content))
            if total > allowance.unpacked:
                raise ConfigError(
                    f"is too large: its files have more than {in_mb(allowance.unpacked)}",
                    path=str(folder),
                )
            if entries > allowance.entries:
                raise ConfigError(
                    f"has more than {allowance.entries} files and folders", path=str(folder)
                )
    if packed.tell() > allowance.packed:
        raise ConfigError(
            f"is too large: {packed.tell()} bytes packed, "
            f"and {in_mb(allowance.packed)} may be sent",
            path=str(folder),
        )
    return packed.getvalue()


def _walk(folder: Path) -> Iterator[Path]:
    """
    Yield what is in a folder, sorted, each folder before what is in it.
    """
    try:
        paths = sorted(folder.iterdir())
    except OSError as error:
        raise ConfigError(f"cannot be read: {error.strerror}", path=str(folder)) from None
    for path in paths:
        name = path.name
        if name.startswith(".") or name == "__pycache__" or name.endswith(".token"):
            continue
        if path.is_symlink():
            raise ConfigError(
                "is a link, and links are not sent", path=str(path), hint="put a copy in its place"
            )
        if path.is_dir():
            yield path
            yield from _walk(path)
        elif path.is_file():
            yield path
        else:
            raise ConfigError("is neither a file nor a folder", path=str(path))


def _content(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise ConfigError(f"cannot be read: {error.strerror}", path=str(path)) from None


def parts_of(name: str, allowance: Allowance) -> tuple[str, ...]:
    """
    Return the parts of a path; none for the folder itself.

    Raises:
        ConfigError: It leads elsewhere, or is longer or deeper than is allowed.
    """
    parts = name.removeprefix("./").split("/") if name not in (".", "./") else []
    if any(part in ("", ".", "..") for part in parts):
        raise refused(name, "leads out of the package")
    if any(unicodedata.category(each) in ("Cc", "Cf", "Cs") or each == "\\" for each in name):
        raise refused(name, "has a character that may not stand in a name")
    if len(name.encode()) > allowance.path or len(parts) > allowance.depth:
        raise refused(
            name, f"is longer than {allowance.path} bytes or deeper than {allowance.depth} folders"
        )
    return tuple(parts)


def refused(name: str, why: str) -> ConfigError:
    """
    Return what is raised about a path in a package.
    """
    return ConfigError(f"{why}: {name[:100]!r}", key="package")


def in_mb(number: int) -> str:
    """
    Say a number of bytes in MB.
    """
    return f"{number / MB:g} MB"
