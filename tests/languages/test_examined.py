"""
The bots of all languages that are built pass `referee check`, as does every Python bot.
"""

from __future__ import annotations

import pytest
from languages import BOTS, SAMPLES, built

from referee.examiner import Outcome, examine, local

pytestmark = pytest.mark.slow

SIMPLE = "simple.py"
PYTHON = sorted(
    path.name
    for path in (SAMPLES / "python").glob("*.py")
    # Which is the Python among the languages.
    if path.name != SIMPLE
)


async def passes(command: list[str], folder: str) -> None:
    """
    Examine a bot: every check passes, and none is left out.
    """
    report = await examine(local(command, SAMPLES / folder), patience=5)
    assert {} == {
        each.name: each.came for each in report.checks if each.outcome is not Outcome.PASSED
    }
    assert len(report.checks) >= 40
    assert report.passed


@pytest.mark.parametrize("language", built())
async def test_every_language_passes(language: str) -> None:
    """
    With the command that a league would start it by.
    """
    await passes(BOTS[language], language)


@pytest.mark.parametrize("name", PYTHON)
async def test_every_python_bot_passes(name: str) -> None:
    """
    Those that renege included: that is part of the game.
    """
    await passes(["{python}", name], "python")
