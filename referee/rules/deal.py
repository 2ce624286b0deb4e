"""
One deal in progress: what both games have in common.

How to think about it: a deal is a question that changes. While it is open,
exactly one seat is on turn (`to_act`), in one `phase`, with a list of `legal`
actions that is never empty. `apply` plays one of them and moves on to the next
question; anything else raises and changes nothing. What happened lies open in
the attributes (`calls`, `tricks`, `taken` ...), which only the deal writes:
they are its log, and views, records and adjudication read them. A deal knows
nothing of bots, clocks or faults; `referee.rules.judge` decides what becomes of
an answer that is not legal.
"""

from __future__ import annotations

import enum
from typing import NamedTuple

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


class Call(NamedTuple):
    """
    One thing that a seat said aloud: a bid, a pass, a trump, stay or drop.
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
