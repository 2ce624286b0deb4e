"""
Foreign text made safe to print: in logs, tables and errors alike.
"""

from __future__ import annotations

import unicodedata

JOINERS = "\u200c\u200d"
"""Zero-width non-joiner and joiner: part of Persian words and of emoji."""

_ACTING = frozenset({"Cc", "Cf", "Cs", "Co", "Zl", "Zp"})
"""Categories that act instead of being seen, or are seen as whatever a terminal makes of them."""


def acts(character: str) -> bool:
    """
    Whether a character acts instead of being seen.
    """
    return unicodedata.category(character) in _ACTING and character not in JOINERS


def escaped(text: str) -> str:
    r"""
    Return *text* with everything that acts as an escape sequence.

    Controls, line ends, changes of direction and halves of surrogate pairs; what
    people write stays.

    >>> print(escaped("zoë\x1b[2J\u202e"))
    zoë\x1b[2J\u202e
    """
    if text.isprintable():
        return text
    return "".join(
        each.encode("unicode_escape").decode("ascii") if acts(each) else each for each in text
    )
