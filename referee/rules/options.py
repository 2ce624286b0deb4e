"""
The options of both games (rules.md 7.1), with their defaults and ranges (7.5 B).

A house rule that is a number or a choice is one field here. Whether a field has
an effect beside another is not checked: only what cannot be played is refused.
"""

from __future__ import annotations

import enum
from dataclasses import dataclass
from typing import Any, ClassVar

from referee.errors import ConfigError
from referee.rules.reading import Options, whole
from referee.seats import Seat  # noqa: TC001  (the reader looks at the types of fields)


class RenegeMode(enum.StrEnum):
    """
    What happens when a seat plays a card that it may not play (7.2).
    """

    REJECT = "reject"
    """The card is refused, the penalty applies at once, and the referee plays a legal card."""
    STAND = "stand"
    """A held card stands and counts in the trick; the penalty applies at once."""
    CHALLENGE = "challenge"
    """A held card stands without a word; it costs only if an opponent challenges it."""


class AskGiftRule(enum.StrEnum):
    """
    What the partner of an asking bidder may give (A9).
    """

    BEST_TRUMP = "best_trump"
    """The highest trump held; any card without one."""
    FREE = "free"
    """Any card."""


class SetPenalty(enum.StrEnum):
    """
    What a failed ask or moon costs (A12).
    """

    BID = "bid"
    """The bid: as many points as a deal has tricks."""
    STAKE = "stake"
    """The stake: what the contract would have earned."""


class BothOverTarget(enum.StrEnum):
    """
    Who wins when both teams reach the target in one deal (A16).
    """

    HIGHER_SCORE = "higher_score"
    """The higher score; equal scores play another deal."""
    BIDDERS_FIRST = "bidders_first"
    """The bidding team, equal scores included."""


class JokerDiscard(enum.StrEnum):
    """
    When the dealer of the Joker alternative discards (A21).
    """

    BEFORE_AUCTION = "before_auction"
    """As part of the deal."""
    AFTER_TRUMP = "after_trump"
    """Directly after trump is named, before any exchange."""


class SetMode(enum.StrEnum):
    """
    What a participant of Buck Euchre who misses the requirement gets (A35, A36).
    """

    FLAT = "flat"
    """Five points."""
    ADDITIVE = "additive"
    """Five points less the tricks taken."""
    ADDITIVE_STACK = "additive-stack"
    """The same, and ten points for a caller without a trick."""


class BothAtZero(enum.StrEnum):
    """
    Who wins when several players reach zero in one deal (A39).
    """

    LOWEST_THEN_EXTRA_HAND = "lowest_then_extra_hand"
    """The lowest score; equal lowest scores play another deal."""
    CALLER_FIRST = "caller_first"
    """The caller, if at or below zero; else as above."""
    SEAT_ORDER = "seat_order"
    """The first of them from the dealer's left."""
    SHARED = "shared"
    """All of them together."""


_STAKES = {"ask_made": 2, "moon_made": 4}
"""Points a trick of the deal that a stake is worth when it is left out (A24)."""


class Rules(Options):
    """
    The rules that one table plays by: a frozen dataclass for each game.
    """

    __slots__ = ()
    game: ClassVar[str]
    """Name of the game in `referee.rules.variants.GAMES`."""

    # What every game has.
    renege_penalty: int
    renege_mode: RenegeMode
    false_challenge_penalty: int
    first_dealer: Seat | None
    max_hands: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class BidRules(Rules):
    """
    The options of Bid Euchre.

    Raises:
        ConfigError: A number out of range, or a `min_bid` of more tricks than there are.
    """

    game: ClassVar[str] = "bid"

    target: int = whole(32, 1)
    """Points that win the game (B1)."""
    min_bid: int = whole(3, 1, 12)
    """The lowest number that may be bid, in tricks; at most those of a deal (B15)."""
    moon_outbids_ask: bool = True
    """Whether a moon may be bid over an ask; otherwise the two rank equal (A2)."""
    plain_all_bid: bool = False
    """Whether all tricks may also be bid with the partner playing (A3)."""
    ask_gift_rule: AskGiftRule = AskGiftRule.BEST_TRUMP
    """What the partner must give in an ask (A9)."""
    ask_made: int = whole(None, 0)
    """Points for an ask that is made; left out, 2 a trick of the deal (B45, A24)."""
    moon_made: int = whole(None, 0)
    """Points for a moon that is made; left out, 4 a trick of the deal (B46, A24)."""
    set_penalty: SetPenalty = SetPenalty.BID
    """What a failed ask or moon costs (A12)."""
    set_bidders_keep_tricks: bool = False
    """Whether a team that is set still scores its tricks (A13)."""
    both_over_target: BothOverTarget = BothOverTarget.HIGHER_SCORE
    """Who wins when both teams reach the target in one deal (A16)."""
    renege_penalty: int = whole(2, 0)
    """Points that a renege takes from the team's score (B42)."""
    renege_mode: RenegeMode = RenegeMode.REJECT
    """How reneges are found and priced (A17, 7.2)."""
    false_challenge_penalty: int = whole(2, 0)
    """Points that a wrong challenge takes from the challenger's team (7.2)."""
    stick_the_dealer: bool = False
    """Whether a dealer who faces three passes must bid (B49, A19)."""
    ace_no_face: bool = False
    """Whether a hand with an ace, no face card and no Joker may be claimed (B50, A20)."""
    joker: bool = False
    """Whether a Joker is added, and the dealer is dealt one card more (B51, A22)."""
    joker_discard: JokerDiscard = JokerDiscard.BEFORE_AUCTION
    """When that dealer discards (A21)."""
    double_deck: bool = False
    """Whether 48 cards are played, twelve tricks (B52, A24)."""
    first_dealer: Seat | None = None
    """Who deals first; None: drawn with the cards (A26)."""
    max_consecutive_redeals: int | None = whole(100, 1)
    """Redeals in a row after which the game is adjudicated; None for no limit (A7)."""
    max_hands: int | None = whole(500, 1)
    """Scored deals after which the game is adjudicated; None for no limit (A27)."""

    def __post_init__(self) -> None:
        # Stakes that are left out go by the deck; 0 would be a legal value.
        for name, each in _STAKES.items():
            if getattr(self, name) is None:
                object.__setattr__(self, name, each * self.tricks)
        self._check()
        if self.min_bid > self.tricks:
            raise ConfigError(
                f"is {self.min_bid}, but a deal has {self.tricks} tricks",
                key="rules.min_bid",
                hint="bids above 6 need double_deck",
            )

    @property
    def tricks(self) -> int:
        """
        Tricks of a deal: 6, or 12 with the double deck.
        """
        return 12 if self.double_deck else 6

    def _defaults(self) -> dict[str, Any]:
        stakes = {name: each * self.tricks for name, each in _STAKES.items()}
        # By name: the zero-argument `super` does not work in a dataclass with slots.
        return {**Options._defaults(self), **stakes}  # noqa: SLF001


@dataclass(frozen=True, slots=True, kw_only=True)
class BuckRules(Rules):
    """
    The options of Buck Euchre.

    Raises:
        ConfigError: A number out of range.
    """

    game: ClassVar[str] = "buck"

    start_score: int = whole(25, 1)
    """Points everybody starts with (K7)."""
    club_dealer_picks_up: bool = False
    """Whether the dealer takes up a club that is turned up (A29)."""
    allow_turned_down_suit: bool = False
    """Whether the turned-down suit may be named in the second round (A31)."""
    no_trump_drop_allowed: bool = True
    """Whether players may drop out of a deal without trump (A32)."""
    caller_may_drop: bool = False
    """Whether the caller may drop out too (A33)."""
    set_mode: SetMode = SetMode.FLAT
    """What a missed requirement costs (A35, A36)."""
    sweep_requires_opponent: bool = True
    """Whether five tricks win the game only against an opponent (A37)."""
    both_at_zero: BothAtZero = BothAtZero.LOWEST_THEN_EXTRA_HAND
    """Who wins when several players reach zero in one deal (A39)."""
    renege_penalty: int = whole(2, 0)
    """Points that a renege adds to the offender's score (A40)."""
    renege_mode: RenegeMode = RenegeMode.REJECT
    """How reneges are found and priced (7.2)."""
    false_challenge_penalty: int = whole(2, 0)
    """Points that a wrong challenge adds to the challenger's score (7.2)."""
    first_dealer: Seat | None = None
    """Who deals first; None: drawn with the cards (A26)."""
    max_hands: int | None = whole(500, 1)
    """Scored deals after which the game is adjudicated; None for no limit (A41)."""

    def __post_init__(self) -> None:
        self._check()
