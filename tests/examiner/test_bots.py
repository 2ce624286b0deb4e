"""
Good bots pass, and each wrong bot fails the checks that it should.
"""

from __future__ import annotations

from dataclasses import replace

import pytest
import trio

from referee.door import open_door
from referee.examiner import Outcome, examine, local
from referee.examiner.pace import Pace
from referee.examiner.stage import INTERNAL, UNAVAILABLE, End, Line

from .conftest import SAMPLES, failures, skips

pytestmark = pytest.mark.slow

PLAYS = {"bid.play", "buck.play"}
RENEGES = {"reneges.bid_stand", "reneges.bid_challenge"}
RENEGES |= {"reneges.buck_stand", "reneges.buck_challenge"}
LOST = {"reconnect.unavailable", "reconnect.internal", "reconnect.restart"}

WRONG = {
    "instance": {"hello.instance", "hello.long_instance", "instances.two"},
    "short_instance": {"hello.long_instance"},
    "protocol": {"hello.protocol"},
    "software": {"hello.software"},
    "games": {"hello.games"},
    "negative": {"hello.max_asks"},
    "no_hello": {"hello.first"},
    "two_hellos": {"hello.once"},
    "no_token": {"hello.token"},
    "bare_token": {"hello.token"},
    "unset": {"hello.messages"},
    "leaves": {"ending.stays"},
    "wrong_action": {"buck.call_2", "alternatives.turned_down"},
    "must_bid": {"alternatives.stick_the_dealer"},
    "joker": {"bid.joker_discard", "alternatives.joker"},
    "challenges": {"reneges.challenges"},
    "twice": {"ids.once"},
    "double": {"ids.large"},
    "wrong_id": {"ids.known"},
    "unknown_field": {"later.fields", "ending.stays"},
    "unknown_message": {"later.messages", "ending.stays"},
    "no_reconnect": LOST,
    "exit_code": {"ending.code"},
    "sigterm": {"ending.sigterm"},
    "noisy": {"output.quiet"},
    "one_process": {"hello.long_instance", "instances.two"},
}
"""What each kind of wrong bot fails, and nothing else."""

UNASKED = {
    "eager": {"hello.waits", "ids.known"},
    "answers_tells": {"frames.tells", "ids.known"},
    "stubborn": {"reconnect.aborted", "reconnect.refused"},
}
"""Those that do what nobody asked them for, while the examiner waits to see that nothing comes."""

IMPATIENT = {
    "only_one": {"frames.many"},
    "silent": {"bid.claim", "bid.joker_discard", "frames.one"},
    "slow": {"time.average"},
    "ignores_farewell": {"ending.farewell"},
}
"""Those that an examiner waits for, and so is less patient with."""


async def test_a_good_bot_passes() -> None:
    """
    Every check; tests/languages has the other sample bots.
    """
    report = await examine(local(["{python}", "cautious.py"], SAMPLES), patience=5)
    assert {} == failures(report)
    assert {} == skips(report)
    assert report.passed
    assert "euchrebot 1" == report.software


@pytest.mark.parametrize("part", range(3))
async def test_wrong_bots_fail(examined, part: int) -> None:
    """
    A wrong bot fails the right checks, and no others; some are examined at the same time.
    """
    kinds = list(WRONG)[part::3]
    found: dict[str, set[str]] = {}
    at_once = trio.CapacityLimiter(3)

    async def look_at(kind: str) -> None:
        async with at_once:
            report = await examined(kind, door=door)
        found[kind] = set(failures(report))
        assert not report.passed

    async with open_door() as door, trio.open_nursery() as nursery:
        for kind in kinds:
            nursery.start_soon(look_at, kind)
    assert {kind: WRONG[kind] for kind in kinds} == found


@pytest.mark.parametrize("kind", UNASKED)
async def test_bots_that_are_not_quiet(examined, monkeypatch, kind: str) -> None:
    """
    So do bots that come or speak when they should not.
    """
    usual = Pace.patient

    def patient(factor: float) -> Pace:
        # A busy machine may let the bot say late what it says in any case.
        return replace(usual(factor), quiet=1.5, away=5.0)

    monkeypatch.setattr(Pace, "patient", patient)
    assert UNASKED[kind] == set(failures(await examined(kind)))


async def test_bots_that_hang_are_started_again(examined, monkeypatch) -> None:
    """
    A bot that hangs once it is cut off fails what that is about, and the rest is seen all the same.
    """
    usual = Pace.patient
    monkeypatch.setattr(Pace, "patient", lambda factor: replace(usual(factor), grace=1.0))
    report = await examined("hangs")
    assert LOST == set(failures(report))
    assert set(failures(report).values()) == {"it did not dial in within 1 s"}
    passed = {each.name for each in report.checks if each.outcome is Outcome.PASSED}
    assert {"reconnect.again", "ending.farewell", "ending.code"} <= passed


async def test_an_end_that_is_lost_is_not_the_bots(examined, monkeypatch) -> None:
    """
    A bot that is never told that its stream has ended is not blamed for staying.
    """
    usual, paces, lost = Line.end, Pace.patient, []

    async def end(line: Line, how: End) -> None:
        if how in {UNAVAILABLE, INTERNAL} and how not in lost:
            lost.append(how)
        else:
            await usual(line, how)

    monkeypatch.setattr(Line, "end", end)
    monkeypatch.setattr(Pace, "patient", lambda factor: replace(paces(factor), grace=3.0))
    report = await examined("right")
    assert {} == failures(report)
    assert [UNAVAILABLE, INTERNAL] == lost


@pytest.mark.parametrize("kind", IMPATIENT)
async def test_bots_that_are_waited_for(examined, kind: str) -> None:
    """
    So do bots that do too little, and not at all or too late.
    """
    report = await examined(kind, patience=0.4)
    assert IMPATIENT[kind] == set(failures(report)) - {"time.limit", "time.short", "time.many"}


async def test_illegal_cards(examined) -> None:
    """
    A card that may not be played fails where reneges are refused; one not held fails always.
    """
    failed = set(failures(await examined("illegal")))
    assert failed >= PLAYS
    assert not failed & RENEGES
    assert {name.partition(".")[0] for name in failed} <= {"bid", "buck", "alternatives"}
    assert set(failures(await examined("not_held"))) >= PLAYS | RENEGES


async def test_a_game_that_is_not_played(examined) -> None:
    """
    A bot of one game is examined in that game; the checks of the other are marked.
    """
    report = await examined("buck_only")
    assert report.passed
    assert {"Bid Euchre is not played"} == set(skips(report).values())
    assert {each.name for each in report.checks if each.check.game == "bid"} == set(skips(report))


async def test_a_game_that_is_not_examined(examined) -> None:
    """
    The examiner can be asked for one game.
    """
    report = await examined("right", games=("bid",))
    assert report.passed
    assert {"Buck Euchre is not played"} == set(skips(report).values())


async def test_one_at_a_time(examined) -> None:
    """
    A plain bot that leaves max_asks out is never asked two things at once.
    """
    report = await examined("one_at_a_time")
    assert report.passed
    assert {"frames.many", "frames.more", "time.many"} == set(skips(report))


async def test_what_is_said(examined) -> None:
    """
    The report says in words what came; no token is among them.
    """
    said = failures(await examined("instance"))
    assert "it is `mine`; EUCHRE_INSTANCE was `1`" == said["hello.instance"]
    assert "a second answer to ask 1001" == failures(await examined("twice"))["ids.once"]
    said = failures(await examined("bare_token"))
    assert (
        "a bot dialled in with an `authorization` that does not begin with `Bearer `"
        == said["hello.token"]
    )
    assert "it is 4" == failures(await examined("exit_code"))["ending.code"]


async def test_a_bot_that_is_lost_is_started_again(examined) -> None:
    """
    A crash fails the check in which it happened, and the examination goes on.
    """
    report = await examined("unknown_field")
    assert "it ended with exit code 3" == failures(report)["ending.stays"]
    passed = {each.name for each in report.checks if each.outcome is Outcome.PASSED}
    assert {"reconnect.restart", "ending.code", "instances.both"} <= passed


async def test_a_program_that_is_no_bot() -> None:
    """
    What never dials in fails the first check; the others are not reached.
    """
    report = await examine(local(["false"]))
    assert {"hello.first": "it ended with exit code 1"} == failures(report)
    assert {"not reached: it ended with exit code 1"} == set(skips(report).values())


async def test_why_a_program_ends_is_repeated() -> None:
    """
    The last line of its standard error stands in the report, spelled out.
    """
    report = await examine(local(["sh", "-c", r"printf 'one\ntwo \033[1m\n' >&2; exit 3"]))
    assert {"hello.first": r"it ended with exit code 3: two \x1b[1m"} == failures(report)


async def test_another_way_to_start() -> None:
    """
    Who calls may start instances in its own way, at its own address.
    """
    started = []
    usual = local(["{python}", "random_bot.py"], SAMPLES)

    async def run(token, instance, address, log, dismissed):
        started.append((instance, address))
        return await usual(token, instance, address, log, dismissed)

    report = await examine(run, address="127.0.0.1:0", games=("buck",), patience=5)
    assert report.passed
    # Both of the first start at once, in whatever order.
    assert {"1", "2"} == {name for name, _ in started[:2]}
    assert {"1", "2", "refused", "a.Long_Name-of.32-characters_x32"} == {n for n, _ in started}
    assert all(address.startswith("127.0.0.1:") for _, address in started)
    assert not any(address.endswith(":0") for _, address in started)


async def test_a_failing_start_is_the_callers() -> None:
    """
    What the caller's own function raises leaves as it is.
    """

    async def run(*_):
        raise OSError("no sandbox here")

    with pytest.raises(OSError, match="no sandbox here"):
        await examine(run)
