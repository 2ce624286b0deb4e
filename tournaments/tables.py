"""
Strict reading of TOML files: what nobody asked for is an error, and so is a wrong kind.

A misspelt option that is silently ignored spoils a whole night of games. An error
names the file, the key, and what to do about it.
"""

from __future__ import annotations

import difflib
import json
import reprlib
import tomllib
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, cast

from referee.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

T = TypeVar("T")

_NEAR = 0.5
"""How alike two keys must be for one to be a slip of the other; 1 is equal."""

_LARGEST = 1 << 63
"""What a whole number must stay below: TOML promises no more, and neither does a database."""

_KINDS: Mapping[type, str] = {
    str: "text in quotes",
    int: "a whole number",
    float: "a number",
    bool: "true or false",
    list: "a list",
    dict: "a table",
}


def read(path: str | Path, *, hint: str = "") -> str:
    """
    Return the text of a file.

    Raises:
        ConfigError: It cannot be read.
    """
    try:
        text = Path(path).read_bytes().decode()
    except OSError as error:
        raise ConfigError(
            f"cannot be read: {error.strerror or error}",
            path=str(path),
            hint=hint,
        ) from None
    except UnicodeDecodeError as error:
        raise ConfigError(
            f"is not UTF-8 at byte {error.start}", path=str(path), hint="TOML is always UTF-8"
        ) from None
    if text.startswith("\ufeff"):
        raise ConfigError(
            "begins with a byte order mark", path=str(path), hint="save it as UTF-8 without one"
        )
    return text


@contextmanager
def parsed(text: str, path: str | Path) -> Iterator[Table]:
    """
    Read *text* as TOML for the body, whose errors then name the file.

    Raises:
        ConfigError: It is none, or the body says that something in it is wrong.
    """
    try:
        values = tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        # Thousands of digits, or of brackets, are no TOMLDecodeError.
        raise ConfigError(
            f"is not TOML: {error}", path=str(path), hint="see https://toml.io"
        ) from None
    try:
        _check_sizes(values)
        yield Table(values, "")
    except ConfigError as error:
        if error.path:
            raise
        raise ConfigError(error.why, path=str(path), key=error.key, hint=error.hint) from None


def _check_sizes(values: object) -> None:
    """
    Refuse what other libraries stumble over, wherever it stands.

    Raises:
        ConfigError: A number is too large, or a text holds a zero byte.
    """
    left: list[tuple[str, object]] = [("", values)]
    while left:
        place, value = left.pop()
        if isinstance(value, dict):
            left += ((place, key) for key in value)
            left += ((f"{place}.{key}" if place else key, each) for key, each in value.items())
        elif isinstance(value, list):
            left += ((place, each) for each in value)
        elif isinstance(value, int) and not -_LARGEST <= value < _LARGEST:
            raise ConfigError("must not hold a number of more than 64 bits", key=place)
        elif isinstance(value, str) and "\0" in value:
            raise ConfigError("must not contain a zero byte", key=place)


class Table:
    """
    A table of the file: values are taken out of it, and what is left is an error.
    """

    def __init__(self, values: object, place: str) -> None:
        if not isinstance(values, dict):
            raise ConfigError(
                f"must be a table, not {reprlib.repr(values)}",
                key=place.rstrip("."),
                hint="[name] or [[name]]",
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
            raise ConfigError(
                f"must be {_KINDS[kind]}, not {reprlib.repr(value)}", key=f"{self.place}{key}"
            )
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
        text = self.values.get(key)
        if isinstance(text, str):
            raise ConfigError(
                f"must be a list of texts, not {reprlib.repr(text)}",
                key=f"{self.place}{key}",
                hint=json.dumps(text.split(), ensure_ascii=False) if len(text) < 60 else "",
            )
        value = self.take(key, list, [])
        if key in self.values or not all(isinstance(each, str) for each in value):
            raise ConfigError(
                f"must be a list of texts, not {reprlib.repr(value)}", key=f"{self.place}{key}"
            )
        return tuple(value)

    def table(self, key: str, *, optional: bool = False) -> Table:
        """
        Take a table.
        """
        if not optional and key not in self.values:
            raise ConfigError(
                "is missing", key=f"{self.place}{key}", hint=f"the file needs a [{key}] table"
            )
        return Table(self.take(key, dict, {}), f"{self.place}{key}.")

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
    """
    Say which of the *known* words may have been meant.
    """
    names = list(dict.fromkeys(known))
    near = difflib.get_close_matches(word, names, 1, _NEAR)
    return f"did you mean {near[0]}?" if near else f"there are {', '.join(names)}"
