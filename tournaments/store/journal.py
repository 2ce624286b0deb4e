"""
The journal of a league, and its only truth.

Everything that is shown is a fold of what is stored here, so a run that was
killed goes on as if nothing had happened. A game counts when the transaction
that holds it is committed, and never twice: its fixture is unique in its run.

All calls block; the runner makes them in threads. SQLite by default, one file,
readable while a league runs; no statement is of SQLite alone.
"""

from __future__ import annotations

import contextlib
import datetime as dt
import itertools
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import sqlalchemy as sa

from referee.errors import ConfigError, StoreError
from tournaments.store import database, locks, versions
from tournaments.store.rows import (
    GAME_COLUMNS,
    Bot,
    NewGame,
    Run,
    Version,
    bot_columns,
    bot_of,
    game_columns,
    game_of,
    record_of,
    waiting_text,
)
from tournaments.store.schema import (
    bot_table,
    game_table,
    run_table,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from types import TracebackType

    from tournaments.games import GameRow
    from tournaments.league import League

_CHUNK = 2000
"""Rows that are fetched at a time."""
_RECORDS = 100
"""Rows with their records that are fetched at a time."""
_ASIDE = " void"
"""Behind the fixture of a void game that is about to be replaced."""


RESULTS = Path("results")
"""Folder of stores, logs and tokens, in the working folder."""


def default_url(league_id: str) -> str:
    """
    Return where the games of a league are stored if nobody says otherwise.
    """
    return f"sqlite:///{RESULTS / league_id}.db"


class Store:
    """
    An open store. Use as a context manager, or close it.

    Every method raises StoreError when the database cannot do what it must; the
    text says which database, and what is wrong.
    """

    def __init__(self, engine: sa.Engine) -> None:
        self._engine = engine
        self._where = database.name_of(engine)
        self._lock: locks.Lock | None = None
        self._new_bot = database.insert_new(engine, bot_table, ["run_id", "bot_id"])
        self._new_game = database.insert_new(engine, game_table, ["run_id", "fixture"])

    @classmethod
    def open(cls, url: str, *, create: bool = True) -> Self:
        """
        Open a store.

        Args:
            url: As SQLAlchemy has them: `sqlite:///results/quick.db`.
            create: Whether to make one, folder included, where there is none.

        Raises:
            ConfigError: The URL is none, or names a database that is not supported here.
            StoreError: There is none, or it cannot be used; the text says why.
        """
        engine = database.engine_for(url)
        file = database.file_of(engine)
        if file is not None and not _is_there(file):
            if not create:
                raise StoreError(f"there is no store at {database.name_of(engine)}")
            try:
                file.parent.mkdir(parents=True, exist_ok=True)
                # Whoever reads it knows the decks that are still to come. What SQLite puts
                # beside it is as private.
                file.touch(0o600)
            except OSError as error:
                raise StoreError(f"cannot make {file}: {error.strerror}") from None
        store = cls(engine)
        try:
            with store._at_work():
                versions.bring_up(engine, create=create)
                if create:  # whoever only reads changes nothing
                    database.allow_readers(engine)
        except BaseException:
            store.close()
            raise
        return store

    @staticmethod
    def exists(url: str) -> bool:
        """
        Whether there is something at *url*; a database server is always there.

        Raises:
            ConfigError: The URL is none.
        """
        file = database.file_of(database.engine_for(url))
        return file is None or _is_there(file)

    @property
    def name(self) -> str:
        """
        Its URL, without a password.
        """
        return self._where

    def close(self) -> None:
        """
        Close all connections.
        """
        self._engine.dispose()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    @contextlib.contextmanager
    def lock(self, league_id: str) -> Iterator[None]:
        """
        Hold the right to play a league into this store; everybody may still read.

        Games are then written by the connection that holds it, so that a lock which is
        lost, because the database was, is not missed.

        Raises:
            StoreError: On entering: another process holds it.
        """
        with locks.lock(self._engine, league_id) as held:
            self._lock = held
            try:
                yield
            finally:
                self._lock = None

    # --- runs ----------------------------------------------------------------------------

    def new_run(
        self,
        league: League,
        *,
        text: str,
        secret: bytes,
        commitment: str,
        carried: Iterable[Bot] = (),
    ) -> Run:
        """
        Begin a run of *league*; its entrants are entered as house bots.

        The run and its bots are stored together or not at all.

        Args:
            league: What is played; its seed is kept with the run.
            text: The league file, word for word.
            secret: All decks will derive from it.
            commitment: Its hash.
            carried: Bots of an earlier run that are entered behind those of the house.
        """
        newest = sa.select(sa.func.coalesce(sa.func.max(run_table.c.number), 0)).where(
            run_table.c.league_id == league.id
        )
        with self._at_work(), self._engine.begin() as connection:
            number = int(connection.execute(newest).scalar_one()) + 1
            values: dict[str, Any] = {
                "number": number,
                "league_id": league.id,
                "fingerprint": league.fingerprint(),
                "text": text,
                "seed": league.seed,
                "secret": secret,
                "commitment": commitment,
                "started": _now(),
                "finished": None,
            }
            statement = sa.insert(run_table).values(values).returning(run_table.c.id)
            key = int(connection.execute(statement).scalar_one())
            for entrant in league.entrants:
                self._put_bot(connection, key, Bot(id=entrant.id, name=entrant.name, house=True))
            for bot in carried:
                self._put_bot(connection, key, bot)
        return Run(id=key, **values)

    def runs(self, league_id: str | None = None) -> list[Run]:
        """
        Return the runs of a league, or all of them, oldest first.
        """
        query = sa.select(run_table).order_by(run_table.c.id)
        if league_id is not None:
            query = query.where(run_table.c.league_id == league_id)
        with self._at_work(), self._engine.connect() as connection:
            return [Run(**row) for row in connection.execute(query).mappings()]

    def latest_run(self, league_id: str | None = None) -> Run | None:
        """
        Return the newest run; None if there is none.
        """
        runs = self.runs(league_id)
        return runs[-1] if runs else None

    def run(self, number: int, league_id: str | None = None) -> Run:
        """
        Return the run that has *number* in its league.

        Raises:
            ConfigError: There is none; the error says which there are.
        """
        runs = self.runs(league_id)
        for run in reversed(runs):
            if run.number == number:
                return run
        there = ", ".join(str(run.number) for run in runs) or "none"
        raise ConfigError(
            f"there is no run {number} in {self._where}", key="--run", hint=f"there are: {there}"
        )

    def finish(self, run: Run) -> None:
        """
        Write down that a run is over: nothing more is played, so its secret may be known.
        """
        statement = sa.update(run_table).where(run_table.c.id == run.id).values(finished=_now())
        with self._at_work(), self._engine.begin() as connection:
            connection.execute(statement)

    # --- bots ----------------------------------------------------------------------------

    def add_bot(self, run: Run, bot: Bot) -> bool:
        """
        Enter a bot; return False, and change nothing, if its id is taken.
        """
        with self._at_work(), self._engine.begin() as connection:
            return self._put_bot(connection, run.id, bot)

    def rotate_token(self, run: Run, bot_id: str, token_sha256: str) -> None:
        """
        Put another hash in the place of that of a bot's token.
        """
        self._change_bot(run, bot_id, token_sha256=token_sha256)

    def revoke_bot(self, run: Run, bot_id: str) -> None:
        """
        Write down that a bot is out; its games stay.
        """
        self._change_bot(run, bot_id, revoked=_now())

    def renew_bot(self, run: Run, bot_id: str, version: Version) -> None:
        """
        Keep a new version of a bot's program for the next run, in the place of one that waits.
        """
        self._change_bot(run, bot_id, waiting=waiting_text(version))

    def runs_program(self, program: str) -> bool:
        """
        Whether a bot of any run is, or was, this uploaded program.
        """
        query = sa.select(sa.exists().where(bot_table.c.program == program))
        with self._at_work(), self._engine.connect() as connection:
            return bool(connection.execute(query).scalar_one())

    def outdated_programs(self, league_id: str) -> set[str]:
        """
        Return the uploaded programs of a league that no run will need any more.

        Needed are those of the newest two runs that any bots were submitted to: of the one
        that is played, and of the one before, which a backup may bring back.
        """
        query = (
            sa.select(bot_table)
            .join(run_table)
            .where(run_table.c.league_id == league_id, sa.not_(bot_table.c.house))
        )
        named: dict[int, set[str]] = {}
        out: set[str] = set()
        with self._at_work(), self._engine.connect() as connection:
            for row in connection.execute(query).mappings():
                bot = bot_of({**row})
                versions = (bot.program, None if bot.waiting is None else bot.waiting.program)
                place = out if bot.revoked is not None else named.setdefault(row["run_id"], set())
                place.update(each for each in versions if each is not None)
        newest = sorted(named)[-2:]
        needed = set().union(*(named[run] for run in newest))
        return out.union(*named.values()) - needed

    def bots(self, run: Run) -> list[Bot]:
        """
        Return the bots of a run, in order of entry.
        """
        query = sa.select(bot_table).where(bot_table.c.run_id == run.id).order_by(bot_table.c.entry)
        with self._at_work(), self._engine.connect() as connection:
            return [bot_of({**row}) for row in connection.execute(query).mappings()]

    def last_entered(self, league_id: str) -> list[Bot]:
        """
        Return the bots of the newest run that any were submitted to, in order of entry.

        House bots are left out. A run without others is passed over: `league run` may have
        played one in between.
        """
        mine = sa.and_(run_table.c.league_id == league_id, sa.not_(bot_table.c.house))
        newest = sa.select(sa.func.max(bot_table.c.run_id)).join(run_table).where(mine)
        query = (
            sa.select(bot_table)
            .where(bot_table.c.run_id == newest.scalar_subquery(), sa.not_(bot_table.c.house))
            .order_by(bot_table.c.entry)
        )
        with self._at_work(), self._engine.connect() as connection:
            return [bot_of({**row}) for row in connection.execute(query).mappings()]

    # --- games ---------------------------------------------------------------------------

    def add_games(self, run: Run, batch: Iterable[NewGame]) -> list[bool]:
        """
        Store games, all or none; they count when this returns.

        Returns:
            For each game whether it is new. One whose fixture is stored already is left
            out, and the stored one stays as it is, unless that is void: then it is replaced.
        """
        now = _now()
        rows = [game_columns(run.id, game, now) for game in batch]
        replaced = sa.and_(
            game_table.c.run_id == run.id,
            game_table.c.fixture.in_([row["fixture"] for row in rows if not row["void"]]),
            game_table.c.void,
        )
        with self._at_work(), self._writing() as connection:
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
        query = _select_games(run).order_by(game_table.c.id).execution_options(yield_per=_CHUNK)
        with self._at_work(), self._engine.connect() as connection:
            yield from itertools.starmap(game_of, connection.execute(query))

    def game(self, run: Run, fixture: str) -> GameRow | None:
        """
        Return one game; None if it is not stored.
        """
        query = _select_games(run).where(game_table.c.fixture == fixture)
        with self._at_work(), self._engine.connect() as connection:
            row = connection.execute(query).one_or_none()
        return None if row is None else game_of(*row)

    def last_game(self, run: Run) -> int:
        """
        Return the number of the game of a run that was stored last, 0 if there is none.
        """
        query = sa.select(sa.func.coalesce(sa.func.max(game_table.c.id), 0)).where(
            game_table.c.run_id == run.id
        )
        with self._at_work(), self._engine.connect() as connection:
            return int(connection.execute(query).scalar_one())

    def count_games(self, run: Run) -> int:
        """
        Return how many games of a run are stored, void ones included.
        """
        query = sa.select(sa.func.count()).where(game_table.c.run_id == run.id)
        with self._at_work(), self._engine.connect() as connection:
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
        with self._at_work(), self._engine.connect() as connection:
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
            _select_games(run)
            .where(game_table.c.id <= until)
            .order_by(game_table.c.match_id, game_table.c.id)
            .execution_options(yield_per=_CHUNK)
        )
        with self._at_work(), self._engine.connect() as connection:
            for row in connection.execute(query):
                yield game_of(*row)

    def played_ids(self, run: Run, *, void: bool = True) -> set[str]:
        """
        Return the ids of the fixtures that are stored; with *void* also of void games.
        """
        query = sa.select(game_table.c.fixture).where(game_table.c.run_id == run.id)
        if not void:
            query = query.where(sa.not_(game_table.c.void))
        with self._at_work(), self._engine.connect() as connection:
            return set(connection.execute(query).scalars())

    def record(self, run: Run, fixture: str) -> dict[str, Any] | None:
        """
        Return how a game was played, as `GameRecord.to_json` said it; None if not stored.
        """
        query = sa.select(game_table.c.record).where(
            game_table.c.run_id == run.id, game_table.c.fixture == fixture
        )
        with self._at_work(), self._engine.connect() as connection:
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
            with self._at_work(), self._engine.connect() as connection:
                found = {row[0]: row for row in connection.execute(query)}
            for fixture in chunk:
                if fixture in found:
                    *values, packed = found[fixture]
                    yield game_of(*values), self._unpacked(fixture, packed)

    # --- inside --------------------------------------------------------------------------

    def _writing(self) -> contextlib.AbstractContextManager[sa.Connection]:
        """
        Begin a transaction for games, by the lock if it is held.
        """
        return self._engine.begin() if self._lock is None else self._lock.writing()

    def _unpacked(self, fixture: str, packed: bytes | None) -> dict[str, Any] | None:
        if packed is None:
            return None
        try:
            return record_of(packed)
        except ValueError as error:
            raise StoreError(
                f"{self._where}: the record of {fixture} is damaged: {error}"
            ) from None

    def _change_bot(self, run: Run, bot_id: str, **values: str) -> None:
        mine = sa.and_(bot_table.c.run_id == run.id, bot_table.c.bot_id == bot_id)
        with self._at_work(), self._engine.begin() as connection:
            connection.execute(sa.update(bot_table).where(mine).values(**values))

    def _put_bot(self, connection: sa.Connection, run_id: int, bot: Bot) -> bool:
        row = bot_columns(run_id, bot, _now())
        return connection.execute(self._new_bot, row).rowcount == 1

    def _at_work(self) -> contextlib.AbstractContextManager[None]:
        return database.errors_as_ours(self._where)


def _is_there(file: Path) -> bool:
    try:
        return file.exists()
    except OSError as error:
        raise StoreError(f"{file}: {error.strerror}") from None


def _select_games(run: Run) -> sa.Select[Any]:
    columns = [game_table.c[name] for name in GAME_COLUMNS]
    return sa.select(*columns).where(game_table.c.run_id == run.id)


def _now() -> str:
    return dt.datetime.now(dt.UTC).isoformat(timespec="milliseconds")
