"""
Faults by kind: counted in the record of a game. Pure.

The hall counts all faults of a seat together, since that is what forfeits a game.
Which rulings they were only the record knows; a kind is called what its ruling is
(`referee.rules.judge.Code`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from referee.errors import RecordError
from referee.rules.judge import FAULTS, Code
from referee.seats import SEATS

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from referee.record import GameRecord


class FaultKinds(NamedTuple):
    """
    The faults of a game by kind and seat.
    """

    timeout: tuple[int, ...] = (0, 0, 0, 0)
    """Answers that did not come in time."""
    unreadable: tuple[int, ...] = (0, 0, 0, 0)
    """Answers without a known action."""
    illegal: tuple[int, ...] = (0, 0, 0, 0)
    """Answers that are not legal, and no reneges."""
    gone: tuple[int, ...] = (0, 0, 0, 0)
    """Answers of nobody: the bot was gone."""


KINDS = FaultKinds._fields
"""What kinds there are, in the order in which they are shown."""

NO_FAULTS = FaultKinds()


def kinds_of(record: GameRecord) -> FaultKinds:
    """
    Return the faults in the game of *record*.
    """
    return _counted(
        (ruling.code, ruling.seat)
        for deal in record.deals
        for _, ruling in deal.rulings
        if ruling.code in FAULTS
    )


def by_kind(records: Iterable[GameRecord]) -> dict[str, int]:
    """
    Return how many faults of each kind there are in games, whoever committed them.
    """
    sums = dict.fromkeys(KINDS, 0)
    for record in records:
        for kind, by_seat in zip(KINDS, kinds_of(record), strict=True):
            sums[kind] += sum(by_seat)
    return sums


def kinds_in(record: Mapping[str, Any]) -> FaultKinds:
    """
    Return the faults in a game, from its record as `GameRecord.to_json` wrote it.

    Raises:
        RecordError: It is no such record.
    """
    seats = {seat.letter: seat for seat in SEATS}
    try:
        return _counted(
            (ruling["ruling"], seats[ruling["seat"]])
            for deal in record["deals"]
            for ruling in deal["rulings"]
            if ruling["ruling"] in FAULTS
        )
    except (KeyError, TypeError) as error:
        raise RecordError(f"the rulings of a record are damaged: {error!r}") from None


def _counted(faults: Iterable[tuple[Code | str, int]]) -> FaultKinds:
    counts = {kind: [0, 0, 0, 0] for kind in KINDS}
    for kind, seat in faults:
        counts[kind][seat] += 1
    return FaultKinds(*map(tuple, counts.values()))
