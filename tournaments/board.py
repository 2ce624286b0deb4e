"""
What anybody may read of a league that is hosted: its standings and its games.
"""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import trio

from referee.office import GameSummary, Report, Row
from tournaments.reading import standings_of
from tournaments.standings import render

if TYPE_CHECKING:
    from tournaments.host import Host
    from tournaments.standings import Row as Standing
    from tournaments.store import Store

_FRESH = 1.0
"""Seconds for which standings that were made are good enough for the next who asks."""


class Board:
    """
    The board on which a league shows what came of it. Its methods are called in trio.
    """

    def __init__(self, host: Host, store: Store) -> None:
        """
        Put it up.

        Args:
            host: Where the league is played.
            store: What is known of it.
        """
        self._host = host
        self._store = store
        self._report: Report | None = None
        self._made = -_FRESH
        self._covers = -1
        """What `Host.changes` was when it was made."""
        self._one_at_a_time = trio.Lock()

    async def standings(self) -> Report:
        """
        Return the standings. Anybody may ask, so they are made once a second at most.
        """
        async with self._one_at_a_time:
            now = trio.current_time()
            if self._report is None or now - self._made >= _FRESH:
                covers = self._host.changes
                self._report = await trio.to_thread.run_sync(self._make_report)
                self._made, self._covers = now, covers
            return self._report

    async def newest(self) -> Report:
        """
        Return standings that hold all that was stored before the call.
        """
        wanted = self._host.changes
        while True:
            report = await self.standings()
            if self._covers >= wanted:
                return report
            await trio.sleep_until(self._made + _FRESH)

    def forget(self) -> None:
        """
        Rely no longer on standings that were made: somebody was taken out.
        """
        self._report = None

    async def last_game(self) -> int:
        """
        Return the number of the newest game.
        """
        return await trio.to_thread.run_sync(self._store.last_game, self._host.run)

    async def games_after(self, game: int, most: int) -> tuple[GameSummary, ...]:
        """
        Return games whose numbers are greater than *game*, so many at most.
        """
        games = await trio.to_thread.run_sync(self._store.games_after, self._host.run, game, most)
        names = self._host.names
        return tuple(
            GameSummary(
                game=number,
                set_id=row.set_id,
                sitting=row.sitting,
                bot_ids=row.seats,
                names=tuple(names.get(bot, bot) for bot in row.seats),
                scores=row.scores,
                winners=row.winners,
                reneges=row.reneges,
                faults=row.faults,
                ending=row.ending,
            )
            for number, row in games
        )

    def _make_report(self) -> Report:
        host = self._host
        table = standings_of(host.league, self._store, host.run)
        return Report(
            league=host.league.name,
            game=host.league.game,
            rows=tuple(map(_row, table.rows)),
            table=render(table),
            played=table.games,
            scheduled=table.scheduled or 0,
        )


def _row(row: Standing) -> Row:
    """
    Return a line of the table for the protocol, which knows the same things by the same names.
    """
    values: dict[str, Any] = asdict(row)
    # Fields of the protocol that came first have a value always.
    for key in ("margin", "points_for", "points_against"):
        values[key] = values[key] or 0.0
    return Row(bot_id=values.pop("bot"), **values)
