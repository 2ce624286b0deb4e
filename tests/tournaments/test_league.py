"""
What follows from a league.
"""

from __future__ import annotations

from dataclasses import replace

import pytest

from referee.rules.options import BidRules
from tournaments.league import Entrant
from tournaments.limits import Limits


def test_what_shapes_results_is_in_the_fingerprint(make_league):
    """
    Whatever may change a result changes it.
    """
    league = make_league("bid", "a b")
    bot = league.entrants[0]
    changed = [
        replace(league, rules=BidRules(joker=True)),
        replace(league, sets=3),
        replace(league, mirrored=False),
        replace(league, disguise=False),
        replace(league, shared_instances=True),
        replace(league, open=True),
        replace(league, limits=Limits(answer=1.0)),
        replace(league, limits=Limits(faults_to_forfeit=1)),
        replace(league, limits=Limits(memory_mb=0)),
        replace(league, entrants=(*league.entrants, Entrant(id="c", name="C", command=("c",)))),
        replace(league, entrants=(replace(bot, command=("z",)), league.entrants[1])),
        replace(league, entrants=(replace(bot, env=(("A", "1"),)), league.entrants[1])),
        replace(league, entrants=(replace(bot, instances=7), league.entrants[1])),
        make_league("buck", "a b c d"),
    ]
    prints = {each.fingerprint() for each in (league, *changed)}
    assert 1 + len(changed) == len(prints)


def test_what_does_not_shape_results_is_not(make_league):
    """
    Names, places, the order of entry, and how much runs at once may be changed.
    """
    league = make_league("bid", "a b")
    bot = league.entrants[0]
    for other in (
        replace(league, name="Another"),
        replace(league, tables=1),
        replace(league, seed="x"),
        replace(league, transport="tcp"),
        replace(league, listen="0.0.0.0:1"),
        replace(league, wait=1.0),
        replace(league, entrants=league.entrants[::-1]),
        replace(league, entrants=(replace(bot, name="Z", cwd="/z"), league.entrants[1])),
    ):
        assert league.fingerprint() == other.fingerprint()


def test_fingerprints_are_the_same_tomorrow(make_league):
    """
    A stored run can be continued by another process and a later version.

    When this fails because an option was added, runs in progress cannot be continued
    any more; say so in the CHANGELOG.
    """
    known = "f13d"
    assert known == make_league("bid", "a b").fingerprint()[:4]


@pytest.mark.parametrize(
    ("game", "more", "launched", "outside"),
    [
        ("bid", {}, 4, 2),
        ("bid", {"mirrored": False}, 2, 2),
        ("bid", {"shared_instances": True}, 4, 1),
        ("buck", {}, 4, 1),
        ("buck", {"mirrored": False}, 1, 1),
    ],
)
def test_instances(make_league, game, more, launched, outside):
    """
    A launched bot has an instance for each seat that a set has for it; others what they need.
    """
    league = make_league(game, "a b c d", **more)
    assert launched == league.instances_of(league.entrants[0])
    assert outside == league.instances_of(Entrant(id="x", name="x"))


def test_games_are_described(make_league):
    """
    Sides, seats and sittings follow from the game.
    """
    bid, buck = make_league("bid", "a b"), make_league("buck", "a b c d")
    assert ("Bid Euchre", 2, 2, 2, "round_robin") == (
        bid.title,
        bid.players,
        bid.seats_of_bot,
        bid.sittings,
        bid.format,
    )
    assert ("Buck Euchre", 4, 1, 4, "table") == (
        buck.title,
        buck.players,
        buck.seats_of_bot,
        buck.sittings,
        buck.format,
    )
    assert (True, False) == (bid.disguised, buck.disguised)
    assert "s" == bid.with_seed("s").seed
