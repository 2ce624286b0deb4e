"""
Faults by kind: counted in records, kept by the store, and shown in the standings.
"""

from __future__ import annotations

import csv
import io
import json

import pytest

from referee.errors import RecordError, StoreError
from referee.hall import FinishedGame
from referee.opening import open_table
from referee.rules.actions import Answer, Play
from referee.rules.judge import FAULTS, Code
from referee.rules.options import BidRules
from referee.seats import Seat
from tournaments.faults import KINDS, NO_FAULTS, FaultKinds, kinds_in, kinds_of
from tournaments.games import game_row
from tournaments.pairing import fixtures
from tournaments.standings import render, standings
from tournaments.store.rows import NewGame, game_columns, game_of
from tournaments.tally import Tally

COLUMNS = ("fixture", "match_id", "set_id", "sitting", "seats", "ending")


def test_the_kinds_are_the_rulings_that_are_faults() -> None:
    """
    One word each, in the table as in a ruling.
    """
    assert sorted(FAULTS) == sorted(KINDS)


def misplayed():
    """
    A game of one deal that is over: E is illegal once and late once, S gone, W unreadable twice.

    And N plays a card that E holds, which is a renege and no fault.
    """
    rules = BidRules(max_hands=1, first_dealer=Seat.NORTH)
    table = open_table(rules, bytes(32), "a:b/1", faults_to_forfeit=0)
    table.start()
    card = Answer(Play(table.deal.hands[Seat.EAST][0]), ())
    due = {
        Seat.EAST: [card, Code.TIMEOUT],
        Seat.SOUTH: [Code.GONE],
        Seat.WEST: [Code.UNREADABLE, Code.UNREADABLE],
        Seat.NORTH: [None, None, card],  # after a bid and a trump
    }
    while (question := table.question) is not None:
        answers = due[question.seat]
        answer = answers.pop(0) if answers else None
        table.answer(Answer(question.legal[-1], ()) if answer is None else answer)
    return table


EXPECTED = FaultKinds(
    timeout=(0, 1, 0, 0), unreadable=(0, 0, 0, 2), illegal=(0, 1, 0, 0), gone=(0, 0, 1, 0)
)
"""What `misplayed` comes to."""


def test_by_hand() -> None:
    """
    From the record in memory and from that of the store; the hall's sums agree.
    """
    table = misplayed()

    assert [1, 0, 0, 0] == table.reneges
    assert EXPECTED == kinds_of(table.record)
    assert EXPECTED == kinds_in(json.loads(json.dumps(table.record.to_json())))
    assert table.faults == [sum(by_kind) for by_kind in zip(*EXPECTED, strict=True)]


@pytest.mark.parametrize(
    "record",
    [
        {},
        {"deals": None},
        {"deals": [{"rulings": [{"ruling": "gone"}]}]},
        {"deals": [{"rulings": [{"ruling": "gone", "seat": "X"}]}]},
    ],
)
def test_a_damaged_record_is_an_error_of_ours(record) -> None:
    """
    Whoever reads one from a store or a file says which.
    """
    with pytest.raises(RecordError, match="rulings of a record are damaged"):
        kinds_in(record)


def test_a_tally_has_them_by_bot(make_league, make_row) -> None:
    """
    Both seats of a team together, over games, also where tallies are added.
    """
    league = make_league("bid", "a b", sets=1)
    first, second = fixtures(league)
    rows = [
        game_row(first, FinishedGame.at(misplayed())),
        make_row(second, 32, 10, faults=(0, 2, 0, 0), fault_kinds=FaultKinds(gone=(0, 2, 0, 0))),
    ]
    whole = Tally.of(league, rows)

    assert {"a": [0, 0, 0, 3], "b": [1, 2, 1, 0]} == {
        bot: sums.fault_kinds for bot, sums in whole.bots.items()
    }
    assert {"a": 3, "b": 4} == {bot: sums.faults for bot, sums in whole.bots.items()}
    halves = Tally.of(league, rows[:1]) + Tally.of(league, rows[1:])
    assert whole.bots == halves.bots


def stored(row) -> dict[str, object]:
    """
    What the columns of a game hold.
    """
    return game_columns(1, NewGame(row, None), "now")


def read(columns, result):
    """
    The game that columns hold.
    """
    return game_of(*(columns[name] for name in COLUMNS), json.dumps(result))


def test_the_store_keeps_them(make_league, make_row) -> None:
    """
    Kinds that did not happen take no room; a row that was stored without them has its sum.
    """
    (fixture, *_) = fixtures(make_league())
    row = make_row(fixture, 32, 10, faults=(0, 2, 1, 2), fault_kinds=EXPECTED)
    columns = stored(row)
    result = json.loads(columns["result"])

    assert row == read(columns, result)
    only = FaultKinds(gone=(0, 0, 1, 0))
    few = json.loads(stored(row._replace(faults=(0, 0, 1, 0), fault_kinds=only))["result"])
    assert {"gone": [0, 0, 1, 0]} == few["fault_kinds"]
    assert "fault_kinds" not in json.loads(stored(make_row(fixture, 32, 10))["result"])
    del result["fault_kinds"]
    assert row._replace(fault_kinds=NO_FAULTS) == read(columns, result)
    with pytest.raises(StoreError, match=r"a:b/1a is damaged: .*fault_kinds"):
        read(columns, {**result, "fault_kinds": {"gone": "x"}})


def standings_with(league, rows):
    """
    The standings of *rows*.
    """
    bots = [(each.id, each.name) for each in league.entrants]
    return standings(league, bots, Tally.of(league, rows), run=1, commitment="c" * 64, seeded=False)


def faulty(league, make_row):
    """
    One set: b has 1 timeout, 2 unreadable and 1 illegal answer of known kind, and 3 of none; a 1.
    """
    first, second = fixtures(league)
    return [
        make_row(first, 32, 10, faults=(0, 2, 1, 2), fault_kinds=EXPECTED),
        make_row(second, 32, 20, faults=(3, 0, 0, 0)),
    ]


KEYS = ("faults", *(f"faults_{kind}" for kind in KINDS))


def test_programs_get_them(make_league, make_row) -> None:
    """
    JSON and CSV, one key a kind. What was stored without kinds is in the sum, and said below.
    """
    league = make_league("bid", "a b", sets=1)
    table = standings_with(league, faulty(league, make_row))
    expected = {"a": (1, 0, 0, 0, 1), "b": (7, 1, 2, 1, 0)}

    value = json.loads(render(table, "json"))
    assert expected == {row["bot"]: tuple(row[key] for key in KEYS) for row in value["rows"]}
    lines = csv.DictReader(io.StringIO(render(table, "csv"), newline=""))
    assert expected == {line["bot"]: tuple(int(line[key]) for key in KEYS) for line in lines}
    assert {"a": 0, "b": 3} == {row.bot: row.faults_unknown for row in table.rows}
    (note,) = (note for note in value["notes"] if "unknown kind" in note)
    assert note.startswith("3 faults of unknown kind, in games stored by an earlier version")
    whole = standings_with(league, [])
    assert not any("kind" in note for note in whole.notes)


def test_the_plain_table(make_league, make_row) -> None:
    """
    A table of its own, if there are faults; of unknown ones if there are such.
    """
    league = make_league("bid", "a b", sets=1)
    rows = faulty(league, make_row)
    lines = render(standings_with(league, rows)).splitlines()
    place = next(number for number, line in enumerate(lines) if line.startswith("bot flt"))

    assert [
        "bot flt timeout unreadable illegal gone unknown ff ren",
        "------------------------------------------------------",
        "A     1       0          0       0    1       0  0   0",
        "B     7       1          2       1    0       3  0   0",
        "",
        "Faults by kind. timeout: not in time. unreadable: no known action. illegal: not",
        "  legal, and no renege. gone: the bot was not there. unknown: stored by an",
        "  earlier version, without a kind.",
    ] == lines[place : place + 8]
    assert "gone unknown" not in render(standings_with(league, rows[:1]))
    assert "Faults by kind" not in render(
        standings_with(league, [make_row(next(fixtures(league)), 1, 0)])
    )
    narrow = render(standings_with(league, rows), width=40)
    assert "4 more columns on a wider terminal." in " ".join(narrow.split("Faults by")[1].split())


def test_tables_for_pages_and_papers(make_league, make_row) -> None:
    """
    Markdown and LaTeX have the same table, with whole words.
    """
    league = make_league("bid", "a b", sets=1)
    table = standings_with(league, faulty(league, make_row))
    heads = ["faults", *KINDS, "unknown", "forfeits", "reneges"]

    part = render(table, "github").split("Faults by kind.\n\n")[1].split("\n\n")[0]
    head, _, *body = [[cell.strip() for cell in line.split("|")[1:-1]] for line in part.split("\n")]
    assert ["bot", *heads] == head
    assert [["A", *"10001000"], ["B", *"71210300"]] == body
    paper = render(table, "latex").split("% Faults by kind.\n")[1]
    assert f"bot & {' & '.join(heads)} \\\\" in paper
    assert f"B & {' & '.join('71210300')} \\\\" in paper
    for form in ("github", "latex"):
        assert "Faults by kind" not in render(standings_with(league, []), form)
