"""
The sample bots answer the same in every process, whatever Python's strings are hashed to.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent
BOTS = HERE.parents[1] / "sample_bots" / "python"

PROGRAM = """
import sys
sys.path[:0] = sys.argv[1:]
from test_strategy import TABLES, Bold, Cautious, Random, Search, asks
bots = Search(), Cautious(), Bold(), Random()
for rules in TABLES[1], TABLES[6]:
    for ask, question, said in asks(rules, bots, "same"):
        print(question.seat, ask.WhichOneof("question"), said)
"""


def _said(seed: str) -> str:
    result = subprocess.run(
        [sys.executable, "-c", PROGRAM, str(BOTS), str(HERE)],
        env={"PYTHONHASHSEED": seed, "PATH": ""},
        capture_output=True,
        text=True,
        check=True,
        timeout=300,
    )
    return result.stdout


@pytest.mark.slow
def test_two_processes_answer_the_same() -> None:
    """
    Games of both kinds, with all four bots at the table, under two seeds of `hash`.
    """
    one, two = _said("1"), _said("2")
    assert one == two
    assert one.count("\n") > 100
