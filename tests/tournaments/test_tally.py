"""
Sums of games, whatever their order.
"""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from referee.hall import Hall, InstanceKey
from referee.opening import open_table
from referee.rules.options import BidRules, BuckRules
from referee.testing import MemoryBot, play_on
from referee.timing import BUCKETS
from tournaments.games import GameRow, game_row
from tournaments.league import Entrant, League
from tournaments.margins import MatchTally
from tournaments.pairing import fixtures, instances_for
from tournaments.tally import Tally


def test_bid_by_hand(make_league, make_row):
    """
    Two sets of a against b; margins of a set are sums of both sittings, for each bot.

    Set 1: a sits N/S first, 32:10, then E/W, 20:32. Set 2: 33:-4, then 8:32.
    """
    league = make_league("bid", "a b")
    first, second, third, fourth = fixtures(league)
    rows = [
        make_row(first, 32, 10),
        make_row(second, 32, 20),
        make_row(third, 33, -4, reneges=(2, 0, 0, 0), faults=(0, 1, 0, 1)),
        make_row(fourth, 32, 8),
    ]
    tally = Tally.of(league, rows)
    a, b = tally.bots["a"], tally.bots["b"]
    one, two = a.whole, b.whole
    assert (4, 2, 0, 2) == (one.games, one.won, one.drawn, one.lost)
    assert (4, 2, 0, 2) == (two.games, two.won, two.drawn, two.lost)
    assert (32 + 20 + 33 + 8, 10 + 32 - 4 + 32) == (one.points_for, one.points_against)
    assert (two.points_against, two.points_for) == (one.points_for, one.points_against)
    north, east, south, west = a.seats
    assert (2, 2, 0, 22 + 37) == (north.games, north.won, north.lost, north.margins)
    assert (2, 0, 2, -12 - 24) == (east.games, east.won, east.lost, east.margins)
    assert (0, 0) == (south.games, west.games)
    sums = 10**2 + 13**2
    expected = MatchTally(("a", "b"), 2, [10 + 13, -10 - 13], [sums, -sums, sums])
    expected.orders[1, 2] = 2
    assert {"a:b": expected} == tally.matches
    assert 2 * sums - 23**2 == -expected.spread(0, 1) == -expected.spread(1, 0)
    assert (2, 2) == (a.reneges, b.faults)
    assert (0, 0) == (b.reneges, a.faults)
    assert (4, 2, 0) == (tally.games, tally.sets, tally.incomplete)


def test_buck_by_hand(make_league, make_row):
    """
    Fewest points win: the winner's margin is the others' mean less its own, so positive.

    a has 0 from every seat, the others 6, 12 and 18: margins of a game 12, 4, -4, -12,
    in thirds of a point and over four sittings.
    """
    league = make_league("buck", "a b c d", sets=1)
    points = {"a": 0, "b": 6, "c": 12, "d": 18}
    rows = [make_row(each, *(points[bot] for bot in each.seats)) for each in fixtures(league)]
    tally = Tally.of(league, rows)
    match = tally.matches["a:b:c:d"]
    margins = [each / tally.unit for each in match.totals]
    assert [12.0, 4.0, -4.0, -12.0] == margins
    products = [one * two for place, one in enumerate(margins) for two in margins[place:]]
    assert products == [each / tally.unit**2 for each in match.products]
    assert {(1, 2, 3, 4): 1} == match.orders
    whole = {bot: each.whole for bot, each in tally.bots.items()}
    assert (4, 0, 0) == (whole["a"].won, whole["a"].drawn, whole["a"].lost)
    assert {"a": 4, "b": 8, "c": 12, "d": 16} == {k: v.places for k, v in whole.items()}
    assert 4 * 36 == whole["a"].points_against
    assert [(1, 36 - 6 - 12 - 18 + 36)] * 4 == [(s.games, s.margins) for s in tally.bots["a"].seats]


def test_drawn_and_shared_games(make_league, make_row):
    """
    A game of Bid without a winner is drawn by both; a shared one of Buck by those who share.
    """
    bid = make_league("bid", "a b")
    drawn = Tally.of(bid, [make_row(next(fixtures(bid)), 7, 7, ending="adjudicated")])
    assert [1, 1] == [each.whole.drawn for each in drawn.bots.values()]
    assert 1 == drawn.adjudicated
    buck = make_league("buck", "a b c d")
    shared = Tally.of(buck, [make_row(next(fixtures(buck)), -1, 4, -1, 9)])
    assert [1, 0, 1, 0] == [each.whole.drawn for each in shared.bots.values()]
    assert [0, 1, 0, 1] == [each.whole.lost for each in shared.bots.values()]


def test_who_forfeits_in_buck_is_never_better_off(make_league, make_row):
    """
    A seat that forfeited on 3 and only dropped out since counts with the worst score there.
    """
    league = make_league("buck", "a b c d", sets=1)
    fixture = next(fixtures(league))
    row = make_row(fixture, 3, -1, 31, 12, forfeits=(0,), winners=(1,), places=(4, 1, 3, 2))
    tally = Tally.of(league, [row])
    assert [31, -1, 31, 12] == [each.whole.points_for for each in tally.bots.values()]
    loser = tally.bots["a"].whole
    assert (1, 1, 4) == (loser.lost, loser.forfeits, loser.places)
    low = make_row(fixture, 3, -1, 7, 12, forfeits=(0,), winners=(1,), places=(4, 1, 2, 3))
    assert 25 == Tally.of(league, [low]).bots["a"].whole.points_for


def test_nobody_gains_by_a_game_that_all_have_left(make_league, make_row):
    """
    When both teams forfeit, both have lost and the margin is nothing.
    """
    league = make_league("bid", "a b")
    one, two, *_ = fixtures(league)
    left = {"ending": "forfeit", "winners": (), "forfeits": (0, 1), "places": (1, 1)}
    tally = Tally.of(league, [make_row(one, 0, -9, **left), make_row(two, 0, 0, **left)])
    assert [(0, 0, 2, 2)] * 2 == [
        (each.won, each.drawn, each.lost, each.forfeits)
        for each in (bot.whole for bot in tally.bots.values())
    ]
    assert [0, 0] == tally.matches["a:b"].totals
    assert {(1, 1): 1} == tally.matches["a:b"].orders
    assert 2 == tally.forfeited


def test_incomplete_and_void_games(make_league, make_row):
    """
    A void game counts nowhere; the set that lacks it is in the games and not in the margins.
    """
    league = make_league("bid", "a b")
    first, second, third, fourth = fixtures(league)
    rows = [
        make_row(first, 32, 10),
        make_row(second, 0, 0, ending="void", winners=()),
        make_row(third, 32, 0),
        make_row(fourth, 32, 30),
    ]
    tally = Tally.of(league, rows)
    assert (3, 1, 1, 1) == (tally.games, tally.voids, tally.sets, tally.incomplete)
    assert (1, [30, -30]) == (tally.matches["a:b"].sets, tally.matches["a:b"].totals)
    assert 3 == tally.bots["a"].whole.games


def test_instances_that_meet_decks_again_are_counted(make_league, make_row):
    """
    So are games in which one instance has both seats of a team.
    """
    league = make_league("bid", "a b")
    first, second, third, fourth = fixtures(league)
    rows = [
        make_row(first, 1, 0, instances=("1", "1", "2", "2")),
        make_row(second, 1, 0, instances=("3", "1", "4", "3")),
        make_row(third, 1, 0, instances=("1", "1", "1", "2")),
        make_row(fourth, 1, 0, instances=("3", "3", "4", "4")),
    ]
    tally = Tally.of(league, rows)
    assert (1, 1) == (tally.repeated, tally.whispers)


@pytest.mark.slow
@given(st.data())
def test_order_and_grouping_do_not_matter(data):
    """
    Any order, and any two parts added, give the same sums.
    """
    game = data.draw(st.sampled_from(["bid", "buck"]))
    bots = ("a", "b", "c", "d")
    league = League(
        id="t",
        name="t",
        rules=BidRules() if game == "bid" else BuckRules(),
        entrants=tuple(Entrant(id=bot, name=bot, command=("x",)) for bot in bots),
        sets=2,
    )
    score = st.integers(-60, 60)
    rows = []
    for each in fixtures(league):
        scores = tuple(data.draw(score) for _ in range(league.players))
        best = max(scores) if game == "bid" else min(scores)
        rows.append(
            GameRow(
                each.id,
                each.match_id,
                each.set_id,
                each.sitting,
                each.seats,
                ("1", "2", "3", "4"),
                data.draw(st.sampled_from(["target", "adjudicated", "void"])),
                scores,
                tuple(side for side, points in enumerate(scores) if points == best),
                tuple(range(1, league.players + 1)),
                times=((3, 1, 5, 2), (), (BUCKETS - 1, 4), ()),
            )
        )
    shuffled = data.draw(st.permutations(rows))
    cut = data.draw(st.integers(0, len(rows)))
    expected = Tally.of(league, rows)
    for other in (
        Tally.of(league, shuffled),
        Tally.of(league, shuffled[:cut]) + Tally.of(league, shuffled[cut:]),
    ):
        assert expected.bots == other.bots
        assert expected.matches == other.matches
        for name in ("games", "voids", "adjudicated", "sets", "incomplete", "repeated"):
            assert getattr(expected, name) == getattr(other, name)


@pytest.mark.parametrize("game", ["bid", "buck"])
def test_the_row_of_a_game_that_was_played(make_league, game):
    """
    From the hall to a row: scores, places and decision times are those of the game.
    """
    league = make_league(game, "a b c d", sets=1)
    rules = replace(league.rules, max_hands=3)
    fixture = next(fixtures(league))
    names = {bot: ["1", "2", "3", "4"] for bot in "abcd"}
    keys = instances_for(fixture, names)
    hall = Hall()
    bots = [MemoryBot(hall, InstanceKey(bot, name)) for bot in "abcd" for name in "1234"]
    table = open_table(
        rules,
        bytes(32),
        fixture.set_id,
        sitting=fixture.sitting,
        seats=fixture.seats,
        instances=tuple(key.name for key in keys),
    )
    hall.seat(table, keys, fixture.seats, 0.0)
    play_on(bots)
    (finished,) = hall.finished
    row = game_row(fixture, finished)
    assert finished.record.outcome is not None
    assert row.ending == str(finished.record.outcome.ending)
    assert row.scores == finished.scores
    assert row.places == finished.record.outcome.places
    assert row.instances == tuple(key.name for key in keys)
    assert hall.decisions == sum(sum(seat[1::2]) for seat in row.times)
    assert not row.void
    assert 1 == Tally.of(league, [row]).games
    finished.error = RuntimeError("ours")
    assert game_row(fixture, finished).void
    assert () == game_row(fixture, finished).winners
