"""
Judges answers: what becomes of each, and what it costs.
"""

from __future__ import annotations

import enum
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from referee.cards import Card
    from referee.rules.actions import Action
    from referee.seats import Seat


class Code(enum.StrEnum):
    """
    The kinds of rulings on an answer (rules.md 7.4, 7.5/46), and those on the lack of one.
    """

    RENEGE = "renege"
    """A card that may not be played was refused: penalty and substitute."""
    STOOD = "stood"
    """A card that may not be played stands, for a penalty (mode `stand`)."""
    UPHELD = "upheld"
    """A challenge was right."""
    FALSE_CHALLENGE = "false_challenge"
    """A challenge was wrong."""
    VOID_CHALLENGE = "void_challenge"
    """A challenge named nothing that can be judged."""
    ILLEGAL = "illegal"
    """Any other answer that is not legal: the fallback. A fault."""
    TIMEOUT = "timeout"
    """No answer in time: the fallback. A fault."""
    UNREADABLE = "unreadable"
    """An answer without a known action: the fallback. A fault."""
    GONE = "gone"
    """Nobody was there to be asked: the fallback. A fault."""
    FORFEIT = "forfeit"
    """Too many faults in this game (ruled by the table, not by `judge`)."""


FAULTS = frozenset({Code.ILLEGAL, Code.TIMEOUT, Code.UNREADABLE, Code.GONE})
"""The rulings that are faults; reneges are not (rules.md 2.13)."""


class Ruling(NamedTuple):
    """
    One judgement of the referee.
    """

    code: Code
    seat: Seat
    """Whose answer was judged; with a challenge, the challenger."""
    penalty: int = 0
    """Points, never negative."""
    card: Card | None = None
    """`renege`, `stood`: the card that was tried."""
    substitute: Action | None = None
    """What the referee did instead."""
    challenged: Seat | None = None
    """With a challenge: the seat that was challenged."""
    trick: int = 0
    """With a challenge: the trick, from 1."""
