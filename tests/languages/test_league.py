"""
Real leagues of one strategy in all languages that are built: dead heats, exactly.
"""

from __future__ import annotations

import json
import os
import tomllib
from typing import TYPE_CHECKING, Any

import pytest
from bounded import bounded
from languages import BOTS, ROOT, built

from referee.rules.variants import GAMES

if TYPE_CHECKING:
    from pathlib import Path

LEAGUES = ROOT / "tournaments" / "leagues"
FILES = ("languages.toml", "languages-buck.toml")


def entrants(game: str) -> dict[str, list[str]]:
    """
    Return the bots that are built; with too few for a league, Python plays under more names.
    """
    bots = dict(built())
    while len(bots) < len(GAMES[game].deal.sides):
        bots[f"python-{len(bots)}"] = BOTS["python"]
    return bots


def league(name: str, folder: Path) -> Path:
    """
    Write the league of that *name* with the bots that there are; return the file.
    """
    text = (LEAGUES / name).read_text().split("[limits]")[0]
    game = tomllib.loads(text)["league"]["game"]
    # However slowly a machine starts so many programs, nobody is late.
    text += "[limits]\nhello = 200.0\nanswer = 60.0\ngrace = 60.0\n"
    for bot, command in entrants(game).items():
        text += f'[[bots]]\nid = "{bot}"\ncommand = {json.dumps(command)}\n'
        text += f"instances = {2 if game == 'bid' else 1}\n"
    path = folder / name
    path.write_text(text)
    return path


def run(*arguments: object, folder: Path) -> Any:
    """
    Return what the `league` command prints, which is JSON.
    """
    command = ("-m", "tournaments.cli", *map(str, arguments), "--format", "json")
    done = bounded(*command, seconds=480, cwd=folder)
    assert (0, "") == (done.returncode, done.stderr)
    return json.loads(done.stdout)


@pytest.mark.slow
@pytest.mark.parametrize("name", FILES)
def test_a_dead_heat(name: str, tmp_path: Path) -> None:
    """
    All margins are zero with an error of zero; nothing was ruled on.
    """
    rows = run("run", league(name, tmp_path), folder=tmp_path)["rows"]
    assert len(rows) >= 2
    assert {(0, 0)} == {(row["margin"], row["margin_error"]) for row in rows}
    assert {(0, 0, 0)} == {(row["faults"], row["forfeits"], row["reneges"]) for row in rows}
    assert all(row["games"] > 0 for row in rows)


@pytest.mark.parametrize("name", FILES)
def test_the_files_name_every_language(name: str) -> None:
    """
    Once, with the command that the tests start, and without disguise.
    """
    file = tomllib.loads((LEAGUES / name).read_text())
    scripts = {bot["id"]: os.path.normpath(LEAGUES / bot["command"][-1]) for bot in file["bots"]}
    assert scripts == {language: command[-1] for language, command in BOTS.items()}
    assert file["league"]["game"] == "buck" or not file["league"]["disguise"]
