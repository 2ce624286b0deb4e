"""
The page on league files has every key, and says the defaults that there are.
"""

from __future__ import annotations

import dataclasses
import re
from pathlib import Path

import pytest

from tournaments.files import parse
from tournaments.league import League
from tournaments.limits import Limits
from tournaments.stopping import Stop

PAGE = (Path(__file__).parents[2] / "docs" / "leagues.md").read_text()

EVERYTHING = """
[league]
id = "all"
name = "All"
game = "bid"
sets = 20
{league}

[stop]
low = -1
high = 1

[[bots]]
id = "a"
name = "A"
command = ["{{python}}", "a.py"]
instances = 2
folder = "."
env = {{ LEVEL = "3" }}

[[bots]]
id = "b"
outside = true
"""


def keys(section: str) -> dict[str, str]:
    """
    The keys of a table of the page, and what stands beside them as default.
    """
    text = PAGE.partition(f"## `{section}`\n")[2].partition("\n## ")[0]
    return dict(re.findall(r"^\| `(\w+)` \| (.*?) \|", text, re.MULTILINE))


def defaults(kind: type) -> dict[str, object]:
    """
    The fields of a dataclass with their defaults.
    """
    return {each.name: each.default for each in dataclasses.fields(kind)}


def written(value: object) -> str:
    """
    How a default that is a number or a text stands in the page.
    """
    text = f'"{value}"' if isinstance(value, str) else str(value).lower()
    return f"`{text}`"


@pytest.mark.parametrize(("section", "kind"), [("[limits]", Limits), ("[stop]", Stop)])
def test_limits_and_stop(section, kind):
    """
    All fields, and all that they are when left out.
    """
    wanted = {
        name: "needed" if value is dataclasses.MISSING else written(value)
        for name, value in defaults(kind).items()
    }
    assert wanted == keys(section)


def test_the_league():
    """
    All fields but those with a table of their own; defaults that are no words are right.
    """
    fields = defaults(League)
    for name in ("rules", "entrants", "limits", "stop"):
        del fields[name]
    shown = keys("[league]")
    assert {*fields, "game"} == {*shown}
    for name, value in fields.items():
        if value not in (None, "", dataclasses.MISSING):
            assert written(value) == shown[name]


def test_all_that_the_page_has_is_read():
    """
    A file with every key of it is a league.
    """
    some = {"tables": "2", "wait": "1.0", "seed": '"s"', "transport": '"tcp"'}
    league = parse(
        EVERYTHING.format(league="\n".join(f"{key} = {value}" for key, value in some.items())),
        "all.toml",
    )
    assert ("all", 2, "s") == (league.id, league.tables, league.seed)
    assert {"id", "name", "command", "outside", "instances", "folder", "env"} == {*keys("[[bots]]")}
