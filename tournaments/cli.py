"""
The `league` command.
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import math
import shutil
import sys
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import trio

from referee import logs, shell
from referee.errors import ConfigError, RecordError
from referee.story import seat_names, story
from tournaments import commands, files, serving
from tournaments.exporting import export, text_of
from tournaments.reading import league_of, standings_of
from tournaments.serving import Serving
from tournaments.standings import FORMATS, render
from tournaments.store import Store, default_url
from tournaments.verifying import verify_store

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import TextIO

    from tournaments.league import League
    from tournaments.store import Run

DESCRIPTION = """\
Plays leagues of bots for Bid Euchre and Buck Euchre, and shows their results.

  league run tournaments/leagues/quick.toml     play a league, print its table
  league resume tournaments/leagues/quick.toml  go on where it was interrupted
  league standings                              the table of the newest run
  league show bold:cautious/3a                  one game, trick by trick
  league export --output games.jsonl            every game as a line of JSON
  league verify                                 judge every answer again

The store is sqlite:///results/LEAGUE-ID.db unless --store says otherwise. `run`
always begins a new run; the other commands take the newest one, or --run N.
"""


def main(arguments: Sequence[str] | None = None) -> None:
    """
    Run the command line, and leave the program with its exit code.
    """
    options = _parser().parse_args(arguments)
    logs.configure(options.log_level)
    sys.exit(shell.run("league", lambda: options.command(options)))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="league",
        description=DESCRIPTION,
        epilog=shell.EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    commands_ = parser.add_subparsers(required=True, metavar="COMMAND")

    run = commands_.add_parser(
        "run",
        help="play a league from its file",
        description="Begins a new run of a league, plays all its games with the bots that its "
        "file names, and prints the standings. Nothing that was played before is touched.",
        epilog=shell.EPILOG,
    )
    run.add_argument("file", type=Path, metavar="FILE", help="the league, a TOML file")
    _playing(run)
    run.set_defaults(command=_run)

    resume = commands_.add_parser(
        "resume",
        help="go on where a run was interrupted",
        description="Plays the games that a run has not stored yet, and prints the standings. "
        "A finished run is only printed; where there is none, one is begun. Refuses a league "
        "file or a seed that has changed.",
        epilog=shell.EPILOG,
    )
    resume.add_argument("file", type=Path, metavar="FILE", help="the league, a TOML file")
    _playing(resume)
    _run_number(resume)
    resume.set_defaults(command=_resume)

    table = commands_.add_parser(
        "standings",
        help="print the table of a run",
        description="Prints the standings of a run as they are stored now, also while it is "
        "being played. Without FILE: of the newest run in results/.",
        epilog=shell.EPILOG,
    )
    table.add_argument("file", type=Path, nargs="?", metavar="FILE", help="the league")
    _storing(table)
    _format(table)
    _run_number(table)
    _unused(table)
    table.set_defaults(command=_standings)

    show = commands_.add_parser(
        "show",
        help="print one game, trick by trick",
        description="Prints a game so that a card player can read it: hands, calls, tricks and "
        "rulings. GAME is the id of its fixture, as in `bold:cautious/3a`: the bots, the set "
        "and the sitting.",
        epilog=shell.EPILOG,
    )
    show.add_argument("game", metavar="GAME", help="id of the fixture")
    show.add_argument("--deal", type=int, metavar="N", help="only this deal, from 1")
    show.add_argument("--json", action="store_true", help="the record as JSON")
    show.add_argument(
        "--format", default="plain", choices=("plain", "json"), help="json is the same as --json"
    )
    _storing(show)
    _run_number(show)
    _unused(show)
    show.set_defaults(command=_show)

    export = commands_.add_parser(
        "export",
        help="write a run as JSON, a game a line",
        description="Writes a header, a line a game with its whole record, and a footer with "
        "the standings; docs/records.md explains every key. The secret of the decks is in it "
        "once the run is finished; `referee verify` then checks all of it.",
        epilog=shell.EPILOG,
    )
    export.add_argument("file", type=Path, nargs="?", metavar="FILE", help="the league")
    export.add_argument(
        "--output", default="-", metavar="PATH", help="where to; - is standard output, the default"
    )
    _storing(export)
    _run_number(export)
    _unused(export)
    export.set_defaults(command=_export)

    verify = commands_.add_parser(
        "verify",
        help="check a finished run in its store",
        description="Derives every deck again from the secret, judges every answer again, and "
        "recomputes results and standings; says what was verified, or the first thing that "
        "differs.",
        epilog=shell.EPILOG,
    )
    verify.add_argument("file", type=Path, nargs="?", metavar="FILE", help="the league")
    _storing(verify)
    _run_number(verify)
    _unused(verify)
    verify.set_defaults(command=_verify)
    return parser


def _storing(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--store", metavar="URL", help="default sqlite:///results/LEAGUE-ID.db")
    parser.add_argument(
        "--log-level", default="warning", choices=logs.LEVELS, help="default warning"
    )


def _format(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--format", default="plain", choices=FORMATS, help="default plain")


def _run_number(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--run", type=int, metavar="N", help="which run; default the newest")


def _unused(parser: argparse.ArgumentParser) -> None:
    """
    Take what only playing needs, so that one command can be edited into another.
    """
    parser.add_argument("--tables", type=int, help=argparse.SUPPRESS)
    parser.add_argument("--config", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--seed", help=argparse.SUPPRESS)
    parser.add_argument("--drain", type=_seconds, help=argparse.SUPPRESS)


def _playing(parser: argparse.ArgumentParser) -> None:
    _storing(parser)
    _format(parser)
    parser.add_argument("--tables", type=int, metavar="N", help="games at once")
    parser.add_argument(
        "--config",
        type=Path,
        metavar="FILE",
        help="how bots from outside reach it: listen, TLS (docs/operations.md)",
    )
    parser.add_argument(
        "--seed", metavar="TEXT", help="repeatable decks; whoever knows it knows them all"
    )
    parser.add_argument(
        "--drain",
        type=_seconds,
        metavar="SECONDS",
        help="what games in progress get after Ctrl-C or SIGTERM; "
        f"default {Serving().drain:g}, or what --config says",
    )


def _seconds(text: str) -> float:
    """
    Read a time for argparse, which turns a ValueError into a usage error.
    """
    seconds = float(text)
    if not 0 <= seconds < math.inf:
        raise ValueError(text)
    return seconds


# --- commands ------------------------------------------------------------------------------


def _run(options: argparse.Namespace) -> int:
    text, league = _league(options)
    how = _how(options)
    with Store.open(options.store or default_url(league.id)) as store, store.lock(league.id):
        run = commands.begin(store, league, text, str(options.file))
        return _play(options, league, store, run, how)


def _resume(options: argparse.Namespace) -> int:
    text, league = _league(options)
    how = _how(options)
    with Store.open(options.store or default_url(league.id)) as store, store.lock(league.id):
        if options.run is not None:
            run: Run | None = store.run(options.run, league.id)
        else:
            run = store.latest_run(league.id)
        if run is None:
            run = commands.begin(store, league, text, str(options.file))
            return _play(options, league, store, run, how)
        league = commands.check_same(run, league, str(options.file))
        if run.finished is not None:
            _print(options, league, store, run)
            return shell.OK
        return _play(options, league, store, run, how)


def _league(options: argparse.Namespace) -> tuple[str, League]:
    """
    The league file that was named, as text and as a league.
    """
    text = files.read(options.file)
    league = files.parse(text, options.file)
    if options.tables is not None and options.tables < 1:
        raise ConfigError("must be at least 1", key="--tables")
    return text, league if options.seed is None else league.with_seed(options.seed)


def _how(options: argparse.Namespace) -> Serving:
    """
    How the league is served, as the options say; read before a run is begun.
    """
    how = Serving() if options.config is None else serving.load(options.config)
    return how if options.drain is None else dataclasses.replace(how, drain=options.drain)


def _play(options: argparse.Namespace, league: League, store: Store, run: Run, how: Serving) -> int:
    async def play() -> commands.Ended:
        return await commands.play_run(league, store, run, how, tables=options.tables)

    ended = trio.run(play)
    _print(options, league, store, run)
    if ended.interrupted:
        return shell.INTERRUPTED
    return shell.FAILED if ended.void else shell.OK


def _print(options: argparse.Namespace, league: League, store: Store, run: Run) -> None:
    width = shutil.get_terminal_size().columns
    table = standings_of(league, store, run)
    sys.stdout.write(render(table, options.format, width=max(width, 40)))


def _standings(options: argparse.Namespace) -> int:
    with _stored(options) as (store, run):
        _print(options, league_of(run), store, run)
    return shell.OK


def _export(options: argparse.Namespace) -> int:
    with _stored(options) as (store, run), _output(options.output) as out:
        for line in export(store, run):
            out.write(text_of(line) + "\n")
    return shell.OK


def _verify(options: argparse.Namespace) -> int:
    with _stored(options) as (store, run):
        sys.stdout.write(verify_store(store, run).text())
    return shell.OK


@contextmanager
def _output(path: str) -> Iterator[TextIO]:
    """
    Open what is written to; a file is there whole or not at all.
    """
    if path == "-":
        yield sys.stdout
        return
    part = Path(f"{path}.part")
    try:
        with part.open("w", encoding="utf-8") as out:
            yield out
        part.replace(path)
    except OSError as error:
        raise ConfigError(
            f"cannot be written: {error.strerror}", path=path, key="--output"
        ) from None
    finally:
        part.unlink(missing_ok=True)


@contextmanager
def _stored(options: argparse.Namespace) -> Iterator[tuple[Store, Run]]:
    """
    Open the store and choose the run that *options* name.
    """
    league_id = None if options.file is None else files.load(options.file).id
    url = options.store or (_newest() if league_id is None else default_url(league_id))
    with Store.open(url, create=False) as store:
        yield store, _chosen(store, options.run, league_id)


def _show(options: argparse.Namespace) -> int:
    urls = [options.store] if options.store else _urls()
    for url in urls:
        with Store.open(url, create=False) as store:
            run = _chosen(store, options.run, None)
            record = store.record(run, options.game)
            if record is None:
                continue
            if options.json or options.format == "json":
                json.dump(record, sys.stdout, indent=2, sort_keys=True)
                sys.stdout.write("\n")
                return shell.OK
            row = store.game(run, options.game)
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
        hint="ids look like bold:cautious/3a; --store and --run choose where to look",
    )


def _chosen(store: Store, number: int | None, league_id: str | None) -> Run:
    run = store.latest_run(league_id) if number is None else store.run(number, league_id)
    if run is None:
        raise ConfigError(f"there is no run in {store.name}", hint="`league run FILE` plays one")
    return run


def _urls() -> list[str]:
    """
    The stores in results/, the one that was written to last in front.
    """
    found = sorted(commands.RESULTS.glob("*.db"), key=lambda path: (-_written(path), path.name))
    if not found:
        raise ConfigError(
            f"there are no stores in {commands.RESULTS}/", hint="`league run FILE` makes one"
        )
    return [f"sqlite:///{path}" for path in found]


def _newest() -> str:
    return _urls()[0]


def _written(path: Path) -> float:
    """
    When a store was written to last; what is new may still lie in its log.
    """
    beside = path.with_name(path.name + "-wal")
    return max(each.stat().st_mtime for each in (path, beside) if each.exists())


if __name__ == "__main__":
    main()
