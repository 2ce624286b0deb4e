"""
What the tests of the rules share.
"""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Any

import pytest

from referee.notation import parse_line
from referee.rules.judge import judge
from referee.rules.options import RenegeMode

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from referee.rules.deal import Deal
    from referee.rules.judge import Ruling


def _state(deal: Deal) -> dict[str, Any]:
    """
    Everything that a deal holds, fit to be compared.
    """
    found: dict[str, Any] = {}
    for kind in type(deal).__mro__:
        for slot in getattr(kind, "__slots__", ()):
            value = getattr(deal, slot)
            if slot in ("tricks", "_trick"):
                tricks = value if isinstance(value, list) else [value] * (value is not None)
                value = [(t.leader, tuple(t.seats), tuple(t.cards), t.winner) for t in tricks]
            elif slot == "hands":
                value = [tuple(hand) for hand in value]
            elif isinstance(value, list | set | dict):
                value = value.copy()
            found[slot] = value
    return found


@pytest.fixture(name="state_of")
def _state_of() -> Callable[[Deal], dict[str, Any]]:
    """
    A function from a deal to all that it holds.
    """
    return _state


@pytest.fixture(name="say")
def _say() -> Callable[[Deal, Iterable[str]], list[Ruling]]:
    """
    A function that judges lines of notation and returns the rulings.
    """

    def say(deal: Deal, lines: Iterable[str]) -> list[Ruling]:
        rulings: list[Ruling] = []
        challenges = deal.rules.renege_mode is RenegeMode.CHALLENGE
        for text in lines:
            line = parse_line(text, deal.rules.game, challenges=challenges)
            assert line.seat is deal.to_act, f"{text}: {deal.to_act} is on turn"
            rulings += judge(deal, line.answer)
        return rulings

    return say


@pytest.fixture(name="rng")
def _rng() -> random.Random:
    """
    Random numbers that are the same in every run.
    """
    return random.Random(20240229)
