"""
Bots to examine.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from referee.examiner import Outcome, examine, local

if TYPE_CHECKING:
    from collections.abc import Callable

    from referee.examiner import Report

WRONG = Path(__file__).with_name("bots") / "wrong.py"
SAMPLES = Path(__file__).resolve().parents[2] / "sample_bots" / "python"


def failures(report: Report) -> dict[str, str]:
    """
    What failed, with what came.
    """
    return {each.name: each.came for each in report.checks if each.outcome is Outcome.FAILED}


def skips(report: Report) -> dict[str, str]:
    """
    What was skipped, with the reason.
    """
    return {each.name: each.came for each in report.checks if each.outcome is Outcome.SKIPPED}


@pytest.fixture
def examined() -> Callable:
    """
    Examines the wrong bot of a kind.
    """

    async def examined(kind: str, **options) -> Report:
        # On a busy machine nobody is late, unless that is the test.
        options = {"patience": 5, **options}
        return await examine(local(["{python}", str(WRONG), kind], WRONG.parent), **options)

    return examined
