"""
What the page about the Python bots shows is what there is.
"""

from __future__ import annotations

import re
from pathlib import Path

from euchrebot import Bot

BOTS = Path(__file__).parents[2] / "sample_bots" / "python"
README = (BOTS / "README.md").read_text()


def test_the_bot_on_the_page_is_the_first_bot() -> None:
    """
    It is the whole file, of 15 lines at most.
    """
    first = (BOTS / "first.py").read_text()
    assert f"```python\n{first}```" in README
    assert len(first.splitlines()) <= 15


def test_every_method_and_every_bot_is_on_the_page() -> None:
    """
    Each method of a bot has its row, each program is named.
    """
    rows = set(re.findall(r"^\| `(\w+)` \|", README, re.MULTILINE))
    assert {name for name in vars(Bot) if not name.startswith("_")} == rows
    assert {path.name for path in BOTS.glob("*.py")} <= set(re.findall(r"`(\w+\.py)`", README))
