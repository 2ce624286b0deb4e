"""
Honest runs are verified, whatever happened in them; others are not, and the place is named.
"""

from __future__ import annotations

import itertools
import json
import sqlite3
import zlib
from contextlib import closing

import pytest

from referee.errors import RecordError
from referee.record import digest
from tournaments.faults import NO_FAULTS
from tournaments.verifying import verify_lines, verify_store

MODES = ("reject", "stand", "challenge")


def change(lines, number, edit):
    """
    Return *lines* with one of them edited; *number* counts from 1.
    """
    value = json.loads(lines[number - 1])
    edit(value)
    return [*lines[: number - 1], json.dumps(value), *lines[number:]]


@pytest.mark.slow
@pytest.mark.parametrize(("game", "mode"), list(itertools.product(("bid", "buck"), MODES)))
def test_honest_runs_are_verified(play, game, mode):
    """
    With reneges, challenges, faults, forfeits and redeals: the export and the store.
    """
    played = play(game, mode, sets=8, hands=6)
    lines = played.lines()
    found = verify_lines(lines)

    assert found == verify_store(played.store, played.run)
    assert (len(lines) - 2, 0, 8) == (found.games, found.void, found.sets)
    records = [json.loads(line)["record"] for line in lines[1:-1]]
    deals = [deal for record in records for deal in record["deals"]]
    answers = [answer for deal in deals for answer in deal["answers"]]
    assert len(deals) == found.deals
    assert sum(not answer.endswith("unasked") for answer in answers) == found.decisions
    rulings = {ruling["ruling"] for deal in deals for ruling in deal["rulings"]}
    expected = {"reject": {"renege"}, "stand": {"stood"}, "challenge": {"false_challenge"}}[mode]
    assert expected | {"timeout", "forfeit"} <= rulings
    # Nothing is thrown in in Buck Euchre: the dealer has to name trump.
    assert (game == "bid") == any(deal["redeal"] for deal in deals)


def test_what_is_said(play):
    """
    Two lines: what was verified, and that no deck was dealt twice.
    """
    text = verify_lines(play("bid", sets=2, void=(0, 10)).lines()).text()

    first, second = text.splitlines()
    assert first.startswith("verified: 4 games (1 void), ")
    assert first.endswith(" decisions")
    assert "no deck was dealt twice: 2 sets, each with a key of its own" == second


@pytest.mark.parametrize("after", [0, 1, 30, 60])
@pytest.mark.parametrize("game", ["bid", "buck"])
def test_void_games_are_verified(play, game, after):
    """
    What is left of a game in which the referee failed is no obstacle, and counts nowhere.
    """
    played = play(game, sets=1, hands=9, rng=5, void=(1, after))
    lines = played.lines()

    assert None is json.loads(lines[2])["result"]
    assert 1 == verify_lines(lines).void == verify_store(played.store, played.run).void


def test_a_game_that_never_began_is_void(play):
    """
    The deck itself may fail, and then nothing is written down.
    """
    played = play("bid", sets=1, void=(0, 0))
    [record] = [played.store.record(played.run, "a:b/1a")]
    del record["digest"]
    record["deals"] = []
    record["digest"] = digest(record)
    put(played, "a:b/1a", record)

    assert 1 == verify_lines(played.lines()).void


def test_before_the_end_nothing_is_revealed(play):
    """
    Neither secret nor seed stand in the export, and it says why it cannot be verified.
    """
    played = play("bid", sets=2, finish=False, skip=1, seed="s3cret-s")
    lines = played.lines()
    header = json.loads(lines[0])

    assert (None, None, True) == (header["secret"], header["seed"], header["seeded"])
    assert 3 == len(lines) - 2
    for check in (lambda: verify_lines(lines), lambda: verify_store(played.store, played.run)):
        with pytest.raises(RecordError, match=r"not finished.*cannot be verified yet"):
            check()


def test_a_seed_gives_the_secret(play):
    """
    A seeded run is verified too, and another seed is not believed.
    """
    lines = play("bid", sets=1, seed="s").lines()
    assert 2 == verify_lines(lines).games

    with pytest.raises(RecordError, match=r"line 1: seed"):
        verify_lines(change(lines, 1, lambda header: header.update(seed="t")))


KINDS = ("faults_timeout", "faults_unreadable", "faults_illegal", "faults_gone")


def of_version_1(lines):
    """
    The same export as the first version of the form had it: without faults by kind.
    """
    header, *games, footer = map(json.loads, lines)
    header["schema"] = 1
    for each in (*(game["result"] for game in games), *footer["standings"]):
        for key in KINDS:
            del each[key]
    for line in (header, footer):
        del line["digest"]
        line["digest"] = digest(line)
    return [json.dumps(line) for line in (header, *games, footer)]


def test_an_export_of_the_first_version_is_verified(play):
    """
    And it is held to its own form: a key of the second one stands nowhere in it.
    """
    lines = play("bid", "stand", sets=2, rng=3).lines()
    older = of_version_1(lines)

    assert verify_lines(lines) == verify_lines(older)
    for number, place in ((2, "result"), (6, "standings")):
        mixed = [*older[: number - 1], lines[number - 1], *older[number:]]
        with pytest.raises(RecordError, match=rf"^line {number}.*{place}"):
            verify_lines(mixed)


def test_a_store_of_an_earlier_version_is_verified(play):
    """
    It has no faults by kind. An export has them nevertheless, from the records.
    """
    played = play("bid", "stand", sets=2, rng=3)
    lines, found = played.lines(), verify_store(played.store, played.run)
    assert any(sum(json.loads(line)["result"][KINDS[0]]) for line in lines[1:-1])
    execute(played, "UPDATE game SET result = json_remove(result, '$.fault_kinds')")

    assert {NO_FAULTS} == {row.fault_kinds for row in played.store.games(played.run)}
    assert lines == played.lines()
    assert found == verify_store(played.store, played.run)


@pytest.mark.parametrize(
    ("number", "edit", "says"),
    [
        (1, lambda line: line.update(schema=3), "line 1: schema"),
        (1, lambda line: line.update(schema=True), "line 1: schema"),
        (1, lambda line: line.update(schema=1), "line 1: digest"),
        (1, lambda line: line.update(secret="00"), "line 1: secret"),  # noqa: S106
        (1, lambda line: line.update(secret="00" * 32), "line 1: commitment"),
        (1, lambda line: line.update(text="x"), "line 1: text: is not TOML"),
        (1, lambda line: line.update(text=3), "line 1: text and seed"),
        (
            1,
            lambda line: line["rules"].update(target=31),
            r"line 1: rules\.target: stored 31, and it must be 32",
        ),
        (1, lambda line: line.pop("line"), "line 1: is no header"),
        (2, lambda line: line.update(line="footer"), "line 2: game a:b/1a is missing"),
        (
            2,
            lambda line: line.update(fixture="a:b/1b"),
            "line 2: game a:b/1b stands where the schedule has a:b/1a",
        ),
        (2, lambda line: line.update(record=1), "line 2, game a:b/1a: record: is missing"),
        (2, lambda line: line["record"].update(disguise=3), "line 2, game a:b/1a: disguise"),
        (2, lambda line: line["record"].update(set="a:b/2"), "line 2, game a:b/1a: set"),
        (2, lambda line: line["record"].update(seats=list("baba")), r"game a:b/1a: seats\[0\]"),
        (
            2,
            lambda line: line["record"]["deals"][1].update(scores=[1000, 2]),
            r"line 2, game a:b/1a: deals\[1\]\.scores\[0\]: stored 1000, and the rules give",
        ),
        (2, lambda line: line["result"].update(scores=[0, 0]), r"game a:b/1a: result\.scores"),
        (6, lambda line: line["standings"][0].update(games=9), r"standings\[0\]\.games"),
        (6, lambda line: line.update(games=9), "line 6: games: stored 9"),
    ],
)
def test_errors_name_the_place(play, number, edit, says):
    """
    Line, fixture and path of the first thing that differs.
    """
    lines = play("bid", "stand", sets=2, rng=7).lines()
    changed = change(lines, number, edit)

    with pytest.raises(RecordError, match=says):
        verify_lines(changed)


def test_lines_are_counted(play):
    """
    None is missing, there twice, or in another place; behind the footer there is nothing.
    """
    lines = play("bid", sets=2).lines()
    for changed, says in (
        ([], "it ends where a header must stand"),
        (lines[1:], "line 1: is no header"),
        (lines[:-1], "it ends where a footer must stand"),
        (lines[:3], "it ends where game a:b/2a must stand"),
        ([*lines[:2], *lines[3:]], "line 3: game a:b/2a stands where the schedule has a:b/1b"),
        ([*lines[:2], *lines[1:]], "line 3: game a:b/1a stands where the schedule has a:b/1b"),
        ([*lines[:4], lines[-1]], "line 5: game a:b/2b is missing"),
        ([*lines, lines[-1]], "line 7: stands behind the footer"),
        ([*lines[:2], "{", *lines[3:]], "line 3: is no JSON"),
        ([*lines[:2], '{"a":1,"a":1}', *lines[3:]], "line 3: is no JSON: a key stands twice"),
        ([*lines[:2], "NaN", *lines[3:]], "line 3: is no JSON: NaN is no number"),
    ):
        with pytest.raises(RecordError) as caught:
            verify_lines(changed)
        assert says in str(caught.value)


def put(played, fixture, record):
    """
    Write another record into the store, behind its back.
    """
    packed = zlib.compress(json.dumps(record).encode())
    execute(played, "UPDATE game SET record = ? WHERE fixture = ?", packed, fixture)


def execute(played, statement, *values):
    """
    Change the store behind its back.
    """
    with closing(sqlite3.connect(played.url.removeprefix("sqlite:///"))) as base:
        base.execute(statement, values)
        base.commit()


@pytest.mark.parametrize(
    ("statement", "says"),
    [
        ("UPDATE game SET seats = 'b a b a' WHERE fixture = 'a:b/1a'", r"game a:b/1a: \[3\]"),
        ("UPDATE game SET sitting = 1 WHERE fixture = 'a:b/2a'", r"game a:b/2a: \[2\]"),
        ("UPDATE game SET set_id = 'a:b/9' WHERE fixture = 'a:b/2a'", r"game a:b/2a: \[1\]"),
        ("UPDATE game SET ending = 'zero' WHERE fixture = 'a:b/1b'", "game a:b/1b: result.ending"),
        ("UPDATE game SET ending = 'void' WHERE fixture = 'a:b/1b'", "game a:b/1b: result"),
        (
            """UPDATE game SET result = replace(result, '"faults":[', '"faults":[7,')""",
            "game a:b/1a",
        ),
        (
            """UPDATE game SET result = replace(result, '{"timeout":[', '{"timeout":[7,')""",
            "game a:b/1a.*faults_timeout",
        ),
        ("UPDATE game SET record = NULL WHERE fixture = 'a:b/1b'", "without its record"),
        ("DELETE FROM game WHERE fixture = 'a:b/2a'", "a:b/2b stands where .* a:b/2a"),
        ("DELETE FROM game WHERE fixture = 'a:b/2b'", "game a:b/2b is missing"),
        ("UPDATE game SET fixture = 'a:c/2b' WHERE fixture = 'a:b/2b'", "a:b/2b is missing"),
        ("UPDATE run SET commitment = 'c'", "the store: commitment"),
        ("UPDATE run SET fingerprint = 'c'", "the store: .*fingerprint"),
        ("UPDATE run SET secret = zeroblob(32), commitment = 'x'", "the store: commitment"),
    ],
)
def test_a_store_that_was_changed(play, statement, says):
    """
    Also columns that no export has are compared with the schedule.
    """
    played = play("bid", "stand", sets=2, rng=3)
    assert 4 == verify_store(played.store, played.run).games
    execute(played, statement)
    run = played.store.run(1)

    with pytest.raises(RecordError, match=says):
        verify_store(played.store, run)


def test_a_game_too_many_in_the_store(play):
    """
    A game that no schedule has would count in the standings, so it is found.
    """
    played = play("bid", sets=1)
    columns = "run_id, match_id, set_id, sitting, seats, ending, void, result, record, played"
    execute(
        played,
        f"INSERT INTO game (fixture, {columns}) SELECT 'a:b/7a', {columns} "  # noqa: S608
        "FROM game WHERE fixture = 'a:b/1a'",
    )
    with pytest.raises(RecordError, match="3 games are stored, and 2 are in the schedule"):
        verify_store(played.store, played.run)
