"""
One game: deals, until a side has won.

A game asks nobody anything. `start_deal` takes a deck and returns a deal to be
played; `close` takes it back, writes the points down, moves the deal to the
left and says whether the game is over (rules.md 2.11, 3.8). What may still
happen from outside is `forfeit` and `void`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from referee.rules.deal import Ending, Status
from referee.rules.variants import GAMES, Variant

if TYPE_CHECKING:
    from collections.abc import Sequence

    from referee.cards import Card
    from referee.rules.deal import Deal
    from referee.rules.options import Rules
    from referee.seats import Seat

__all__ = ["Ending", "Game", "Outcome", "deck_for"]


class Outcome(NamedTuple):
    """
    How a game ended.
    """

    ending: Ending
    winners: tuple[int, ...]
    """Sides by number: several if they share the win, nobody if the game is drawn or void."""
    places: tuple[int, ...]
    """By side, from 1; equal sides share a place."""


class Game:
    """
    One game in progress.

    Args:
        rules: What to play, or a variant.
        first_dealer: Who deals first, unless the rules say who.
    """

    __slots__ = (
        "_before_forfeit",
        "_type",
        "dealer",
        "deals",
        "forfeited",
        "outcome",
        "redeals_in_a_row",
        "rules",
        "scored",
        "scores",
    )

    def __init__(self, rules: Rules | Variant, first_dealer: Seat) -> None:
        self.rules: Rules = rules.rules if isinstance(rules, Variant) else rules
        """What is played."""
        self._type = GAMES[self.rules.game].deal
        fixed = self.rules.first_dealer
        self.dealer = first_dealer if fixed is None else fixed
        """Who deals the next deal, or the one that is open."""
        self.scores: list[int] = self._type.first_scores(self.rules)
        """Points by side, without the deal that is open."""
        self.deals = 0
        """Deals dealt so far, redeals included."""
        self.scored = 0
        """Deals scored so far."""
        self.redeals_in_a_row = 0
        """Redeals since the last deal that was scored."""
        self.forfeited: set[int] = set()
        """Sides that have forfeited."""
        self.outcome: Outcome | None = None
        """How the game ended; None while it goes on."""
        self._before_forfeit: tuple[int, ...] = ()

    @property
    def sides(self) -> tuple[tuple[Seat, ...], ...]:
        """
        The seats of each side.
        """
        return self._type.sides

    @property
    def side_of(self) -> tuple[int, ...]:
        """
        Number of the side, by seat.
        """
        return self._type.side_of

    @property
    def forfeited_seats(self) -> frozenset[Seat]:
        """
        The seats of the sides that have forfeited; the referee plays their fallbacks.
        """
        return frozenset(seat for side in self.forfeited for seat in self.sides[side])

    def start_deal(self, deck: Sequence[Card]) -> Deal:
        """
        Return the next deal.

        Args:
            deck: Shuffled, the card that is dealt first in front.

        Raises:
            RuntimeError: The game is over.
        """
        if self.outcome is not None:
            raise RuntimeError("the game is over")
        self.deals += 1
        return self._type(self.rules, self.dealer, deck)

    def close(self, deal: Deal) -> Outcome | None:
        """
        Write down a deal that is over; return how the game ended, if it has.

        The dealer moves to the left after every deal, scored or not (2.11, 3.8).

        Raises:
            RuntimeError: The deal is still open.
        """
        if deal.status is Status.OPEN:
            raise RuntimeError("the deal is still open")
        self.dealer = deal.dealer.left
        if deal.status is Status.REDEAL:
            self.redeals_in_a_row += 1
            if _reached(
                self.redeals_in_a_row, getattr(self.rules, "max_consecutive_redeals", None)
            ):
                self.outcome = self._adjudicate()
            return self.outcome
        self.redeals_in_a_row = 0
        self.scored += 1
        self.scores = [
            score + change for score, change in zip(self.scores, deal.changes, strict=True)
        ]
        verdict = deal.verdict(self.scores, self._eligible())
        if verdict is not None:
            self.outcome = Outcome(*verdict, self._places(verdict.winners))
        elif _reached(self.scored, self.rules.max_hands):
            self.outcome = self._adjudicate()
        return self.outcome

    def forfeit(self, side: int) -> Outcome | None:
        """
        Take *side* out of the running; return how the game ended, if it has.

        The game ends when one side is left, which then wins; in a game of two sides
        it wins the target to nothing, or to what the other has below nothing. Until
        then the seats of *side* play on by fallbacks, cannot win and are placed last:
        the tests of 2.11 and 3.8 are made as if they were not there. If the last side
        forfeits as well, nobody has won.

        Raises:
            RuntimeError: The game is over, and not by forfeit.
        """
        if self.outcome is not None and self.outcome.ending is not Ending.FORFEIT:
            raise RuntimeError("the game is over")
        if self.outcome is None:
            self._before_forfeit = tuple(self.scores)
        self.forfeited.add(side)
        left = self._eligible()
        if len(left) <= 1:
            self.scores = self._type.forfeit_scores(self.rules, self._before_forfeit, left)
            self.outcome = Outcome(Ending.FORFEIT, left, self._places(left))
        return self.outcome

    def void(self) -> Outcome:
        """
        End the game for nobody: the referee itself failed.
        """
        self.outcome = Outcome(Ending.VOID, (), (1,) * len(self.sides))
        return self.outcome

    def _eligible(self) -> tuple[int, ...]:
        return tuple(side for side in range(len(self.sides)) if side not in self.forfeited)

    def _adjudicate(self) -> Outcome:
        """
        Let the scores decide (A7, A27, A41).
        """
        standing = self._type.standing(self.scores)
        best = min(standing[side] for side in self._eligible())
        leaders = tuple(side for side in self._eligible() if standing[side] == best)
        winners = leaders if len(leaders) == 1 or self._type.shares_wins else ()
        return Outcome(Ending.ADJUDICATED, winners, self._places(winners))

    def _places(self, winners: Sequence[int]) -> tuple[int, ...]:
        """
        Place every side: winners, then the others by score, then who has forfeited.
        """
        standing = self._type.standing(self.scores)
        keys = []
        for side, points in enumerate(standing):
            if side in winners:
                keys.append((0, 0))
            elif side in self.forfeited:
                keys.append((2, 0))
            else:
                keys.append((1, points))
        return tuple(1 + sum(other < key for other in keys) for key in keys)


def deck_for(rules: Rules) -> tuple[Card, ...]:
    """
    Return the unshuffled deck that *rules* are played with, in canonical order.
    """
    return GAMES[rules.game].deal.deck(rules)


def _reached(count: int, limit: int | None) -> bool:
    return limit is not None and count >= limit
