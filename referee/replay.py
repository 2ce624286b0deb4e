"""
Plays a recorded game again, from nothing but its set-up and its answers.

Decks are derived anew from the revealed secret, and every answer is judged
again by the code that judged it the first time; what comes out is a record, and
it must be the one that went in. So a change of any part of a record that
follows from the rest is found, whatever it is.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from referee.errors import ConfigError, NotationError, RecordError
from referee.notation import parse_line
from referee.opening import open_table
from referee.record import SCHEMA, Mark
from referee.rules.judge import Code
from referee.rules.variants import GAMES
from referee.seats import BY_LETTER
from referee.shuffle import DISGUISES

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
    *_, table = steps(record, secret, faults_to_forfeit=faults_to_forfeit)
    return table.record


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
        )
        lines = [
            (f"deals[{number}].answers[{place}]", line)
            for number, deal in enumerate(record["deals"])
            for place, line in enumerate(deal["answers"])
        ]
    except (KeyError, TypeError) as error:
        raise RecordError(f"not a record of a game: {error!r}") from None
    yield from _play(table, lines, rules.game)


def check(record: Mapping[str, Any], secret: bytes, *, faults_to_forfeit: int) -> None:
    """
    Check that *record* is what came of its own set-up and answers.

    Raises:
        RecordError: It is not; the text names the first place that differs.
    """
    again = replay(record, secret, faults_to_forfeit=faults_to_forfeit).to_json()
    for place, stored, derived in differences(record, again):
        raise RecordError(f"{place}: stored {stored!r}, and the rules give {derived!r}")


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


def _play(table: Table, lines: list[tuple[str, Any]], game: str) -> Iterator[Table]:
    """
    Give the answers to *table*, in order.
    """
    table.start()
    for place, line in lines:
        yield table
        seat, what = _entry(place, line, game)
        question = table.question
        if what is Mark.UNASKED:
            continue  # the table plays these by itself, and writes them down
        if question is None:
            raise RecordError(f"{place}: the game is over before {line!r}")
        if question.seat is not seat:
            raise RecordError(f"{place}: {question.seat} was on turn, not {seat}")
        if what is Mark.ABANDONED:
            table.answer(Code.GONE, abandoned=True)
        else:
            table.answer(what)
    if table.question is not None:
        raise RecordError("the answers end before the game is over")
    yield table


def _entry(place: str, line: Any, game: str) -> tuple[Seat, Answer | Code | Mark]:
    seat, _, what = _text(line, place).partition(" ")
    if seat in BY_LETTER:
        if what in _NO_ANSWER:
            return BY_LETTER[seat], _NO_ANSWER[what]
        if what in (Mark.UNASKED, Mark.ABANDONED):
            return BY_LETTER[seat], Mark(what)
    try:
        # What a bot sends may hold challenges in any mode; they are heard in one only.
        return parse_line(line, game, challenges=True)
    except NotationError as error:
        raise RecordError(f"{place}: {error}") from None


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
