"""
`referee serve`: host an open league.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import trio

from referee import logs, shell
from referee.errors import ConfigError
from referee.usage import add_command

if TYPE_CHECKING:
    import argparse

    from referee.usage import Commands

OPEN_LEAGUE = Path("tournaments/leagues/open.toml")
"""What `serve` hosts unless it is told otherwise."""


def add(commands: Commands) -> None:
    """
    Add the command to the parser.
    """
    serve = add_command(
        commands,
        "serve",
        _serve,
        summary="host an open league",
        description="Hosts a league that bots can be submitted to: starts the house bots of its "
        "file, listens, and plays whatever can be played until Ctrl-C. Goes on with the newest "
        "run of the league, so tokens and standings survive a restart; `league close` ends it, "
        "and the next begins with the same bots.",
        examples=(
            "referee serve",
            "referee serve --config serve.toml",
            "referee serve class/league.toml --tables 4",
        ),
    )
    serve.add_argument(
        "file",
        type=Path,
        nargs="?",
        metavar="LEAGUE",
        help=f"a TOML file; default: what --config names, or {OPEN_LEAGUE}",
    )
    serve.add_argument(
        "--config",
        type=Path,
        metavar="FILE",
        help="how to serve it: addresses, TLS, who may submit, metrics, logs (docs/operations.md)",
    )
    serve.add_argument("--store", metavar="URL", help="default sqlite:///results/LEAGUE-ID.db")
    serve.add_argument("--tables", type=int, metavar="N", help="games at once")
    serve.add_argument("--seed", metavar="TEXT", help="repeatable decks, for trying things out")
    serve.add_argument("--log-level", default=None, choices=logs.LEVELS, help="default info")


def _serve(options: argparse.Namespace) -> int:
    # The one place where the referee knows of leagues: it is what hosts them. All of that
    # takes half a second to import, which `referee --help` is to be spared.
    from tournaments import commands, files, runs, serving  # noqa: PLC0415  (see above)
    from tournaments.store import Store, default_url  # noqa: PLC0415  (see above)

    how = serving.Serving() if options.config is None else serving.load(options.config)
    form = {"auto": None, "json": True, "console": False}[how.log.format]
    logs.configure(options.log_level or how.log.level, form)
    path = options.file or how.league or OPEN_LEAGUE
    text = files.read(path)
    league = files.parse(text, path)
    if not league.open:
        raise ConfigError(
            "is not an open league",
            path=str(path),
            key="league.open",
            hint="set open = true, or play it with `league run`",
        )
    if options.seed is not None:
        league = league.with_seed(options.seed)
    runs.check_served(league, how)
    with (
        Store.open(options.store or how.store or default_url(league.id)) as store,
        store.lock(league.id),
    ):
        run = store.latest_run(league.id)
        if run is None or run.finished is not None:
            run = runs.begin(store, league, text, str(path), how, hosted=True)
            _say_who_came_along(sum(not bot.house for bot in store.bots(run)))
        league = runs.check_same(run, league, str(path))

        async def host() -> commands.Ended:
            return await commands.host_open(league, store, run, how, tables=options.tables)

        ended = trio.run(host)
    if ended.void:
        sys.stderr.write(
            f"void because the referee failed: {ended.void}; `referee serve` plays what is void "
            "again, `league close` ends the run as it is\n"
        )
        return shell.FAILED
    return shell.OK


def _say_who_came_along(count: int) -> None:
    """
    Say on standard error how many bots a new run has from the one before.
    """
    if count:
        what = "1 bot is" if count == 1 else f"{count} bots are"
        sys.stderr.write(
            f"{what} carried over from the run before; `referee bots revoke ID` takes one out\n"
        )
