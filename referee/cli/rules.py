"""
`referee rules`: the rules that are enforced, in English.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from referee import shell
from referee.rules.sheet import rule_sheet
from referee.rules.variants import GAMES, VARIANTS, find_variant
from referee.usage import add_command

if TYPE_CHECKING:
    import argparse

    from referee.rules.options import Rules
    from referee.usage import Commands


def add(commands: Commands) -> None:
    """
    Add the command to the parser.
    """
    rules = add_command(
        commands,
        "rules",
        _rules,
        summary="print the rules that are enforced",
        description="Prints the whole rule sheet in plain English; options that differ from "
        f"their defaults are marked. WHAT is {', '.join(GAMES)}, a variant "
        f"({', '.join(VARIANTS)}), or a league file.",
        examples=(
            "referee rules bid",
            "referee rules bid/joker",
            "referee rules class/league.toml",
        ),
    )
    rules.add_argument("what", metavar="WHAT", help="a game, a variant, or a league file")


def _rules(options: argparse.Namespace) -> int:
    sys.stdout.write(rule_sheet(_rules_of(options.what)))
    return shell.OK


def _rules_of(what: str) -> Rules:
    if what in GAMES:
        return GAMES[what].rules()
    if what.endswith(".toml"):
        from tournaments import files  # noqa: PLC0415  (as in `_serve`)

        return files.load(what).rules
    return find_variant(what).rules
