"""
The journal of a league, and its only truth.

Everything that is shown is a fold of what is stored here, so a run that was
killed goes on as if nothing had happened. A game counts when the transaction
that holds it is committed, and never twice: its fixture is unique in its run.

All calls block; the runner makes them in threads. SQLite by default, one file,
readable while a league runs; no statement is of SQLite alone.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import sqlalchemy as sa

from referee.errors import ConfigError
from tournaments.store.connections import Connections, is_there
from tournaments.store.games import Games
from tournaments.store.rows import Bot, Run, Version, bot_columns, bot_of, now, waiting_text
from tournaments.store.schema import bot_table, run_table

if TYPE_CHECKING:
    from collections.abc import Iterable
    from contextlib import AbstractContextManager
    from types import TracebackType

    from tournaments.league import League

RESULTS = Path("results")
"""Folder of stores, logs and tokens, in the working folder."""


def default_url(league_id: str) -> str:
    """
    Return where the games of a league are stored if nobody says otherwise.
    """
    return f"sqlite:///{RESULTS / league_id}.db"


class Store(Games):
    """
    An open store. Use as a context manager, or close it.

    Every method raises StoreError when the database cannot do what it must; the
    text says which database, and what is wrong.
    """

    def __init__(self, connections: Connections) -> None:
        super().__init__(connections)
        self._new_bot = connections.insert_new(bot_table, ["run_id", "bot_id"])

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
        return cls(Connections.open(url, create=create))

    @staticmethod
    def exists(url: str) -> bool:
        """
        Whether there is something at *url*; a database server is always there.

        Raises:
            ConfigError: The URL is none.
        """
        return is_there(url)

    @property
    def name(self) -> str:
        """
        Its URL, without a password.
        """
        return self._connections.name

    def close(self) -> None:
        """
        Close all connections.
        """
        self._connections.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def lock(self, league_id: str) -> AbstractContextManager[None]:
        """
        Hold the right to play a league into this store; everybody may still read.

        Raises:
            StoreError: On entering: another process holds it. When games are stored: it
                is lost, because the database was.
        """
        return self._connections.lock(league_id)

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
        with self._connections.writing() as connection:
            number = int(connection.execute(newest).scalar_one()) + 1
            values: dict[str, Any] = {
                "number": number,
                "league_id": league.id,
                "fingerprint": league.fingerprint(),
                "text": text,
                "seed": league.seed,
                "secret": secret,
                "commitment": commitment,
                "started": now(),
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
        with self._connections.reading() as connection:
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
            f"there is no run {number} in {self.name}", key="--run", hint=f"there are: {there}"
        )

    def finish(self, run: Run) -> None:
        """
        Write down that a run is over: nothing more is played, so its secret may be known.
        """
        statement = sa.update(run_table).where(run_table.c.id == run.id).values(finished=now())
        with self._connections.writing() as connection:
            connection.execute(statement)

    # --- bots ----------------------------------------------------------------------------

    def add_bot(self, run: Run, bot: Bot) -> bool:
        """
        Enter a bot; return False, and change nothing, if its id is taken.
        """
        with self._connections.writing() as connection:
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
        self._change_bot(run, bot_id, revoked=now())

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
        with self._connections.reading() as connection:
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
        with self._connections.reading() as connection:
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
        with self._connections.reading() as connection:
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
        with self._connections.reading() as connection:
            return [bot_of({**row}) for row in connection.execute(query).mappings()]

    # --- inside --------------------------------------------------------------------------

    def _change_bot(self, run: Run, bot_id: str, **values: str) -> None:
        mine = sa.and_(bot_table.c.run_id == run.id, bot_table.c.bot_id == bot_id)
        with self._connections.writing() as connection:
            connection.execute(sa.update(bot_table).where(mine).values(**values))

    def _put_bot(self, connection: sa.Connection, run_id: int, bot: Bot) -> bool:
        row = bot_columns(run_id, bot, now())
        return connection.execute(self._new_bot, row).rowcount == 1
