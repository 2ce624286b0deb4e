"""
Reads what a store holds: leagues, runs and their standings.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from tournaments import files
from tournaments.pairing import count
from tournaments.standings import standings
from tournaments.tally import Tally

if TYPE_CHECKING:
    from tournaments.league import League
    from tournaments.standings import Standings
    from tournaments.store import Run, Store


_CHUNK = 2000
"""Games that are read at a time."""


def league_of(run: Run) -> League:
    """
    Return the league of a run, from the text that is stored with it.

    Its folder is not known, so its bots cannot be started.
    """
    league = files.parse(run.text, Path(f"{run.league_id}.toml"))
    return league if run.seed is None else league.with_seed(run.seed)


def scheduled_of(league: League, store: Store, run: Run) -> int:
    """
    Return how many games a run has in all: those to be played, and what was played.

    A bot that was taken out plays no more, so only what it has played is counted of it.
    """
    bots = store.bots(run)
    out = {bot.id for bot in bots if bot.revoked is not None}
    scheduled = count(league, len(bots) - len(out))
    if out:
        scheduled += sum(not out.isdisjoint(row.seats) for row in store.games(run))
    return scheduled


def standings_of(league: League, store: Store, run: Run, tally: Tally | None = None) -> Standings:
    """
    Return the standings of a run as they are in the store now.

    Args:
        league: What is played.
        store: Where it is.
        run: Which.
        tally: Of its games, if they are counted already.
    """
    bots = store.bots(run)
    tally = Tally.of(league, store.games(run)) if tally is None else tally
    scheduled = scheduled_of(league, store, run) - tally.spared
    return standings(
        league,
        [(bot.id, bot.name) for bot in bots],
        tally,
        run=run.number,
        commitment=run.commitment,
        seeded=run.seed is not None,
        secret=run.secret if run.finished is not None else None,
        scheduled=scheduled,
    )


class Follower:
    """
    Follows a run that is being played; each game is read once.
    """

    def __init__(self, league: League, store: Store, run: Run) -> None:
        self._league = league
        self._store = store
        self._run = run
        self._seen: tuple[object, ...] | None = None
        self._start()

    def _start(self) -> None:
        self._tally = Tally(self._league)
        self._last = 0
        self._void: set[str] = set()

    @property
    def finished(self) -> bool:
        """
        Whether all games of the run are played, as far as is known now.
        """
        return self._store.run(self._run.number, self._run.league_id).finished is not None

    def news(self) -> Standings | None:
        """
        Return the standings; None if nothing has changed since the last call.
        """
        while games := self._store.games_after(self._run, self._last, _CHUNK):
            for number, row in games:
                if row.fixture in self._void:  # it was played again, so it counts anew
                    self._start()
                    break
                self._last = number
                self._tally.add(row)
                if row.void:
                    self._void.add(row.fixture)
        self._run = self._store.run(self._run.number, self._run.league_id)
        bots = self._store.bots(self._run)
        names = tuple((bot.id, bot.name, bot.revoked) for bot in bots)
        seen = (self._last, self._run.finished, names)
        if seen == self._seen:
            return None
        self._seen = seen
        return standings_of(self._league, self._store, self._run, self._tally)
