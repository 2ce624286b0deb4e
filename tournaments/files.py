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

    [rules]                            # options of the game; left out: the defaults
    max_hands = 40

    [limits]                           # seconds and counts; left out: the defaults
    answer = 2.0

    [[bots]]
    id = "bold"
    name = "Bold"                      # left out: the id
    command = ["{python}", "bold.py"]  # in the folder of this file; or outside = true
"""

from __future__ import annotations

import dataclasses
import difflib
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, cast

from referee.errors import ConfigError
from referee.rules.variants import GAMES
from tournaments.league import Entrant, League, Limits

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

T = TypeVar("T")

_NEAR = 0.5
"""How alike two keys must be for one to be a slip of the other; 1 is equal."""

_KINDS: Mapping[type, str] = {
    str: "text in quotes",
    int: "a whole number",
    float: "a number",
    bool: "true or false",
    list: "a list",
    dict: "a table",
}


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
    try:
        return Path(path).read_bytes().decode()
    except OSError as error:
        raise ConfigError(
            f"cannot be read: {error.strerror or error}",
            path=str(path),
            hint="leagues that come along are in tournaments/leagues",
        ) from None
    except UnicodeDecodeError as error:
        raise ConfigError(
            f"is not UTF-8 at byte {error.start}", path=str(path), hint="TOML is always UTF-8"
        ) from None


def parse(text: str, path: str | Path) -> League:
    """
    Return the league that *text* describes.

    Args:
        text: In TOML.
        path: Where it stands: for errors, and for the folder that bots are started in.

    Raises:
        ConfigError: Something in it is wrong.
    """
    try:
        values = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(
            f"is not TOML: {error}", path=str(path), hint="see https://toml.io"
        ) from None
    try:
        return _league(values, Path(path))
    except ConfigError as error:
        if error.path:
            raise
        raise ConfigError(error.why, path=str(path), key=error.key, hint=error.hint) from None


def _league(values: dict[str, Any], path: Path) -> League:
    file = _Table(values, "")
    head = file.table("league")
    game = head.take("game", str)
    if game is None:
        raise ConfigError("is missing", key="league.game", hint=f"one of {', '.join(GAMES)}")
    if game not in GAMES:
        raise ConfigError(f"there is no game {game!r}", key="league.game", hint=_hint(game, GAMES))
    options = file.take("rules", dict) or {}
    rules = GAMES[game].rules.from_options(options, path=str(path))
    limits = _limits(file.table("limits", optional=True))
    bots = tuple(
        _bot(_Table(entry, f"bots[{number}]."), path.absolute().parent)
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
    return League(rules=rules, limits=limits, entrants=bots, **cast("Any", league))


def _limits(table: _Table) -> Limits:
    kinds = {
        each.name: float if isinstance(each.default, float) else int
        for each in dataclasses.fields(Limits)
    }
    return Limits(**cast("Any", table.rest(kinds)))


def _bot(table: _Table, folder: Path) -> Entrant:
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


class _Table:
    """
    A table of the file: values are taken out of it, and what is left is an error.
    """

    def __init__(self, values: object, place: str) -> None:
        if not isinstance(values, dict):
            raise ConfigError(
                f"must be a table, not {values!r}", key=place.rstrip("."), hint="[name] or [[name]]"
            )
        self.values: dict[str, Any] = dict(values)
        self.place = place
        """What stands before its keys in errors."""
        self._known: list[str] = []

    def take(self, key: str, kind: type[T], default: T | None = None) -> T | Any:
        """
        Take the value of *key*, which must be of *kind*.

        Raises:
            ConfigError: It is of another.
        """
        self._known.append(key)
        if key not in self.values:
            return default
        value = self.values.pop(key)
        if kind is float and type(value) is int:
            value = float(value)
        if type(value) is not kind or value != value:  # noqa: PLR0124  (TOML has a nan)
            raise ConfigError(f"must be {_KINDS[kind]}, not {value!r}", key=f"{self.place}{key}")
        return value

    def need(self, key: str, kind: type[T]) -> T:
        """
        Take the value of *key*.

        Raises:
            ConfigError: There is none, or one of another kind.
        """
        if key not in self.values:
            near = difflib.get_close_matches(key, self.values, 1, _NEAR)
            hint = f"there is {near[0]}" if near else f"add {key} = ..., {_KINDS[kind]}"
            raise ConfigError("is missing", key=f"{self.place}{key}", hint=hint)
        return cast("T", self.take(key, kind))

    def texts(self, key: str) -> tuple[str, ...]:
        """
        Take a list of texts.
        """
        value = self.take(key, list, [])
        if key in self.values or not all(isinstance(each, str) for each in value):
            raise ConfigError(f"must be a list of texts, not {value!r}", key=f"{self.place}{key}")
        return tuple(value)

    def table(self, key: str, *, optional: bool = False) -> _Table:
        """
        Take a table.
        """
        if not optional and key not in self.values:
            raise ConfigError(
                "is missing", key=f"{self.place}{key}", hint=f"a league file has a [{key}] table"
            )
        return _Table(self.take(key, dict, {}), f"{self.place}{key}.")

    def tables(self, key: str) -> list[object]:
        """
        Take a list of tables; none if there is no such key.
        """
        value = self.values.get(key, [])
        if not isinstance(value, list):
            raise ConfigError(
                "must be a list of tables", key=f"{self.place}{key}", hint=f"each is a [[{key}]]"
            )
        return cast("list[object]", self.take(key, list, []))

    def rest(self, kinds: Mapping[str, type]) -> dict[str, Any]:
        """
        Take all that is left; only *kinds* may be.
        """
        found = {key: self.take(key, kind) for key, kind in kinds.items() if key in self.values}
        self._known += kinds
        self.close()
        return found

    def close(self) -> None:
        """
        Refuse what is left.
        """
        for key in self.values:
            raise ConfigError(
                "is not known here", key=f"{self.place}{key}", hint=_hint(key, self._known)
            )


def _hint(word: str, known: Iterable[str]) -> str:
    names = list(dict.fromkeys(known))
    near = difflib.get_close_matches(word, names, 1, _NEAR)
    return f"did you mean {near[0]}?" if near else f"there are {', '.join(names)}"
