"""
Where things stand in the charts: numbers in percent of the width and height. Pure.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tournaments.ranking import Row
    from tournaments.tally import Tally

LINES = 8
"""Bots in the chart of a course; more cannot be told apart."""

_MOMENTS = 100
"""A course has at least so many moments, if there were so many sets, and at most twice as many."""


class Tick(NamedTuple):
    """
    A mark on an axis.
    """

    place: float
    text: str


class Axis(NamedTuple):
    """
    A scale from *low* to *high*.
    """

    low: float
    high: float
    ticks: tuple[Tick, ...]

    def place(self, value: float) -> float:
        """
        Return where a value stands, in percent.
        """
        return round(100 * (value - self.low) / (self.high - self.low), 3)


class Interval(NamedTuple):
    """
    A mean and its interval, as places in percent.
    """

    low: float | None
    """None while nothing can be said about the error."""
    mean: float
    high: float | None


class Line(NamedTuple):
    """
    How one number went.
    """

    bot: str
    number: int
    """From 1: its colour and its dashes."""
    points: str
    """As SVG writes them, in percent."""
    last: float


class Course:
    """
    How the mean margins of all bots went, set by set, in bounded memory.
    """

    def __init__(self) -> None:
        self.moments: list[tuple[int, dict[str, float]]] = []
        """Complete sets so far, and the means by bot."""
        self._every = 1

    def look(self, tally: Tally) -> None:
        """
        Take in where the means stand, if it is time for it.
        """
        last = self.moments[-1][0] if self.moments else 0
        if tally.sets - last < self._every:
            return
        self.moments.append((tally.sets, _means(tally)))
        if len(self.moments) > 2 * _MOMENTS:
            self._every *= 2
            self.moments = self.moments[1::2]

    def close(self, tally: Tally) -> None:
        """
        Take in where they stand at the end.
        """
        self._every = 1
        self.look(tally)


def axis(low: float, high: float, ticks: int = 6) -> Axis:
    """
    Return a scale that holds all from *low* to *high*, with round numbers on it.
    """
    if high <= low:
        low, high = low - 1, high + 1
    rough = (high - low) / ticks
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(power * each for each in (1, 2, 5, 10) if power * each >= rough * (1 - 1e-9))
    first, last = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
    found = Axis(first * step, last * step, ())
    digits = max(0, -math.floor(math.log10(step)))
    return found._replace(
        ticks=tuple(
            Tick(found.place(number * step), signed(number * step, digits))
            for number in range(first, last + 1)
        )
    )


def intervals(rows: Sequence[Row]) -> tuple[Axis, dict[str, Interval]]:
    """
    Return the plot of the margins: its axis, which shows zero, and where each bot stands.
    """
    known = [(row.bot, row.margin, row.margin_error) for row in rows if row.margin is not None]
    ends = [margin + sign * (error or 0) for _, margin, error in known for sign in (-1, 1)]
    scale = axis(min([0.0, *ends]), max([0.0, *ends]))
    return scale, {
        bot: Interval(
            None if error is None else scale.place(margin - error),
            scale.place(margin),
            None if error is None else scale.place(margin + error),
        )
        for bot, margin, error in known
    }


def course(found: Course, order: Sequence[str]) -> tuple[Axis, Axis, tuple[Line, ...]] | None:
    """
    Return the chart of a course: its axes, across and up, and its lines.

    Args:
        found: What there is.
        order: The bots, best first; the first `LINES` of them are drawn.
    """
    shown = [bot for bot in order if any(bot in means for _, means in found.moments)][:LINES]
    if len(found.moments) < 2 or not shown:
        return None
    values = [means[bot] for _, means in found.moments for bot in shown if bot in means]
    up = axis(min(0.0, *values), max(0.0, *values), 5)
    last = found.moments[-1][0]
    # Sets are whole numbers.
    across = axis(0, last, min(6, last))
    across = Axis(
        0,
        last,
        tuple(
            Tick(round(100 * value / last, 3), str(value))
            for value in (round(tick.place / 100 * across.high) for tick in across.ticks)
            if value <= last
        ),
    )
    return across, up, tuple(_line(found, bot, n, across, up) for n, bot in enumerate(shown, 1))


def signed(value: float, digits: int) -> str:
    """
    Return a number with its sign, zero without one.
    """
    text = f"{value:+.{digits}f}"
    return text[1:] if float(text) == 0 else text.replace("-", "\N{MINUS SIGN}")


def number(value: float, digits: int = 0) -> str:
    """
    Return a number with a true minus sign, which is as wide as a plus.
    """
    text = f"{value:.{digits}f}"
    return text.lstrip("-") if float(text) == 0 else text.replace("-", "\N{MINUS SIGN}")


def _line(found: Course, bot: str, number: int, across: Axis, up: Axis) -> Line:
    known = [(sets, means[bot]) for sets, means in found.moments if bot in means]
    points = " ".join(f"{across.place(sets):g},{100 - up.place(mean):g}" for sets, mean in known)
    return Line(bot, number, points, known[-1][1])


def _means(tally: Tally) -> dict[str, float]:
    """
    The mean over the matches of each bot of the mean of each match, as in the standings.
    """
    sums: dict[str, tuple[int, float]] = {}
    for match in tally.matches.values():
        for bot, total in zip(match.bots, match.totals, strict=True):
            count, so_far = sums.get(bot, (0, 0.0))
            sums[bot] = (count + 1, so_far + total / match.sets)
    return {bot: total / count / tally.unit for bot, (count, total) in sums.items()}
