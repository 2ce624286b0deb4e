"""
What came of the games of one bot, as whole numbers. Pure.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from referee.seats import SEATS
from referee.timing import BUCKETS
from tournaments.faults import KINDS


@dataclass(slots=True)
class SeatTally:
    """
    The sums of one bot in one seat; a team counts in the seat that its side is named after.
    """

    games: int = 0
    won: int = 0
    drawn: int = 0
    """Drawn, or won together with others."""
    lost: int = 0
    points_for: int = 0
    """Final points of its side."""
    points_against: int = 0
    """Final points of all other sides together."""
    places: int = 0
    """Sum of its places."""
    forfeits: int = 0
    """Games that it forfeited."""
    margins: int = 0
    """Sum of its margins in single games, times the number of the other sides."""

    def __add__(self, other: SeatTally) -> SeatTally:
        return SeatTally(
            games=self.games + other.games,
            won=self.won + other.won,
            drawn=self.drawn + other.drawn,
            lost=self.lost + other.lost,
            points_for=self.points_for + other.points_for,
            points_against=self.points_against + other.points_against,
            places=self.places + other.places,
            forfeits=self.forfeits + other.forfeits,
            margins=self.margins + other.margins,
        )


@dataclass(slots=True)
class BotTally:
    """
    The sums of one bot.
    """

    seats: tuple[SeatTally, ...] = field(
        default_factory=lambda: tuple(SeatTally() for _ in SEATS),
    )
    """N, E, S, W; of a team only the first seat of its side."""
    reneges: int = 0
    """Reneges that were caught."""
    unpunished: int = 0
    """Reneges that were not."""
    right: int = 0
    """Challenges that were upheld."""
    wrong: int = 0
    """False challenges."""
    faults: int = 0
    fault_kinds: list[int] = field(default_factory=lambda: [0] * len(KINDS))
    """Those whose kind was stored, by `tournaments.faults.KINDS`."""
    times: list[int] = field(default_factory=lambda: [0] * BUCKETS)
    """Decisions by bucket of `referee.timing`."""

    @property
    def whole(self) -> SeatTally:
        """
        The sums over all its seats.
        """
        return sum(self.seats, SeatTally())

    def __add__(self, other: BotTally) -> BotTally:
        return BotTally(
            seats=tuple(a + b for a, b in zip(self.seats, other.seats, strict=True)),
            reneges=self.reneges + other.reneges,
            unpunished=self.unpunished + other.unpunished,
            right=self.right + other.right,
            wrong=self.wrong + other.wrong,
            faults=self.faults + other.faults,
            fault_kinds=[a + b for a, b in zip(self.fault_kinds, other.fault_kinds, strict=True)],
            times=[a + b for a, b in zip(self.times, other.times, strict=True)],
        )
