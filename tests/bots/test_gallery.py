"""
Bots that misbehave, as real processes over real gRPC in real leagues.

Whatever a bot does has one outcome, which stands in `catalogue.py`; the league ends;
bystanders play as if nobody had misbehaved; and nothing is left.

Where the cases of public bug reports that are about bots and their streams have their
tests, here (by the id of the offender) and elsewhere:

    G1   silent streams and other calls   server/test_streams: silent_streams_hold_up_no_call
    G2   one stream too many              crowd; server/test_streams: a_full_server_says_so
    G3   kill -9                          crash; server/test_games: a_killed_process_is_noticed
    G4   cancelled streams                storm; server/test_streams: streams_that_are_cancelled
    G6   half-closed streams              half-close, half-close-later; server/test_games
    G8   frequent pings                   pings; server/test_network: a_client_that_pings_every
    G13  a referee that starts again      sample_bots/test_client_lost: a_bot_comes_back
    G14  fifty reconnects of a client     sample_bots/test_client_lost: fifty_lost_streams
    G17  150 streams on one connection    server/test_streams: many_streams_share_one_connection
    G19  texts of exceptions              server/test_services: a_fault_of_ours_tells_nothing
    G21  enum 0, unset, unknown           says-nothing; server/test_answers; wire/test_decode
    M1   the last game ends by time-out   never, deaf: theirs are the last games of their league
    M7   unresponsive from the start      no-hello, exit; referee/test_hall: whose time it is
    M9   the wrong side is punished       test_bystanders_play_as_without_them, in every league
    M10  lost and back at any moment      storm, twins; server/test_games: comes_back_finds_its_asks
"""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest
from catalogue import BYSTANDERS, GROUPS, LIMITS, OFFENDERS, offenders
from document import page

ROOT = Path(__file__).parents[2]

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("group", GROUPS)
def test_a_league_ends_and_leaves_nothing(gallery, group: str) -> None:
    """
    Every game is played, nothing is void, and no process, socket or file is left.
    """
    league = gallery.league(group)
    bots = len(offenders(group)) + len(BYSTANDERS)
    assert ("", 0) == (league.stderr if league.code else "", league.code)
    assert [] == league.left
    assert bots * (bots - 1) == len(league.games)
    assert league.verified == len(league.games)
    results = {path.name.split(".db")[0] for path in (league.folder / "results").iterdir()}
    assert {"gallery", "logs"} == results


@pytest.mark.parametrize("group", GROUPS)
def test_nothing_of_a_bot_reaches_the_terminal(gallery, group: str) -> None:
    """
    No control character, no traceback of ours, and no incident.
    """
    league = gallery.league(group)
    assert not re.search(r"[^\n\x20-\x7e]", league.stderr)
    for wrong in ("Traceback", '"incident"'):
        assert "" == "\n".join(line for line in league.stderr.splitlines() if wrong in line)


@pytest.mark.parametrize("group", GROUPS)
def test_bystanders_play_as_without_them(gallery, group: str) -> None:
    """
    Their games against each other are the same, to the last answer.

    In no game is anything ruled against them.
    """
    league = gallery.league(group)
    mine = gallery.without(group).played(*BYSTANDERS)
    assert 2 == len(mine)
    assert mine == league.played(*BYSTANDERS)
    for bot in BYSTANDERS:
        assert [] == league.events("bot_died", bot), league.about(bot)
        for offender in offenders(group):
            for game in league.played(bot, offender.id):
                assert not ruled(game, bot), league.about(bot)
                assert 0 == faults(game, bot)


AT_THE_END = ("OK", "UNAVAILABLE")
"""Statuses that every stream may end with when its league does."""


def seats(game, bot: str) -> list[int]:
    """
    Where a bot sat.
    """
    return [seat for seat, name in enumerate(game["record"]["seats"]) if name == bot]


def ruled(game, bot: str) -> list[dict]:
    """
    What was ruled against it.
    """
    letters = {"NESW"[seat] for seat in seats(game, bot)}
    rulings = [ruling for deal in game["record"]["deals"] for ruling in deal["rulings"]]
    return [ruling for ruling in rulings if ruling["seat"] in letters]


def faults(game, bot: str) -> int:
    """
    How many of it were counted.
    """
    return sum(game["result"]["faults"][seat] for seat in seats(game, bot))


@pytest.mark.parametrize("offender", OFFENDERS, ids=lambda each: each.id)
def test_what_comes_of_it(gallery, offender) -> None:
    """
    The outcome in the catalogue, in every game against a bystander.
    """
    league, bot = gallery.league(offender.group), offender.id
    games = [game for other in BYSTANDERS for game in league.played(bot, other)]
    assert 4 == len(games)
    rulings = [ruling for game in games for ruling in ruled(game, bot)]
    kinds = Counter(ruling["ruling"] for ruling in rulings)
    assert 4 * offender.forfeits == kinds.pop("forfeit", 0)
    assert set(offender.rulings) == set(kinds), league.about(bot)
    assert [offender.faults] * 4 == [faults(game, bot) for game in games], league.about(bot)
    assert {offender.penalty} >= {r.get("penalty", 0) for r in rulings if r["ruling"] != "forfeit"}
    side = [seats(game, bot)[0] % 2 for game in games]
    for game, mine in zip(games, side, strict=True):
        result = game["result"]
        assert ([mine] if offender.forfeits else []) == result["forfeits"]
        assert not offender.forfeits or [1 - mine] == result["winners"]
    unpunished = sum(sum(game["result"]["reneges_unpunished"]) for game in games)
    assert offender.unpunished == (unpunished > 0)


@pytest.mark.parametrize("offender", OFFENDERS, ids=lambda each: each.id)
def test_what_becomes_of_its_streams_and_processes(gallery, offender) -> None:
    """
    The status that it is told, and how often its program ended.
    """
    league, bot = gallery.league(offender.group), offender.id
    log = league.log(bot)
    ended = set(re.findall(r"^ended (\w+): (.*)$", log, re.MULTILINE))
    # Where the league ends in a hurry, the status of the closing may come without a farewell.
    told = {text for code, text in ended if code == offender.status}
    about = league.about(bot)
    assert bool(offender.status) == bool(told), about
    assert {code for code, _ in ended} <= {offender.status, *AT_THE_END}, about
    assert offender.status in AT_THE_END or all(offender.says in text for text in told)
    reasons = {event["reason"] for event in league.events("instance_lost", bot)}
    assert reasons <= {"the league is over", "the connection broke", "goodbye", *told}, about
    assert offender.log in log, about
    died = league.events("bot_died", bot)
    assert offender.deaths == len(died), about
    if offender.fate is not None:
        assert {offender.fate} == {event["exit_code"] for event in died}, about
    gone = offender.deaths > {**LIMITS, **GROUPS[offender.group].limits}["restarts"]
    assert gone == bool(league.events("bot_gone", bot)), about


def test_the_dead_connection_is_noticed_by_pings(gallery) -> None:
    """
    The frozen bot's kernel still takes what it is sent; only its silence gives it away.
    """
    league = gallery.league("silence")
    (lost,) = league.events("instance_lost", "frozen")
    assert "the connection broke" == lost["reason"]
    # Nor was there a ruling for the time that it took to answer.
    rulings = [ruling for game in league.games.values() for ruling in ruled(game, "frozen")]
    assert {"gone", "forfeit"} == {ruling["ruling"] for ruling in rulings}


def test_the_page_says_what_the_tests_have_seen() -> None:
    """
    `docs/faults.md` is what `document.py` makes of the catalogue.
    """
    assert page() == (ROOT / "docs" / "faults.md").read_text()


def test_every_offender_has_a_bot_and_an_outcome_of_its_own() -> None:
    """
    Ids name one bot each, and no bot is left out.
    """
    ids = [offender.id for offender in OFFENDERS]
    assert sorted(set(ids)) == sorted(ids)
    text = (ROOT / "tests" / "bots" / "offend.py").read_text()
    assert set(ids) == set(re.findall(r'^    "([a-z-]+)": ', text, re.MULTILINE))
    assert set(GROUPS) == {offender.group for offender in OFFENDERS}
