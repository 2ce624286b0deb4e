"""
`referee adjudicate`: a ruling on one deal.
"""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING

from referee import shell
from referee.cli.parts import opened
from referee.errors import ScenarioError
from referee.scenario import adjudicate_text
from referee.usage import add_command

if TYPE_CHECKING:
    import argparse
    from typing import TextIO

    from referee.usage import Commands


SCENARIO = """\
{"game": "bid", "dealer": "N",
 "hands": {"N": "TC KD AD QH KH QS", "E": "QC AC 9D TD JD JS",
           "S": "9C 9H JH AH 9S TS", "W": "JC KC QD TH KS AS"},
 "actions": ["E bid 3", "S pass", "W pass", "N pass", "E trump H",
             "E play AC", "S play AH"]}
"""
"""What a scenario looks like: south does not follow suit."""


def add(commands: Commands) -> None:
    """
    Add the command to the parser.
    """
    judge = add_command(
        commands,
        "adjudicate",
        _adjudicate,
        summary="rule on one deal",
        description="Reads a scenario (JSON: game, rules, dealer, deck or hands, actions) and "
        "prints the ruling as JSON. With --jsonl: a scenario a line in, an answer a line out. "
        "In the one below south holds a club and ruffs.",
        examples=(
            "referee adjudicate deal.json",
            "referee adjudicate --jsonl deals.jsonl",
            "",
            *SCENARIO.splitlines(),
        ),
    )
    judge.add_argument("file", nargs="?", default="-", metavar="FILE", help="default: stdin")
    judge.add_argument("--jsonl", action="store_true", help="one scenario a line")


def _adjudicate(options: argparse.Namespace) -> int:
    with opened(options.file) as file:
        return _adjudicate_from(file, jsonl=options.jsonl)


def _adjudicate_from(source: TextIO, *, jsonl: bool) -> int:
    out = sys.stdout
    if not jsonl:
        out.write(json.dumps(adjudicate_text(source.read()), indent=2) + "\n")
        return shell.OK
    for line in source:
        if not line.strip():
            continue
        try:
            answer = adjudicate_text(line)
        except ScenarioError as error:
            answer = {"error": str(error)}
        out.write(json.dumps(answer, separators=(",", ":")) + "\n")
    return shell.OK
