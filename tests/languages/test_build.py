"""
`make bots`: what is built, what is left out, and what that means for the exit code.
"""

from __future__ import annotations

import shutil
import subprocess
from typing import TYPE_CHECKING

import languages
import pytest
from languages import BOTS, SAMPLES

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def build(tmp_path: Path):
    """
    Return a function that builds made-up languages and gives the exit code and the lines.
    """
    shutil.copy(SAMPLES / "build.sh", tmp_path)

    def run(*arguments: str, everything: bool = False, **makefiles: str) -> tuple[int, list[str]]:
        for language, text in makefiles.items():
            (tmp_path / language).mkdir(exist_ok=True)
            (tmp_path / language / "Makefile").write_text(text)
        done = subprocess.run(
            [tmp_path / "build.sh", *arguments],
            env={"PATH": "/usr/bin:/bin", **({"EUCHRE_ALL_BOTS": "1"} if everything else {})},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
        return done.returncode, [line for line in done.stdout.splitlines() if ": " in line]

    return run


GOOD = "# needs: sh\nall:\n\t@touch bot\n"
FOREIGN = "# needs: sh no-such-compiler\nall:\n\t@touch bot\n"
WRONG = "# needs: sh\nall:\n\t@false\n"


def test_what_is_missing_is_said_and_no_failure(build, tmp_path: Path) -> None:
    """
    The one is built, the other left out, in a line each.
    """
    code, lines = build(good=GOOD, strange=FOREIGN)
    assert 0 == code
    assert [
        "good: built",
        "strange: left out, since this is not here: no-such-compiler",
    ] == lines
    assert (tmp_path / "good" / "bot").exists()
    assert not (tmp_path / "strange" / "bot").exists()


def test_where_all_are_wanted_a_missing_one_fails(build) -> None:
    """
    As in CI.
    """
    assert 1 == build(everything=True, good=GOOD, strange=FOREIGN)[0]
    assert 0 == build(everything=True, strange=GOOD)[0]


def test_a_bot_that_does_not_build_keeps_no_other_from_it(build) -> None:
    """
    The exit code tells, at the end.
    """
    code, lines = build(bad=WRONG, good=GOOD)
    assert 1 == code
    assert "bad: did not build" in lines
    assert "good: built" in lines
    assert (0, ["good: built"]) == build("good")


def test_a_language_that_is_not_there_is_a_mistake(build) -> None:
    """
    Nothing else is built then.
    """
    assert (2, ["goood: there is nothing to build"]) == build("good", "goood", good=GOOD)


def test_every_language_is_ready_for_it() -> None:
    """
    Each folder but Python's has a Makefile that says what it needs, a README, and a line in BOTS.
    """
    # Of the folders in the repository: a reader may have put a bot of their own beside them.
    listed = subprocess.run(
        ["git", "ls-files", "."], cwd=SAMPLES, check=True, capture_output=True, text=True
    ).stdout.split()
    folders = {path.partition("/")[0] for path in listed if "/" in path}
    assert set(BOTS) == folders
    for language in folders - {"python"}:
        first = (SAMPLES / language / "Makefile").read_text().splitlines()[0]
        assert first.startswith("# needs: "), language
        assert (SAMPLES / language / "README.md").is_file()


def test_what_is_tested(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """
    Python always, and of the others those that are built; where all are wanted, all.
    """
    commands = {"python": BOTS["python"], "go": [str(tmp_path / "bot")]}
    monkeypatch.setattr(languages, "BOTS", commands)
    monkeypatch.delenv("EUCHRE_ALL_BOTS", raising=False)
    assert ["python"] == list(languages.built())
    monkeypatch.setenv("EUCHRE_ALL_BOTS", "1")
    assert commands == languages.built()
