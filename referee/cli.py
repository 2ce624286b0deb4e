"""
The `referee` command.
"""

from __future__ import annotations

import argparse
import asyncio
import io
import json
import os
import sys
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING

import trio

from referee import client, logs, replay, shell
from referee.errors import ConfigError, RecordError, ScenarioError
from referee.office import Submission
from referee.rules.sheet import rule_sheet
from referee.rules.variants import GAMES, VARIANTS, find_variant
from referee.scenario import adjudicate_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from contextlib import AbstractContextManager
    from typing import Any, TextIO

    from referee.rules.options import Rules

DESCRIPTION = """\
Referees Bid Euchre and Buck Euchre between bots that dial in over gRPC.

  referee serve                          host an open league
  referee submit "My bot" --address HOST:PORT
                                         enter a bot; keeps its token in a file
  referee rules bid                      the rules that are enforced, in English
  referee adjudicate deal.json           a ruling on one deal
  referee verify games.jsonl             check what `league export` wrote
"""

OPEN_LEAGUE = Path("tournaments/leagues/open.toml")
"""What `serve` hosts unless it is told otherwise."""

ADDRESS = "127.0.0.1:50117"
"""Where a referee is looked for unless somebody says otherwise."""


def main(arguments: Sequence[str] | None = None) -> None:
    """
    Run the command line, and leave the program with its exit code.
    """
    options = _parser().parse_args(arguments)
    logs.configure(options.log_level)
    sys.exit(shell.run("referee", lambda: options.command(options)))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="referee",
        description=DESCRIPTION,
        epilog=shell.EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.set_defaults(log_level="warning")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    serve = commands.add_parser(
        "serve",
        help="host an open league",
        description="Hosts a league that bots can be submitted to: starts the house bots of its "
        "file, listens, and plays whatever can be played until Ctrl-C. Goes on with the newest "
        "run of the league, so tokens and standings survive a restart.",
        epilog=shell.EPILOG,
    )
    serve.add_argument(
        "file", type=Path, nargs="?", default=OPEN_LEAGUE, metavar="LEAGUE", help="a TOML file"
    )
    serve.add_argument("--store", metavar="URL", help="default sqlite:///results/LEAGUE-ID.db")
    serve.add_argument("--tables", type=int, metavar="N", help="games at once")
    serve.add_argument("--seed", metavar="TEXT", help="repeatable decks, for trying things out")
    serve.add_argument("--log-level", default="info", choices=logs.LEVELS, help="default info")
    serve.set_defaults(command=_serve)

    submit = commands.add_parser(
        "submit",
        help="enter a bot into an open league",
        description="Enters a bot into the open league of a referee, and keeps the token that it "
        "gets in a file that only you can read. The bot then connects with that token.",
        epilog=shell.EPILOG,
    )
    submit.add_argument("name", metavar="NAME", help="display name, 1 to 64 characters")
    submit.add_argument("--address", default=ADDRESS, help=f"HOST:PORT, default {ADDRESS}")
    submit.add_argument("--token-file", type=Path, help="where to keep it; default BOT-ID.token")
    submit.add_argument(
        "--game", action="append", choices=tuple(GAMES), default=[], help="what it plays; both"
    )
    submit.add_argument("--description", default="", help="what it is, for people")
    submit.add_argument("--contact", default="", help="how to reach you; not shown to others")
    submit.add_argument("--software", default="", help="program and version")
    submit.set_defaults(command=_submit)

    rules = commands.add_parser(
        "rules",
        help="print the rules that are enforced",
        description="Prints the whole rule sheet in plain English; options that differ from "
        f"their defaults are marked. WHAT is {', '.join(GAMES)}, a variant "
        f"({', '.join(VARIANTS)}), or a league file.",
        epilog=shell.EPILOG,
    )
    rules.add_argument("what", metavar="WHAT", help="a game, a variant, or a league file")
    rules.set_defaults(command=_rules)

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

    verify = commands.add_parser(
        "verify",
        help="check an export of a league",
        description="Checks what `league export` wrote of a finished run: derives every deck "
        "again from the revealed secret, judges every answer again, and recomputes results and "
        "standings. Says what was verified, or the first thing that differs.",
        epilog=shell.EPILOG,
    )
    verify.add_argument("file", metavar="FILE", help="the export; - for standard input")
    verify.add_argument(
        "--secret",
        metavar="HEX",
        help="check games without their header: lines of an export, or records of "
        "`league show --json`, by the secret of their league",
    )
    verify.add_argument(
        "--faults-to-forfeit",
        type=int,
        default=3,
        metavar="N",
        help="with --secret: limits.faults_to_forfeit of the league; default 3",
    )
    verify.set_defaults(command=_verify)
    return parser


def _serve(options: argparse.Namespace) -> int:
    # The one place where the referee knows of leagues: it is what hosts them.
    from tournaments import commands, files  # noqa: PLC0415
    from tournaments.store import Store, default_url  # noqa: PLC0415

    text = files.read(options.file)
    league = files.parse(text, options.file)
    if not league.open:
        raise ConfigError(
            "is not an open league",
            path=str(options.file),
            key="league.open",
            hint="set open = true, or play it with `league run`",
        )
    if options.seed is not None:
        league = league.with_seed(options.seed)
    with Store.open(options.store or default_url(league.id)) as store, store.lock():
        run = store.latest_run(league.id)
        if run is None:
            run = commands.begin(store, league, text, str(options.file))
        league = commands.check_same(run, league, str(options.file))

        async def host() -> commands.Ended:
            return await commands.host_open(league, store, run, tables=options.tables)

        ended = trio.run(host)
    return shell.FAILED if ended.void else shell.OK


def _submit(options: argparse.Namespace) -> int:
    submission = Submission(
        name=options.name,
        games=tuple(options.game),
        description=options.description,
        contact=options.contact,
        software=options.software,
    )
    if options.token_file is not None and options.token_file.exists():
        raise ConfigError("is there already", path=str(options.token_file), key="--token-file")
    admission = asyncio.run(client.submit(options.address, submission))
    path = _keep_token(options.token_file or Path(f"{admission.bot_id}.token"), admission.token)
    sys.stdout.write(
        f"{admission.bot_id} is entered. Its token is in {path}; nobody can show it again.\n"
        f"Start it with\n"
        f"  EUCHRE_REFEREE={options.address} EUCHRE_TOKEN=$(cat {path}) EUCHRE_INSTANCE=1 "
        f"YOUR-BOT\n"
        f"and in Bid Euchre a second time with EUCHRE_INSTANCE=2, for the partner.\n"
    )
    return shell.OK


def _keep_token(path: Path, token: str) -> Path:
    """
    Write a token where only our user can read it; return where that is.
    """
    place, number = path, 1
    while True:
        try:
            handle = os.open(place, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        except FileExistsError:
            number += 1
            place = path.with_name(f"{path.stem}-{number}{path.suffix}")
            continue
        except OSError as error:
            # It cannot be asked for again, so it must not be lost.
            sys.stderr.write(f"referee: cannot write {place}: {error.strerror}\n")
            sys.stdout.write(f"{token}\n")
            raise ConfigError("cannot be written", path=str(place), key="--token-file") from None
        with os.fdopen(handle, "w") as file:
            file.write(token + "\n")
        return place


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


def _adjudicate(options: argparse.Namespace) -> int:
    with _input(options.file) as file:
        return _adjudicate_from(file, jsonl=options.jsonl)


@contextmanager
def _input(path: str) -> Iterator[TextIO]:
    """
    Open a file of UTF-8, or standard input for `-`.
    """
    if path == "-":
        # What stands in a file must mean the same when it is piped.
        if isinstance(sys.stdin, io.TextIOWrapper):
            sys.stdin.reconfigure(encoding="utf-8")
        opened: AbstractContextManager[TextIO] = nullcontext(sys.stdin)
    else:
        try:
            opened = Path(path).open(encoding="utf-8")  # noqa: SIM115  (entered below)
        except OSError as error:
            raise ConfigError(f"cannot be read: {error.strerror}", path=path) from None
    with opened as file:
        try:
            yield file
        except UnicodeDecodeError as error:
            raise ConfigError(f"is not UTF-8: {error.reason}", path=path) from None
        except IsADirectoryError as error:
            raise ConfigError(f"cannot be read: {error.strerror}", path=path) from None


def _verify(options: argparse.Namespace) -> int:
    with _input(options.file) as file:
        if options.secret is not None:
            sys.stdout.write(_verify_games(file, options.secret, options.faults_to_forfeit))
            return shell.OK
        from tournaments.verifying import verify_lines  # noqa: PLC0415  (as in `_serve`)

        sys.stdout.write(verify_lines(file).text())
    return shell.OK


def _verify_games(lines: Iterable[str], secret: str, faults_to_forfeit: int) -> str:
    """
    Check games by themselves; return what to say.
    """
    try:
        key = bytes.fromhex(secret)
    except ValueError:
        raise ConfigError("must be hexadecimal", key="--secret") from None
    games = deals = decisions = 0
    for number, line in enumerate(_values(lines), 1):
        record = line.get("record", line) if isinstance(line, dict) else line
        try:
            table = replay.check(record, key, faults_to_forfeit=faults_to_forfeit)
        except RecordError as error:
            raise RecordError(f"game {number}: {error}") from None
        games += 1
        deals += len(table.record.deals)
        decisions += sum(len(deal.entries) for deal in table.record.deals)
    return f"verified: {games} games, {deals} deals, {decisions} decisions\n"


def _values(lines: Iterable[str]) -> Iterator[Any]:
    """
    Yield JSON values: one a line, or a single one over many lines.
    """
    left = iter(lines)
    for number, line in enumerate(left, 1):
        try:
            # Only the first can be the beginning of one over many lines.
            yield json.loads(line if number > 1 or _is_whole(line) else line + "".join(left))
        except (ValueError, RecursionError) as error:
            raise RecordError(f"line {number}: is no JSON: {error}") from None


def _is_whole(line: str) -> bool:
    try:
        json.loads(line)
    except ValueError:
        return False
    return True


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


if __name__ == "__main__":
    main()
