"""
`referee check` as people call it.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import threading
from typing import TYPE_CHECKING

import pytest

from referee.cli import main
from referee.examiner import listing

from .conftest import SAMPLES, WRONG

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


@pytest.fixture
def check(
    capsys: pytest.CaptureFixture[str],
) -> Callable[..., tuple[int, str, str]]:
    """
    Runs the command; returns exit code, output and errors.
    """

    def check(*arguments: str) -> tuple[int, str, str]:
        with pytest.raises(SystemExit) as ended:
            main(["check", *arguments])
        out, err = capsys.readouterr()
        return ended.value.code, out, err

    return check


def test_list(check: Callable) -> None:
    """
    `--list` needs no bot.
    """
    assert (0, listing(), "") == check("--list")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ((), "needs a bot"),
        (("--patience", "0", "--", "true"), "--patience: must be from 0.05 to 100"),
        (("--", "./no-such-bot"), "there is no program ./no-such-bot"),
        (("--address", "unix:/no/such/folder/socket"), "cannot listen at"),
        (("--address", "0.0.0.0:0"), "in the clear"),
        (("--game", "skat", "--", "true"), "invalid choice"),
    ],
)
def test_usage(check: Callable, arguments: tuple[str, ...], said: str) -> None:
    """
    Mistakes of the user are exit code 2 and one line.
    """
    code, out, err = check(*arguments)
    assert (2, "") == (code, out)
    assert said in err
    assert "Traceback" not in err


@pytest.mark.slow
def test_a_good_bot(check: Callable) -> None:
    """
    Exit code 0, and nothing on standard error.
    """
    code, out, err = check(
        "--game", "buck", "--patience", "5", "--", "{python}", str(SAMPLES / "cautious.py")
    )
    assert (0, "") == (code, err)
    assert re.search(r"\n\d+ passed, 0 failed, \d+ skipped in \d+\.\d s: euchrebot 1\n$", out)


@pytest.mark.slow
def test_a_bot_whose_errors_are_caught(check: Callable, tmp_path: Path) -> None:
    """
    The library answers in its place, so nothing fails; but its author is shown what was raised.
    """
    bot = tmp_path / "bot.py"
    bot.write_text(
        f"import sys\nsys.path.insert(0, {str(SAMPLES)!r})\nimport euchrebot\n"
        "euchrebot.run(lambda ask: ask.play.cards[0])\n"
    )
    code, out, _ = check("--game", "buck", "--patience", "5", "--", "{python}", str(bot))
    assert 0 == code, out
    quoted = out[out.index("What it wrote to standard error begins:") :]
    assert quoted.count("| AttributeError: ") == 1
    assert "instead; this error is not shown" in quoted


@pytest.mark.slow
def test_a_wrong_bot(check: Callable) -> None:
    """
    Exit code 1, and JSON if that is wanted.
    """
    code, out, err = check("--json", "--patience", "5", "--", "{python}", str(WRONG), "protocol")
    assert (1, "") == (code, err)
    failed = [each for each in json.loads(out)["checks"] if each["outcome"] == "failed"]
    assert [("hello.protocol", "it is 2")] == [(each["name"], each["came"]) for each in failed]


@pytest.mark.slow
def test_a_bot_that_dials_in() -> None:
    """
    With an address only, the command says how to start two instances, and examines them.
    """
    command = [sys.executable, "-m", "referee.cli", "check", "--address", "127.0.0.1:0"]
    command += ["--patience", "5"]
    examiner = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, bufsize=1
    )
    bots = []
    with examiner:
        timer = threading.Timer(300, examiner.kill)
        timer.start()
        for _ in range(2):
            said = examiner.stderr.readline() + examiner.stderr.readline()
            env = dict(re.findall(r"(EUCHRE_\w+)=(\S+)", said))
            assert {"EUCHRE_REFEREE", "EUCHRE_TOKEN", "EUCHRE_INSTANCE"} == set(env)
            bots.append(
                subprocess.Popen(
                    [sys.executable, str(SAMPLES / "cautious.py")], env={**os.environ, **env}
                )
            )
        out = examiner.stdout.read()
        timer.cancel()
    assert [0, 0] == [bot.wait(60) for bot in bots]
    assert 0 == examiner.returncode, out
    assert re.search(r"^  skipped  sigterm +somebody else started it$", out, re.MULTILINE)
    assert "  passed   two\n  passed   both\n" in out
