"""
What a bot that somebody enters must be like, and how it is called. Pure.
"""

from __future__ import annotations

import re
import unicodedata
from typing import TYPE_CHECKING, Any

from referee.errors import ConfigError
from referee.rules.variants import GAMES
from tournaments.names import name_fault

if TYPE_CHECKING:
    from referee.office import Submission

TEXTS = ("name", "description", "contact", "software")
"""What of a submission is written by its author; anybody may see it, but for the contact."""


def kept(submission: Submission) -> dict[str, Any]:
    """
    Return what is stored of a submission, by the names that a bot and a version have for it.
    """
    return {key: getattr(submission, key) for key in (*TEXTS, "games")}


def check(submission: Submission, game: str) -> None:
    """
    Refuse what cannot be entered into a league of *game*.

    Raises:
        ConfigError: A field of it is not accepted; the text says why and may be shown.
    """
    fault = name_fault(submission.name)
    if fault:
        raise ConfigError(fault, key="name")
    for key, text, most in (
        ("description", submission.description, 500),
        ("contact", submission.contact, 200),
        ("software", submission.software, 200),
    ):
        if len(text) > most:
            raise ConfigError(f"must have at most {most} characters, not {len(text)}", key=key)
        if any(unicodedata.category(char) in ("Cc", "Cs") and char != "\n" for char in text):
            raise ConfigError("must have no control characters", key=key)
    unknown = [name for name in submission.games if name not in GAMES]
    if unknown:
        raise ConfigError("names a game that is not known here", key="games")
    if submission.games and game not in submission.games:
        raise ConfigError(
            f"this league plays {GAMES[game].title}, and the bot does not", key="games"
        )


def id_for(name: str) -> str:
    """
    Return an id that looks like *name*, as far as an id can.
    """
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode().lower()
    return re.sub("[^a-z0-9]+", "-", plain).strip("-")[:24].strip("-") or "bot"
