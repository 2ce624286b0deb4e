"""
Checks a run from outside: everything in it must follow from the secret and the answers.

The league follows from its file, the schedule from the league, the decks from the
secret, rulings and results from the answers, the standings from the results. So
a reader of an export trusts nobody: what is written is derived again, line by
line, and the first thing that differs is named. What follows from nothing (when
a run began, which instance sat where, what was answered in vain) is held by digests.
"""

from __future__ import annotations

import json
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from referee.errors import ConfigError, RecordError
from referee.hall import FinishedGame
from referee.record import Mark
from referee.replay import check, check_void, compare
from referee.rules.deal import Ending
from referee.shuffle import SECRET_BYTES, commitment, secret_from_seed
from tournaments import exporting, files
from tournaments.games import GameRow, game_row
from tournaments.names import is_id, name_fault
from tournaments.pairing import Fixture, count, fixtures
from tournaments.store import Bot, Run
from tournaments.tally import Tally

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from referee.table import Table
    from tournaments.league import League
    from tournaments.store import Store


class Verified(NamedTuple):
    """
    What was checked, and found to be as it must be.
    """

    games: int
    """Void ones included."""
    void: int
    """Games in which the referee failed: they count for nobody."""
    deals: int
    """Redeals included."""
    decisions: int
    """Answers, and the lack of them."""
    sets: int
    """Each with decks of its own."""
    scheduled: int
    """Games that the bots of the league could have played; an open one may be closed before."""

    def text(self) -> str:
        """
        Say it in two lines.
        """
        of = f" of {self.scheduled}" if self.games < self.scheduled else ""
        void = f" ({self.void} void)" if self.void else ""
        return (
            f"verified: {self.games}{of} games{void}, {self.deals} deals, "
            f"{self.decisions} decisions\n"
            f"no deck was dealt twice: {self.sets} sets, each with a key of its own\n"
        )


Placed = tuple[str, Any]
"""A line as plain values, and what to call its place."""


def verify_lines(lines: Iterable[str]) -> Verified:
    """
    Check an export.

    Args:
        lines: As `exporting.text_of` makes them.

    Raises:
        RecordError: It is not what must have come of its league and its secret, or cannot be
            checked yet; the text names the first place that differs.
    """
    return _verify(_parsed(lines))


def verify_store(store: Store, run: Run) -> Verified:
    """
    Check a run where it is stored.

    Raises:
        RecordError: As `verify_lines` does.
    """

    def look(row: GameRow, record: dict[str, Any]) -> None:
        fixture = next(schedule)
        while fixture.id != row.fixture:  # one that is missing is found below
            fixture = next(schedule)
        stored = (row.match_id, row.set_id, row.sitting, row.seats, list(row.instances))
        planned = (fixture.match_id, fixture.set_id, fixture.sitting, fixture.seats)
        with _at(f"game {row.fixture}"):
            compare(list(stored), [*planned, record.get("instances")], "it must be")

    ids = [bot.id for bot in store.bots(run)]
    league = files.parse(run.text, Path(f"{run.league_id}.toml"))
    schedule = fixtures(league, ids, exporting.look_of(league, store, run))
    found = _verify(("the store", line) for line in exporting.export(store, run, look))
    stored = len(store.played_ids(run))
    if stored != found.games:
        raise RecordError(f"{stored} games are stored, and {found.games} are in the schedule")
    return found


# --- the whole ---------------------------------------------------------------------------


class _Run(NamedTuple):
    """
    What the header says.
    """

    league: League
    run: Run
    bots: list[Bot]
    schema: int
    """Version of the form of the export."""


class _Sums:
    """
    What the games come to.
    """

    def __init__(self, league: League) -> None:
        self.tally = Tally(league)
        self.digests = exporting.Digests()
        self.deals = 0
        self.decisions = 0
        self.sets: set[str] = set()

    def add(self, row: GameRow, line: dict[str, Any], table: Table | None) -> None:
        """
        Take in a game that was checked; *table* is None if it is void.
        """
        self.tally.add(row)
        self.digests.add(line)
        self.sets.add(row.set_id)
        if table is None:
            return
        self.deals += len(table.record.deals)
        self.decisions += sum(len(deal.entries) for deal in table.record.deals)
        if table.record.forfeits:
            self.decisions -= sum(
                what is Mark.UNASKED for deal in table.record.deals for _, what in deal.entries
            )


class _Lines:
    """
    Lines, one of which may be put back.
    """

    def __init__(self, lines: Iterator[Placed]) -> None:
        self._lines = lines
        self._back: list[Placed] = []

    def __iter__(self) -> Iterator[Placed]:
        return self

    def __next__(self) -> Placed:
        return self._back.pop() if self._back else next(self._lines)

    def put_back(self, place: str, line: Any) -> None:
        """
        Let the line that came last come again.
        """
        self._back.append((place, line))


def _verify(all_lines: Iterator[Placed]) -> Verified:
    lines = _Lines(all_lines)
    place, first = _next(lines, "a header")
    with _at(place):
        league, run, bots, schema = _header(first)
    sums = _Sums(league)
    last = ""
    for fixture in fixtures(league, [bot.id for bot in bots], sums.tally.look):
        if fixture.set_id != last and fixture.set_id in sums.sets:
            raise RecordError(f"the decks of {fixture.set_id} were dealt twice")
        last = fixture.set_id
        place, line = _next(lines, f"game {fixture.id}")
        spared = league.open or sums.tally.decided(fixture.match_id)
        if spared and not _is_game(line, fixture.id):
            lines.put_back(place, line)  # the game need not have been played
            continue
        with _at(place):
            if not isinstance(line, dict) or line.get("line") != exporting.GAME:
                raise RecordError(f"game {fixture.id} is missing")
            if line.get("fixture") != fixture.id:
                raise RecordError(
                    f"game {line.get('fixture')} stands where the schedule has {fixture.id}"
                )
        with _at(f"{place}, game {fixture.id}" if place != "the store" else f"game {fixture.id}"):
            row, table = _game(league, run, fixture, line, schema)
            sums.add(row, line, table)
    place, line = _next(lines, "a footer")
    with _at(place):
        if isinstance(line, dict) and line.get("line") == exporting.GAME:
            raise RecordError(f"game {line.get('fixture')} stands where the schedule has none")
        names = [(bot.id, bot.name) for bot in bots]
        compare(
            line,
            exporting.footer(league, run, names, sums.tally, sums.digests, schema=schema),
            "the games give",
        )
    for place, _ in lines:
        raise RecordError(f"{place}: stands behind the footer")
    return Verified(
        games=sums.digests.count,
        void=sums.tally.voids,
        deals=sums.deals,
        decisions=sums.decisions,
        sets=len(sums.sets),
        scheduled=count(league, len(bots)) - sums.tally.spared,
    )


def _is_game(line: Any, fixture: str) -> bool:
    return (
        isinstance(line, dict)
        and line.get("line") == exporting.GAME
        and line.get("fixture") == fixture
    )


def _header(line: Any) -> _Run:
    """
    Check the first line, and return what it says.
    """
    if not isinstance(line, dict) or line.get("line") != exporting.HEADER:
        raise RecordError("is no header of an export (one game alone needs --secret)")
    schema = line.get("schema")
    if type(schema) is not int or schema not in exporting.SCHEMAS:
        known = " and ".join(map(str, exporting.SCHEMAS))
        raise RecordError(f"schema: this program reads {known}, not {schema!r}")
    if line.get("secret") is None:
        raise RecordError(
            "the run is not finished, so the secret of its decks is not revealed: "
            "it cannot be verified yet"
        )
    text, seed = line.get("text"), line.get("seed")
    if not isinstance(text, str) or not isinstance(seed, str | None):
        raise RecordError("text and seed must be text")
    try:
        league = files.parse(text, "text").with_seed(seed)
        secret = bytes.fromhex(line["secret"])
        run = Run(
            id=0,
            number=line["run"],
            league_id=league.id,
            fingerprint=league.fingerprint(),
            text=text,
            seed=seed,
            secret=secret,
            commitment=commitment(secret),
            started=line["started"],
            finished=line["finished"],
        )
    except ConfigError as error:
        raise RecordError(str(error)) from None
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise RecordError(f"is no header of an export: {error!r}") from None
    if len(secret) != SECRET_BYTES:
        raise RecordError(f"secret: must be {SECRET_BYTES} bytes")
    if seed is not None and secret_from_seed(seed) != secret:
        raise RecordError("seed: the secret does not derive from it")
    bots = [Bot(id=each.id, name=each.name, house=True) for each in league.entrants]
    if league.open:
        bots += _newcomers(line, len(bots))
    compare(line, exporting.header(league, run, bots, schema=schema), "it must be")
    return _Run(league, run, bots, schema)


def _newcomers(line: dict[str, Any], house: int) -> list[Bot]:
    """
    Return the bots that came to an open league, which stand behind those of its file.

    Raises:
        RecordError: No league has such bots.
    """
    listed = line.get("bots")
    if not isinstance(listed, list):
        raise RecordError("bots: must be a list")
    found: list[Bot] = []
    for number, each in enumerate(listed[house:], house):
        values = (each.get("id"), each.get("name")) if isinstance(each, dict) else (None, None)
        bot_id, name = values
        if not isinstance(bot_id, str) or not is_id(bot_id):
            raise RecordError(f"bots[{number}].id: {bot_id!r} is no id")
        if not isinstance(name, str) or name_fault(name):
            raise RecordError(f"bots[{number}].name: {name!r} is no name")
        found.append(Bot(id=bot_id, name=name, house=False))
    ids = [each.get("id") for each in listed if isinstance(each, dict)]
    if len(set(ids)) < len(ids):
        raise RecordError("bots: an id stands twice")
    return found


def _game(
    league: League, run: Run, fixture: Fixture, line: dict[str, Any], schema: int
) -> tuple[GameRow, Table | None]:
    """
    Check the line of a game; return its row, and its table unless it is void.
    """
    record = line.get("record")
    if not isinstance(record, dict):
        raise RecordError("record: is missing")
    planned = {
        "game": league.game,
        "rules": league.rules.options(every=True),
        "set": fixture.set_id,
        "sitting": fixture.sitting,
        "disguise": fixture.disguise,
        "seats": list(fixture.seats),
    }
    compare({key: record.get(key) for key in planned}, planned, "the league says")
    faults = league.limits.faults_to_forfeit
    outcome = record.get("outcome")
    if isinstance(outcome, dict) and outcome.get("ending") == Ending.VOID:
        table = None
        check_void(record, run.secret, faults_to_forfeit=faults)
        row = _void(league, fixture, record)
    else:
        table = check(record, run.secret, faults_to_forfeit=faults)
        row = game_row(fixture, FinishedGame.at(table))
    compare(line, exporting.game(row, record, schema=schema), "the rules give")
    return row, table


def _void(league: League, fixture: Fixture, record: dict[str, Any]) -> GameRow:
    return GameRow(
        fixture=fixture.id,
        match_id=fixture.match_id,
        set_id=fixture.set_id,
        sitting=fixture.sitting,
        seats=fixture.seats,
        instances=tuple(record["instances"]),
        ending=str(Ending.VOID),
        scores=(0,) * len(league.sides),
        winners=(),
        places=(1,) * len(league.sides),
    )


# --- lines and places --------------------------------------------------------------------


def _parsed(lines: Iterable[str]) -> Iterator[Placed]:
    for number, text in enumerate(lines, 1):
        try:
            value = json.loads(text, object_pairs_hook=_unique, parse_constant=_no_constant)
        except (ValueError, RecursionError) as error:
            raise RecordError(f"line {number}: is no JSON: {error}") from None
        yield f"line {number}", value


def _next(lines: Iterator[Placed], wanted: str) -> Placed:
    found = next(lines, None)
    if found is None:
        raise RecordError(f"it ends where {wanted} must stand")
    return found


@contextmanager
def _at(place: str) -> Iterator[None]:
    """
    Name the place in errors of the body.
    """
    try:
        yield
    except RecordError as error:
        raise RecordError(f"{place}: {error}") from None


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) != len(pairs):
        raise ValueError("a key stands twice")
    return made


def _no_constant(name: str) -> None:
    raise ValueError(f"{name} is no number")
