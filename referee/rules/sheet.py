"""
Prints the rules that a table plays by, for people.
"""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING, Any

from referee.rules.variants import GAMES

if TYPE_CHECKING:
    from collections.abc import Iterator

    from referee.rules.options import Rules
    from referee.rules.points import Point, Section

_WIDTH = 80


def rule_sheet(rules: Rules) -> str:
    """
    Return the whole game as *rules* play it, 80 columns wide.

    What depends on an option that is not the default is marked with `*`, and those
    options are listed at the end.
    """
    changed = rules.options()
    game = GAMES[rules.game]
    lines = [game.title, "=" * len(game.title)]
    for number, section in enumerate(game.sheet(rules), 1):
        lines += ["", f"{number}. {section.heading}", ""]
        lines += _section(section, frozenset(changed))
    lines += ["", "Options", ""]
    if changed:
        lines += ["Not the default, and marked with * above:", ""]
        lines += _options(changed, type(rules)().options(every=True))
    else:
        lines.append("All have their defaults.")
    return "\n".join(lines) + "\n"


def _section(section: Section, changed: frozenset[str]) -> Iterator[str]:
    for point in section.points:
        yield from _point(point, marked=not changed.isdisjoint(point.options))


def _point(point: Point, *, marked: bool) -> list[str]:
    return textwrap.wrap(
        point.text,
        _WIDTH,
        initial_indent=" * " if marked else " - ",
        subsequent_indent="   ",
    )


def _options(changed: dict[str, Any], defaults: dict[str, Any]) -> Iterator[str]:
    for name, value in changed.items():
        yield f" * {name} = {_word(value)} (default {_word(defaults[name])})"


def _word(value: object) -> str:
    if value is None:
        return "none"
    return str(value).lower() if isinstance(value, bool) else str(value)
