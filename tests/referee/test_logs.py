"""
The log: to standard error, readable by people or machines, without secrets, without controls.
"""

from __future__ import annotations

import json
import logging
from typing import Any, NoReturn

import pytest
import structlog

from referee import logs
from referee.errors import ConfigError

log = structlog.get_logger()
ESCAPE = "\x1b]0;owned\x07\x9b2J\u202e"


def _fail() -> NoReturn:
    raise ValueError(ESCAPE)


def _line(capsys: pytest.CaptureFixture[str]) -> dict[str, Any]:
    out, err = capsys.readouterr()
    assert "" == out
    [line] = err.splitlines()
    assert line.isascii()
    event: dict[str, Any] = json.loads(line)
    return event


def test_json_lines_when_not_on_a_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    """
    One object a line, with level and time, and nothing on standard output.
    """
    logs.configure()
    log.info("game_over", fixture=3, bots=("a", "b"))
    event = _line(capsys)
    assert event.pop("timestamp").endswith("Z")
    assert {"event": "game_over", "level": "info", "fixture": 3, "bots": ["a", "b"]} == event


def test_lines_for_people(capsys: pytest.CaptureFixture[str]) -> None:
    """
    The console form has the event and its keys in one line.
    """
    logs.configure(json=False)
    log.info("game_over", fixture=3)
    out, err = capsys.readouterr()
    assert "" == out
    assert "game_over" in err
    assert "fixture=3" in err


@pytest.mark.parametrize("level", logs.LEVELS)
def test_levels(capsys: pytest.CaptureFixture[str], level: str) -> None:
    """
    What is below the level is not written.
    """
    logs.configure(level)
    for each in logs.LEVELS:
        getattr(log, each)("event")
    assert len(logs.LEVELS) - logs.LEVELS.index(level) == len(capsys.readouterr().err.splitlines())


def test_an_unknown_level() -> None:
    """
    The user's mistake, with the levels there are.
    """
    with pytest.raises(ConfigError, match="debug, info, warning, error"):
        logs.configure("loud")


@pytest.mark.parametrize("as_json", [True, False])
def test_secrets_are_dropped(capsys: pytest.CaptureFixture[str], *, as_json: bool) -> None:
    """
    By their key, in whatever case, however deep, also when bound to the context.
    """
    logs.configure(json=as_json)
    with structlog.contextvars.bound_contextvars(token="hush"):  # noqa: S106  (that is the test)
        log.info(
            "hello",
            Secret="hush",  # noqa: S106  (likewise)
            nested={"AUTHORIZATION": "hush", "bot": "a"},
            rows=[{"token": "hush"}],
        )
    err = capsys.readouterr().err
    assert "hush" not in err
    assert "bot" in err


@pytest.mark.parametrize("as_json", [True, False])
def test_nothing_reaches_a_terminal_raw(
    capsys: pytest.CaptureFixture[str], *, as_json: bool
) -> None:
    """
    Controls in events, keys, values, nested values and tracebacks are spelled out.
    """
    logs.configure(json=as_json)
    try:
        _fail()
    except ValueError:
        log.exception(
            ESCAPE,
            bot=ESCAPE,
            lines="a\nfake event",
            nested={ESCAPE: [ESCAPE]},
            thing=ValueError(ESCAPE),
            **{ESCAPE: 1},
        )
    err = capsys.readouterr().err
    assert err.replace("\n", "").isprintable()
    assert "\nfake event" not in err
    assert "owned" in err
    assert "Traceback" in err


def test_libraries_log_in_the_same_form(capsys: pytest.CaptureFixture[str]) -> None:
    """
    What comes through `logging` is a JSON line as well, from warnings on.
    """
    logs.configure("debug")
    logging.getLogger("asyncio").info("chatter")
    try:
        _fail()
    except ValueError:
        logging.getLogger("asyncio").exception("task %s failed", "a")
    event = _line(capsys)
    assert "task a failed" == event["event"]
    assert "asyncio" == event["logger"]
    assert "error" == event["level"]
    assert "ValueError" in event["exception"]


def test_configuring_again_replaces(capsys: pytest.CaptureFixture[str]) -> None:
    """
    A second call leaves one handler and the new form.
    """
    logs.configure(json=False)
    logs.configure(json=True)
    logging.getLogger("asyncio").warning("once")
    assert "once" == _line(capsys)["event"]


def test_people_may_write_what_they_like(capsys: pytest.CaptureFixture[str]) -> None:
    """
    Printable characters of all scripts stay as they are.
    """
    logs.configure(json=False)
    log.info("hello", bot="zoë 牌 🂡")
    assert "zoë 牌 🂡" in capsys.readouterr().err
