"""
Launched bots: restarts, ends, logs, and commands that cannot be started.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
import trio
from structlog.testing import capture_logs

from referee import keeper
from referee.errors import ConfigError
from referee.keeper import BotGone, BotProcess
from referee.launch import check_command, open_launcher
from referee.warded import LOG_LIMIT

if TYPE_CHECKING:
    from .conftest import Zoo

KINDS = ("sleep", "ignore", "daemon", "shell", "stopped", "chain")


@pytest.fixture(autouse=True)
def _quick_restarts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(keeper, "FIRST_PAUSE", 0.01)


@pytest.mark.slow
async def test_nothing_is_left_after_the_body(zoo: Zoo) -> None:
    """
    When the block has ended all bots have ended, and all that they have started.
    """
    async with open_launcher("unix:/nowhere", zoo.folder) as launcher:
        for kind in KINDS:
            launcher.start(zoo.bot(kind))
        await zoo.wait_ready(len(KINDS))
    assert [] == zoo.alive()


@pytest.mark.slow
async def test_nothing_is_left_after_an_exception(zoo: Zoo) -> None:
    """
    Also when the body raises; its exception leaves as it is.
    """
    with pytest.raises(ConfigError, match="mine"):  # noqa: PT012  (the block is the test)
        async with open_launcher("unix:/nowhere", zoo.folder) as launcher:
            launcher.start(zoo.bot("daemon"))
            await zoo.wait_ready(1)
            raise ConfigError("mine")
    assert [] == zoo.alive()


@pytest.mark.slow
async def test_nothing_is_left_after_a_cancellation(zoo: Zoo) -> None:
    """
    Also when the body is cancelled.
    """
    with trio.CancelScope() as scope:
        async with open_launcher("unix:/nowhere", zoo.folder) as launcher:
            launcher.start(zoo.bot("daemon"))
            await zoo.wait_ready(1)
            scope.cancel()
            await trio.sleep_forever()
    assert scope.cancelled_caught
    assert [] == zoo.alive()


@pytest.mark.slow
async def test_cancelled_at_any_moment_of_the_start(zoo: Zoo) -> None:
    """
    Thirty launches cancelled at another moment each leave nothing.
    """
    for step in range(30):
        with trio.move_on_after(step * 0.004):
            async with open_launcher("unix:/nowhere", zoo.folder) as launcher:
                launcher.start(zoo.bot("sleep"))
                await trio.sleep_forever()
        assert [] == zoo.alive()


@pytest.mark.slow
async def test_a_bot_that_dies_is_started_again(zoo: Zoo) -> None:
    """
    It is started 1 + `restarts` times; each death is logged; then it is gone.
    """
    with capture_logs() as logs:
        async with open_launcher("unix:/nowhere", zoo.folder) as launcher:
            launcher.start(bot := zoo.bot("crash", restarts=3))
            with zoo.patience("it is gone"):
                gone = await launcher.gone.receive()
    assert BotGone(bot, exit_code=3) == gone
    assert 4 == zoo.started()
    died = [each for each in logs if each["event"] == "bot_died"]
    assert [3, 2, 1, 0] == [each["restarts_left"] for each in died]
    assert {3} == {each["exit_code"] for each in died}
    assert ["warning", "info", "info", "info"] == [each["log_level"] for each in died]
    assert ("bot_gone", "error") == (logs[-1]["event"], logs[-1]["log_level"])
    assert "secret" not in str(logs) + repr(bot)


@pytest.mark.slow
async def test_why_a_bot_died_is_logged(tmp_path: Path) -> None:
    """
    With the last line that it wrote, without its token; the first time of each bot aloud.
    """
    said = ("sh", "-c", 'echo "no module $EUCHRE_TOKEN" >&2; exit 1')
    with capture_logs() as logs:
        async with open_launcher("unix:/nowhere", tmp_path) as launcher:
            for bot, instance in (("ben", "1"), ("ben", "2"), ("eva", "1")):
                launcher.start(
                    BotProcess(
                        bot_id=bot,
                        instance=instance,
                        command=said,
                        cwd=tmp_path,
                        token="secret",  # noqa: S106  (nobody's)
                        restarts=0,
                    )
                )
            with trio.fail_after(60):
                for _ in range(3):
                    await launcher.gone.receive()
    assert {"no module ..."} == {each["said"] for each in logs}
    aloud = [(each["event"], each["bot"]) for each in logs if each["log_level"] == "error"]
    assert [("bot_gone", "ben"), ("bot_gone", "eva")] == sorted(aloud)
    assert 3 == sum(each["event"] == "bot_gone" for each in logs)


@pytest.mark.slow
async def test_who_wrote_and_lived_is_named_at_the_end(tmp_path: Path) -> None:
    """
    Once, with a file; not who was silent this time, nor who died, since that was told.
    """
    loud = "echo oh >&2; touch $EUCHRE_INSTANCE; sleep 60"
    scripts = {
        ("loud", "1"): "touch $EUCHRE_INSTANCE; sleep 60",
        ("loud", "2"): loud,
        ("loud", "3"): loud,
        ("silent", "4"): "touch $EUCHRE_INSTANCE; sleep 60",
        ("dead", "5"): "echo oh >&2; touch $EUCHRE_INSTANCE; exit 1",
    }
    (tmp_path / "silent-4.log").write_text("of an earlier start\n")
    with capture_logs() as logs:
        async with open_launcher("unix:/nowhere", tmp_path) as launcher:
            for (bot, instance), script in scripts.items():
                launcher.start(
                    BotProcess(
                        bot_id=bot,
                        instance=instance,
                        command=("sh", "-c", script),
                        cwd=tmp_path,
                        token="",
                        restarts=0,
                    )
                )
            with trio.fail_after(60):
                await launcher.gone.receive()
                while not all((tmp_path / each).exists() for each in "12345"):  # noqa: ASYNC110  (files have no events)
                    await trio.sleep(0.01)
            await launcher.stop(patience=0)
    told = [each for each in logs if each["event"] == "bots_wrote"]
    file = str(tmp_path / "loud-2.log")
    assert told == [
        {"event": "bots_wrote", "log_level": "warning", "bots": ["loud"], "logs": [file]}
    ]


@pytest.mark.slow
async def test_a_bot_that_cannot_be_started_is_gone(zoo: Zoo) -> None:
    """
    A program that vanished after the check counts as one that died.
    """
    bot = BotProcess(
        bot_id="a/../b",
        instance="1",
        command=["./vanished"],
        cwd=zoo.folder / "vanished",
        token="",
        restarts=1,
    )
    with capture_logs() as logs:
        async with open_launcher("unix:/nowhere", zoo.folder) as launcher:
            assert zoo.folder / "a_.._b-1.log" == launcher.log_path(bot)
            launcher.start(bot)
            with zoo.patience("it is gone"):
                assert BotGone(bot, exit_code=127) == await launcher.gone.receive()
    assert 2 == sum(each["event"] == "bot_not_started" for each in logs)


@pytest.mark.slow
async def test_a_dismissed_bot_ends_gently(zoo: Zoo) -> None:
    """
    Its processes get SIGTERM and are not started again; other bots go on.
    """
    with capture_logs() as logs:
        async with open_launcher("unix:/nowhere", zoo.folder) as launcher:
            launcher.start(zoo.bot("gentle", restarts=3))
            launcher.start(zoo.bot("gentle", "2", restarts=3))
            launcher.start(zoo.bot("sleep"))
            await zoo.wait_ready(3)
            launcher.dismiss("gentle")
            await zoo.wait_until(lambda: 2 == len(zoo.alive()), "one bot and its warden")
            assert 3 == zoo.started()
    assert [] == logs


@pytest.mark.slow
async def test_stop_waits_for_those_who_leave_and_ends_the_others(zoo: Zoo) -> None:
    """
    Nothing is started again; who does not leave in time is dismissed, and has ended.
    """
    with capture_logs() as logs:
        async with open_launcher("unix:/nowhere", zoo.folder) as launcher:
            for kind in ("gentle", "ignore", "shell"):
                launcher.start(zoo.bot(kind, restarts=3))
            await zoo.wait_ready(3)
            await launcher.stop(patience=0.1)
            assert [] == zoo.alive()
            await launcher.stop()
    assert [] == logs
    assert 3 == zoo.started()


@pytest.mark.slow
async def test_what_a_bot_is_given(zoo: Zoo, monkeypatch: pytest.MonkeyPatch) -> None:
    """
    The three variables, nothing else of ours, no open files, its folder, no input, no output.
    """
    monkeypatch.setenv("EUCHRE_DATABASE", "postgresql://user:password@host")
    with Path("/dev/null").open() as file:  # noqa: ASYNC230  (it never blocks)
        os.set_inheritable(file.fileno(), True)
        async with open_launcher("unix:/nowhere", zoo.folder) as launcher:
            launcher.start(bot := zoo.bot("show"))
            with zoo.patience("it is gone"):
                assert 0 == (await launcher.gone.receive()).exit_code
    given = json.loads(launcher.log_path(bot).read_text())
    assert {
        "env": {
            "EUCHRE_REFEREE": "unix:/nowhere",
            "EUCHRE_TOKEN": "secret",
            "EUCHRE_INSTANCE": "1",
        },
        "files": [0, 1, 2],
        "cwd": str(zoo.folder),
        "stdin": "",
        "python": sys.executable,
    } == given


@pytest.mark.slow
async def test_a_flood_of_every_start_shares_one_limit(zoo: Zoo) -> None:
    """
    A hundred megabytes in two starts leave one file of the limit's size.
    """
    async with open_launcher("unix:/nowhere", zoo.folder) as launcher:
        launcher.start(bot := zoo.bot("flood", restarts=1))
        with zoo.patience("it is gone"):
            await launcher.gone.receive()
    assert 2 == zoo.started()
    assert LOG_LIMIT < launcher.log_path(bot).stat().st_size < LOG_LIMIT + 100


@pytest.mark.slow
async def test_twenty_at_once(zoo: Zoo) -> None:
    """
    Twenty bots of one launcher start and end together.
    """
    async with open_launcher("unix:/nowhere", zoo.folder) as launcher:
        for number in range(20):
            launcher.start(zoo.bot("daemon", str(number)))
        await zoo.wait_ready(20)
    assert [] == zoo.alive()


async def test_a_log_folder_that_cannot_be_made(tmp_path: Path) -> None:
    """
    The user's mistake, with the path in the message.
    """
    (tmp_path / "file").touch()
    with pytest.raises(ConfigError, match="file/logs: the folder for the bots' logs cannot"):
        async with open_launcher("unix:/nowhere", tmp_path / "file" / "logs"):
            pass


@pytest.mark.parametrize(
    ("command", "message"),
    [
        ([], "command: is empty"),
        ([""], "command: is empty"),
        (["no-such-program"], "there is no program no-such-program .is it installed"),
        (["bot.sh"], r"there is no program bot.sh .\./bot.sh is the one in "),
        (["./missing"], "there is no program ./missing .looked for "),
        (["./bot.txt"], r"./bot.txt may not be executed .chmod \+x "),
        (["./folder"], "./folder is not a program but a folder"),
        (["{python}", "missing.py"], "there is no script missing.py .looked for "),
    ],
)
def test_commands_that_cannot_be_started(tmp_path: Path, command: list[str], message: str) -> None:
    """
    Each is refused before anything starts, with the key and what to do.
    """
    (tmp_path / "folder").mkdir()
    (tmp_path / "bot.txt").touch()
    (tmp_path / "bot.sh").touch(0o700)
    with pytest.raises(ConfigError, match=message) as caught:
        check_command(command, tmp_path)
    assert "command" == caught.value.key


def test_commands_that_can_be_started(tmp_path: Path) -> None:
    """
    A program on the PATH, one beside the league file, our interpreter.
    """
    (tmp_path / "bot.sh").touch(0o700)
    (tmp_path / "bot.py").touch()
    for command in (["sh", "-c", "true"], ["./bot.sh"], ["{python}", "bot.py"], ["/bin/sh"]):
        check_command(command, tmp_path)
    check_command(["{python}", "-m", "bot"], tmp_path)


def test_a_folder_that_is_not_there(tmp_path: Path) -> None:
    """
    The folder to run in must be there.
    """
    with pytest.raises(ConfigError, match="there is no such folder"):
        check_command(["sh"], tmp_path / "missing")


def test_commands_need_linux(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """
    Elsewhere the user is told to start bots by hand.
    """
    monkeypatch.setattr(sys, "platform", "plan9")
    with pytest.raises(ConfigError, match="local bots need Linux"):
        check_command(["sh"], tmp_path)
