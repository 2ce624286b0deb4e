"""
The four seats of a table.
"""

from __future__ import annotations

import enum


class Seat(enum.IntEnum):
    """
    A place at the table, clockwise from north.

    The number indexes lists by seat (N, E, S, W); on the wire it is one more.
    """

    NORTH = 0
    EAST = 1
    SOUTH = 2
    WEST = 3

    letter: str
    """`N`, `E`, `S` or `W`."""
    left: Seat
    """The next seat clockwise."""
    partner: Seat
    """The seat opposite."""

    def __str__(self) -> str:
        return self.letter


SEATS: tuple[Seat, ...] = tuple(Seat)
"""All seats, N, E, S, W."""

for _seat in SEATS:
    _seat.letter = _seat.name[0]
    _seat.left = SEATS[(_seat + 1) % 4]
    _seat.partner = SEATS[(_seat + 2) % 4]

BY_LETTER: dict[str, Seat] = {seat.letter: seat for seat in SEATS}
"""The seat of each letter."""


def clockwise(first: Seat) -> tuple[Seat, Seat, Seat, Seat]:
    """
    All four seats in turn, *first* first.
    """
    return _CLOCKWISE[first]


_CLOCKWISE: tuple[tuple[Seat, Seat, Seat, Seat], ...] = tuple(
    (s, s.left, s.left.left, s.left.left.left) for s in SEATS
)
