"""
`league show`: print one game, trick by trick.
"""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING

from referee import shell
from referee.errors import ConfigError, RecordError
from referee.story import seat_names, story
from referee.usage import add_command
from tournaments.cli.parts import add_stored, chosen, named
from tournaments.pairing import in_order
from tournaments.reading import league_of
from tournaments.store import Store

if TYPE_CHECKING:
    import argparse

    from referee.usage import Commands


def add(commands: Commands) -> None:
    """
    Add the command to the parser.
    """
    parser = add_command(
        commands,
        "show",
        _show,
        summary="print one game, trick by trick",
        description="Prints a game so that a card player can read it: hands, calls, tricks and "
        "rulings. GAME is the id of its fixture, as in `bold:cautious/3a`: the bots, the set "
        "and the sitting; `league games` lists them. Without FILE it is looked for in the "
        "newest run of each league in results/.",
        examples=(
            "league show bold:cautious/3a",
            "league show bold:cautious/3a class/league.toml --deal 2",
        ),
    )
    parser.add_argument("game", metavar="GAME", help="id of the fixture")
    parser.add_argument("--deal", type=int, metavar="N", help="only this deal, from 1")
    parser.add_argument("--json", action="store_true", help="the record as JSON")
    parser.add_argument(
        "--format", default="plain", choices=("plain", "json"), help="json is the same as --json"
    )
    add_stored(parser)


def _show(options: argparse.Namespace) -> int:
    game = in_order(options.game)
    urls, league_id = named(options)
    for url in urls:
        with Store.open(url, create=False) as store:
            run = chosen(store, options.run, league_id)
            record = store.record(run, game)
            if record is None:
                continue
            if options.json or options.format == "json":
                json.dump(record, sys.stdout, indent=2, sort_keys=True)
                sys.stdout.write("\n")
                return shell.OK
            row = store.game(run, game)
            if row is not None and row.void:
                raise RecordError("this game is void: the referee failed; --json has what is left")
            names = {bot.id: bot.name for bot in store.bots(run)}
            league = league_of(run)
            text = story(
                record,
                run.secret,
                seat_names(record["seats"], names),
                faults_to_forfeit=league.limits.faults_to_forfeit,
                only=options.deal,
            )
            sys.stdout.write(text)
            return shell.OK
    raise ConfigError(
        f"there is no game {options.game!r} in the newest run",
        key="GAME",
        hint="ids look like bold:cautious/3a, and `league games` lists them; --store and --run "
        "choose where to look",
    )
