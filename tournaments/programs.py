"""
A program that is sent to a referee: what its `bot.toml` says.

    name = "Cautious"                       # for people; everything else may be left out
    command = ["{python}", "cautious.py"]   # this may not: program and arguments
    build = ["make"]                        # run once before, in a folder that it may write to
    games = ["bid", "buck"]                 # what it plays; left out: both
    instances = 4                           # processes; left out: as many as a set has seats for
    description = "Bids low, ruffs high."
    contact = "me@example.org"              # shown to nobody but the people who run the league
    software = "cautious 1.2"

`{python}` in a command is the referee's Python, with grpcio, protobuf and the protocol's
messages at hand (docs/uploads.md). Commands run in the folder that `bot.toml` is in.
"""

from __future__ import annotations

import difflib
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from referee.errors import ConfigError
from referee.office import Submission
from referee.rules.variants import GAMES
from tournaments.names import name_fault
from tournaments.tables import parsed, read

if TYPE_CHECKING:
    from pathlib import Path

    from tournaments.league import League
    from tournaments.tables import Table

FILE = "bot.toml"
"""The name of the file, at the top of the folder."""

MOST_INSTANCES = 16
"""Processes that a program may ask for."""

_LONGEST = 1 << 16

_BRACED = re.compile(r"(?<!\$)\{(\w+)\}")
"""What looks as if something were to be put in its place; `${HOME}` is the shell's."""
_PYTHON = "python"
_LIKE = 0.7
"""From how alike a word is to `python` on, of 1, it was meant to be that."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Program:
    """
    A program, as its author describes it.
    """

    name: str
    command: tuple[str, ...]
    build: tuple[str, ...] = ()
    """Command that makes it ready; empty if nothing has to be done."""
    games: tuple[str, ...] = ()
    """What it plays; empty for everything."""
    instances: int | None = None
    """Processes that it wants; None: as many as are needed."""
    description: str = ""
    contact: str = ""
    software: str = ""

    def submission(self) -> Submission:
        """
        Return what is entered into a league.
        """
        return Submission(
            name=self.name,
            games=self.games,
            description=self.description,
            contact=self.contact,
            software=self.software,
        )

    def instances_in(self, league: League) -> int:
        """
        Return how many processes it gets: one for each seat of a set, so none meets a deck twice.

        Raises:
            ConfigError: It wants fewer.
        """
        needed = league.seats_of_bot * league.sittings
        if self.instances is not None and self.instances < needed:
            raise ConfigError(
                f"must be at least {needed} here, not {self.instances}",
                path=FILE,
                key="instances",
                hint="leave it out: a set has that many seats for a bot",
            )
        return self.instances or needed


def load(folder: Path) -> Program:
    """
    Return what the `bot.toml` of a folder says.

    Raises:
        ConfigError: There is none, or something in it is wrong.
    """
    path = folder / FILE
    if path.is_file() and path.stat().st_size > _LONGEST:
        raise ConfigError(f"has more than {_LONGEST} bytes", path=FILE)
    try:
        text = read(path, hint='a bot.toml begins with name = "..." and command = [...]')
    except ConfigError as error:
        raise ConfigError(error.why, path=FILE, hint=error.hint) from None
    return parse(text)


def parse(text: str) -> Program:
    """
    Return what the text of a `bot.toml` says.

    Raises:
        ConfigError: Something in it is wrong.
    """
    with parsed(text, FILE) as table:
        name = table.need("name", str)
        fault = name_fault(name)
        if fault:
            raise ConfigError(fault, key="name")
        if "command" not in table.values:
            table.need("command", list)  # which says that it is missing
        command = _command(table, "command")
        build: tuple[str, ...] = ()
        if "build" in table.values:
            build = _command(table, "build")
        games = table.texts("games")
        for game in games:
            if game not in GAMES:
                raise ConfigError(f"must be of {', '.join(GAMES)}, not {game!r}", key="games")
        instances = table.take("instances", int)
        if instances is not None and not 1 <= instances <= MOST_INSTANCES:
            raise ConfigError(
                f"must be from 1 to {MOST_INSTANCES}, not {instances}", key="instances"
            )
        rest = table.rest({"description": str, "contact": str, "software": str})
        return Program(
            name=name, command=command, build=build, games=games, instances=instances, **rest
        )


def _command(table: Table, key: str) -> tuple[str, ...]:
    command = table.texts(key)
    if not command or not command[0]:
        raise ConfigError("is empty", key=key, hint='for example ["{python}", "bot.py"]')
    for number, argument in enumerate(command):
        for word in _BRACED.findall(argument):
            if word != _PYTHON and (number == 0 or _is_like_python(word)):
                raise ConfigError(
                    f"{{{word}}} stands for nothing", key=key, hint="did you mean {python}?"
                )
    return command


def _is_like_python(word: str) -> bool:
    """
    Whether a word is a slip of the pen; what is not may be awk's `{print}`, or a script's.
    """
    return difflib.SequenceMatcher(None, word.lower(), _PYTHON).ratio() >= _LIKE
