"""
One TOML file -> a checked league.

Strict, since a misspelt option that is silently ignored spoils a whole night of
games: every key that is not known is an error, and so is every value of a wrong
kind. An error names the file, the key, and what to do about it.

    [league]
    id = "friday"                      # a-z 0-9 . _ -; names the store
    name = "Friday league"             # for people; left out: the id
    game = "bid"                       # or "buck"
    sets = 20                          # for every pair of bots, or every four
    format = "round_robin"             # left out: everybody against everybody; also:
                                       # "gauntlet" with newcomer = "id": that bot against all;
                                       # "individual": partners change (Bid);
                                       # "swiss" with rounds = 5 (Bid);
                                       # "table" with sample = 100: so many fours (Buck)

    [rules]                            # options of the game; left out: the defaults
    max_hands = 40

    [limits]                           # seconds and counts; left out: the defaults
    answer = 2.0

    [stop]                             # left out: every match has all its sets
    low = -1.0                         # points a game; see tournaments/stopping.py
    high = 1.0

    [[bots]]
    id = "bold"
    name = "Bold"                      # left out: the id
    command = ["{python}", "bold.py"]  # in the folder of this file; or outside = true
"""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any, cast

from referee.errors import ConfigError
from referee.rules.variants import GAMES
from tournaments import tables
from tournaments.league import Entrant, League
from tournaments.limits import Limits
from tournaments.stopping import Stop
from tournaments.tables import Table, parsed


def load(path: str | Path) -> League:
    """
    Return the league that a file describes.

    Raises:
        ConfigError: The file cannot be read, or something in it is wrong.
    """
    return parse(read(path), path)


def read(path: str | Path) -> str:
    """
    Return the text of a league file.

    Raises:
        ConfigError: It cannot be read.
    """
    return tables.read(path, hint="leagues that come along are in tournaments/leagues")


def parse(text: str, path: str | Path) -> League:
    """
    Return the league that *text* describes.

    Args:
        text: In TOML.
        path: Where it stands: for errors, and for the folder that bots are started in.

    Raises:
        ConfigError: Something in it is wrong.
    """
    with parsed(text, path) as values:
        return _league(values, Path(path))


def _league(file: Table, path: Path) -> League:
    head = file.table("league")
    game = head.take("game", str)
    if game is None:
        raise ConfigError("is missing", key="league.game", hint=f"one of {', '.join(GAMES)}")
    if game not in GAMES:
        raise ConfigError(f"must be one of {', '.join(GAMES)}, not {game!r}", key="league.game")
    options = file.take("rules", dict) or {}
    rules = GAMES[game].rules.from_options(options, path=str(path))
    limits = _limits(file.table("limits", optional=True))
    stop = _stop(file.table("stop")) if "stop" in file.values else None
    bots = tuple(
        _bot(Table(entry, f"bots[{number}]."), path.absolute().parent)
        for number, entry in enumerate(file.tables("bots"), 1)
    )
    file.close()
    identity = head.need("id", str)
    league = {
        "id": identity,
        "name": head.take("name", str, identity),
        "sets": head.need("sets", int),
        **head.rest(
            {
                "format": str,
                "newcomer": str,
                "sample": int,
                "rounds": int,
                "mirrored": bool,
                "disguise": bool,
                "shared_instances": bool,
                "open": bool,
                "transport": str,
                "listen": str,
                "seed": str,
                "wait": float,
                "tables": int,
            }
        ),
    }
    return League(rules=rules, limits=limits, stop=stop, entrants=bots, **cast("Any", league))


def _limits(table: Table) -> Limits:
    kinds = {
        each.name: float if isinstance(each.default, float) else int
        for each in dataclasses.fields(Limits)
    }
    return Limits(**cast("Any", table.rest(kinds)))


def _stop(table: Table) -> Stop:
    low, high = table.need("low", float), table.need("high", float)
    others = table.rest({"alpha": float, "beta": float, "min_sets": int})
    return Stop(low=low, high=high, **cast("Any", others))


def _bot(table: Table, folder: Path) -> Entrant:
    identity = table.need("id", str)
    command = table.texts("command")
    outside = table.take("outside", bool, default=False)
    instances = table.take("instances", int)
    env = table.table("env", optional=True)
    name = table.take("name", str, identity)
    cwd = table.take("folder", str, ".")
    table.close()
    if command and outside:
        raise ConfigError(
            "stands beside outside = true", key=f"{table.place}command", hint="one of the two"
        )
    if not command and not outside:
        raise ConfigError(
            "is missing",
            key=f"{table.place}command",
            hint='the program that plays, as in ["{python}", "bot.py"]; or outside = true for a '
            "bot that connects by itself",
        )
    return Entrant(
        id=identity,
        name=name,
        command=command or None,
        instances=instances,
        env=tuple((key, env.need(key, str)) for key in list(env.values)),
        cwd=str(folder / cwd),
    )
