"""
What goes into the hall and comes out of it: plain values.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from referee.seats import SEATS

if TYPE_CHECKING:
    from referee.record import GameRecord
    from referee.rules.options import Rules
    from referee.seats import Seat
    from referee.table import Question, Table, Told


class InstanceKey(NamedTuple):
    """
    Names one instance of a bot.
    """

    bot: str
    """Id of the bot."""
    name: str
    """Name of the instance among those of the bot."""


@dataclass(frozen=True, slots=True)
class Limits:
    """
    What the hall allows an instance.
    """

    answer: float = 2.0
    """Thinking time for one answer, in seconds."""
    grace: float = 10.0
    """Absence that is allowed, in seconds."""
    max_asks: int = 64
    """Open asks at a time, whatever an instance wants."""


class Seated(NamedTuple):
    """
    Tells that an instance has a seat in a game.
    """

    seat: Seat
    rules: Rules
    names: tuple[str, ...]
    """Display names, N, E, S, W."""


class Ask(NamedTuple):
    """
    A question as it is sent.
    """

    ask_id: int
    game_id: int
    question: Question
    time_left: float
    """Seconds left for the answer."""


class Frame(NamedTuple):
    """
    What an instance gets at once: first what is told, then what is asked.
    """

    tells: list[tuple[int, Told | Seated]]
    """With the id of the game each is about."""
    asks: list[Ask]


@dataclass(slots=True, eq=False)
class FinishedGame:
    """
    A game that is over.
    """

    game_id: int
    record: GameRecord
    scores: tuple[int, ...]
    """Final points by side."""
    faults: tuple[int, ...]
    """By seat."""
    reneges: tuple[int, ...]
    """By seat."""
    times: tuple[list[int], ...]
    """Decisions by seat and bucket of `referee.timing`."""
    error: BaseException | None = None
    """What went wrong with us, if the game is void."""

    @classmethod
    def at(
        cls,
        table: Table,
        times: tuple[list[int], ...] | None = None,
        *,
        game_id: int = 0,
        error: Exception | None = None,
    ) -> FinishedGame:
        """
        Return what is left of a game at *table*; without *times* nobody has measured them.
        """
        return cls(
            game_id,
            table.record,
            tuple(table.game.scores),
            tuple(table.faults),
            tuple(table.reneges),
            tuple([] for _ in SEATS) if times is None else times,
            error,
        )
