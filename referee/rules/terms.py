"""
The words in which a deal describes itself: phases, calls, contracts, tricks, endings.
"""

from __future__ import annotations

import enum
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from referee.cards import Card
    from referee.rules.actions import Action
    from referee.seats import Seat


class Phase(enum.StrEnum):
    """
    What is asked; the names of rules.md 7.5/32.
    """

    CLAIM = "claim"
    JOKER_DISCARD = "joker_discard"
    AUCTION = "auction"
    TRUMP = "trump"
    ASK_GIVE = "ask_give"
    ASK_GIFT = "ask_gift"
    PLAY = "play"
    CALL_1 = "call_1"
    CALL_2 = "call_2"
    DEALER_DISCARD = "dealer_discard"
    DROP = "drop"
    LAST_CALL = "last_call"


class Status(enum.StrEnum):
    """
    Where a deal stands.
    """

    OPEN = "open"
    """Somebody is on turn."""
    REDEAL = "redeal"
    """Thrown in: nothing is scored (Bid: four passes, or a claim)."""
    SCORED = "scored"
    """Over, and `changes` holds what it is worth."""


class RedealReason(enum.StrEnum):
    """
    Why a deal was thrown in.
    """

    PASSED = "passed"
    """All four passed (B31)."""
    CLAIMED = "claimed"
    """An Ace No Face hand was claimed (B50)."""


class Ending(enum.StrEnum):
    """
    How a game ends.
    """

    TARGET = "target"
    """Bid: a team has reached the target (2.11)."""
    SWEEP = "sweep"
    """Buck: a player has taken all tricks of a deal (K22)."""
    ZERO = "zero"
    """Buck: a player has reached zero (K21)."""
    ADJUDICATED = "adjudicated"
    """Too many deals, or redeals in a row: the scores decide (A7, A27, A41)."""
    FORFEIT = "forfeit"
    """A side had too many faults."""
    VOID = "void"
    """The referee failed; nobody has won."""


class Verdict(NamedTuple):
    """
    That a game is over after a deal.
    """

    ending: Ending
    winners: tuple[int, ...]
    """By number of the side; several where the rules share a win."""


class Call(NamedTuple):
    """
    One thing that a seat said aloud: a claim, a bid, a pass, a trump, stay or drop.
    """

    seat: Seat
    action: Action


class Contract(NamedTuple):
    """
    What the deal is played for.
    """

    seat: Seat
    """The bidder (Bid) or the caller (Buck)."""
    bid: Action | None
    """`Bid`, `BidAsk` or `BidMoon`; None in Buck."""


class Trick:
    """
    One trick, complete or in progress.
    """

    __slots__ = ("cards", "leader", "seats", "winner")

    def __init__(self, leader: Seat) -> None:
        self.leader = leader
        """Who leads it."""
        self.seats: list[Seat] = []
        """Who played, in order."""
        self.cards: list[Card] = []
        """What each of them played."""
        self.winner: Seat | None = None
        """Who took it; None while it is in progress."""
