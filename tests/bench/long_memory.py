"""
Does the memory of a league grow with the number of its games, and does it resume quickly?

Plays a league of two rule bots with the real command, with its store, and reads
the resident size of the `league` process after 1,000 and after nearly all games. Then
it is killed, and resumed: how long until the next game is stored, and, once it is
finished, how long `league standings` takes.

    python tests/bench/long_memory.py [GAMES]
"""

from __future__ import annotations

import json
import os
import sqlite3
import subprocess
import sys
import tempfile
import time
from pathlib import Path

BOTS = Path(__file__).parents[2] / "sample_bots" / "python"
LEAGUE = """\
[league]
id = "long"
name = "Long"
game = "bid"
sets = {sets}
tables = 256

[[bots]]
id = "cautious"
command = ["{{python}}", "{bots}/cautious.py"]

[[bots]]
id = "bold"
command = ["{{python}}", "{bots}/bold.py"]
"""


def resident(pid: int) -> float:
    """
    Return the resident size of a process in MB.
    """
    pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


def stored(path: Path) -> int:
    """
    Return how many games are stored.
    """
    if not path.exists():
        return 0
    try:
        with sqlite3.connect(f"file:{path}?mode=ro", uri=True) as connection:
            return int(connection.execute("select count(*) from game").fetchone()[0])
    except sqlite3.OperationalError:  # no table yet
        return 0


def measure(games: int) -> dict[str, float]:
    """
    Return the sizes, their growth, and the times.
    """
    marks = (min(1000, games // 10), games - 1024)
    sizes: list[float] = []
    with tempfile.TemporaryDirectory() as folder:
        file, store = Path(folder) / "long.toml", Path(folder) / "results" / "long.db"
        file.write_text(LEAGUE.format(sets=games // 2, bots=BOTS))
        began = time.monotonic()
        with _league(folder, "run", str(file)) as league:
            for mark in marks:
                _wait(league, store, mark)
                sizes.append(resident(league.pid))
            took = time.monotonic() - began
            league.kill()
        before = stored(store)
        began = time.monotonic()
        with _league(folder, "resume", str(file)) as league:
            _wait(league, store, before + 1)
            resumed = time.monotonic() - began
            if league.wait() != 0:
                raise RuntimeError("the resumed league failed")
        if stored(store) != games:
            raise RuntimeError(f"{stored(store)} games are stored, not {games}")
        began = time.monotonic()
        with _league(folder, "standings", str(file)) as league:
            league.wait()
        standings = time.monotonic() - began
    return {
        f"rss_mb_after_{marks[0]}_games": sizes[0],
        f"rss_mb_after_{marks[1]}_games": sizes[1],
        "growth_percent": 100 * (sizes[1] / sizes[0] - 1),
        "games_per_second": marks[1] / took,
        "resumed_after_seconds": resumed,
        "standings_seconds": standings,
    }


def _league(folder: str, *arguments: str) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "tournaments.cli", *arguments]
    return subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL)


def _wait(league: subprocess.Popen[bytes], store: Path, games: int) -> None:
    """
    Wait until so many games are stored.
    """
    while stored(store) < games:
        if league.poll() is not None:
            raise RuntimeError("the league ended before its games were played")
        time.sleep(0.05)


def main() -> None:
    """
    Print what was measured, and write it as JSON.
    """
    games = int(sys.argv[1]) if len(sys.argv) > 1 else 50_000
    found = measure(games)
    for name, value in found.items():
        print(f"{name:32}{value:10,.2f}")  # noqa: T201
    output = Path("results") / "bench-long.json"
    output.parent.mkdir(exist_ok=True)
    output.write_text(json.dumps(found, indent=2) + "\n")


if __name__ == "__main__":
    main()
