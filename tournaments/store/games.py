"""
The games of a store: each is stored once, and read in several orders.
"""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any

import sqlalchemy as sa

from referee.errors import StoreError
from tournaments.store.rows import GAME_COLUMNS, NewGame, Run, game_columns, game_of, now, record_of
from tournaments.store.schema import game_table

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from tournaments.games import GameRow
    from tournaments.store.connections import Connections

_CHUNK = 2000
"""Rows that are fetched at a time."""
_RECORDS = 100
"""Rows with their records that are fetched at a time."""
_ASIDE = " void"
"""Behind the fixture of a void game that is about to be replaced."""


class Games:
    """
    What a store can do with games: the part of it that has many rows.
    """

    def __init__(self, connections: Connections) -> None:
        self._connections = connections
        self._new_game = connections.insert_new(game_table, ["run_id", "fixture"])

    def add_games(self, run: Run, batch: Iterable[NewGame]) -> list[bool]:
        """
        Store games, all or none; they count when this returns.

        Returns:
            For each game whether it is new. One whose fixture is stored already is left
            out, and the stored one stays as it is, unless that is void: then it is replaced.
        """
        stored = now()
        rows = [game_columns(run.id, game, stored) for game in batch]
        replaced = sa.and_(
            game_table.c.run_id == run.id,
            game_table.c.fixture.in_([row["fixture"] for row in rows if not row["void"]]),
            game_table.c.void,
        )
        with self._connections.writing_games() as connection:
            # Put aside and not yet away: SQLite would give the number of its newest row again,
            # and whoever follows a run by numbers would miss what has come in its place.
            aside = game_table.c.fixture.concat(_ASIDE)
            found = connection.execute(sa.update(game_table).where(replaced).values(fixture=aside))
            new = [connection.execute(self._new_game, row).rowcount == 1 for row in rows]
            if found.rowcount:
                gone = sa.and_(game_table.c.run_id == run.id, game_table.c.fixture.endswith(_ASIDE))
                connection.execute(sa.delete(game_table).where(gone))
            return new

    def games(self, run: Run) -> Iterator[GameRow]:
        """
        Yield the games of a run, without their records, in the order of their storing.
        """
        query = _select(run).order_by(game_table.c.id).execution_options(yield_per=_CHUNK)
        with self._connections.reading() as connection:
            yield from itertools.starmap(game_of, connection.execute(query))

    def game(self, run: Run, fixture: str) -> GameRow | None:
        """
        Return one game; None if it is not stored.
        """
        query = _select(run).where(game_table.c.fixture == fixture)
        with self._connections.reading() as connection:
            row = connection.execute(query).one_or_none()
        return None if row is None else game_of(*row)

    def last_game(self, run: Run) -> int:
        """
        Return the number of the game of a run that was stored last, 0 if there is none.
        """
        query = sa.select(sa.func.coalesce(sa.func.max(game_table.c.id), 0)).where(
            game_table.c.run_id == run.id
        )
        with self._connections.reading() as connection:
            return int(connection.execute(query).scalar_one())

    def count_games(self, run: Run) -> int:
        """
        Return how many games of a run are stored, void ones included.
        """
        query = sa.select(sa.func.count()).where(game_table.c.run_id == run.id)
        with self._connections.reading() as connection:
            return int(connection.execute(query).scalar_one())

    def games_after(self, run: Run, number: int, most: int) -> list[tuple[int, GameRow]]:
        """
        Return games, without their records, with their numbers, in the order of their storing.

        Args:
            run: Whose.
            number: They come after the game of this number; 0 for the first of all.
            most: So many at most.
        """
        columns = [game_table.c[name] for name in ("id", *GAME_COLUMNS)]
        query = (
            sa.select(*columns)
            .where(game_table.c.run_id == run.id, game_table.c.id > number)
            .order_by(game_table.c.id)
            .limit(most)
        )
        with self._connections.reading() as connection:
            return [(key, game_of(*row)) for key, *row in connection.execute(query)]

    def games_by_match(self, run: Run, until: int) -> Iterator[GameRow]:
        """
        Yield games, without their records, match by match, each in the order of its storing.

        Args:
            run: Whose.
            until: Number of the last game, as `last_game` has it: what is stored while others
                are read is left out.
        """
        query = (
            _select(run)
            .where(game_table.c.id <= until)
            .order_by(game_table.c.match_id, game_table.c.id)
            .execution_options(yield_per=_CHUNK)
        )
        with self._connections.reading() as connection:
            for row in connection.execute(query):
                yield game_of(*row)

    def played_ids(self, run: Run, *, void: bool = True) -> set[str]:
        """
        Return the ids of the fixtures that are stored; with *void* also of void games.
        """
        query = sa.select(game_table.c.fixture).where(game_table.c.run_id == run.id)
        if not void:
            query = query.where(sa.not_(game_table.c.void))
        with self._connections.reading() as connection:
            return set(connection.execute(query).scalars())

    def record(self, run: Run, fixture: str) -> dict[str, Any] | None:
        """
        Return how a game was played, as `GameRecord.to_json` said it; None if not stored.
        """
        query = sa.select(game_table.c.record).where(
            game_table.c.run_id == run.id, game_table.c.fixture == fixture
        )
        with self._connections.reading() as connection:
            packed = connection.execute(query).scalar_one_or_none()
        return self._unpacked(fixture, packed)

    def recorded(
        self, run: Run, fixtures: Iterable[str]
    ) -> Iterator[tuple[GameRow, dict[str, Any] | None]]:
        """
        Yield games with their records, in the order of *fixtures*, which are read as needed.

        Those that are not stored are left out.
        """
        columns = [game_table.c[name] for name in (*GAME_COLUMNS, "record")]
        left = iter(fixtures)
        while chunk := list(itertools.islice(left, _RECORDS)):
            query = sa.select(*columns).where(
                game_table.c.run_id == run.id, game_table.c.fixture.in_(chunk)
            )
            with self._connections.reading() as connection:
                found = {row[0]: row for row in connection.execute(query)}
            for fixture in chunk:
                if fixture in found:
                    *values, packed = found[fixture]
                    yield game_of(*values), self._unpacked(fixture, packed)

    def _unpacked(self, fixture: str, packed: bytes | None) -> dict[str, Any] | None:
        if packed is None:
            return None
        try:
            return record_of(packed)
        except ValueError as error:
            raise StoreError(
                f"{self._connections.name}: the record of {fixture} is damaged: {error}"
            ) from None


def _select(run: Run) -> sa.Select[Any]:
    columns = [game_table.c[name] for name in GAME_COLUMNS]
    return sa.select(*columns).where(game_table.c.run_id == run.id)
