"""
How many deals does mirroring save? Two bots of rules of thumb, played in this process.

A set is the same decks from each seat. Its margin is compared with that of as many
games with decks of their own: the ratio of their variances is how many times more
deals these would need for an error of the same size. Its interval is a bootstrap over sets.
In Buck Euchre one bot plays against three copies of the other.

    python tests/bench/mirror.py [--sets 400]

Docs: docs/statistics.md.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from euchre.referee.v1 import referee_service_pb2
from tabulate import tabulate

from referee.hall import Ask, Frame
from referee.opening import open_table
from referee.rules.options import BidRules, BuckRules
from referee.rules.variants import GAMES
from referee.shuffle import secret_from_seed
from referee.wire.decode import read_answers
from referee.wire.frames import FrameEncoder

sys.path.insert(0, str(Path(__file__).parents[2] / "sample_bots" / "python"))

from euchrebot import bot as sample
from euchrebot.strategy import Rules, Style

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from referee.table import Table

RULES = {"bid": BidRules(max_hands=40), "buck": BuckRules(max_hands=40)}

PAIRS = {
    ("bid", "near"): (Style(), Style(share=1.3, margin=0.1)),
    ("bid", "apart"): (Style(), Style(share=1.8, ask=3.6)),
    ("bid", "far"): (Style(), Style(share=3.2, ask=3.0, moon=3.3)),
    ("buck", "near"): (Style(), Style(order=2.5, stay=0.75)),
    ("buck", "apart"): (Style(), Style(order=2.3, stay=0.7)),
    ("buck", "far"): (Style(), Style(order=1.7, stay=0.6)),
}
"""
By game: near, two settings of one bot that are hard to tell apart; apart, settings that
are not; far, Cautious and Bold.
"""


class Found(NamedTuple):
    """
    What came of one pair of bots.
    """

    margin: float
    """Mean, in points a game."""
    error: float
    """Half of its 95 % interval."""
    game: float
    """Standard deviation of the margin of a game."""
    set: float
    """The same of the margin of a set."""
    deals: float
    """A set."""
    gain: float
    """Times more deals for the same error without mirroring."""
    low: float
    high: float
    """95 % interval of the gain."""


def play(table: Table, bots: tuple[Rules, ...]) -> tuple[int, ...]:
    """
    Play a game to its end; return the scores by side.
    """
    encoder = FrameEncoder()
    table.start()
    while (question := table.question) is not None:
        frame = encoder.encode(Frame([], [Ask(1, 1, question, 2.0)]))
        (ask,) = referee_service_pb2.PlayResponse.FromString(frame).frame.asks
        said = referee_service_pb2.Answers()
        sample.answer(bots[question.seat], ask, said.answers.add())
        ((_, answer),) = read_answers(said)
        table.answer(answer)
    return tuple(table.game.scores)


def margins(game: str, styles: tuple[Style, Style], sets: int) -> tuple[NDArray[np.float64], int]:
    """
    Play sets; return the margins of the first bot by set and sitting, and the deals.
    """
    rules = RULES[game]
    deal = GAMES[game].deal
    one, *others = (Rules(style) for style in styles)
    players = len(deal.sides)
    secret = secret_from_seed(f"mirror {game}")
    deals = 0
    rows = []
    for number in range(sets):
        row = []
        for sitting in range(players):
            order = [one, *others * (players - 1)]
            seats = tuple(order[(seat - sitting) % players] for seat in range(4))
            table = open_table(rules, secret, f"mirror/{number}", sitting=sitting)
            standing = deal.standing(play(table, seats))  # the smaller, the better
            deals += len(table.record.deals)
            side = next(n for n, seats_ in enumerate(deal.sides) if seats[seats_[0]] is one)
            rest = (sum(standing) - standing[side]) / (players - 1)
            row.append(rest - standing[side])
        rows.append(row)
    return np.array(rows, dtype=float), deals


def gain_of(rows: NDArray[np.float64]) -> float:
    """
    The variance of a mean of as many games with decks of their own, over that of a set.
    """
    return float(rows.var() / rows.shape[1] / rows.mean(axis=1).var())


def measure(game: str, styles: tuple[Style, Style], sets: int) -> Found:
    """
    Play *sets* and compare.
    """
    rows, deals = margins(game, styles, sets)
    means = rows.mean(axis=1)
    source = np.random.default_rng(1)
    again = [gain_of(rows[source.integers(0, sets, sets)]) for _ in range(2000)]
    low, high = np.percentile(again, [2.5, 97.5])
    return Found(
        margin=float(means.mean()),
        error=float(1.96 * means.std(ddof=1) / sets**0.5),
        game=float(rows.std(ddof=1)),
        set=float(means.std(ddof=1)),
        deals=deals / sets,
        gain=gain_of(rows),
        low=float(low),
        high=float(high),
    )


def main() -> None:
    """
    Print a table of all pairs.
    """
    parser = argparse.ArgumentParser(description="How many deals mirroring saves.")
    parser.add_argument("--sets", type=int, default=400, help="a pair of bots; default 400")
    options = parser.parse_args()
    rows = []
    for (game, which), styles in PAIRS.items():
        found = measure(game, styles, options.sets)
        margin = f"{found.margin:+.2f} ±{found.error:5.2f}"
        interval = f"{found.low:.1f} to {found.high:.1f}"
        numbers = (found.game, found.set, found.deals, found.gain)
        rows.append((game, which, margin, *(f"{each:.1f}" for each in numbers), interval))
    heads = ["game", "bots", "margin", "sd game", "sd set", "deals/set", "gain", "95 %"]
    align = ["left", "left", *["right"] * 6]
    print(tabulate(rows, headers=heads, colalign=align, disable_numparse=True))  # noqa: T201


if __name__ == "__main__":
    main()
