"""
Questions that come up, verdicts, and how they are reported: all without a bot.
"""

from __future__ import annotations

import json
import re

import pytest

from referee.cards import Card, Suit
from referee.examiner import Outcome, Report, Result, listing
from referee.examiner.checks import BY_NAME, CHECKS, GROUPS
from referee.examiner.exam import Ledger, Notebook, challenge_fault, fault_of
from referee.examiner.questions import WANTED, samples
from referee.rules.actions import Answer, Challenge, NameTrump, Pass, Play
from referee.rules.deal import Phase
from referee.rules.judge import Code
from referee.rules.trump import Trump

SAMPLES = samples()


def sample(check: str, place: int = 0):
    """
    The question of a check, by its place.
    """
    return [each for each in SAMPLES if each.check == check][place]


def test_names() -> None:
    """
    There are enough checks, each once, in groups that stand together.
    """
    assert len(CHECKS) >= 40
    assert len(BY_NAME) == len(CHECKS)
    assert list(GROUPS) == list(dict.fromkeys(check.group for check in CHECKS))
    assert all(check.expected.endswith(".") for check in CHECKS)


def test_sections_exist(request: pytest.FixtureRequest) -> None:
    """
    Where a report points to is a heading of docs/protocol.md.
    """
    text = (request.config.rootpath / "docs" / "protocol.md").read_text()
    headings = {line[3:] for line in text.splitlines() if line.startswith("## ")}
    assert {check.section for check in CHECKS} <= headings


def test_everything_comes_up() -> None:
    """
    All that is wanted is found: each phase, each alternative, each mode.
    """
    assert sum(each.number for each in WANTED) == len(SAMPLES)
    assert {each.question.phase for each in SAMPLES} == set(Phase)
    assert all(each.question.legal for each in SAMPLES)


def test_what_alternatives_are_about() -> None:
    """
    A question of an alternative has what that is about.
    """
    must_bid = sample("alternatives.stick_the_dealer").question
    assert must_bid.phase is Phase.AUCTION
    assert Pass() not in must_bid.legal
    assert Card.JOKER in sample("alternatives.joker").question.view.hand
    assert Trump.NONE is sample("alternatives.no_trump").question.view.public.trump
    hand = sample("alternatives.double_deck").question.view.hand
    assert len(set(hand)) < len(hand) == 12


def test_answers_that_may_be_given() -> None:
    """
    Every legal action of every question is a good answer.
    """
    for each in SAMPLES:
        for action in each.question.legal:
            assert not fault_of(each, Answer(action))


def test_answers_that_may_not_be_given() -> None:
    """
    A fault says what was asked, what came and what was legal.
    """
    each = sample("bid.play", 2)
    illegal = next(c for c in each.question.view.hand if Play(c) not in each.question.legal)
    legal = ", ".join(map(str, each.question.legal))
    said = f"asked to play a card, it answered `play {illegal}` (legal: {legal})"
    assert said == fault_of(each, Answer(Play(illegal)))
    assert "without an action" in fault_of(each, Code.UNREADABLE)
    call = sample("buck.call_2")
    assert "it answered `trump C`" in fault_of(call, Answer(NameTrump(Suit.CLUBS)))


@pytest.mark.parametrize("check", ["reneges.bid_stand", "reneges.buck_challenge"])
def test_reneges_are_part_of_the_game(check: str) -> None:
    """
    Where a renege stands, any card that is held is a good answer; one not held is none.
    """
    each = sample(check)
    hand = each.question.view.hand
    assert not any(fault_of(each, Answer(Play(card))) for card in hand)
    other = next(card for card in Card if card not in hand)
    assert fault_of(each, Answer(Play(other)))


def test_challenges() -> None:
    """
    Challenges are for challenge mode, of others, and of tricks that were played.
    """
    each = sample("bid.last_call")
    seat = each.question.view.seat
    assert not challenge_fault(each, (Challenge(seat.left, 1), Challenge(seat.left, 6)))
    assert "of its own play" in challenge_fault(each, (Challenge(seat, 1),))
    assert "trick 7, of 6 so far" in challenge_fault(each, (Challenge(seat.left, 7),))
    assert "found by `reject`" in challenge_fault(sample("bid.play"), (Challenge(seat.left, 1),))


def verdicts(book: Notebook) -> dict[str, str]:
    """
    What failed so far.
    """
    results = book.results(frozenset({"bid", "buck"}), "")
    return {each.name: each.came for each in results if each.outcome is Outcome.FAILED}


def test_the_ledger_knows_what_is_open() -> None:
    """
    Answers to nothing, answers twice and late ones are told apart.
    """
    book = Notebook()
    ledger = Ledger(book, stray="ids.known")
    each = sample("bid.trump")
    good = Answer(each.question.legal[0])
    for ask_id in (1, 2, 3):
        ledger.asked(ask_id, each, 0.0, 2.0, "time.limit")
    ledger.heard([(1, good)], 1.0)
    ledger.close([2])
    ledger.heard([(2, good)], 1.5)
    assert {} == verdicts(book)
    assert [2, 3] == ledger.missing([1, 2, 3])
    ledger.heard([(1, good), (7, good)], 1.75)
    assert {
        "ids.once": "a second answer to ask 1",
        "ids.known": "an answer to ask 7, which it was never sent",
    } == verdicts(book)
    assert ledger.adopt(3)
    assert [2] == ledger.missing([1, 2, 3])


def test_the_clock_runs_from_the_answer_before() -> None:
    """
    A bot that works through many asks is charged for one at a time.
    """
    book = Notebook()
    ledger = Ledger(book)
    each = sample("bid.trump")
    good = Answer(each.question.legal[0])
    for ask_id in (1, 2, 3):
        ledger.asked(ask_id, each, 0.0, 2.0, "time.many")
    ledger.heard([(1, good)], 1.5)
    ledger.heard([(2, good)], 3.0)
    assert {} == verdicts(book)
    ledger.heard([(3, good)], 5.5)
    assert {"time.many": "an answer took 2.50 s; the limit was 2.00 s"} == verdicts(book)


def test_the_first_failure_counts() -> None:
    """
    A failure stays, whatever comes later; a check without a verdict was not reached.
    """
    book = Notebook()
    book.failed("bid.play", "one")
    book.passed("bid.play")
    book.failed("bid.play", "two")
    assert {"bid.play": "one"} == verdicts(book)
    results = {each.name: each for each in book.results(frozenset({"bid"}), "it went")}
    assert "not reached: it went" == results["bid.trump"].came
    assert "Buck Euchre is not played" == results["buck.play"].came
    with pytest.raises(KeyError):
        book.has_failed("no.such_check")


def report() -> Report:
    """
    A report with everything in it.
    """
    book = Notebook()
    book.passed(*(check.name for check in CHECKS))
    book.failed("bid.play", "asked to play a card, it answered `play AH` " + "(legal: x) " * 9)
    return Report("my bot 1.0", book.results(frozenset({"bid"}), ""), 2.04)


def test_the_text() -> None:
    """
    A failure is explained, in lines that fit a terminal.
    """
    text = report().text()
    assert max(map(len, text.splitlines())) <= 80
    assert (
        "  FAILED   play\n"
        "           expected: play: it plays a card of `legal_cards`.\n"
        "           came:     asked to play a card, it answered `play AH` (legal: x)\n"
    ) in text
    assert '           see:      docs/protocol.md, "What is asked"\n' in text
    assert re.search(r"^  skipped  no_trump +Buck Euchre is not played$", text, re.MULTILINE)
    assert re.search(r"\(buck\)\n  skipped  all +Buck Euchre is not played\n\n", text)
    assert text.startswith("Hello and version (hello)\n  passed   token\n")
    assert text.endswith("1 failed, 10 skipped in 2.0 s: my bot 1.0\n")


def test_a_long_reason_is_told_once() -> None:
    """
    What failed is not hidden by forty times why nothing else was examined.
    """
    book = Notebook()
    book.failed("hello.first", "it ended")
    why = "it ended with exit code 1: ModuleNotFoundError: No module named 'numpyy'"
    text = Report("", book.results(frozenset({"bid"}), why), 1.0).text()
    assert 1 == text.count("not reached: it ended")
    assert text.count("not reached, as above") > 10
    assert text.count("Buck Euchre is not played") > 2, "short ones stay"


def test_what_the_bot_said_is_quoted() -> None:
    """
    Its indentation stays, and its lines fit a terminal.
    """
    said = ("Traceback:", "    play()", "", "word " * 30)
    text = report()._replace(said=said).text()
    assert (
        "\n\nWhat it wrote to standard error begins:\n"
        "  | Traceback:\n  |     play()\n  |\n  | word word"
    ) in text
    assert max(map(len, text.splitlines())) <= 80
    assert list(said) == json.loads(report()._replace(said=said).to_json())["said"]
    assert "standard error" not in report().text()


def test_the_json() -> None:
    """
    The same for programs: keys in a fixed order, every check once.
    """
    found = json.loads(report().to_json())
    assert ["passed", "software", "seconds", "counts", "said", "checks"] == list(found)
    assert [check.name for check in CHECKS] == [each["name"] for each in found["checks"]]
    assert {
        "name": "hello.token",
        "outcome": "passed",
        "expected": "It shows its token as `authorization: Bearer TOKEN`.",
        "came": "",
    } == found["checks"][0]
    assert found["passed"] is False
    assert {"passed": len(CHECKS) - 11, "failed": 1, "skipped": 10} == found["counts"]


def test_a_report_passes_without_failures() -> None:
    """
    Skipped checks are no failures.
    """
    rows = tuple(Result(check, Outcome.SKIPPED, "why") for check in CHECKS)
    assert Report("", rows, 1.0).passed
    assert not report().passed


def test_the_list() -> None:
    """
    All checks are listed, in lines that fit a terminal.
    """
    text = listing()
    assert all(f"\n  {name} " in text for name in BY_NAME)
    assert max(map(len, text.splitlines())) <= 80
    assert text.endswith(f"\n{len(CHECKS)} checks\n")
