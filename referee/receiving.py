"""
A package on its way: taken piece by piece, and checked as it comes.
"""

from __future__ import annotations

import hashlib

from referee.errors import ConfigError
from referee.packing import PIECE


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
