"""
What one seat may know, and nothing else.

A view is put together field by field from what rules.md 2.14 and 3.10 allow,
never by taking things away from the whole deal. The public part is the same
for all seats of a table. A view holds no reference into the deal: it is a
snapshot that stays as it is when the deal goes on.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from referee.rules.judge import Code
from referee.seats import SEATS

if TYPE_CHECKING:
    from referee.cards import Card
    from referee.rules.deal import Call, Contract, Deal
    from referee.rules.judge import Ruling
    from referee.rules.trump import Trump
    from referee.seats import Seat


class TrickView(NamedTuple):
    """
    One trick, complete or in progress.
    """

    leader: Seat
    seats: tuple[Seat, ...]
    """Who played, in order."""
    cards: tuple[Card, ...]
    """What each of them played."""
    winner: Seat | None
    """Who took it; None while it is in progress."""


class PublicRuling(NamedTuple):
    """
    What all seats may know of a ruling (rules.md 7.2): no refused card.
    """

    code: Code
    seat: Seat
    penalty: int
    challenged: Seat | None
    trick: int
    card: Card | None
    """`renege`: the card that the referee played. `stood`: the card that stands."""


class PublicView(NamedTuple):
    """
    What everybody at the table knows of the deal.
    """

    deal: int
    """Number of the deal in the game, from 1, redeals included."""
    dealer: Seat
    scores: tuple[int, ...]
    """Points by side, penalties of this deal included."""
    calls: tuple[Call, ...]
    contract: Contract | None
    trump: Trump | None
    turn_up: Card | None
    participants: tuple[Seat, ...]
    tricks: tuple[TrickView, ...]
    taken: tuple[int, ...]
    """Tricks by side."""
    rulings: tuple[PublicRuling, ...]


class SeatView(NamedTuple):
    """
    What one seat knows.
    """

    seat: Seat
    hand: tuple[Card, ...]
    """In canonical order."""
    public: PublicView
    discarded: Card | None
    """The card that this seat discarded face down."""
    given: Card | None
    """The card that this seat gave in an ask exchange, once chosen."""
    received: Card | None
    """The card that this seat got for it, once both are chosen."""


class DealViews:
    """
    Makes the views of one deal.

    It keeps the tricks that are complete, since most of a view does not change
    from one question to the next.
    """

    __slots__ = ("_before", "_calls", "_deal", "_done", "_number", "_rulings")

    def __init__(self, deal: Deal, number: int, scores: tuple[int, ...]) -> None:
        self._deal = deal
        self._number = number
        self._before = scores
        self._calls: tuple[Call, ...] = ()
        self._done: tuple[TrickView, ...] = ()
        self._rulings: tuple[PublicRuling, ...] = ()

    def add_rulings(self, rulings: tuple[PublicRuling, ...]) -> None:
        """
        Add rulings that are public to all views from now on.
        """
        self._rulings += rulings

    def public(self) -> PublicView:
        """
        Return what everybody knows now.
        """
        deal = self._deal
        if len(deal.calls) != len(self._calls):
            self._calls = tuple(deal.calls)
        tricks = self._done
        for trick in deal.tricks[len(tricks) :]:
            view = TrickView(trick.leader, tuple(trick.seats), tuple(trick.cards), trick.winner)
            tricks = (*tricks, view)
            if trick.winner is not None:
                self._done = tricks
        return PublicView(
            self._number,
            deal.dealer,
            tuple(map(int.__add__, self._before, deal.changes)),
            self._calls,
            deal.contract,
            deal.trump,
            deal.turn_up,
            deal.participants,
            tricks,
            tuple(deal.taken),
            self._rulings,
        )

    def seat(self, seat: Seat) -> SeatView:
        """
        Return what *seat* knows now.
        """
        deal = self._deal
        given = received = None
        if deal.given:
            given = deal.given.get(seat)
            if given is not None and len(deal.given) == 2:
                received = deal.given[seat.partner]
        return SeatView(
            seat,
            tuple(deal.hands[seat]),
            self.public(),
            deal.discarded if seat is deal.dealer else None,
            given,
            received,
        )


_NOTHING = SeatView(
    SEATS[0],
    (),
    PublicView(0, SEATS[0], (), (), None, None, None, (), (), (), ()),
    None,
    None,
    None,
)


class NoViews(DealViews):
    """
    Stands for the views of a deal where nobody looks at them, as when a game is replayed.
    """

    __slots__ = ()

    def seat(self, seat: Seat) -> SeatView:  # noqa: ARG002  (the same for all)
        """
        Return a view of nothing.
        """
        return _NOTHING


def public_ruling(ruling: Ruling) -> PublicRuling:
    """
    Return what all seats may know of *ruling*.

    Of a renege that is the card that the referee played, not the one refused;
    of any other fallback nothing, since it may be a face-down card.
    """
    card = None
    if ruling.code is Code.STOOD:
        card = ruling.card
    elif ruling.code is Code.RENEGE:
        card = getattr(ruling.substitute, "card", None)
    return PublicRuling(
        ruling.code, ruling.seat, ruling.penalty, ruling.challenged, ruling.trick, card
    )
