"""
Every command teaches itself: `--help` has examples, and they are read as they stand.
"""

from __future__ import annotations

import argparse
import json
import re
import shlex
from typing import TYPE_CHECKING

import pytest

import referee.cli
import tournaments.cli
from referee.cli.adjudicate import SCENARIO
from referee.scenario import adjudicate

if TYPE_CHECKING:
    from collections.abc import Iterator

MAIN = {"referee": referee.cli.main, "league": tournaments.cli.main}

_COMMAND = re.compile(r"^ {4}([a-z]+)(?: |$)", re.MULTILINE)
"""A command in the list of them; options are further to the left."""


class _Read(Exception):  # noqa: N818  (nothing has gone wrong)
    """
    A command line has been read.
    """


@pytest.fixture
def explain(monkeypatch, capsys):
    """
    Prints the help of a command: `explain("referee", "bots", "list")`.
    """

    def explain(program: str, *command: str) -> str:
        monkeypatch.setenv("COLUMNS", "80")
        with pytest.raises(SystemExit) as ended:
            MAIN[program]([*command, "--help"])
        assert 0 == ended.value.code
        return capsys.readouterr().out

    return explain


@pytest.fixture
def read(monkeypatch):
    """
    Reads a command line and runs nothing: `read("league run x.toml")`; returns what would run.
    """
    parse = argparse.ArgumentParser.parse_args

    def stop(parser, *arguments) -> None:
        raise _Read(parse(parser, *arguments).command)

    def read(line: str):
        program, *arguments = shlex.split(line)
        with monkeypatch.context() as patched:
            patched.setattr(argparse.ArgumentParser, "parse_args", stop)
            with pytest.raises(_Read) as found:
                MAIN[program](arguments)
        return found.value.args[0]

    return read


def commands(explain, *command: str) -> Iterator[tuple[str, ...]]:
    """
    Yield a command and all below it.
    """
    yield command
    text = explain(*command)
    if re.search(r"^usage: .* (COMMAND|ACTION) \.\.\.$", text, re.MULTILINE):
        for name in _COMMAND.findall(text):
            yield from commands(explain, *command, name)


@pytest.mark.parametrize("program", MAIN)
def test_every_command_has_an_example_that_is_read(explain, read, program):
    """
    At least one of the command itself, or of those below it; and it runs what it should.
    """
    found = list(commands(explain, program))
    assert len(found) > 8
    for command in found:
        name = " ".join(command)
        text = explain(*command)
        assert [] == [line for line in text.splitlines() if len(line) > 80]
        # What explains an example stands two spaces behind it.
        examples = [
            each
            for line in re.findall(r"^  ((?:referee|league) .*)$", text, re.MULTILINE)
            for each in line.split("  ")[0].split(" | ")
        ]
        assert any(f"{each} ".startswith(f"{name} ") for each in examples), name
        for each in examples:
            module = read(each).__module__.rpartition(".")[2]
            assert module == shlex.split(each)[1]


def test_the_scenario_in_the_help_is_judged(explain):
    """
    As it is printed; south has reneged.
    """
    text = explain("referee", "adjudicate")
    shown = json.loads(text[text.index("  {") : text.index("]}") + 2])
    assert json.loads(SCENARIO) == shown
    [ruling] = adjudicate(shown)["rulings"]
    assert ("renege", "S") == (ruling["ruling"], ruling["seat"])
