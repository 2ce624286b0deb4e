"""
What several commands share: options, and which store and run they mean.
"""

from __future__ import annotations

import argparse
import math
import shutil
import sys
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from referee import logs
from referee.errors import ConfigError
from tournaments import files
from tournaments.reading import standings_of
from tournaments.standings import FORMATS, render
from tournaments.store import RESULTS, Store, default_url

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from tournaments.league import League
    from tournaments.store import Run

# --- options ---------------------------------------------------------------------------------


def add_store(parser: argparse.ArgumentParser) -> None:
    """
    Add the options that every command has: where games are stored, and what is logged.
    """
    parser.add_argument("--store", metavar="URL", help="default sqlite:///results/LEAGUE-ID.db")
    parser.add_argument(
        "--log-level", default="warning", choices=logs.LEVELS, help="default warning"
    )


def add_stored(parser: argparse.ArgumentParser, *, file: bool = True) -> None:
    """
    Add the options of a command that reads a run; `stored` uses them.
    """
    add_store(parser)
    if file:
        parser.add_argument("file", type=Path, nargs="?", metavar="FILE", help="the league")
    add_run(parser)
    # What only playing needs is taken too, so that one command can be edited into another.
    parser.add_argument("--tables", type=int, help=argparse.SUPPRESS)
    parser.add_argument("--config", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--seed", help=argparse.SUPPRESS)
    parser.add_argument("--drain", type=seconds, help=argparse.SUPPRESS)


def add_run(parser: argparse.ArgumentParser) -> None:
    """
    Add the option that chooses a run.
    """
    parser.add_argument("--run", type=int, metavar="N", help="which run; default the newest")


def add_format(parser: argparse.ArgumentParser) -> None:
    """
    Add the option that chooses how standings are printed; `print_standings` uses it.
    """
    parser.add_argument("--format", default="plain", choices=FORMATS, help="default plain")


def seconds(text: str) -> float:
    """
    Read a time for argparse, which turns a ValueError into a usage error.
    """
    value = float(text)
    if not 0 <= value < math.inf:
        raise ValueError(text)
    return value


# --- stores and runs -------------------------------------------------------------------------


@contextmanager
def stored(options: argparse.Namespace) -> Iterator[tuple[Store, Run]]:
    """
    Open the store and choose the run that *options* name.
    """
    urls, league_id = named(options)
    with Store.open(next(iter(urls)), create=False) as store:
        yield store, chosen(store, options.run, league_id)


def named(options: argparse.Namespace) -> tuple[Iterable[str], str | None]:
    """
    Return the stores that *options* may mean, the likeliest in front, and the id of the league.
    """
    league_id = None if options.file is None else files.load(options.file).id
    if options.store:
        return [options.store], league_id
    return (stores() if league_id is None else [default_url(league_id)]), league_id


def chosen(store: Store, number: int | None, league_id: str | None) -> Run:
    """
    Return a run by its *number*, or the newest.
    """
    run = store.latest_run(league_id) if number is None else store.run(number, league_id)
    if run is None:
        raise ConfigError(f"there is no run in {store.name}", hint="`league run FILE` plays one")
    return run


def stores() -> Iterator[str]:
    """
    Yield the stores in results/ that have a run, the one that was written to last in front.

    A league whose file turned out to be wrong leaves a store without a run behind.

    Raises:
        ConfigError: There is none.
    """
    some = False
    for path in sorted(RESULTS.glob("*.db"), key=lambda path: (-_written(path), path.name)):
        url = f"sqlite:///{path}"
        with Store.open(url, create=False) as store:
            played = store.latest_run() is not None
        if played:
            some = True
            yield url
    if not some:
        raise ConfigError(f"there are no runs in {RESULTS}/", hint="`league run FILE` makes one")


def _written(path: Path) -> float:
    """
    When a store was written to last; what is new may still lie in its log.
    """
    beside = path.with_name(path.name + "-wal")
    return max(each.stat().st_mtime for each in (path, beside) if each.exists())


# --- standings -------------------------------------------------------------------------------


def print_standings(options: argparse.Namespace, league: League, store: Store, run: Run) -> None:
    """
    Print the standings of a run as they are stored now.
    """
    width = shutil.get_terminal_size().columns
    table = standings_of(league, store, run)
    sys.stdout.write(render(table, options.format, width=max(width, 40)))
