"""
Foreign text made safe to print: in logs, tables and errors alike.
"""

from __future__ import annotations

import re
import unicodedata

JOINERS = "\u200c\u200d"
"""Zero-width non-joiner and joiner: part of Persian words and of emoji."""

_ACTING = frozenset({"Cc", "Cf", "Cs", "Co", "Zl", "Zp"})
"""Categories that act instead of being seen, or are seen as whatever a terminal makes of them."""

FLAGS = tuple(
    "\N{WAVING BLACK FLAG}" + "".join(chr(0xE0000 + ord(each)) for each in f"{region}\x7f")
    for region in ("gbeng", "gbsct", "gbwls")
)
"""
The flags of England, Scotland and Wales, which are spelt with tags. Tags have no shape and
hide what they say, so nothing but these three is let through.
"""

_FLAGS = re.compile(f"({'|'.join(FLAGS)})")


def acts(character: str) -> bool:
    """
    Whether a character acts instead of being seen.
    """
    return unicodedata.category(character) in _ACTING and character not in JOINERS


def untagged(text: str) -> str:
    """
    Return *text* with a plain flag for every flag that is spelt with tags.
    """
    return _FLAGS.sub("\N{WAVING BLACK FLAG}", text)


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
    # A pattern with a group splits into text, flag, text ...: every other part is a flag.
    parts = _FLAGS.split(text)
    return "".join(part if at % 2 else _spelled(part) for at, part in enumerate(parts))


def _spelled(text: str) -> str:
    return "".join(
        each.encode("unicode_escape").decode("ascii") if acts(each) else each for each in text
    )
