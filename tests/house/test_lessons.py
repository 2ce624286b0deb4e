"""
The page of lessons names tests that there are.
"""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_every_lesson_is_shown_by_a_test():
    """
    Each row of each table has one, by its name.
    """
    text = (ROOT / "docs" / "lessons.md").read_text()
    rows = re.findall(r"^\| (?!reported).*\|$", text, re.MULTILINE)
    written = {
        name
        for path in (ROOT / "tests").rglob("test_*.py")
        for name in re.findall(r"def (test_\w+)", path.read_text())
    }
    assert len(rows) > 20
    for row in rows:
        named = set(re.findall(r"`(test_\w+)`", row.split("|")[-2]))
        assert named, row
        assert named <= written, named - written
