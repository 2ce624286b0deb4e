"""
One game in the hall: a table, and who answers for its seats.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from referee.hall.values import FinishedGame, Seated
from referee.seats import SEATS
from referee.table import GameOver
from referee.timing import BUCKETS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from referee.hall.instance import Instance
    from referee.table import Table, Tell


@dataclass(slots=True, eq=False)
class Game:
    """
    A table and who answers for its seats.
    """

    game_id: int
    table: Table
    instances: tuple[Instance, ...]
    """Who answers for N, E, S, W."""
    seated: tuple[Seated, ...]
    """What each is told at first."""
    times: tuple[list[int], ...]
    """Decisions by seat and bucket of `referee.timing`."""

    @classmethod
    def at(
        cls, game_id: int, table: Table, instances: tuple[Instance, ...], names: tuple[str, ...]
    ) -> Game:
        """
        Return the game that is played at *table*.
        """
        seated = tuple(Seated(seat, table.game.rules, names) for seat in SEATS)
        return cls(game_id, table, instances, seated, tuple([0] * BUCKETS for _ in SEATS))

    def introduced(self, instance: Instance) -> Iterator[Seated]:
        """
        Yield what *instance* is told of its seats.
        """
        for answers, seated in zip(self.instances, self.seated, strict=True):
            if answers is instance:
                yield seated

    @property
    def abandoned(self) -> bool:
        """
        Whether everybody at the table is gone.
        """
        return all(instance.gone for instance in self.instances)

    def void(self, error: Exception) -> list[Tell]:
        """
        Void it because of a bug of ours; return what all are told.
        """
        table = self.table
        record = table.record
        error.add_note(
            f"in set {record.set_id}, sitting {record.sitting}, deal {len(record.deals)}"
        )
        table.void()
        outcome = table.outcome
        if outcome is None:
            return []
        over = GameOver(outcome, (), tuple(table.game.scores), won=False)
        return [(seat, over) for seat in SEATS]

    def finished(self, error: Exception | None) -> FinishedGame:
        """
        Return what is left of it.
        """
        return FinishedGame.at(self.table, self.times, game_id=self.game_id, error=error)
