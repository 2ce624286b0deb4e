"""
Plays a recorded game again, from nothing but its set-up and its answers.

Decks are derived anew from the revealed secret, and every answer is judged
again by the code that judged it the first time; what comes out is a record, and
it must be the one that went in. So a change of any part of a record that
follows from the rest is found, whatever it is.
"""

from __future__ import annotations

import functools
import json
from typing import TYPE_CHECKING, Any

from referee.errors import ConfigError, NotationError, RecordError
from referee.notation import parse_line
from referee.opening import open_table
from referee.record import SCHEMA, Mark, digest
from referee.rules.judge import Code
from referee.rules.variants import GAMES
from referee.seats import BY_LETTER
from referee.shuffle import DISGUISES
from referee.view import NoViews

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from referee.record import GameRecord
    from referee.rules.actions import Answer
    from referee.rules.options import Rules
    from referee.seats import Seat
    from referee.table import Table

_NO_ANSWER = {str(code): code for code in (Code.TIMEOUT, Code.UNREADABLE, Code.GONE)}


def replay(record: Mapping[str, Any], secret: bytes, *, faults_to_forfeit: int) -> GameRecord:
    """
    Return the record of the game that *record* sets up and answers.

    Args:
        record: As `GameRecord.to_json` has it; only its set-up and its answers are read.
        secret: Of the league, revealed.
        faults_to_forfeit: Of the league.

    Raises:
        RecordError: It cannot be played: an unknown schema, a key that is missing, an answer
            that is not in the notation, answers after the end, or an end that is missing.
    """
    return _last(record, secret, faults_to_forfeit).record


def steps(record: Mapping[str, Any], secret: bytes, *, faults_to_forfeit: int) -> Iterator[Table]:
    """
    Yield the table of a recorded game before each of its answers, and once at the end.

    Args:
        record: As `GameRecord.to_json` has it; only its set-up and its answers are read.
        secret: Of the league, revealed.
        faults_to_forfeit: Of the league.

    Raises:
        RecordError: As `replay` does.
    """
    table, lines = _opened(record, secret, faults_to_forfeit)
    yield from _play(table, lines, table.game.rules.game)


def _opened(
    record: Mapping[str, Any], secret: bytes, faults_to_forfeit: int
) -> tuple[Table, list[tuple[int, int, Any]]]:
    """
    Open the table of *record*; return it with the answers: deal, place in it, text.
    """
    try:
        rules = _rules(record)
        table = open_table(
            rules,
            secret,
            _text(record["set"], "set"),
            sitting=_whole(record["sitting"], "sitting", 3),
            disguise=_whole(record["disguise"], "disguise", len(DISGUISES) - 1),
            seats=tuple(_text(seat, "seats") for seat in record["seats"]),
            instances=tuple(_text(name, "instances") for name in record["instances"]),
            faults_to_forfeit=faults_to_forfeit,
            views=NoViews,
        )
        lines = [
            (number, place, line)
            for number, deal in enumerate(record["deals"])
            for place, line in enumerate(deal["answers"])
        ]
    except (KeyError, TypeError, AttributeError, ValueError) as error:
        raise RecordError(f"not a record of a game: {error!r}") from None
    return table, lines


def check(record: Mapping[str, Any], secret: bytes, *, faults_to_forfeit: int) -> Table:
    """
    Check that *record* is what came of its own set-up and answers.

    Returns:
        Its table, after the end.

    Raises:
        RecordError: It is not; the text names the first place that differs.
    """
    table = _last(record, secret, faults_to_forfeit)
    compare(record, table.record.to_json(), "the rules give")
    return table


def check_void(record: Mapping[str, Any], secret: bytes, *, faults_to_forfeit: int) -> None:
    """
    Check what is left of a game that is void because the referee failed in it.

    It failed somewhere in the last deal, so how far that is written down is not for the
    rules to say; all before it must be as the rules give it.

    Raises:
        RecordError: It is not; the text names the first place that differs.
    """
    table, lines = _opened(record, secret, faults_to_forfeit)
    whole = max(0, len(record["deals"]) - 1)
    before = [line for line in lines if line[0] < whole]
    for _ in _play(table, before, table.game.rules.game, cut=True):
        pass
    table.void()
    again = table.record.to_json()
    del again["digest"]
    again["deals"] = again["deals"][:whole] + record["deals"][whole:]
    again["forfeits"] = record.get("forfeits")
    compare(record, again | {"digest": digest(again)}, "the rules give")


def compare(stored: Any, derived: Any, what: str) -> None:
    """
    Check that two JSON values are equal.

    Args:
        stored: What was read.
        derived: What it must be.
        what: Says in the error where *derived* comes from.

    Raises:
        RecordError: They are not; the text names the first place that differs.
    """
    # Almost all are equal, and their texts are compared much faster than their parts.
    if json.dumps(stored, sort_keys=True) == json.dumps(derived, sort_keys=True):
        return
    # A digest differs whenever anything does, so it is named only if nothing else is found.
    for place, one, other in sorted(differences(stored, derived), key=_is_digest):
        raise RecordError(f"{place}: stored {one!r}, and {what} {other!r}")
    raise RecordError("two values differ only as text")


def _is_digest(difference: tuple[str, Any, Any]) -> bool:
    return difference[0].endswith("digest")


def differences(stored: Any, derived: Any, place: str = "") -> Iterator[tuple[str, Any, Any]]:
    """
    Yield the places in which two JSON values differ, in order.
    """
    if isinstance(stored, dict) and isinstance(derived, dict):
        for key in sorted({*stored, *derived}):
            here = f"{place}.{key}" if place else key
            if key not in stored or key not in derived:
                yield here, stored.get(key, "nothing"), derived.get(key, "nothing")
            else:
                yield from differences(stored[key], derived[key], here)
    elif isinstance(stored, list) and isinstance(derived, list):
        for number, (one, other) in enumerate(zip(stored, derived, strict=False)):
            yield from differences(one, other, f"{place}[{number}]")
        if len(stored) != len(derived):
            yield f"{place}.length", len(stored), len(derived)
    # True == 1 in Python, but not in JSON.
    elif type(stored) is not type(derived) or stored != derived:
        yield place, stored, derived


def _last(record: Mapping[str, Any], secret: bytes, faults_to_forfeit: int) -> Table:
    table, lines = _opened(record, secret, faults_to_forfeit)
    for _ in _play(table, lines, table.game.rules.game):
        pass
    return table


def _play(
    table: Table, lines: list[tuple[int, int, Any]], game: str, *, cut: bool = False
) -> Iterator[Table]:
    """
    Give the answers to *table*, in order; only if they are *cut* may the end be missing.
    """
    table.start()
    for number, place, line in lines:
        yield table
        try:
            seat, what = _entry(line, game)
        except NotationError as error:
            raise RecordError(f"{_place(number, place)}: {error}") from None
        question = table.question
        if what is Mark.UNASKED:
            continue  # the table plays these by itself, and writes them down
        if question is None:
            raise RecordError(f"{_place(number, place)}: the game is over before {line!r}")
        if question.seat is not seat:
            raise RecordError(f"{_place(number, place)}: {question.seat} was on turn, not {seat}")
        if what is Mark.ABANDONED:
            table.answer(Code.GONE, abandoned=True)
        else:
            table.answer(what)
    if table.question is not None and not cut:
        raise RecordError("the answers end before the game is over")
    yield table


def _place(number: int, place: int) -> str:
    return f"deals[{number}].answers[{place}]"


def _entry(line: Any, game: str) -> tuple[Seat, Answer | Code | Mark]:
    if not isinstance(line, str):
        raise NotationError(f"must be text, not {line!r}")
    return _read_entry(line, game)


@functools.lru_cache(maxsize=4096)
def _read_entry(line: str, game: str) -> tuple[Seat, Answer | Code | Mark]:
    """
    Read an answer; most of them come again and again.
    """
    seat, _, what = line.partition(" ")
    if seat in BY_LETTER:
        if what in _NO_ANSWER:
            return BY_LETTER[seat], _NO_ANSWER[what]
        if what in (Mark.UNASKED, Mark.ABANDONED):
            return BY_LETTER[seat], Mark(what)
    # What a bot sends may hold challenges in any mode; they are heard in one only.
    return parse_line(line, game, challenges=True)


def _rules(record: Mapping[str, Any]) -> Rules:
    if record["schema"] != SCHEMA:
        raise RecordError(f"schema: this program reads {SCHEMA}, not {record['schema']!r}")
    game = GAMES.get(record["game"])
    if game is None:
        raise RecordError(f"game: {record['game']!r} is none of {', '.join(GAMES)}")
    try:
        return game.rules.from_options(record["rules"])
    except ConfigError as error:
        raise RecordError(str(error)) from None


def _text(value: Any, place: str) -> str:
    if not isinstance(value, str):
        raise RecordError(f"{place}: must be text, not {value!r}")
    return value


def _whole(value: Any, place: str, most: int) -> int:
    if type(value) is not int or not 0 <= value <= most:
        raise RecordError(f"{place}: must be a whole number from 0 to {most}, not {value!r}")
    return value
