"""
Who plays whom.
"""

from __future__ import annotations

import itertools
import time
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from referee.hall import InstanceKey
from referee.rules.options import BidRules, BuckRules
from tournaments.league import Entrant, League
from tournaments.pairing import count, fixtures, in_order, instances_for, newcomer_fixtures


def league_of(bots: int, game: str = "bid", sets: int = 2, **more: object) -> League:
    """
    A league of bots b0, b1 ...
    """
    entrants = tuple(Entrant(id=f"b{n}", name="x", command=("x",)) for n in range(bots))
    rules = BidRules() if game == "bid" else BuckRules()
    return League(id="t", name="T", rules=rules, entrants=entrants, sets=sets, **more)


@given(bots=st.integers(2, 7), sets=st.integers(1, 4), mirrored=st.booleans())
def test_every_pair_meets_equally_often(bots, sets, mirrored):
    """
    Each pair meets once a sitting, and ids are unique.
    """
    league = league_of(bots, sets=sets, mirrored=mirrored)
    scheduled = list(fixtures(league))
    meetings = Counter(frozenset(each.seats) for each in scheduled)
    pairs = [frozenset(pair) for pair in itertools.combinations([f"b{n}" for n in range(bots)], 2)]
    assert dict.fromkeys(pairs, sets * league.sittings) == meetings
    assert count(league) == len(scheduled) == len({each.id for each in scheduled})


def test_every_bot_has_both_seats_of_a_team_and_both_sides():
    """
    Partners sit opposite and are one bot; the second sitting exchanges the seats.
    """
    scheduled = list(fixtures(league_of(5)))
    for first, second in zip(scheduled[::2], scheduled[1::2], strict=True):
        a, b = first.match_id.split(":")
        assert (a, b, a, b) == first.seats
        assert (b, a, b, a) == second.seats
        assert first.set_id == second.set_id


def test_five_teams_play_without_byes():
    """
    Nobody waits more often than others: each of 5 has 4 opponents (cases M11).
    """
    games = Counter(bot for each in fixtures(league_of(5)) for bot in set(each.seats))
    assert dict.fromkeys((f"b{n}" for n in range(5)), 4 * 2 * 2) == games


@given(bots=st.integers(4, 6), sets=st.integers(1, 7))
def test_four_rotations_put_everybody_in_every_seat(bots, sets):
    """
    In each set of Buck each of the four has each seat once.
    """
    league = league_of(bots, "buck", sets=sets)
    scheduled = list(fixtures(league))
    seatings = Counter(
        (each.set_id, bot, seat) for each in scheduled for seat, bot in enumerate(each.seats)
    )
    assert {1} == set(seatings.values())
    assert count(league) == len(scheduled)
    assert all(4 == len(set(each.seats)) for each in scheduled)


def test_neighbours_change_from_set_to_set():
    """
    In six sets of Buck each bot has each other one at its left equally often.
    """
    left = Counter(
        (each.seats[seat], each.seats[(seat + 1) % 4])
        for each in fixtures(league_of(4, "buck", sets=6))
        for seat in range(4)
    )
    assert {8} == set(left.values())
    assert 12 == len(left)


@pytest.mark.parametrize(("game", "bots", "seatings"), [("bid", 2, 2), ("buck", 4, 24)])
def test_without_mirroring_sets_take_the_seatings_in_turn(game, bots, seatings):
    """
    Each game is a set of its own then, and after a while all seatings were there.
    """
    league = league_of(bots, game, sets=seatings, mirrored=False)
    scheduled = list(fixtures(league))
    assert seatings == len({each.seats for each in scheduled})
    assert seatings == len({each.set_id for each in scheduled})
    assert {0} == {each.sitting for each in scheduled}
    assert {0} == {each.disguise for each in scheduled}


def test_pairings_progress_evenly():
    """
    The first set of every match comes before the second of any, its sittings side by side.
    """
    scheduled = list(fixtures(league_of(4)))
    assert [1] * 12 + [2] * 12 == [each.set_number for each in scheduled]
    assert [0, 1] * 12 == [each.sitting for each in scheduled]


def test_disguises():
    """
    The second sitting of a set of Bid wears other suits; nothing else does.
    """
    second = {each.disguise for each in fixtures(league_of(3, sets=40)) if each.sitting == 1}
    assert set(range(1, 8)) == second
    assert {0} == {each.disguise for each in fixtures(league_of(3)) if each.sitting == 0}
    assert {0} == {each.disguise for each in fixtures(league_of(3, disguise=False))}
    assert {0} == {each.disguise for each in fixtures(league_of(4, "buck"))}


@pytest.mark.parametrize("game", ["bid", "buck"])
def test_a_bot_that_is_added_changes_no_other_fixture(game):
    """
    Wherever it is put, all former fixtures stay, word for word.
    """
    before = set(fixtures(league_of(5, game), ["m", "c", "x", "p", "k"]))
    for place in range(6):
        bots = ["m", "c", "x", "p", "k"]
        bots.insert(place, "g")
        after = set(fixtures(league_of(5, game), bots))
        assert before < after


@pytest.mark.parametrize("game", ["bid", "buck"])
def test_what_a_newcomer_adds(game):
    """
    A newcomer is paired with all who were there, and that is all that is missing.
    """
    league = league_of(4, game)
    before = ["m", "c", "x", "p"]
    added = list(newcomer_fixtures(league, "g", before))
    assert set(fixtures(league, [*before, "g"])) == {*fixtures(league, before), *added}
    assert count(league, 5) - count(league, 4) == len(added)


def test_only_the_sittings_of_a_set_share_decks():
    """
    A set id belongs to one match and one number.
    """
    seen = {}
    for each in fixtures(league_of(6)):
        assert (each.match_id, each.set_number) == seen.setdefault(
            each.set_id, (each.match_id, each.set_number)
        )
    assert 15 * 2 == len(seen)


def test_schedules_are_lazy():
    """
    The first of 64 million fours times a million sets comes at once.
    """
    league = league_of(200, "buck", sets=1_000_000)
    began = time.process_time()
    assert "b0:b1:b2:b3/1a" == next(fixtures(league)).id
    assert 64_684_950 * 4_000_000 == count(league)
    assert time.process_time() - began < 1


def test_ids_name_bots_in_any_order():
    """
    All ids of leagues are as `in_order` has them, whatever stands before it.
    """
    bots = ["a", "a.b", "a-b", "a1", "b", "z"]
    entrants = tuple(Entrant(id=bot, name="x", command=("x",)) for bot in reversed(bots))
    for game, more in (
        (BidRules(), {}),
        (BidRules(), {"format": "individual"}),
        (BuckRules(), {}),
    ):
        league = League(id="t", name="T", rules=game, entrants=entrants, sets=1, **more)
        for fixture in fixtures(league):
            match_id, _, number = fixture.id.partition("/")
            sides = [side.split("+")[::-1] for side in match_id.split(":")[::-1]]
            assert fixture.id == in_order(fixture.id)
            assert fixture.id == in_order(f"{':'.join(map('+'.join, sides))}/{number}")


@pytest.mark.parametrize("order", list(itertools.permutations(["a1", "a2", "b1", "b2"])))
def test_partners_are_opposite_whoever_joins_first(order):
    """
    All 24 orders of joining give the same teams, opposite each other (cases R11).
    """
    league = league_of(2)
    available: dict[str, list[str]] = {"b0": [], "b1": []}
    for name in order:
        available["b0" if name[0] == "a" else "b1"].append(name)
    for fixture in fixtures(league):
        keys = instances_for(fixture, available)
        assert keys[0].bot == keys[2].bot != keys[1].bot == keys[3].bot
        assert 4 == len(set(keys))
        assert instances_for(fixture, {"b0": ["a1", "a2"], "b1": ["b1", "b2"]}) == keys


@given(first=st.integers(2, 9), second=st.integers(2, 9), sets=st.integers(1, 5))
def test_sittings_go_to_different_instances_where_there_are_enough(first, second, sets):
    """
    With four or more instances none meets a deck twice; partners are always two.
    """
    names = {"b0": [str(n) for n in range(first)], "b1": [str(n) for n in range(second)]}
    league = league_of(2, sets=sets)
    scheduled = list(fixtures(league))
    for one, two in zip(scheduled[::2], scheduled[1::2], strict=True):
        keys = instances_for(one, names), instances_for(two, names)
        for bot, available in names.items():
            mine = [key for each in keys for key in each if key.bot == bot]
            assert mine[0] != mine[1]
            assert mine[2] != mine[3]
            if len(available) >= 4:
                assert 4 == len(set(mine))


def test_rotations_of_buck_go_to_different_instances():
    """
    Four instances of a bot have one rotation of a set each.
    """
    names = {f"b{n}": ["1", "2", "3", "4"] for n in range(4)}
    keys = [key for each in fixtures(league_of(4, "buck", 1)) for key in instances_for(each, names)]
    assert 16 == len(set(keys))


def test_more_instances_than_needed_all_get_work():
    """
    Eight instances share the sets of a long match.
    """
    names = {"b0": [str(n) for n in range(8)], "b1": ["1", "2"]}
    keys = Counter(
        key for each in fixtures(league_of(2, sets=100)) for key in instances_for(each, names)
    )
    assert min(keys[InstanceKey("b0", str(n))] for n in range(8)) > 25


def test_one_instance_plays_both_seats_only_where_that_is_allowed():
    """
    Otherwise it is an error of whoever asks.
    """
    fixture = next(fixtures(league_of(2)))
    names = {"b0": ["1"], "b1": ["1", "2"]}
    with pytest.raises(ValueError, match="b0 has 1 instances and needs 2"):
        instances_for(fixture, names)
    keys = instances_for(fixture, names, shared=True)
    assert keys[0] == keys[2] == InstanceKey("b0", "1")
