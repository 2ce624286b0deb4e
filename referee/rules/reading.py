"""
Options in and out: plain values of a league file or a scenario <-> the fields of rules.

Reading is strict: an unknown name, a value of another type or out of range, and
a combination that cannot be played are refused, and the error names the option
(rules.md 7.1, 7.5/10, 12, 13).
"""

from __future__ import annotations

import dataclasses
import difflib
import enum
import typing
from typing import TYPE_CHECKING, Any, Self

from referee.errors import ConfigError
from referee.seats import BY_LETTER, Seat

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

MOST = 1_000_000
"""No number of the rules is larger (7.5/12)."""

_NONE_WORD = "none"
"""Stands for null where a format has none: TOML (7.5/10)."""


def whole(default: int | None, low: int, high: int = MOST) -> Any:
    """
    Declare an option that is a whole number from *low* to *high*.
    """
    return dataclasses.field(default=default, metadata={"low": low, "high": high})


def _meant(name: str, known: Iterable[str]) -> str:
    """
    Say which option *name* may have been meant for, or which there are.
    """
    names = list(known)
    near = difflib.get_close_matches(name, names, 1)
    return f"did you mean {near[0]}?" if near else f"it has {', '.join(names)}"


class Options:
    """
    Base of the rules of a game: frozen dataclasses whose fields are their options.
    """

    __slots__ = ()

    @classmethod
    def from_options(
        cls,
        options: Mapping[str, Any],
        *,
        path: str = "",
        place: str = "rules",
        none_word: bool = True,
    ) -> Self:
        """
        Read options; what is left out has its default.

        Args:
            options: Names and plain values, as TOML or JSON has them.
            path: The file they stand in, for errors.
            place: Where they stand in it, for errors.
            none_word: Whether "none" may stand for null.

        Raises:
            ConfigError: A name or a value that these rules do not have; it names the option.
        """
        kinds = _kinds(cls)
        values = {}
        for name, plain in options.items():
            if name not in kinds:
                raise ConfigError(
                    "is not an option of this game",
                    path=path,
                    key=f"{place}.{name}",
                    hint=_meant(name, kinds),
                )
            value = None if none_word and plain == _NONE_WORD else plain
            try:
                values[name] = _read(kinds[name], value)
            except ValueError as error:
                raise ConfigError(
                    f"{error}, not {plain!r}", path=path, key=f"{place}.{name}"
                ) from None
        try:
            return cls(**values)
        except ConfigError as error:
            key = error.key.replace("rules", place, 1)
            raise ConfigError(error.why, path=path, key=key, hint=error.hint) from None

    def options(self, *, every: bool = False) -> dict[str, Any]:
        """
        Return options as plain values, in the order of rules.md 7.1.

        Args:
            every: All of them; otherwise those that differ from their defaults.
        """
        default = self._defaults()
        return {
            name: _plain(getattr(self, name))
            for name in _kinds(type(self))
            if every or getattr(self, name) != default[name]
        }

    def _defaults(self) -> dict[str, Any]:
        """
        What the options are when nothing is said.
        """
        return {each.name: each.default for each in _fields(type(self))}

    def _check(self) -> None:
        """
        Refuse values of other types or out of range; for `__post_init__`.

        Types are checked here too: `set_penalty="stake"` would be no member of its
        enum, compare as another choice, and play another game without a word.
        """
        kinds = _kinds(type(self))
        for each in _fields(type(self)):
            value = getattr(self, each.name)
            key = f"rules.{each.name}"
            # A whole number may not be a boolean, which is one to Python.
            if not isinstance(value, kinds[each.name]) or (
                isinstance(value, bool) and kinds[each.name] is not bool
            ):
                raise ConfigError(f"cannot be {value!r}", key=key)
            low, high = each.metadata.get("low"), each.metadata.get("high")
            if low is not None and value is not None and not low <= value <= high:
                raise ConfigError(f"must be from {low} to {high}, not {value}", key=key)


def _fields(rules: type[Any]) -> tuple[dataclasses.Field[Any], ...]:
    return dataclasses.fields(rules)


def _kinds(rules: type[Any]) -> dict[str, Any]:
    """
    Names and types of the options of *rules*, in their order.
    """
    if rules not in _KINDS:
        kinds = typing.get_type_hints(rules)
        _KINDS[rules] = {each.name: kinds[each.name] for each in _fields(rules)}
    return _KINDS[rules]


_KINDS: dict[type[Any], dict[str, Any]] = {}
"""Kept, since type hints take longer to read than all options of a scenario."""


def _read(kind: Any, plain: Any) -> Any:
    """
    The value that *plain* stands for.

    Raises:
        ValueError: None; its text says what the value must be.
    """
    may_be_none = type(None) in typing.get_args(kind)
    if may_be_none:
        if plain is None:
            return None
        kind = next(each for each in typing.get_args(kind) if each is not type(None))
    if kind is Seat:
        if isinstance(plain, str) and plain in BY_LETTER:
            return BY_LETTER[plain]
        raise ValueError("must be N, E, S, W or none")
    if issubclass(kind, enum.StrEnum):
        # A plain `in` would take any value; `kind(plain)` alone takes members.
        if isinstance(plain, str) and plain in kind._value2member_map_:
            return kind(plain)
        raise ValueError(f"must be one of {', '.join(kind)}")
    if type(plain) is not kind:  # JSON's true is no number and 32.0 is none either
        what = "true or false" if kind is bool else "a whole number"
        raise ValueError(f"must be {what}" + (" or none" if may_be_none else ""))
    return plain


def _plain(value: Any) -> Any:
    if isinstance(value, Seat):
        return value.letter
    if isinstance(value, enum.StrEnum):
        return value.value
    return value
