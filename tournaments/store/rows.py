"""
What the store holds, as values, and how they become columns.
"""

from __future__ import annotations

import dataclasses
import datetime as dt
import functools
import json
import zlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from referee.errors import StoreError
from tournaments.faults import NO_FAULTS, FaultKinds
from tournaments.games import GameRow, Times
from tournaments.reneges import Watch

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """
    One playing of a league.
    """

    id: int
    """Its key in the store."""
    number: int
    """From 1, among the runs of its league."""
    league_id: str
    fingerprint: str
    """`League.fingerprint` of what is played."""
    text: str
    """The league file, word for word."""
    seed: str | None
    secret: bytes
    """All decks derive from it."""
    commitment: str
    """Its hash, which may be published."""
    started: str
    """UTC, ISO 8601."""
    finished: str | None
    """The same; None while there may be more games."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Version:
    """
    What changes of a bot with a new version of its program; the fields are those of `Bot`.
    """

    name: str
    description: str = ""
    contact: str = ""
    software: str = ""
    games: tuple[str, ...] = ()
    program: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Bot:
    """
    A bot of a run.
    """

    id: str
    name: str
    house: bool
    """Whether the league file names it; otherwise it was submitted."""
    token_sha256: str | None = None
    """Hash of its token, in hexadecimal; house bots that are launched have none."""
    description: str = ""
    contact: str = ""
    software: str = ""
    games: tuple[str, ...] = ()
    """What it plays; empty for everything."""
    submitted: str = ""
    """UTC, ISO 8601; filled in by the store."""
    revoked: str | None = None
    """UTC, ISO 8601; None while it may connect."""
    program: str | None = None
    """Folder of an uploaded program, for the host to run; None for bots that connect."""
    waiting: Version | None = None
    """A new version of that program, for the next run; None without one."""

    def renewed(self) -> Bot:
        """
        Return the bot as it plays in the next run: as its newest version.
        """
        if self.waiting is None:
            return self
        new = {each.name: getattr(self.waiting, each.name) for each in dataclasses.fields(Version)}
        return dataclasses.replace(self, waiting=None, **new)


class NewGame(NamedTuple):
    """
    A game to be stored.
    """

    row: GameRow
    record: Mapping[str, Any] | None
    """`GameRecord.to_json`."""


def now() -> str:
    """
    Return the time as it is stored: UTC, ISO 8601.
    """
    return dt.datetime.now(dt.UTC).isoformat(timespec="milliseconds")


def bot_columns(run_id: int, bot: Bot, submitted: str) -> dict[str, Any]:
    """
    Return the columns of a bot.
    """
    return {
        "run_id": run_id,
        "bot_id": bot.id,
        "name": bot.name,
        "house": bot.house,
        "token_sha256": bot.token_sha256,
        "description": bot.description,
        "contact": bot.contact,
        "software": bot.software,
        "games": _json(bot.games),
        "submitted": bot.submitted or submitted,
        "revoked": bot.revoked,
        "program": bot.program,
        "waiting": None if bot.waiting is None else waiting_text(bot.waiting),
    }


def waiting_text(version: Version) -> str:
    """
    Return the column of a version that waits.
    """
    return _json(dataclasses.asdict(version))


def _waiting_in(text: str) -> Version:
    values = json.loads(text)
    return Version(**values | {"games": tuple(values["games"])})


def bot_of(columns: Mapping[str, Any]) -> Bot:
    """
    Return the bot that *columns* hold.
    """
    return Bot(
        id=columns["bot_id"],
        name=columns["name"],
        house=columns["house"],
        token_sha256=columns["token_sha256"],
        description=columns["description"],
        contact=columns["contact"],
        software=columns["software"],
        games=tuple(json.loads(columns["games"])),
        submitted=columns["submitted"],
        revoked=columns["revoked"],
        program=columns["program"],
        waiting=None if columns["waiting"] is None else _waiting_in(columns["waiting"]),
    )


def game_columns(run_id: int, game: NewGame, played: str) -> dict[str, Any]:
    """
    Return the columns of a game.
    """
    row, record = game
    result: dict[str, Any] = {
        "scores": row.scores,
        "winners": row.winners,
        "places": row.places,
        "forfeits": row.forfeits,
        "faults": row.faults,
        "reneges": row.reneges,
        "instances": row.instances,
        "times": row.times,
        "unpunished": row.watch.unpunished,
        "challenges_right": row.watch.right,
        "challenges_wrong": row.watch.wrong,
    }
    if row.fault_kinds != NO_FAULTS:
        kinds = row.fault_kinds._asdict()
        result["fault_kinds"] = {kind: by_seat for kind, by_seat in kinds.items() if any(by_seat)}
    return {
        "run_id": run_id,
        "fixture": row.fixture,
        "match_id": row.match_id,
        "set_id": row.set_id,
        "sitting": row.sitting,
        "seats": " ".join(row.seats),
        "ending": row.ending,
        "void": row.void,
        "result": _json(result),
        "record": None if record is None else zlib.compress(_json(record).encode()),
        "played": played,
    }


GAME_COLUMNS = ("fixture", "match_id", "set_id", "sitting", "seats", "ending", "result")
"""What `game_of` takes, in order."""


class _Kinds(msgspec.Struct, gc=False):
    """
    Faults by kind and seat; kinds that did not happen are left out.
    """

    timeout: tuple[int, ...] = (0, 0, 0, 0)
    unreadable: tuple[int, ...] = (0, 0, 0, 0)
    illegal: tuple[int, ...] = (0, 0, 0, 0)
    gone: tuple[int, ...] = (0, 0, 0, 0)


class _Result(msgspec.Struct, gc=False):
    """
    What the column `result` holds; what came later has a default.
    """

    scores: tuple[int, ...]
    winners: tuple[int, ...]
    places: tuple[int, ...]
    forfeits: tuple[int, ...]
    faults: tuple[int, ...]
    reneges: tuple[int, ...]
    instances: tuple[str, ...]
    times: Times
    unpunished: tuple[int, ...] = (0, 0, 0, 0)
    challenges_right: tuple[int, ...] = (0, 0, 0, 0)
    challenges_wrong: tuple[int, ...] = (0, 0, 0, 0)
    fault_kinds: _Kinds | None = None


@functools.lru_cache(4096)
def _seats_in(text: str) -> tuple[str, ...]:
    """
    Return the bots of the column `seats`; the same few come again and again.
    """
    return tuple(text.split(" "))


_result_in = msgspec.json.Decoder(_Result).decode


def game_of(  # noqa: PLR0917  (one a column)
    fixture: str, match_id: str, set_id: str, sitting: int, seats: str, ending: str, result: str
) -> GameRow:
    """
    Return the game that the columns of `GAME_COLUMNS` hold.

    Raises:
        StoreError: It is damaged.
    """
    try:
        found = _result_in(result)
    except msgspec.MsgspecError as error:
        raise StoreError(f"the result of {fixture} is damaged: {error}") from None
    kinds = found.fault_kinds
    return GameRow(
        fixture,
        match_id,
        set_id,
        sitting,
        _seats_in(seats),
        found.instances,
        ending,
        found.scores,
        found.winners,
        found.places,
        found.forfeits,
        found.faults,
        found.reneges,
        found.times,
        Watch(found.unpunished, found.challenges_right, found.challenges_wrong),
        NO_FAULTS if kinds is None else FaultKinds(*msgspec.structs.astuple(kinds)),
    )


def record_of(packed: bytes) -> dict[str, Any]:
    """
    Return the record that is packed in a column.

    Raises:
        ValueError: It is damaged.
    """
    try:
        record: dict[str, Any] = json.loads(zlib.decompress(packed))
    except zlib.error as error:
        raise ValueError(str(error)) from None
    return record


def _json(value: Any) -> str:
    return json.dumps(value, separators=(",", ":"))
