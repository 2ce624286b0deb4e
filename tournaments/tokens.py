"""
The tokens that a referee keeps: of bots from outside, and of its operator.
"""

from __future__ import annotations

import os
import secrets
import tempfile
from pathlib import Path

import structlog

from referee.errors import ConfigError
from referee.server import token_hash


def kept_token(path: Path, whose: str) -> str:
    """
    Return the hash of a token that is kept in a file, which is made if there is none.

    Only our user can read it: whoever starts the bot, or runs the league, needs it.

    Raises:
        ConfigError: It cannot be read or made.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        if path.exists():
            kept = path.read_text(encoding="ascii", errors="replace").strip()
            if not kept:
                raise ConfigError("holds no token", path=str(path), hint="remove it for a new one")
            return token_hash(kept)
        token = secrets.token_urlsafe(32)
        # Whole or not at all: with half of one no start would go on.
        handle, part = tempfile.mkstemp(prefix=f".{path.name}-", dir=path.parent)
        try:
            with os.fdopen(handle, "w") as file:
                file.write(token + "\n")
            os.link(part, path)
        finally:
            Path(part).unlink()
    except OSError as error:
        raise ConfigError(f"its token cannot be kept: {error.strerror}", path=str(path)) from None
    structlog.get_logger("host").info("token_written", bot=whose, file=str(path))
    return token_hash(token)
