"""
Tests that end matches early: the claims, the order of sets, and what counts.
"""

from __future__ import annotations

import math
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from referee.errors import ConfigError
from tournaments import files
from tournaments.notes import notes
from tournaments.pairing import count, fixtures
from tournaments.standings import render, standings
from tournaments.stopping import Evidence, Gate, Stop
from tournaments.tally import Tally

STOP = Stop(low=-1, high=1, min_sets=5)


def evidence(*margins):
    """
    The sums of these.
    """
    found = Evidence()
    for margin in margins:
        found.add(margin)
    return found


def test_the_ratio_by_hand():
    """
    Margins 4, 2, 6, 3 and 5 points over two sittings, claims -1 and 1.

    Squares about the mean 10, and 2 for the two sets at the bounds: variance 12 / 2. The
    surplus over the middle is 20, times the width 2: 40 / 6.
    """
    assert 40 / 6 == pytest.approx(evidence(8, 4, 12, 6, 10).ratio(STOP, 2))
    assert -40 / 6 == pytest.approx(evidence(-8, -4, -12, -6, -10).ratio(STOP, 2))
    aside = Stop(low=3, high=5)
    assert 0.0 == pytest.approx(evidence(8, 4, 12, 6, 10).ratio(aside, 2))


def test_the_ratio_is_always_a_number():
    """
    No sets, sets without a spread, and absurd ones (fastchess ended in NaN here).
    """
    assert 0.0 == evidence().ratio(STOP, 2)
    for margins in ([0] * 50, [6] * 50, [-(10**9)] * 50, [1]):
        assert math.isfinite(evidence(*margins).ratio(STOP, 2))
    assert evidence(*[0] * 10_000).decided(STOP, 2) is None
    assert (5, True) == evidence(*[6] * 5).decided(STOP, 2)
    assert (5, False) == evidence(*[-6] * 5).decided(STOP, 2)


def test_not_before_the_least_number_of_sets():
    """
    However plain it looks.
    """
    assert evidence(*[60] * 4).decided(STOP, 2) is None
    assert evidence(*[60] * 5).decided(STOP, 2) is not None


@pytest.mark.parametrize(
    ("truth", "least", "most"), [(-1.0, 0.0, 0.06), (1.0, 0.94, 1.0), (0.0, 0.45, 0.55)]
)
def test_it_errs_as_seldom_as_it_says(truth, least, most):
    """
    Of 1,500 matches whose margin is at a bound, 5 % end at the other, give or take one.
    """
    source = random.Random(f"sprt {truth}")
    stop = Stop(low=-1, high=1)
    better = 0
    for _ in range(1500):
        sets, found = Evidence(), None
        while found is None:
            sets.add(round(2 * source.gauss(truth, 6)))
            found = sets.decided(stop, 2)
        better += found.better
    assert least <= better / 1500 <= most


@pytest.mark.parametrize(
    ("key", "values"),
    [
        ("stop.alpha", {"alpha": 0.0}),
        ("stop.beta", {"beta": 0.5}),
        ("stop.min_sets", {"min_sets": 4}),
        ("stop.high", {"low": 1.0, "high": 1.0}),
        ("stop.high", {"low": 0.0, "high": math.inf}),
    ],
)
def test_what_cannot_be_tested_is_refused(key, values):
    """
    The error names the key.
    """
    with pytest.raises(ConfigError) as error:
        Stop(**{"low": -1.0, "high": 1.0} | values)
    assert key == error.value.key


HEAD = '[league]\nid = "x"\ngame = "bid"\nsets = 20\n'
BOTS = "".join(f'[[bots]]\nid = "{bot}"\noutside = true\n' for bot in "abcd")


def test_files():
    """
    Bounds are needed, the rest has defaults, and what is not known is refused.
    """
    assert files.parse(HEAD + BOTS, "x").stop is None
    league = files.parse(HEAD + "[stop]\nlow = -1\nhigh = 2.5\n" + BOTS, "x")
    assert Stop(low=-1.0, high=2.5, alpha=0.05, beta=0.05, min_sets=20) == league.stop
    for wrong, key in (
        ("[stop]\nlow = -1\n", "stop.high"),
        ("[stop]\nlow = -1\nhigh = 1\nmin_set = 3\n", "stop.min_set"),
        ("[stop]\nlow = -1\nhigh = 1\nmin_sets = 21\n", "stop.min_sets"),
        ('[stop]\nlow = "-1"\nhigh = 1\n', "stop.low"),
    ):
        with pytest.raises(ConfigError) as error:
            files.parse(HEAD + wrong + BOTS, "x")
        assert key == error.value.key
    with pytest.raises(ConfigError, match="ends a match of two") as error:
        files.parse(HEAD.replace("bid", "buck") + "[stop]\nlow = -1\nhigh = 1\n" + BOTS, "x")
    assert "stop" == error.value.key


def test_fingerprints(make_league):
    """
    A test changes what is played, and a league without one is what it was.
    """
    plain, tested, other = (
        make_league("bid", sets=20, stop=stop).fingerprint()
        for stop in (None, Stop(low=-1, high=1), Stop(low=-1, high=2))
    )
    assert 3 == len({plain, tested, other})


def rows_of(league, make_row, seed=1):
    """
    All games of a league in which a is better than the others by far, and c a little than b.
    """
    source = random.Random(seed)
    edge = {"a": 12, "b": 0, "c": 1}
    rows = []
    for each in fixtures(league):
        ahead = edge[each.seats[0]] - edge[each.seats[1]]
        score = 10 + round(source.gauss(ahead, 5))
        times = ((source.randrange(9), 3),) * 4
        more = {"ending": "void", "winners": ()} if source.random() < 0.03 else {}
        rows.append(make_row(each, score, 10, times=times, **more))
    return rows


@pytest.fixture
def league(make_league):
    """
    Three bots, forty sets a match at most.
    """
    return make_league("bid", "a b c", sets=40, stop=Stop(low=-1, high=1, min_sets=5))


def text_of(league, tally):
    """
    Standings as JSON.
    """
    bots = [(each.id, each.name) for each in league.entrants]
    scheduled = count(league) - tally.spared
    return render(
        standings(
            league, bots, tally, run=1, commitment="c" * 64, seeded=False, scheduled=scheduled
        ),
        "json",
    )


def test_what_counts_does_not_depend_on_the_order(league, make_row):
    """
    Shuffled near and far, in two parts, and with games beyond the end left out: the same JSON.
    """
    rows = rows_of(league, make_row)
    tally = Tally.of(league, rows)
    expected = text_of(league, tally)
    stopped = {key: match.stopped for key, match in tally.matches.items()}
    assert stopped["a:b"].better
    assert 5 <= stopped["a:b"].after < 40
    assert tally.beyond == tally.spared > 0
    assert 0 == tally.waiting
    assert tally.games + tally.voids + tally.spared == count(league)

    source = random.Random(2)
    for near in (3, 30, 10_000):
        mixed = sorted(rows, key=lambda row: rows.index(row) + source.random() * near)
        assert expected == text_of(league, Tally.of(league, mixed))
        cut = source.randrange(len(rows))
        first, second = Tally.of(league, mixed[:cut]), Tally.of(league, mixed[cut:])
        assert expected == text_of(league, first + second)
        assert expected == text_of(league, second + first)
    played = [
        row
        for row in rows
        if stopped[row.match_id] is None
        or int(row.set_id.rpartition("/")[2]) <= stopped[row.match_id].after
    ]
    less = Tally.of(league, played)
    assert expected == text_of(league, less)
    assert 0 == less.beyond


def test_standings_say_which_matches_ended(league, make_row):
    """
    In the notes, and with each pair.
    """
    tally = Tally.of(league, rows_of(league, make_row))
    table = standings(
        league,
        [(each.id, each.name) for each in league.entrants],
        tally,
        run=1,
        commitment="c" * 64,
        seeded=False,
    )
    after = tally.matches["a:b"].stopped.after
    text = "\n".join(table.notes)
    assert "better by +1 points a game or more, or by -1 or less" in text
    assert f"Ended early: a:b after set {after} (a is better)" in text
    assert after == next(pair.stopped for pair in table.pairs if pair.other == "b")
    assert tally.decided("a:b")
    assert not tally.decided("x:y")


@pytest.mark.parametrize(
    ("stop", "margin", "said"),
    [
        (Stop(low=-1.0, high=1.0), 20, "a is better"),
        (Stop(low=-1.0, high=1.0), -20, "b is better"),
        (Stop(low=1.0, high=3.0), -20, "a by +1 or less"),
        (Stop(low=-3.0, high=-1.0), 20, "a by -1 or more"),
    ],
)
def test_what_was_decided_is_said_by_name(make_league, make_row, stop, margin, said):
    """
    Bounds on one side of zero say nothing about who is better, so they are named.
    """
    league = make_league("bid", "a b", sets=30, stop=stop)
    rows = []
    for number, fixture in enumerate(fixtures(league)):
        mine, other = 32, 32 - abs(margin) - number % 3
        ahead = (fixture.seats[0] == "a") == (margin > 0)
        rows.append(make_row(fixture, *((mine, other) if ahead else (other, mine))))
    tally = Tally.of(league, rows)
    found = notes(league, tally, commitment="", seeded=False, secret=None, scheduled=None)
    assert f"({said})" in next(note for note in found if note.startswith("Ended early"))


def test_games_that_wait_for_earlier_sets(league, make_row):
    """
    Sets beyond one that is not complete do not count yet, and the notes say so.
    """
    rows = [row for row in rows_of(league, make_row, 4) if row.match_id == "b:c"]
    tally = Tally.of(league, [rows[0], *rows[2:8]])
    assert 6 == tally.waiting
    assert 1 == tally.games + tally.voids
    assert "6 games not counted yet" in text_of(league, tally)


@given(st.data())
def test_the_gate(data):
    """
    Whatever the order and the cut, what is let through is all up to the set that decides.
    """
    stop = Stop(low=-1, high=1, min_sets=5)
    margins = data.draw(
        st.lists(
            st.tuples(*[st.one_of(st.none(), st.integers(-3, 9))] * 2), min_size=1, max_size=14
        )
    )
    sets, end = Evidence(), None
    for number, each in enumerate(margins, 1):
        if None not in each:
            sets.add(sum(each))
            if sets.decided(stop, 2) is not None:
                end = number
                break
    expected = {(n, s) for n in range(1, (end or len(margins)) + 1) for s in range(2)}

    items = [(n, s) for n in range(1, len(margins) + 1) for s in range(2)]
    mixed = data.draw(st.permutations(items))
    cut = data.draw(st.integers(0, len(items)))
    gates = [Gate(stop, unit=2, sittings=2) for _ in range(2)]
    through = []
    for gate, part in zip(gates, (mixed[:cut], mixed[cut:]), strict=True):
        for number, sitting in part:
            margin = margins[number - 1][sitting]
            through += gate.add("m", number, (number, sitting), margin)
    through += gates[0].take(gates[1])
    assert sorted(expected) == sorted(through)
    assert len(items) - len(expected) == gates[0].beyond
    assert 0 == gates[0].waiting
    stopped = gates[0].stopped("m")
    assert end == (None if stopped is None else stopped.after)
