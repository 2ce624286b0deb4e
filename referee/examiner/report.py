"""
The report of an examination: for people, and for programs.
"""

from __future__ import annotations

import enum
import itertools
import json
import textwrap
from typing import TYPE_CHECKING, NamedTuple

from referee.examiner.checks import CHECKS, GROUPS

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from referee.examiner.checks import Check

WIDTH = 80
"""Columns of a terminal."""

_NAME = max(len(check.name.partition(".")[2]) for check in CHECKS) + 2
_INDENT = " " * 11
_LONG = WIDTH - len(_INDENT) - _NAME
"""Characters of a reason that has no room in a line."""


class Outcome(enum.StrEnum):
    """
    How a check ended.
    """

    PASSED = "passed"
    FAILED = "failed"
    SKIPPED = "skipped"


class Result(NamedTuple):
    """
    What came of one check.
    """

    check: Check
    outcome: Outcome
    came: str
    """What the bot did, if it failed; why nothing was examined, if it was skipped."""

    @property
    def name(self) -> str:
        """
        Name of the check.
        """
        return self.check.name

    @property
    def expected(self) -> str:
        """
        What a good bot does.
        """
        return self.check.expected


class Report(NamedTuple):
    """
    What came of an examination.
    """

    software: str
    """What the bot says that it is; escaped, so that it can be shown."""
    checks: tuple[Result, ...]
    """Every check, in the order of `CHECKS`."""
    seconds: float
    """How long it took."""
    said: tuple[str, ...] = ()
    """The first lines that an instance wrote to standard error, the one that wrote most;
    escaped."""

    @property
    def passed(self) -> bool:
        """
        Whether no check failed.
        """
        return not self.count(Outcome.FAILED)

    def count(self, outcome: Outcome) -> int:
        """
        Return how many checks ended so.
        """
        return sum(result.outcome is outcome for result in self.checks)

    def text(self) -> str:
        """
        Return the report for people, in lines of at most 80 columns.
        """
        lines: list[str] = []
        told: set[str] = set()
        for group, members in itertools.groupby(self.checks, lambda result: result.check.group):
            results = list(members)
            lines += ["", f"{GROUPS[group]} ({group})"]
            if len(results) > 1 and _all_skipped(results):
                lines += _skipped("all", results[0].came, told)
            else:
                lines += itertools.chain.from_iterable(_lines(each, told) for each in results)
        if self.said:
            lines += ["", "What it wrote to standard error begins:"]
            lines += itertools.chain.from_iterable(map(_quoted, self.said))
        counts = ", ".join(f"{self.count(outcome)} {outcome}" for outcome in Outcome)
        last = f"{counts} in {self.seconds:.1f} s"
        if self.software:
            last += f": {self.software}"
        return "\n".join([*lines[1:], "", *textwrap.wrap(last, WIDTH)]) + "\n"

    def to_json(self) -> str:
        """
        Return the report for programs: a JSON object, keys in a fixed order.
        """
        return json.dumps(
            {
                "passed": self.passed,
                "software": self.software,
                "seconds": round(self.seconds, 3),
                "counts": {str(outcome): self.count(outcome) for outcome in Outcome},
                "said": list(self.said),
                "checks": [
                    {
                        "name": result.name,
                        "outcome": str(result.outcome),
                        "expected": result.expected,
                        "came": result.came,
                    }
                    for result in self.checks
                ],
            },
            indent=2,
            ensure_ascii=False,
        )


def _lines(result: Result, told: set[str]) -> Iterator[str]:
    """
    Yield one check as lines.

    Args:
        result: What came of it.
        told: Why others were skipped.
    """
    name = result.name.partition(".")[2]
    if result.outcome is Outcome.PASSED:
        yield f"  passed   {name}"
        return
    if result.outcome is Outcome.SKIPPED:
        yield from _skipped(name, result.came, told)
        return
    yield f"  FAILED   {name}"
    for title, text in (
        ("expected", result.expected),
        ("came", result.came),
        ("see", f'docs/protocol.md, "{result.check.section}"'),
    ):
        yield from textwrap.wrap(
            text,
            WIDTH,
            initial_indent=f"{_INDENT}{title + ':':<10}",
            subsequent_indent=_INDENT + " " * 10,
        )


def _skipped(name: str, why: str, told: set[str]) -> list[str]:
    """
    Return a skipped check as lines; a long reason is told once, or it would hide what failed.
    """
    if why in told and len(why) > _LONG:
        why = "not reached, as above"
    told.add(why)
    return textwrap.wrap(
        why,
        WIDTH,
        initial_indent=f"  skipped  {name:<{_NAME}}",
        subsequent_indent=_INDENT + " " * _NAME,
    )


def _quoted(line: str) -> list[str]:
    """
    Return a line of the bot as lines that fit; what it is indented by may say something.
    """
    wrapped = textwrap.wrap(
        line, WIDTH, initial_indent="  | ", subsequent_indent="  |   ", drop_whitespace=False
    )
    return [each.rstrip() for each in wrapped] or ["  |"]


def _all_skipped(results: Sequence[Result]) -> bool:
    """
    Whether nothing of *results* was examined, all for the same reason.
    """
    return all(each.outcome is Outcome.SKIPPED and each.came == results[0].came for each in results)


def listing() -> str:
    """
    Return all checks with what is expected, a line each.
    """
    lines: list[str] = []
    for group, title in GROUPS.items():
        lines += ["", title]
        checks = [check for check in CHECKS if check.group == group]
        width = max(len(check.name) for check in CHECKS) + 1
        for check in checks:
            lines += textwrap.wrap(
                check.expected,
                WIDTH,
                initial_indent=f"  {check.name:<{width}}",
                subsequent_indent=" " * (width + 2),
            )
    return "\n".join([*lines[1:], "", f"{len(CHECKS)} checks"]) + "\n"
