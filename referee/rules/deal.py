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

A game derives from `Deal`: it says who scores together, deals, has one method a
phase in `_answers`, scores in `_score`, and says in `verdict` when the game is
over. Trick play is here, once.
"""

from __future__ import annotations

import functools
from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, ClassVar, Self

from referee.errors import RuleViolation
from referee.rules.actions import Action, LastCall, Play
from referee.rules.options import RenegeMode
from referee.rules.reasons import why_not
from referee.rules.terms import (
    Call,
    Contract,
    Ending,
    Phase,
    RedealReason,
    Status,
    Trick,
    Verdict,
)
from referee.rules.tricks import FOLLOWING, ONE, holding_of, plays, winner
from referee.rules.trump import EFFECTIVE_SUIT
from referee.seats import SEATS, Seat

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence

    from referee.cards import Card
    from referee.rules.options import Rules
    from referee.rules.trump import Trump


__all__ = [
    "Call",
    "Contract",
    "Deal",
    "Ending",
    "Phase",
    "RedealReason",
    "Status",
    "Trick",
    "Verdict",
]

# In Python 3.11 reading a member from its enum costs more than the rest of a test.
_PLAY = Phase.PLAY
_LAST_CALL = Phase.LAST_CALL
_CALL: tuple[Action, ...] = (LastCall(),)


class Deal(ABC):
    """
    One deal of some game.

    Args:
        rules: What is played.
        dealer: Who deals.
        deck: Shuffled, the card that is dealt first in front.
    """

    __slots__ = (
        "_after",
        "_following",
        "_holdings",
        "_last_calls",
        "_trick",
        "calls",
        "changes",
        "claimed_hand",
        "contract",
        "dealer",
        "discarded",
        "given",
        "hands",
        "irregular",
        "judged",
        "legal",
        "participants",
        "phase",
        "redeal_reason",
        "rules",
        "status",
        "taken",
        "to_act",
        "tricks",
        "trump",
        "turn_up",
    )

    sides: ClassVar[tuple[tuple[Seat, ...], ...]]
    """The seats of each side."""
    side_of: ClassVar[tuple[int, ...]]
    """Number of the side, by seat."""
    side_names: ClassVar[tuple[str, ...]]
    """What a side is called in scenarios, by number."""
    verbs: ClassVar[tuple[type[Action], ...]]
    """Every action of the game."""
    bad_points: ClassVar[int]
    """1 where points are bad (Buck), -1 where they are good: the sign of a penalty."""
    drops: ClassVar[bool]
    """Whether seats may drop out."""
    turns_up: ClassVar[bool]
    """Whether a card is turned up."""
    shares_wins: ClassVar[bool]
    """Whether equal scores share the win when a game is adjudicated (A41), or draw (A27)."""
    _answers: ClassVar[Mapping[Phase, Callable[..., None]]]
    """What takes the answer in a phase; PLAY and LAST_CALL are known here."""

    rules: Rules

    @abstractmethod
    def __init__(self, rules: Rules, dealer: Seat, deck: Sequence[Card]) -> None: ...

    def _set_up(self, rules: Rules, dealer: Seat, hands: list[list[Card]]) -> None:
        """
        Fill in everything as it is before the first question.
        """
        self.rules = rules
        self.dealer = dealer
        self.hands = hands
        """By seat, in canonical order."""
        self.phase: Phase | None = None
        """What is asked; None once the deal is over."""
        self.to_act: Seat | None = None
        """Who is on turn; None once the deal is over."""
        self.legal: tuple[Action, ...] = ()
        """What that seat may do, in canonical order (7.4, 7.5/33); empty once the deal is over."""
        self.status = Status.OPEN
        self.calls: list[Call] = []
        """What was said aloud, in order."""
        self.contract: Contract | None = None
        """None until somebody has won the auction, ordered or named."""
        self.trump: Trump | None = None
        """None until it is fixed."""
        self.participants: tuple[Seat, ...] = SEATS
        """Who plays, N to W: without those who sit out or have dropped."""
        self.tricks: list[Trick] = []
        """Each from its first card on."""
        self.taken = [0] * len(self.sides)
        """Tricks by side."""
        self.changes = [0] * len(self.sides)
        """Points by side; penalties as they happen, the rest once the deal is scored."""
        self.discarded: Card | None = None
        """What the dealer discarded face down."""
        self.given: dict[Seat, Card] = {}
        """The cards of an ask exchange, by giver; they change hands when both are chosen."""
        self.turn_up: Card | None = None
        """The card turned up (Buck)."""
        self.claimed_hand: tuple[Card, ...] = ()
        """The hand that was claimed (Ace No Face)."""
        self.redeal_reason: RedealReason | None = None
        self.irregular: set[tuple[Seat, int]] = set()
        """Plays that stood against the rules: seat, and trick from 1."""
        self.judged: set[tuple[Seat, int]] = set()
        """Plays that a challenge has judged: seat, and trick from 1."""
        self._trick: Trick | None = None
        self._after: tuple[Seat, ...] = ()
        self._following = 0
        self._holdings: list[int] = []
        self._last_calls: tuple[Seat, ...] = ()

    @classmethod
    @abstractmethod
    def deck(cls, rules: Rules) -> tuple[Card, ...]:
        """
        Return the unshuffled deck, in canonical order.
        """

    @staticmethod
    @abstractmethod
    def hand_sizes(rules: Rules, dealer: Seat) -> list[int]:
        """
        Return how many cards each seat is dealt.
        """

    @classmethod
    @abstractmethod
    def from_hands(
        cls, rules: Rules, dealer: Seat, hands: Sequence[Sequence[Card]], turn_up: Card | None
    ) -> Self:
        """
        Return a deal with these cards in hand, before the first question.

        Args:
            rules: What is played.
            dealer: Who deals.
            hands: By seat.
            turn_up: The card turned up, where the game has one.
        """

    @staticmethod
    @abstractmethod
    def first_scores(rules: Rules) -> list[int]:
        """
        Return the points by side before the first deal.
        """

    @staticmethod
    def forfeit_scores(
        rules: Rules,  # noqa: ARG004  (the game decides)
        scores: Sequence[int],
        left: Collection[int],  # noqa: ARG004
    ) -> list[int]:
        """
        Return the points by side of a game that ended by forfeit.

        Args:
            rules: What was played.
            scores: Before it.
            left: The side that wins, if there is one.
        """
        return list(scores)

    # -- answering ---------------------------------------------------------

    def apply(self, action: Action) -> None:
        """
        Play *action* for the seat on turn, and go on to the next question.

        Raises:
            RuleViolation: It is not legal; the deal is as it was.
        """
        if action not in self.legal:
            raise RuleViolation(why_not(self, action))
        phase = self.phase
        if phase is _PLAY:
            self._play(action.card)  # type: ignore[attr-defined]  # only `Play` is legal here
        elif phase is _LAST_CALL:
            self._next_last_call()
        else:
            self._answers[phase](self, action)  # type: ignore[index]  # something was legal

    def stand(self, card: Card) -> None:
        """
        Let the seat on turn play a held card against the rules (modes `stand`, `challenge`).

        Raises:
            RuleViolation: No such card can be played here; the deal is as it was.
        """
        seat = self.to_act
        if self.phase is not _PLAY or seat is None or card not in self.hands[seat]:
            raise RuleViolation(why_not(self, Play(card)))
        trick = self._trick
        self.irregular.add((seat, len(self.tricks) + (trick is None)))
        self._play(card)

    @abstractmethod
    def fallback(self) -> Action:
        """
        Return what an illegal or missing answer becomes (2.13, 3.10).
        """

    def penalise(self, side: int, points: int) -> None:
        """
        Charge *points* to *side*, now.
        """
        self.changes[side] += self.bad_points * points

    def may_challenge(self, challenger: Seat, challenged: Seat, number: int) -> bool:
        """
        Whether the play of *challenged* in trick *number* can be judged for *challenger* (7.2).
        """
        return (
            self.side_of[challenger] != self.side_of[challenged]
            and 1 <= number <= len(self.tricks)
            and challenged in self.tricks[number - 1].seats
            and (challenged, number) not in self.judged
        )

    # -- the end -----------------------------------------------------------

    @abstractmethod
    def verdict(self, scores: Sequence[int], eligible: Collection[int]) -> Verdict | None:
        """
        Return how the game is over after this deal; None if it goes on.

        Args:
            scores: By side, this deal included.
            eligible: Sides that may win; one that has forfeited may not.
        """

    @staticmethod
    @abstractmethod
    def standing(scores: Sequence[int]) -> list[int]:
        """
        Return *scores* so that fewer is better, whatever the game.
        """

    @abstractmethod
    def _score(self) -> None:
        """
        Add what the deal is worth to `changes`.
        """

    def _finish(self) -> None:
        """
        Score the deal; nobody is on turn any more.
        """
        self._score()
        self._close(Status.SCORED)

    def _close(self, status: Status) -> None:
        self.status = status
        self.phase = self.to_act = None
        self.legal = ()

    # -- trick play (2.8, 3.6) ---------------------------------------------

    def _start_play(self, leader: Seat) -> None:
        self._after = _next_in_turn(self.participants)
        self._holdings = [holding_of(hand) for hand in self.hands]
        self.phase = _PLAY
        self._lead(leader)

    def _lead(self, leader: Seat) -> None:
        self._trick = None
        self.to_act = leader
        self.legal = plays(self._holdings[leader], self.hands[leader])

    def _play(self, card: Card) -> None:
        """
        Play a held card. This runs once a card: it is written for speed.
        """
        seat: Seat = self.to_act  # type: ignore[assignment]  # somebody is on turn
        self.hands[seat].remove(card)
        holdings = self._holdings
        holdings[seat] -= ONE[card]
        trick = self._trick
        if trick is None:
            trick = self._trick = Trick(seat)
            self.tricks.append(trick)
            trump: Trump = self.trump  # type: ignore[assignment]  # play has a trump
            self._following = FOLLOWING[trump][EFFECTIVE_SUIT[trump][card]]
        cards = trick.cards
        cards.append(card)
        trick.seats.append(seat)
        if len(cards) == len(self.participants):
            self._close_trick(trick)
        else:
            self.to_act = seat = self._after[seat]
            holding = holdings[seat]
            self.legal = plays(holding & self._following or holding, self.hands[seat])

    def _close_trick(self, trick: Trick) -> None:
        taker = trick.seats[winner(trick.cards, self.trump)]  # type: ignore[arg-type]  # play has a trump
        trick.winner = taker
        self.taken[self.side_of[taker]] += 1
        if self.hands[taker]:
            self._lead(taker)
        elif self.rules.renege_mode is RenegeMode.CHALLENGE:
            # The leader of the last trick first (7.5/56).
            self._trick = None
            self._last_calls = tuple(trick.seats)
            self.phase = _LAST_CALL
            self._next_last_call()
        else:
            self._finish()

    def _next_last_call(self) -> None:
        if self._last_calls:
            self.to_act, *rest = self._last_calls
            self._last_calls = tuple(rest)
            self.legal = _CALL
        else:
            self._finish()


@functools.cache
def _next_in_turn(participants: tuple[Seat, ...]) -> tuple[Seat, ...]:
    """
    Who of *participants* comes after each seat, by seat.
    """
    after = []
    for seat in SEATS:
        following = seat.left
        while following not in participants:
            following = following.left
        after.append(following)
    return tuple(after)
