"""
The real commands, from a league that is played to an export that is refused.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

FIRST = Path(__file__).parents[2] / "sample_bots" / "python" / "first.py"

LEAGUE = """
[league]
id = "small"
game = "bid"
sets = 2
[rules]
max_hands = 3
[[bots]]
id = "a"
name = "Änne"
command = ["{python}", BOT]
[[bots]]
id = "b"
command = ["{python}", BOT]
""".replace("BOT", json.dumps(str(FIRST)))


@pytest.fixture
def run(tmp_path):
    """
    Runs a command to its end; returns exit code, output and errors.
    """

    def call(program, *arguments, stdin=""):
        module = {"league": "tournaments.cli", "referee": "referee.cli"}[program]
        done = subprocess.run(
            [sys.executable, "-m", module, *map(str, arguments)],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            check=False,
            timeout=300,
            input=stdin,
        )
        assert "Traceback" not in done.stderr
        return done.returncode, done.stdout, done.stderr

    return call


def test_play_export_verify_tamper_verify(run, tmp_path):
    """
    What was played is verified, in the store and outside; what was changed is not.
    """
    file = tmp_path / "small.toml"
    file.write_text(LEAGUE)
    assert 0 == run("league", "run", file)[0]

    code, text, err = run("league", "export")
    assert (0, "") == (code, err)
    assert (0, "", "") == run("league", "export", file, "--run", "1", "--output", "games.jsonl")
    export = tmp_path / "games.jsonl"
    assert text == export.read_text()
    assert [] == list(tmp_path.glob("*.part"))

    verified = run("referee", "verify", export)
    assert 0 == verified[0]
    assert verified[1].startswith("verified: 4 games, ")
    assert verified == run("referee", "verify", "-", stdin=text)
    assert verified == run("league", "verify")
    assert verified == run("league", "verify", file, "--store", "sqlite:///results/small.db")

    header, game, *_ = map(json.loads, text.splitlines())
    shown = run("league", "show", game["fixture"], "--json")[1]
    assert game["record"] == json.loads(shown)
    one = f"verified: 1 games, {len(game['record']['deals'])} deals, "
    for alone in (shown, text.splitlines()[1]):
        code, out, _ = run("referee", "verify", "-", "--secret", header["secret"], stdin=alone)
        assert (0, True) == (code, out.startswith(one))

    rows = json.loads(run("league", "standings", "--format", "json")[1])["rows"]
    for row in rows:
        del row["median_decision_ms"]
    assert rows == json.loads(text.splitlines()[-1])["standings"]

    changed = text.replace('"redeal":false', '"redeal":true', 1)
    code, out, err = run("referee", "verify", "-", stdin=changed)
    assert (1, "", 1) == (code, out, err.count("\n"))
    assert err.startswith("referee: line 2, game a:b/1a: deals[0].redeal: stored True")


def test_what_cannot_be_exported(run, tmp_path):
    """
    No store, no run, or nowhere to write to: one line, and no traceback.
    """
    code, out, err = run("league", "export")
    assert (2, "", 1) == (code, out, err.count("\n"))
    file = tmp_path / "small.toml"
    file.write_text(LEAGUE)
    assert 1 == run("league", "verify", file)[0]
    assert 0 == run("league", "run", file)[0]
    code, out, err = run("league", "export", "--output", "none/games.jsonl")
    assert (2, "") == (code, out)
    assert "none/games.jsonl: --output: cannot be written" in err
    code, out, err = run("league", "export", "--run", "7")
    assert (2, "") == (code, out)
    assert "there is no run 7" in err
