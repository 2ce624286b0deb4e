"""
How fast the rules are: whole games of random legal answers, on one core.

A deal counts from its shuffled deck to its score: auction or calls, every card
through `judge`, the game's books. The generator that shuffles and chooses is
inside the measured time.

    python tests/bench/bench_rules.py [SECONDS]
"""

from __future__ import annotations

import functools
import random
import sys
import time
from typing import NamedTuple

from referee.rules.actions import Answer
from referee.rules.game import Game, deck_for
from referee.rules.judge import judge
from referee.rules.variants import VARIANTS, find_variant
from referee.seats import SEATS

_BATCH = 50
"""Deals between two looks at the clock."""

# Answers are immutable, so one is enough for each action, as in the codec.
_answer = functools.cache(Answer)


class Speed(NamedTuple):
    """
    What was measured for one variant.
    """

    deals_per_second: float
    decisions_per_second: float


def playouts(variant: str, seconds: float, seed: int = 1) -> Speed:
    """
    Play games of *variant* for *seconds* of time.
    """
    rules = find_variant(variant).rules
    deck = deck_for(rules)
    draw = random.Random(seed).random
    game = Game(rules, SEATS[0])
    deals = decisions = 0
    start = now = time.perf_counter()
    while now - start < seconds:
        for _ in range(_BATCH):
            if game.outcome is not None:
                game = Game(rules, SEATS[0])
            deal = game.start_deal(sorted(deck, key=lambda _: draw()))
            while deal.to_act is not None:
                legal = deal.legal
                judge(deal, _answer(legal[int(draw() * len(legal))]))
                decisions += 1
            game.close(deal)
        deals += _BATCH
        now = time.perf_counter()
    return Speed(deals / (now - start), decisions / (now - start))


def measure(seconds: float = 2.0) -> dict[str, float]:
    """
    Return deals and decisions a second of both games, *seconds* of time for each.
    """
    found = {}
    for game in ("bid", "buck"):
        speed = playouts(f"{game}/standard", seconds)
        found[f"{game}_deals_per_second"] = speed.deals_per_second
        found[f"{game}_decisions_per_second"] = speed.decisions_per_second
    return found


def main() -> None:
    """
    Print every variant's speed.
    """
    seconds = float(sys.argv[1]) if len(sys.argv) > 1 else 2.0
    for name in VARIANTS:
        speed = playouts(name, seconds)
        print(f"{name:22}{speed.deals_per_second:10,.0f} deals/s", end="")  # noqa: T201
        print(f"{speed.decisions_per_second:12,.0f} decisions/s")  # noqa: T201


if __name__ == "__main__":
    main()
