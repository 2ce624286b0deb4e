"""
What is it worth to remember the first sitting of a set? Leagues with a bot that does.

`sample_bots/python/remember.py` plays against `bold.py`, whose rules it plays by where
it remembers nothing, under each defence of architecture.md, decision 15. A margin of
zero is a defence that holds. The games are really played, by processes, since time is
one of the defences; some minutes.

    python tests/bench/remember.py [--sets 40]

Docs: docs/statistics.md.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

from tabulate import tabulate

SAMPLES = Path(__file__).parents[2] / "sample_bots" / "python"


class Case(NamedTuple):
    """
    What the bot is and what is done about it.
    """

    memory: str
    """`shared` by all processes of the bot, or each process its `own`."""
    instances: int
    """Processes of the bot: with 4 none sits in both sittings of a set, with 2 each does."""
    suits: str
    """Whether it looks for `all` suits, or its `own` only."""
    tables: int
    """Games at once: with 1 the sittings come one after the other."""
    mirrored: bool
    disguise: bool


CASES = [
    Case("shared", 4, "all", 1, mirrored=True, disguise=False),
    Case("shared", 4, "all", 8, mirrored=True, disguise=False),
    Case("shared", 4, "own", 8, mirrored=True, disguise=True),
    Case("shared", 4, "all", 8, mirrored=True, disguise=True),
    Case("shared", 4, "all", 8, mirrored=False, disguise=True),
    Case("own", 2, "all", 8, mirrored=True, disguise=False),
    Case("own", 2, "own", 8, mirrored=True, disguise=True),
    Case("own", 2, "all", 8, mirrored=True, disguise=True),
    Case("own", 4, "all", 1, mirrored=True, disguise=False),
    Case("own", 4, "all", 8, mirrored=True, disguise=True),
]


def margin(case: Case, sets: int) -> tuple[float, float]:
    """
    Play a league; return the margin of the bot that remembers, and half its interval.
    """
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        (place / "memory").mkdir()
        env = {"REMEMBER_SUITS": case.suits}
        if case.memory == "shared":
            env["REMEMBER_FOLDER"] = str(place / "memory")
        lines = [
            "[league]",
            'id = "memory"',
            'game = "bid"',
            # As many games either way: without mirroring each is a set of its own.
            f"sets = {sets if case.mirrored else 2 * sets}",
            f"mirrored = {str(case.mirrored).lower()}",
            f"disguise = {str(case.disguise).lower()}",
            'seed = "memory"',
            "[rules]",
            "max_hands = 40",
            "[[bots]]",
            'id = "bold"',
            f"command = {json.dumps(['{python}', str(SAMPLES / 'bold.py')])}",
            "instances = 4",
            "[[bots]]",
            'id = "remember"',
            f"command = {json.dumps(['{python}', str(SAMPLES / 'remember.py')])}",
            f"instances = {case.instances}",
            "[bots.env]",
            *(f"{key} = {json.dumps(value)}" for key, value in env.items()),
        ]
        (place / "memory.toml").write_text("\n".join(lines) + "\n")
        command = [sys.executable, "-m", "tournaments.cli", "run", "memory.toml"]
        command += ["--format", "json", "--tables", str(case.tables)]
        done = subprocess.run(command, cwd=place, capture_output=True, text=True, check=True)
    rows = {row["bot"]: row for row in json.loads(done.stdout)["rows"]}
    return rows["remember"]["margin"], rows["remember"]["margin_error"]


def main() -> None:
    """
    Print a table of all cases.
    """
    parser = argparse.ArgumentParser(description="What remembering a sitting is worth.")
    parser.add_argument("--sets", type=int, default=40, help="a case; default 40")
    options = parser.parse_args()
    rows = []
    for case in CASES:
        print(case, file=sys.stderr)  # noqa: T201
        mean, error = margin(case, options.sets)
        rows.append((*case, f"{mean:+.1f} ±{error:4.1f}"))
    heads = ["memory", "processes", "suits tried", "tables", "mirrored", "disguise", "margin"]
    print(tabulate(rows, headers=heads, disable_numparse=True))  # noqa: T201


if __name__ == "__main__":
    main()
