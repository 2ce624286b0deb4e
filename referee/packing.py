"""
A folder as a package, and a package as a folder: a tar archive compressed with gzip.

Packing is deterministic: the same files give the same bytes. Unpacking trusts nothing.
A package comes from a stranger, so its reader knows plain files and folders and no more:
whatever else an archive can hold (links, devices, sparse files, sizes in other notations)
is refused where it stands. Nothing is written outside the new folder because no part of
a path may lead out of it and nothing in it is ever a link; nothing grows without bound
because every number is checked before the bytes behind it are read.
"""

from __future__ import annotations

import gzip
import hashlib
import io
import os
import shutil
import tarfile
import unicodedata
import zlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from referee.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

MB = 1 << 20

PIECE = 1 << 18
"""Bytes of a package that are sent, or read, at a time."""

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

# --- packing ---------------------------------------------------------------------------------


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
            _parts(name, allowance)
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
                    f"is too large: its files have more than {_mb(allowance.unpacked)}",
                    path=str(folder),
                )
            if entries > allowance.entries:
                raise ConfigError(
                    f"has more than {allowance.entries} files and folders", path=str(folder)
                )
    if packed.tell() > allowance.packed:
        raise ConfigError(
            f"is too large: {packed.tell()} bytes packed, and {_mb(allowance.packed)} may be sent",
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


# --- receiving -------------------------------------------------------------------------------


class Receiving:
    """
    A package that arrives piece by piece, and is checked on the way.
    """

    def __init__(self, size: int, sha256: str, most: int) -> None:
        """
        Be ready for the first piece.

        Args:
            size: Bytes that were announced.
            sha256: Hash that was announced, in hexadecimal.
            most: Bytes that are taken.

        Raises:
            ConfigError: What was announced is not wanted.
        """
        if not 0 < size <= most:
            raise ConfigError(f"must be from 1 to {most} bytes, not {size}", key="size")
        if len(sha256) != 64 or not set(sha256.lower()) <= set("0123456789abcdef"):
            raise ConfigError("must be 64 hexadecimal digits", key="sha256")
        self._size = size
        self._sha256 = sha256.lower()
        self._bytes = bytearray()
        self._hash = hashlib.sha256()

    def take(self, piece: bytes) -> None:
        """
        Take the next piece.

        Raises:
            ConfigError: It is empty or too long, or more came than was announced.
        """
        if not 0 < len(piece) <= PIECE:
            raise ConfigError(f"must have 1 to {PIECE} bytes, not {len(piece)}", key="piece")
        if len(self._bytes) + len(piece) > self._size:
            raise ConfigError(f"more came than the {self._size} bytes announced", key="piece")
        self._bytes += piece
        self._hash.update(piece)

    def whole(self) -> bytes:
        """
        Return the package.

        Raises:
            ConfigError: It is not the one that was announced.
        """
        if len(self._bytes) < self._size:
            raise ConfigError(
                f"only {len(self._bytes)} of the {self._size} bytes announced came", key="piece"
            )
        if self._hash.hexdigest() != self._sha256:
            raise ConfigError("the package has another hash than announced", key="sha256")
        return bytes(self._bytes)


# --- unpacking -------------------------------------------------------------------------------


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
        raise ConfigError(f"has more than {_mb(allowance.packed)}", key="package")
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
            raise ConfigError(f"has more than {_mb(self._most)} of content", key="package")
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
                    raise _refused(name, "is a folder with content")
                self._folders(_parts(name.rstrip("/"), self._allowance))
            else:
                raise _refused(name, f"is {_KINDS.get(kind, 'neither a file nor a folder')}")
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
        parts = _parts(name, self._allowance)
        if not parts:
            raise _refused(name, "is no name of a file")
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
            raise _refused(path, "is there twice, or differs from another in case only")
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


def _parts(name: str, allowance: Allowance) -> tuple[str, ...]:
    """
    Return the parts of a path; none for the folder itself.

    Raises:
        ConfigError: It leads elsewhere, or is longer or deeper than is allowed.
    """
    parts = name.removeprefix("./").split("/") if name not in (".", "./") else []
    if any(part in ("", ".", "..") for part in parts):
        raise _refused(name, "leads out of the package")
    if any(unicodedata.category(each) in ("Cc", "Cf", "Cs") or each == "\\" for each in name):
        raise _refused(name, "has a character that may not stand in a name")
    if len(name.encode()) > allowance.path or len(parts) > allowance.depth:
        raise _refused(
            name, f"is longer than {allowance.path} bytes or deeper than {allowance.depth} folders"
        )
    return tuple(parts)


def _refused(name: str, why: str) -> ConfigError:
    return ConfigError(f"{why}: {name[:100]!r}", key="package")


def _mb(number: int) -> str:
    return f"{number / MB:g} MB"
