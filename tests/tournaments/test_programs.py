"""
What a `bot.toml` says, and what is wrong with it.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from referee.errors import ConfigError
from referee.rules.options import BidRules
from tournaments.league import League
from tournaments.programs import Program, load, parse

SAMPLES = sorted((Path(__file__).parents[2] / "sample_bots").glob("*/bot.toml"))
GOOD = """
name = "Ärger"
command = ["{python}", "a.py", "--fast"]
build = ["make"]
games = ["buck"]
instances = 5
description = "what"
contact = "me"
software = "a 1"
"""


def test_everything_that_can_be_said():
    """
    All keys, and what stands for those that are left out.
    """
    assert parse(GOOD) == Program(
        name="Ärger",
        command=("{python}", "a.py", "--fast"),
        build=("make",),
        games=("buck",),
        instances=5,
        description="what",
        contact="me",
        software="a 1",
    )
    assert parse('name = "a"\ncommand = ["b"]') == Program(name="a", command=("b",))


def test_braces_of_other_languages_are_left_alone():
    """
    Shells and awk have their own.
    """
    build = ["sh", "-c", "awk '{print}' a{b,c} > ${HOME}/{d}; {python} f.py"]
    assert tuple(build) == parse(GOOD.replace('["make"]', json.dumps(build))).build


@pytest.mark.parametrize("path", SAMPLES, ids=lambda path: path.parent.name)
def test_the_samples_can_be_read(path):
    """
    What the repository shows is right.
    """
    assert load(path.parent).command


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('name = "Ärger"', "", "bot.toml: name: is missing"),
        ("Ärger", "a\\u001b[2J", "name: must not contain the control character U+001B"),
        ("Ärger", "x" * 65, "name: must have 1 to 64 characters"),
        ('command = ["{python}", "a.py", "--fast"]', "", "command: is missing"),
        ('["{python}", "a.py", "--fast"]', "[]", "command: is empty"),
        (
            '["{python}", "a.py", "--fast"]',
            '"./run -x"',
            'command: must be a list of texts, not \'./run -x\' (["./run", "-x"])',
        ),
        ('["{python}", "a.py", "--fast"]', "[1]", "command: must be a list of texts"),
        ("a.py", "a\\u0000", "command: must not contain a zero byte"),
        ("{python}", "{pyton}", "command: {pyton} stands for nothing (did you mean {python}?)"),
        ("{python}", "{Python}", "command: {Python} stands for nothing"),
        ("{python}", "/opt/{version}/python", "command: {version} stands for nothing"),
        ("--fast", "{python3}", "command: {python3} stands for nothing"),
        (
            '["make"]',
            '["sh", "-c", "exec {pyton} make.py"]',
            "build: {pyton} stands for nothing (did you mean {python}?)",
        ),
        ('["make"]', "[]", "build: is empty"),
        ('["buck"]', '["bidd"]', "games: must be of bid, buck, not 'bidd'"),
        ("instances = 5", "instances = 0", "instances: must be from 1 to 16, not 0"),
        ("instances = 5", "instances = 17", "instances: must be from 1 to 16, not 17"),
        ("instances = 5", "instances = true", "instances: must be a whole number"),
        ("instances = 5", "instance = 5", "instance: is not known here (did you mean instances?)"),
        ("software =", "env =", "env: is not known here"),
        ("instances = 5", "instances 5", "is not TOML"),
    ],
)
def test_what_is_wrong_is_named(old, new, said):
    """
    Each mistake is told with its key.
    """
    assert old in GOOD
    with pytest.raises(ConfigError) as caught:
        parse(GOOD.replace(old, new))
    assert said in str(caught.value)


def test_a_folder_without_one(tmp_path):
    """
    It is said what is missing; a huge one is not even read.
    """
    with pytest.raises(ConfigError, match=r"bot\.toml: cannot be read.*begins with name"):
        load(tmp_path)
    (tmp_path / "bot.toml").write_text("#" * 70_000)
    with pytest.raises(ConfigError, match="has more than 65536 bytes"):
        load(tmp_path)


def test_every_seat_of_a_set_gets_a_process_of_its_own():
    """
    With fewer one would meet a deck twice.
    """
    league = League(id="x", name="x", rules=BidRules(), entrants=(), sets=1, open=True)
    program = Program(name="a", command=("b",))
    assert 4 == program.instances_in(league)
    assert 5 == parse(GOOD).instances_in(league)
    with pytest.raises(ConfigError, match="instances: must be at least 4 here, not 3"):
        parse(GOOD.replace("instances = 5", "instances = 3")).instances_in(league)
