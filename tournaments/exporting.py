"""
A run as lines of JSON: a header, a line a game, a footer (docs/records.md).

Lines are made one by one as they are read from the store, so a run of any size
takes the memory of a few games. The secret and the seed are in it only once the
run is finished: no deck may be known before it is played.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from referee.errors import RecordError
from referee.record import digest
from tournaments.faults import KINDS, NO_FAULTS, kinds_in
from tournaments.pairing import count, fixtures
from tournaments.ranking import standings
from tournaments.reading import league_of
from tournaments.tally import Tally

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from tournaments.games import GameRow
    from tournaments.league import League
    from tournaments.pairing.swiss import Look
    from tournaments.store import Bot, Run, Store

SCHEMA = 2
"""Version of the form of an export; grows with each change of it."""

SCHEMAS = (1, 2)
"""Those that can be verified: version 1 had no faults by kind."""

_KINDS = tuple(f"faults_{kind}" for kind in KINDS)
"""Keys of faults by kind."""

HEADER, GAME, FOOTER = "header", "game", "footer"
"""What the `line` of each line says."""


def export(
    store: Store, run: Run, look: Callable[[GameRow, dict[str, Any]], None] | None = None
) -> Iterator[dict[str, Any]]:
    """
    Yield the lines of a run, as plain values.

    Games are in the order of the schedule; of a run that is not finished, those that are
    stored.

    Args:
        store: Where it is.
        run: Which.
        look: Is shown each game as it is stored.

    Raises:
        RecordError: A game is stored without its record.
    """
    league, bots = league_of(run), store.bots(run)
    tally, games = Tally(league), Digests()
    yield header(league, run, bots)
    schedule = fixtures(league, [bot.id for bot in bots], look_of(league, store, run))
    for row, record in store.recorded(run, (fixture.id for fixture in schedule)):
        if record is None:
            raise RecordError(f"{row.fixture} is stored without its record")
        if look is not None:
            look(row, record)
        whole = _with_kinds(row, record)
        line = game(whole, record)
        yield line
        # Only now: whoever checks the line has refused it if there is something wrong with it.
        tally.add(whole)
        games.add(line)
    yield footer(league, run, [(bot.id, bot.name) for bot in bots], tally, games)


def _with_kinds(row: GameRow, record: dict[str, Any]) -> GameRow:
    """
    Return a game with its faults by kind, also if an earlier version has stored it without.

    Raises:
        RecordError: Its record is damaged.
    """
    if not any(row.faults) or row.fault_kinds != NO_FAULTS:
        return row
    try:
        return row._replace(fault_kinds=kinds_in(record))
    except RecordError as error:
        raise RecordError(f"game {row.fixture}: {error}") from None


def look_of(league: League, store: Store, run: Run) -> Look | None:
    """
    Return what the rounds of a league depend on; None if it has none.

    Raises:
        RecordError: The games cannot be counted, so nobody knows who should have met.
    """
    if league.format != "swiss":
        return None
    try:
        return Tally.of(league, store.games(run)).look
    except (ValueError, IndexError, KeyError, TypeError) as error:
        raise RecordError(f"the results of a game are damaged: {error!r}") from None


def text_of(line: dict[str, Any]) -> str:
    """
    Return a line as text, without a line end.
    """
    return json.dumps(line, separators=(",", ":"), allow_nan=False)


class Digests:
    """
    SHA-256 over the digests of games, in order.
    """

    def __init__(self) -> None:
        self.count = 0
        """How many there were."""
        self._hash = hashlib.sha256()

    def add(self, line: dict[str, Any]) -> None:
        """
        Take in the game of one line.
        """
        self.count += 1
        self._hash.update(bytes.fromhex(line["record"]["digest"]))

    def hex(self) -> str:
        """
        Return what it has come to, in hexadecimal.
        """
        return self._hash.hexdigest()


# --- lines -------------------------------------------------------------------------------


def header(
    league: League, run: Run, bots: Sequence[Bot], *, schema: int = SCHEMA
) -> dict[str, Any]:
    """
    Return the first line.
    """
    over = run.finished is not None
    plain = {
        "line": HEADER,
        "schema": schema,
        "league": league.id,
        "text": run.text,
        "fingerprint": run.fingerprint,
        "game": league.game,
        "rules": league.rules.options(every=True),
        "run": run.number,
        "started": run.started,
        "finished": run.finished if over else None,
        "scheduled": count(league, len(bots)),
        "commitment": run.commitment,
        "seeded": run.seed is not None,
        "seed": run.seed if over else None,
        "secret": run.secret.hex() if over else None,
        "bots": [{"id": bot.id, "name": bot.name, "house": bot.house} for bot in bots],
    }
    return plain | {"digest": digest(plain)}


def game(row: GameRow, record: dict[str, Any], *, schema: int = SCHEMA) -> dict[str, Any]:
    """
    Return the line of a game.
    """
    return {"line": GAME, "fixture": row.fixture, "result": _result(row, schema), "record": record}


def _result(row: GameRow, schema: int) -> dict[str, Any] | None:
    """
    Return what a game came to, all of which follows from its record; None if it is void.
    """
    if row.void:
        return None
    kinds = zip(_KINDS, map(list, row.fault_kinds), strict=True) if schema > 1 else ()
    return {
        "ending": row.ending,
        "scores": list(row.scores),
        "winners": list(row.winners),
        "places": list(row.places),
        "forfeits": list(row.forfeits),
        "faults": list(row.faults),
        **dict(kinds),
        "reneges": list(row.reneges),
        "reneges_unpunished": list(row.watch.unpunished),
        "challenges_right": list(row.watch.right),
        "challenges_wrong": list(row.watch.wrong),
    }


def footer(
    league: League,
    run: Run,
    bots: Sequence[tuple[str, str]],
    tally: Tally,
    games: Digests,
    *,
    schema: int = SCHEMA,
) -> dict[str, Any]:
    """
    Return the last line.
    """
    plain = {
        "line": FOOTER,
        "games": games.count,
        "void": tally.voids,
        "sets": tally.sets,
        "games_sha256": games.hex(),
        "standings": _standings(league, run, bots, tally, schema),
    }
    return plain | {"digest": digest(plain)}


def _standings(
    league: League, run: Run, bots: Iterable[tuple[str, str]], tally: Tally, schema: int
) -> list[dict[str, Any]]:
    """
    The rows of the standings, without the one key that no record holds.
    """
    table = standings(
        league,
        list(bots),
        tally,
        run=run.number,
        commitment=run.commitment,
        seeded=run.seed is not None,
    )
    rows = [asdict(row) for row in table.rows]
    for row in rows:
        for key in ("median_decision_ms", *(_KINDS if schema == 1 else ())):
            del row[key]
    return rows
