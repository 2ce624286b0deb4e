"""
Games, a line for each bot of each.
"""

from __future__ import annotations

import statistics

import pytest
from scipy.stats import t

from tournaments.listing import lines, plain
from tournaments.pairing import fixtures
from tournaments.standings import standings
from tournaments.stopping import Stop
from tournaments.tally import Tally


def listed(league, rows):
    """
    The lines of *rows*, all games of their run.
    """
    return list(lines(Tally.of(league, rows), rows))


def test_a_game_of_teams(make_league, make_row):
    """
    A bot that has two seats has one line, with what both did.
    """
    league = make_league("bid", "a b", sets=1)
    first, second = fixtures(league)
    rows = [
        make_row(first, 32, 10, reneges=(2, 0, 1, 0), faults=(0, 1, 0, 1)),
        make_row(second, 0, 0, ending="forfeit", forfeits=(1,), winners=(0,), places=(1, 2)),
    ]
    one, two, three, four = listed(league, rows)
    assert ("a:b/1a", "a:b", 1, 1, "a", "NS", 32, 22, 1) == one[:9]
    assert ("target", False, 3, 0, True) == one[9:]
    assert ("b", "EW", 10, -22, 2) == two[4:9]
    assert (0, 2) == (two.reneges, two.faults)
    assert ("b", "NS", 2, False, False) == (
        three.bot,
        three.seats,
        three.sitting,
        three.forfeited,
        three.penalised,
    )
    assert (True, True) == (four.forfeited, four.penalised)


def test_a_game_of_four(make_league, make_row):
    """
    In Buck Euchre points are bad, and the margin is the mean of the others less one's own.
    """
    league = make_league("buck", "a b c d", sets=1)
    fixture = next(iter(fixtures(league)))
    found = listed(league, [make_row(fixture, 3, 0, 9, 6)])
    assert ["N", "E", "S", "W"] == [line.seats for line in found]
    assert [2, 6, -6, -2] == [line.margin for line in found]
    assert [2, 1, 4, 3] == [line.place for line in found]


def test_a_void_game_has_no_margin(make_league, make_row):
    """
    It counts for nobody.
    """
    league = make_league("bid", "a b", sets=1)
    rows = [make_row(next(iter(fixtures(league))), 0, 0, ending="void", places=(1, 1))]
    assert [(None, False)] * 2 == [(line.margin, line.counted) for line in listed(league, rows)]
    assert "void" == plain(listed(league, rows)).split()[-1]


@pytest.mark.parametrize("stop", [None, Stop(low=-1.0, high=1.0)])
def test_who_computes_by_hand_comes_to_the_same_interval(make_league, make_row, stop):
    """
    Mean over sets, and Student's interval of it, as docs/statistics.md shows it.
    """
    league = make_league("bid", "a b", sets=40, stop=stop)
    rows = [
        make_row(fixture, 32, 26 - 7 * number % 19)
        if fixture.seats[0] == "a"
        else make_row(fixture, 25 + number % 5, 32)
        for number, fixture in enumerate(fixtures(league))
    ]
    found = [line for line in listed(league, rows) if line.bot == "a" and line.counted]
    sets = {}
    for line in found:
        sets.setdefault(line.set, []).append(line.margin)
    means = [statistics.fmean(margins) for margins in sets.values()]
    error = t.ppf(0.975, len(means) - 1) * statistics.stdev(means) / len(means) ** 0.5
    table = standings(
        league,
        [(each.id, each.name) for each in league.entrants],
        Tally.of(league, rows),
        run=1,
        commitment="c" * 64,
        seeded=False,
    )
    row = next(row for row in table.rows if row.bot == "a")
    assert len(means) == row.sets
    assert (len(means) < 40) == (stop is not None)
    assert pytest.approx((row.margin, row.margin_error), abs=1e-6) == (
        statistics.fmean(means),
        error,
    )


def test_the_table_for_people(make_league, make_row):
    """
    Says in words who forfeited, and what does not count.
    """
    league = make_league("bid", "a b", sets=25, stop=Stop(low=-1.0, high=1.0))
    rows = [
        make_row(
            fixture,
            *((32, 0) if fixture.seats[0] == "a" else (0, 32)),
            ending="forfeit",
            forfeits=(fixture.seats.index("b"),),
        )
        for fixture in fixtures(league)
    ]
    text = plain(listed(league, rows)).splitlines()
    assert "game     bot  seats  points  margin  place  ren  flt  ended" == text[0]
    assert "a:b/1a   a    NS         32     +32      1    0    0  forfeit" == text[2]
    assert text[3].endswith("  forfeited")
    assert text[-2].endswith("  forfeited, not counted")
