"""
Where things stand in the charts.
"""

from __future__ import annotations

from itertools import pairwise
from types import SimpleNamespace

import pytest

from tournaments.ratings import rate
from tournaments.report.charts import LINES, MOMENTS, Course, axis, course, number
from tournaments.tally import Tally


def test_axes_have_round_numbers() -> None:
    """
    They hold all values, from a tick to a tick.
    """
    scale = axis(-7.3, 41.0)
    assert (-10, 50) == (scale.low, scale.high)
    assert ["\N{MINUS SIGN}10", "0", "+10", "+20", "+30", "+40", "+50"] == [
        t.text for t in scale.ticks
    ]
    assert (0.0, 100.0) == (scale.ticks[0].place, scale.ticks[-1].place)
    assert ["\N{MINUS SIGN}0.2", "0.0", "+0.2"] == [t.text for t in axis(-0.2, 0.2, 3).ticks]
    assert axis(0, 0).low < 0 < axis(0, 0).high
    assert ("\N{MINUS SIGN}1.5", "0.0", "3") == (number(-1.5, 1), number(-0.01, 1), number(3))


@pytest.mark.parametrize("sets", [2, 30, 31, 75])
def test_a_course_has_a_few_moments_and_ends_with_the_ratings(play, sets: int) -> None:
    """
    However many sets there are, some thirty moments are kept, evenly spaced.
    """
    played = play("bid", sets=sets, hands=1)
    tally, found, at_first = Tally(played.league), Course(sets), {}
    for row in played.store.games(played.run):
        tally.add(row)
        found.look(tally)
        if len(found.moments) == 1:
            at_first = at_first or rate(tally).strengths
    found.close(tally)
    moments = [at for at, _ in found.moments]
    assert sets == moments[-1]
    assert min(sets, MOMENTS // 2) <= len(moments) <= MOMENTS + 1
    assert len({after - before for before, after in pairwise(moments[:-1])}) <= 1
    assert at_first == found.moments[0][1]
    assert rate(tally).strengths == found.moments[-1][1]


def test_a_course_shows_the_first_few(make_tally) -> None:
    """
    More lines than `LINES` cannot be told apart; one moment is no course.
    """
    bots = [f"b{n}" for n in range(12)]
    found = Course(2)
    found.look(make_tally(1, bots))
    assert course(found, bots) is None
    found.look(make_tally(2, bots))
    chart = course(found, bots)
    assert bots[:LINES] == [line.bot for line in chart.lines]
    assert ["0", "1", "2"] == [tick.text for tick in chart.across.ticks]
    assert [1, 2] == [sets for sets, _ in chart.moments]
    for line in chart.lines:
        assert 0 <= line.interval.low < line.interval.mean < line.interval.high <= 100
        assert line.points.endswith(f"100,{100 - line.interval.mean:g}")


def test_who_came_later_has_a_shorter_line(make_tally) -> None:
    """
    A bot that had no set yet has no rating then.
    """
    found = Course(2)
    found.look(make_tally(1, ["a", "b"]))
    found.look(make_tally(2, ["a", "b", "c"]))
    chart = course(found, ["c", "a", "b"])
    assert [1, 2, 2] == [len(line.points.split()) for line in chart.lines]
    assert chart.moments[0][1][0] is None


@pytest.fixture
def make_tally():
    """
    Makes the little of a tally that a course looks at.
    """

    def make(sets, bots=("a", "b")):
        match = SimpleNamespace(bots=tuple(bots), orders={tuple(range(1, 1 + len(bots))): sets})
        return SimpleNamespace(sets=sets, matches={"m": match})

    return make
