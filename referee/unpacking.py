"""
A package made into a folder. Unpacking trusts nothing.

A package comes from a stranger, so its reader knows plain files and folders and no more:
whatever else an archive can hold (links, devices, sparse files, sizes in other notations)
is refused where it stands. Nothing is written outside the new folder because no part of
a path may lead out of it and nothing in it is ever a link; nothing grows without bound
because every number is checked before the bytes behind it are read.
"""

from __future__ import annotations

import os
import shutil
import unicodedata
import zlib
from typing import TYPE_CHECKING, Protocol

from referee.errors import ConfigError
from referee.packing import DEFAULT, MB, PIECE, Allowance, in_mb, parts_of, refused

if TYPE_CHECKING:
    from pathlib import Path

_BLOCK = 512
_SIP = 1 << 14
"""Bytes of a package that are handed to zlib at a time."""
_LONGEST_RECORD = 1 << 16
"""Bytes of a record that says a long name."""
_RATIO = 200
"""Times that content may be as large as the package it has come from, so far."""
_FREE = 8 * MB
"""Bytes of content that are never too many for a package."""

_FILE, _FOLDER, _LONG_NAME, _PAX, _PAX_GLOBAL = b"0", b"5", b"L", b"x", b"g"
_KINDS = {
    b"1": "a hard link",
    b"2": "a symbolic link",
    b"3": "a character device",
    b"4": "a block device",
    b"6": "a named pipe",
    b"S": "a sparse file",
}


class Source(Protocol):
    """
    Where the bytes of an archive come from.
    """

    def read(self, size: int, /) -> bytes:
        """
        Return at most *size* bytes; none at the end.
        """
        ...


def unpack(package: bytes, folder: Path, allowance: Allowance = DEFAULT) -> None:
    """
    Unpack a package into a new folder; nothing is left of it if that fails.

    Files are readable by everybody and writable by us, and executable if they were; no
    other bit of their mode is kept, nor their owner or time.

    Raises:
        ConfigError: The package is malformed, too large, or not harmless.
    """
    if len(package) > allowance.packed:
        raise ConfigError(f"has more than {in_mb(allowance.packed)}", key="package")
    _extract(_Inflated(package), folder, allowance)


def unpack_plain(archive: Source, folder: Path, allowance: Allowance = DEFAULT) -> None:
    """
    Unpack an archive that is not compressed, like `unpack`.

    Raises:
        ConfigError: As there.
    """
    _extract(archive, folder, allowance)


def _extract(source: Source, folder: Path, allowance: Allowance) -> None:
    folder.mkdir(mode=0o755)
    try:
        folder.chmod(0o755)
        _Archive(_Exact(source, allowance.unpacked), folder, allowance).extract()
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise


class _Inflated:
    """
    The content of one gzip stream, with nothing behind it.
    """

    def __init__(self, package: bytes) -> None:
        self._package = memoryview(package)
        self._used = 0
        """Bytes of the package that zlib was given."""
        self._left = b""
        """What it was given and has not looked at: it hands back a copy each time."""
        self._inflate = zlib.decompressobj(wbits=16 + zlib.MAX_WBITS)
        self._given = 0

    def read(self, size: int, /) -> bytes:
        content = b""
        while not content and not self._inflate.eof:
            if not self._left:
                self._left = bytes(self._package[self._used : self._used + _SIP])
                self._used += len(self._left)
            if not self._left:
                # What zlib has read may hold more than it has said so far.
                content = self._decompress(size)
                if not content:
                    raise ConfigError("is cut short", key="package")
            else:
                content = self._decompress(size)
        if not content and (self._inflate.unused_data or self._used < len(self._package)):
            raise ConfigError("has something behind its end", key="package")
        self._given += len(content)
        if self._given > max(_FREE, _RATIO * (self._used - len(self._left))):
            raise ConfigError(
                f"is a bomb: its content is more than {_RATIO} times as large", key="package"
            )
        return content

    def _decompress(self, size: int) -> bytes:
        try:
            content = self._inflate.decompress(self._left, size)
        except zlib.error as error:
            raise ConfigError(f"is not compressed with gzip: {error}", key="package") from None
        self._left = self._inflate.unconsumed_tail
        return content


class _Exact:
    """
    Reads exactly what is asked for, and no more than is allowed in all.
    """

    def __init__(self, source: Source, most: int) -> None:
        self._source = source
        self._left = self._most = most

    def read(self, size: int) -> bytes:
        """
        Return *size* bytes.
        """
        parts = []
        while size:
            part = self.some(size)
            if not part:
                raise ConfigError("is cut short", key="package")
            parts.append(part)
            size -= len(part)
        return b"".join(parts)

    def some(self, size: int) -> bytes:
        """
        Return at most *size* bytes; none at the end.
        """
        part = self._source.read(min(size, PIECE))
        self._left -= len(part)
        if self._left < 0:
            raise ConfigError(f"has more than {in_mb(self._most)} of content", key="package")
        return part


class _Archive:
    """
    Reads an archive entry by entry, and writes what it may.
    """

    def __init__(self, source: _Exact, folder: Path, allowance: Allowance) -> None:
        self._source = source
        self._folder = folder
        self._allowance = allowance
        self._entries = 0
        self._there: dict[str, tuple[str, bool]] = {}
        """By path as a system would have it that knows no case: the path itself, and
        whether it is a folder."""

    def extract(self) -> None:
        """
        Write all entries.
        """
        long_name: str | None = None
        while any(header := self._source.read(_BLOCK)):
            _check_sum(header)
            kind, size = header[156:157], _number(header[124:136])
            if kind in (_LONG_NAME, _PAX, _PAX_GLOBAL):
                record = self._record(size)
                if kind == _LONG_NAME:
                    long_name = _text(record.rstrip(b"\0"))
                elif kind == _PAX:
                    long_name = _pax_path(record) or long_name
                continue
            name, long_name = long_name or _name(header), None
            if kind in (_FILE, b"\0"):
                self._file(name, size, executable=bool(_number(header[100:108]) & 0o111))
            elif kind == _FOLDER:
                if size:
                    raise refused(name, "is a folder with content")
                self._folders(parts_of(name.rstrip("/"), self._allowance))
            else:
                raise refused(name, f"is {_KINDS.get(kind, 'neither a file nor a folder')}")
        # What ends an archive is zeros, and nothing else comes behind them.
        while rest := self._source.some(PIECE):
            if any(rest):
                raise ConfigError("has something behind its end", key="package")

    def _record(self, size: int) -> bytes:
        self._count()
        if size > _LONGEST_RECORD:
            raise ConfigError(f"has a header of {size} bytes", key="package")
        return self._source.read(_padded(size))[:size]

    def _file(self, name: str, size: int, *, executable: bool) -> None:
        parts = parts_of(name, self._allowance)
        if not parts:
            raise refused(name, "is no name of a file")
        self._folders(parts[:-1])
        self._enter(parts, folder=False)
        path = self._folder.joinpath(*parts)
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW
        with os.fdopen(os.open(path, flags, 0o600), "wb") as file:
            left = size
            while left:
                content = self._source.read(min(left, PIECE))
                file.write(content)
                left -= len(content)
            os.fchmod(file.fileno(), 0o755 if executable else 0o644)
        self._source.read(_padded(size) - size)

    def _folders(self, parts: tuple[str, ...]) -> None:
        """
        Make a folder and those that it lies in, as far as they are not there.
        """
        for number in range(1, len(parts) + 1):
            if self._enter(parts[:number], folder=True):
                path = self._folder.joinpath(*parts[:number])
                path.mkdir(mode=0o755)
                path.chmod(0o755)

    def _enter(self, parts: tuple[str, ...], *, folder: bool) -> bool:
        """
        Take note of a path; return whether it is new.

        Raises:
            ConfigError: It is there already as something else, or differs from one that
                is in case only.
        """
        path = "/".join(parts)
        key = unicodedata.normalize("NFC", path).casefold()
        there = self._there.get(key)
        if there is not None:
            if there == (path, True) and folder:
                return False
            raise refused(path, "is there twice, or differs from another in case only")
        self._count()
        self._there[key] = (path, folder)
        return True

    def _count(self) -> None:
        self._entries += 1
        if self._entries > self._allowance.entries:
            raise ConfigError(
                f"has more than {self._allowance.entries} files and folders", key="package"
            )


def _check_sum(header: bytes) -> None:
    """
    Refuse what is no header.
    """
    said = _number(header[148:156])
    if said != sum(header[:148]) + 8 * ord(" ") + sum(header[156:]):
        raise ConfigError("is no tar archive", key="package")


def _number(digits: bytes) -> int:
    """
    Read an octal number, the only notation that is needed below 8 GB.
    """
    text = digits.strip(b" \0")
    if not all(each in b"01234567" for each in text):
        raise ConfigError("is no tar archive", key="package")
    return int(text or b"0", 8)


def _padded(size: int) -> int:
    return -(-size // _BLOCK) * _BLOCK


def _name(header: bytes) -> str:
    name, prefix = (part.partition(b"\0")[0] for part in (header[:100], header[345:500]))
    # GNU's own format keeps other things where the prefix is.
    return _text(prefix + b"/" + name if prefix and header[257:263] == b"ustar\0" else name)


def _pax_path(record: bytes) -> str | None:
    """
    Return the path that an extended header says; None if it says none.

    Raises:
        ConfigError: It is malformed, or gives a size in its own notation.
    """
    path = None
    while record:
        digits, space, rest = record.partition(b" ")
        if not (space and 0 < len(digits) <= 6 and digits.isdigit()):
            raise ConfigError("has a malformed header", key="package")
        line, record = record[: int(digits)], record[int(digits) :]
        key, equals, value = line[len(digits) + 1 :].partition(b"=")
        if not (equals and value.endswith(b"\n")) or not rest:
            raise ConfigError("has a malformed header", key="package")
        if key == b"path":
            path = _text(value[:-1])
        elif key == b"size" or key.startswith(b"GNU.sparse"):
            raise ConfigError("has a file whose size is not plain", key="package")
    return path


def _text(name: bytes) -> str:
    try:
        return name.decode()
    except UnicodeDecodeError:
        raise ConfigError("has a name that is not UTF-8", key="package") from None
