"""
What a game came to, without how it was played. Pure.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from referee.rules.deal import Ending
from tournaments.faults import NO_FAULTS, FaultKinds, kinds_of
from tournaments.reneges import Watch, watch_of

if TYPE_CHECKING:
    from referee.hall import FinishedGame
    from tournaments.pairing import Fixture

_VOID = str(Ending.VOID)

Times = tuple[tuple[int, ...], ...]
"""By seat: bucket, count, bucket, count ... of the buckets that are not empty."""


class GameRow(NamedTuple):
    """
    What a game came to, without how it was played.
    """

    fixture: str
    """Id of its fixture."""
    match_id: str
    set_id: str
    sitting: int
    seats: tuple[str, ...]
    """Ids of the bots, N, E, S, W."""
    instances: tuple[str, ...]
    """Their instances, N, E, S, W."""
    ending: str
    """A `referee.rules.deal.Ending`."""
    scores: tuple[int, ...]
    """Final points by side."""
    winners: tuple[int, ...]
    """Sides: several if they share the win, nobody if it is drawn or void."""
    places: tuple[int, ...]
    """By side, from 1; equal sides share a place."""
    forfeits: tuple[int, ...] = ()
    """Sides that forfeited."""
    faults: tuple[int, ...] = (0, 0, 0, 0)
    """By seat."""
    reneges: tuple[int, ...] = (0, 0, 0, 0)
    """Those that were caught, by seat."""
    times: Times = ((), (), (), ())
    watch: Watch = Watch()
    """Those that were not, and what came of challenges."""
    fault_kinds: FaultKinds = NO_FAULTS
    """The faults by kind; none of a game that an earlier version stored, which kept only sums."""

    @property
    def set_number(self) -> int:
        """
        The number of its set, from 1 in its match.
        """
        return int(self.set_id.rpartition("/")[2])

    @property
    def void(self) -> bool:
        """
        Whether it counts for nobody, because the referee failed.
        """
        return self.ending == _VOID


def game_row(fixture: Fixture, finished: FinishedGame) -> GameRow:
    """
    Return the row of a game that the hall has finished.
    """
    outcome = finished.record.outcome
    void = finished.error is not None or outcome is None
    sides = len(finished.scores)
    return GameRow(
        fixture=fixture.id,
        match_id=fixture.match_id,
        set_id=fixture.set_id,
        sitting=fixture.sitting,
        seats=fixture.seats,
        instances=finished.record.instances,
        ending=_VOID if void or outcome is None else str(outcome.ending),
        scores=tuple(finished.scores),
        winners=() if void or outcome is None else tuple(outcome.winners),
        places=(1,) * sides if void or outcome is None else tuple(outcome.places),
        forfeits=tuple(finished.record.forfeits),
        faults=tuple(finished.faults),
        reneges=tuple(finished.reneges),
        times=tuple(
            tuple(each for pair in enumerate(counts) if pair[1] for each in pair)
            for counts in finished.times
        ),
        watch=watch_of(finished.record),
        fault_kinds=kinds_of(finished.record) if any(finished.faults) else NO_FAULTS,
    )
