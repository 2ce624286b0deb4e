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

if TYPE_CHECKING:
    import argparse
    from typing import TextIO

    from referee.cli.parts import Commands


def add(commands: Commands) -> None:
    """
    Add the command to the parser.
    """
    judge = commands.add_parser(
        "adjudicate",
        help="rule on one deal",
        description="Reads a scenario (JSON: game, rules, dealer, deck or hands, actions) and "
        "prints the ruling as JSON. With --jsonl: a scenario a line in, an answer a line out.",
        epilog=shell.EPILOG,
    )
    judge.add_argument("file", nargs="?", default="-", metavar="FILE", help="default: stdin")
    judge.add_argument("--jsonl", action="store_true", help="one scenario a line")
    judge.set_defaults(command=_adjudicate)


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
