"""
Names are for people, ids are keys.

A name may hold any Unicode that cannot reach past its own place: no control
characters, no line ends, nothing that changes the direction of what follows.
An id is plain enough for a file name, a command line and a key.
"""

from __future__ import annotations

import re

from referee.escaping import acts

MAX_NAME = 64
"""Characters of a display name."""

_ID = re.compile(r"[a-z0-9][a-z0-9._-]{0,31}", re.ASCII)

ID_RULE = "1 to 32 of a-z 0-9 . _ -, the first a letter or a digit"
"""What an id looks like, in words."""


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
        if acts(character):
            return f"must not contain the control character U+{ord(character):04X}"
    return None
