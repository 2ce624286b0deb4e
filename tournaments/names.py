"""
Names are for people, ids are keys.

A name may hold any Unicode that cannot reach past its own place: no control
characters, no line ends, nothing that changes the direction of what follows.
An id is plain enough for a file name, a command line and a key.
"""

from __future__ import annotations

import re
import unicodedata

MAX_NAME = 64
"""Characters of a display name."""

_ID = re.compile(r"[a-z0-9][a-z0-9._-]{0,31}", re.ASCII)

ID_RULE = "1 to 32 of a-z 0-9 . _ -, the first a letter or a digit"
"""What an id looks like, in words."""

JOINERS = "\u200c\u200d"
"""Zero-width non-joiner and joiner: part of Persian words and of emoji."""

_UNSAFE = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})
"""Categories that act instead of being seen: controls, formats, surrogates, line ends."""


def is_id(text: str) -> bool:
    """
    Whether *text* may be an id.
    """
    return _ID.fullmatch(text) is not None


def name_fault(name: str) -> str | None:
    """
    Return what is wrong with *name* as a display name; None if nothing is.
    """
    if not 1 <= len(name) <= MAX_NAME:
        return f"must have 1 to {MAX_NAME} characters, not {len(name)}"
    if name != name.strip():
        return "must not begin or end with a space"
    for character in name:
        if _acts(character):
            return f"must not contain the control character U+{ord(character):04X}"
    return None


def shown(text: str) -> str:
    r"""
    Return *text* so that it can be printed anywhere: what would act is spelled out.

    >>> print(shown("a\x1b[2Jb"))
    a\x1b[2Jb
    """
    if text.isascii() and text.isprintable():
        return text
    return "".join(_escaped(each) if _acts(each) else each for each in text)


def _acts(character: str) -> bool:
    return unicodedata.category(character) in _UNSAFE and character not in JOINERS


def _escaped(character: str) -> str:
    return character.encode("unicode_escape", "surrogatepass").decode("ascii")
