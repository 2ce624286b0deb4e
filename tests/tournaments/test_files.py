"""
League files: what they say, and what is wrong with them.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from referee.errors import ConfigError
from referee.rules.options import BidRules, BuckRules
from tournaments.files import load, parse, read
from tournaments.pairing import count

FOLDER = Path(__file__).parents[2] / "tournaments" / "leagues"
LEAGUES = ("buck", "languages", "languages-buck", "open", "quick", "renege", "strength")
"""Those that come along; whoever puts one of their own beside them may call it what they like."""

GOOD = """
[league]
id = "friday"
game = "bid"
sets = 3
seed = "x"

[rules]
joker = true
max_hands = "none"

[limits]
answer = 1
faults_to_forfeit = 0

[[bots]]
id = "a"
name = "Ärger"
command = ["{python}", "a.py", "--fast"]
instances = 2
env = { DEPTH = "3" }
folder = "sub"

[[bots]]
id = "b"
outside = true
"""


def test_a_whole_file(tmp_path):
    """
    Every value arrives, and what is left out has its default.
    """
    path = tmp_path / "friday.toml"
    path.write_text(GOOD, encoding="utf-8")
    league = load(path)
    a, b = league.entrants
    assert ("friday", "friday", "bid", 3, "x") == (
        league.id,
        league.name,
        league.game,
        league.sets,
        league.seed,
    )
    assert BidRules(joker=True, max_hands=None) == league.rules
    assert (1.0, 0, 10.0) == (
        league.limits.answer,
        league.limits.faults_to_forfeit,
        league.limits.grace,
    )
    assert ("a", "Ärger", ("{python}", "a.py", "--fast"), 2) == (
        a.id,
        a.name,
        a.command,
        a.instances,
    )
    assert (("DEPTH", "3"),) == a.env
    assert str(tmp_path / "sub") == a.cwd
    assert (True, "b", 2) == (b.outside, b.name, league.instances_of(b))
    assert GOOD == read(path)


# What is changed in the good file, the key that the error names, and a word of its text.
BAD = {
    "unknown table": ("[limits]", "[limit]", "limit", "did you mean limits?"),
    "unknown key of the league": ("sets = 3", "sets = 3\nmirored = true", "league.mirored", "did"),
    "unknown key of a limit": ("answer =", "anwser =", "limits.anwser", "did you mean answer?"),
    "unknown key of a bot": ("folder", "floder", "bots[1].floder", "did you mean folder?"),
    "unknown option": ("joker", "jocker", "rules.jocker", "did you mean joker?"),
    "option of the other game": ("joker = true", "start_score = 2", "rules.start_score", "option"),
    "bad value of an option": ("joker = true", "joker = 1", "rules.joker", "true or false"),
    "option out of range": ("joker = true", "min_bid = 9", "rules.min_bid", "double_deck"),
    "no id": ('id = "friday"', "", "league.id", "missing"),
    "misspelt id": ('id = "friday"', 'ident = "friday"', "league.id", "ident"),
    "bad id of the league": ('"friday"', '"Friday league"', "league.id", "no id"),
    "no game": ('game = "bid"', "", "league.game", "bid, buck"),
    "unknown game": ('"bid"', '"bidd"', "league.game", "must be one of bid, buck"),
    "no sets": ("sets = 3", "", "league.sets", "missing"),
    "no set": ("sets = 3", "sets = 0", "league.sets", "from 1"),
    "sets in quotes": ("sets = 3", 'sets = "3"', "league.sets", "a whole number"),
    "sets as a truth": ("sets = 3", "sets = true", "league.sets", "a whole number"),
    "bad format": ("sets = 3", 'sets = 3\nformat = "knockout"', "league.format", "round_robin"),
    "bad transport": ("sets = 3", 'sets = 3\ntransport = "udp"', "league.transport", "tcp"),
    "endless port": (
        "sets = 3",
        f'sets = 3\nlisten = "here:{"1" * 5000}"',
        "league.listen",
        "host:port",
    ),
    "bad address": ("sets = 3", 'sets = 3\nlisten = "here"', "league.listen", "host:port"),
    "bad name": ("sets = 3", 'sets = 3\nname = "a\\u0007"', "league.name", "U+0007"),
    "limit out of range": ("answer = 1", "answer = 0", "limits.answer", "from 0.01"),
    "limit not a number": ("answer = 1", "answer = nan", "limits.answer", "a number"),
    "fraction of a count": ("forfeit = 0", "forfeit = 0.5", "limits.faults_to_forfeit", "whole"),
    "two bots with one id": ('id = "b"', 'id = "a"', "bots[1].id", "two bots"),
    "no id of a bot": ('id = "b"', "", "bots[2].id", "missing"),
    "bad id of a bot": ('id = "b"', 'id = "a:b"', "bots[2].id", "no id"),
    "empty name": ('"Ärger"', '""', "bots[1].name", "1 to 64"),
    "long name": ('"Ärger"', f'"{"x" * 65}"', "bots[1].name", "1 to 64"),
    "control in a name": ('"Ärger"', r'"\u001b[2J"', "bots[1].name", "U+001B"),
    "direction in a name": ('"Ärger"', r'"a\u202eb"', "bots[1].name", "U+202E"),
    "no command": ("outside = true", "", "bots[2].command", "outside = true"),
    "empty command": ("outside = true", "command = []", "bots[2].command", "missing"),
    "command and outside": ("instances = 2", "outside = true", "bots[1].command", "one of the two"),
    "command as text": ("outside = true", 'command = "b.py"', "bots[2].command", "a list"),
    "command of numbers": ("outside = true", "command = [1]", "bots[2].command", "list of texts"),
    "one instance": ("instances = 2", "instances = 1", "bots[1].instances", "shared_instances"),
    "too many instances": ("instances = 2", "instances = 99", "bots[1].instances", "max_instances"),
    "env of numbers": ('"3"', "3", "bots[1].env.DEPTH", "text in quotes"),
    "bots as one table": ('[[bots]]\nid = "b"\noutside = true', "", "bots", "at least 2"),
}


@pytest.mark.parametrize("what", BAD)
def test_what_is_wrong_is_named(what, tmp_path):
    """
    Each error names the file and the key, and its text helps.
    """
    old, new, key, word = BAD[what]
    assert old in GOOD
    path = tmp_path / "bad.toml"
    path.write_text(GOOD.replace(old, new, 1), encoding="utf-8")
    with pytest.raises(ConfigError) as caught:
        load(path)
    assert (str(path), key) == (caught.value.path, caught.value.key)
    assert word in str(caught.value)
    assert str(caught.value).startswith(f"{path}: {key}: ")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("[league\n", ["not TOML", "line 1"]),
        ("[league]\nid = 'a'\nid = 'b'\n", ["not TOML", "line 3"]),
        ("", ["league", "missing"]),
        ("league = 3", ["league", "must be a table"]),
        ("bots = 3\n[league]\nid='a'\ngame='bid'\nsets=1", ["bots", "[[bots]]"]),
        ("bots = [3]\n[league]\nid='a'\ngame='bid'\nsets=1", ["bots[1]", "must be a table"]),
        ("a = " + "[" * 5000 + "]" * 5000, ["not TOML", "recursion"]),
        ("a = 1" + "0" * 5000, ["not TOML", "digits"]),
        ("a = 0x1" + "0" * 9000, ["more than 64 bits"]),
        ("[limits]\nanswer = 1" + "0" * 400, ["more than 64 bits"]),
        ("[rules]\nmax_hands = [9223372036854775808]", ["more than 64 bits"]),
        ("[league]\nid = 'a'\ngame = 'bid'\nname = \"a\\u0000\"", ["zero byte"]),
    ],
)
def test_files_that_are_no_league(text, words):
    """
    Errors of TOML come with their line; tables that are none are named.
    """
    with pytest.raises(ConfigError) as caught:
        parse(text, "some.toml")
    assert str(caught.value).startswith("some.toml: ")
    for word in words:
        assert word in str(caught.value)


def test_files_that_cannot_be_read(tmp_path):
    """
    A missing file, a folder, and bytes that are no text.
    """
    for path, word in [(tmp_path / "none.toml", "No such file"), (tmp_path, "directory")]:
        with pytest.raises(ConfigError, match=word) as caught:
            load(path)
        assert str(path) == caught.value.path
    path = tmp_path / "bytes.toml"
    path.write_bytes(b"[league]\nname = '\xff'")
    with pytest.raises(ConfigError, match="UTF-8"):
        load(path)
    path.write_text("[league]\n", encoding="utf-8-sig")
    with pytest.raises(ConfigError, match="byte order mark"):
        load(path)


def test_an_error_does_not_repeat_a_whole_file():
    """
    A value of ten thousand characters is shown by its ends.
    """
    with pytest.raises(ConfigError, match="whole number") as caught:
        parse(f"[league]\nid = 'a'\ngame = 'bid'\nsets = '{'x' * 10_000}'", "some.toml")
    assert len(str(caught.value)) < 200


def test_buck_needs_four():
    """
    And says so; an open league may begin with fewer.
    """
    text = GOOD.replace('"bid"', '"buck"').replace("joker = true", "")
    with pytest.raises(ConfigError, match="Buck Euchre needs at least 4 bots, and there are 2"):
        parse(text, "x")
    league = parse(text.replace("sets = 3", "sets = 3\nopen = true"), "x")
    assert isinstance(league.rules, BuckRules)


@pytest.mark.parametrize("name", LEAGUES)
def test_leagues_that_come_along(name):
    """
    Each is called like its file, and a random bot in it meets a small `max_hands`.
    """
    league = load(FOLDER / f"{name}.toml")
    assert name == league.id
    if any("random_bot.py" in str(each.command) for each in league.entrants):
        assert league.rules.max_hands is not None
        assert 100 >= league.rules.max_hands
    assert count(league) > 0
