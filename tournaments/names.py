"""
Names are for people, ids are keys.

A name may hold any Unicode that cannot reach past its own place, 64 characters of it:
wide and combining ones, emoji, text from right to left, markup. Refused are

* controls, line and paragraph separators, what changes directions or has no width
  (U+200B, U+FEFF), private use, halves of surrogate pairs; but not the joiners that
  Persian and emoji need, nor the tags in the flags of England, Scotland and Wales;
* characters that Unicode has not given out, as far as this Python knows: nobody can say
  how wide they are, or what they will do;
* fillers, which are letters that nobody sees;
* a space at either end, and a combining mark or a joiner at the beginning, which would
  stick to what stands before the name.

An id is plain enough for a file name, a command line and a key. An address says where
to listen.
"""

from __future__ import annotations

import ipaddress
import re
import unicodedata

from referee.escaping import JOINERS, acts, untagged

MAX_NAME = 64
"""Characters of a display name."""

_ID = re.compile(r"[a-z0-9][a-z0-9._-]{0,31}", re.ASCII)

_FILLERS = frozenset("\u115f\u1160\u2800\u3164\uffa0")
"""Hangul fillers and the blank of Braille: drawn as nothing, although they are no spaces."""

ID_RULE = "1 to 32 of a-z 0-9 . _ -, the first a letter or a digit"
"""What an id looks like, in words."""


def is_id(text: str) -> bool:
    """
    Whether *text* may be an id.
    """
    return _ID.fullmatch(text) is not None


def is_address(text: str) -> bool:
    """
    Whether *text* is `host:port`; an IPv6 address must stand in brackets.
    """
    host, colon, port = text.rpartition(":")
    # Python reads no number of thousands of digits, so their count is looked at first.
    number = port.isascii() and port.isdigit() and len(port) < 6 and int(port) < 65536
    # Without brackets the port could be part of the address, and gRPC would take it for that.
    return bool(host and colon) and number and not (_is_ipv6(text) or _is_ipv6(host))


def _is_ipv6(text: str) -> bool:
    try:
        ipaddress.IPv6Address(text)
    except ValueError:
        return False
    return True


def name_fault(name: str) -> str | None:
    """
    Return what is wrong with *name* as a display name; None if nothing is.
    """
    if not 1 <= len(name) <= MAX_NAME:
        return f"must have 1 to {MAX_NAME} characters, not {len(name)}"
    if name != name.strip():
        return "must not begin or end with a space"
    if unicodedata.category(name[0]).startswith("M") or name[0] in JOINERS:
        return f"must not begin with U+{ord(name[0]):04X}, which joins what stands before it"
    for character in untagged(name):
        if acts(character):
            return f"must not contain the control character U+{ord(character):04X}"
        if unicodedata.category(character) == "Cn" or character in _FILLERS:
            return f"must not contain U+{ord(character):04X}, which nobody can see"
    return None
