"""
Where things stand in the charts: numbers in percent of the width and height. Pure.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

from tournaments.ratings import strengths

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from tournaments.ranking import Row
    from tournaments.ratings import Strength
    from tournaments.tally import Tally

LINES = 8
"""Bots in the chart of a course; more cannot be told apart."""

MOMENTS = 30
"""Of a course: all ratings are fitted anew at each, and more would not be seen."""


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
    How the rating of one bot went.
    """

    bot: str
    number: int
    """From 1: its colour and its dashes."""
    points: str
    """As SVG writes them, in percent."""
    last: Strength
    interval: Interval
    """Where that stands."""


class Chart(NamedTuple):
    """
    The chart of a course.
    """

    across: Axis
    up: Axis
    lines: tuple[Line, ...]
    moments: tuple[tuple[int, tuple[Strength | None, ...]], ...]
    """The same as numbers: complete sets so far, and the rating of each line then."""


class Course:
    """
    How the ratings of all bots went, over the sets in the order in which they were complete.
    """

    def __init__(self, sets: int) -> None:
        """
        Start with nothing.

        Args:
            sets: About so many there will be.
        """
        self.moments: list[tuple[int, dict[str, Strength]]] = []
        """Complete sets so far, and the ratings by bot."""
        self._every = max(1, math.ceil(sets / MOMENTS))

    def look(self, tally: Tally) -> None:
        """
        Take in where the ratings stand, if it is time for it.
        """
        if tally.sets - self._last >= self._every:
            self._take(tally)

    def close(self, tally: Tally) -> None:
        """
        Take in where they stand at the end.
        """
        if tally.sets > self._last:
            self._take(tally)

    @property
    def _last(self) -> int:
        return self.moments[-1][0] if self.moments else 0

    def _take(self, tally: Tally) -> None:
        # In order of their ids, as for the standings: so the last digits are the same.
        matches = [tally.matches[match_id] for match_id in sorted(tally.matches)]
        self.moments.append((tally.sets, strengths(matches)))


def number(value: float, digits: int = 0) -> str:
    """
    Return a number with a true minus sign, which is as wide as a plus.
    """
    text = f"{value:.{digits}f}"
    return text.lstrip("-") if float(text) == 0 else text.replace("-", "\N{MINUS SIGN}")


def signed(value: float, digits: int) -> str:
    """
    Return a number with its sign, zero without one.
    """
    text = f"{value:+.{digits}f}"
    return text[1:] if float(text) == 0 else text.replace("-", "\N{MINUS SIGN}")


def chance(value: float) -> str:
    """
    Return a likelihood in percent; never 100 or 0, which nothing is.
    """
    return f"{min(max(100 * value, 0.1), 99.9):.1f}\N{NO-BREAK SPACE}%"


def axis(
    low: float, high: float, ticks: int = 6, text: Callable[[float, int], str] = signed
) -> Axis:
    """
    Return a scale that holds all from *low* to *high*, with round numbers on it.

    Args:
        low: The least value.
        high: The greatest.
        ticks: About so many.
        text: Writes a number with so many digits behind the point.
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
            Tick(found.place(place * step), text(place * step, digits))
            for place in range(first, last + 1)
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


def course(found: Course, order: Sequence[str]) -> Chart | None:
    """
    Return the chart of a course; None if there is too little of it.

    Args:
        found: What there is.
        order: The bots, best first; the first `LINES` of them are drawn.
    """
    if len(found.moments) < 2:
        return None
    last, ends = found.moments[-1]
    shown = [bot for bot in order if bot in ends][:LINES]
    values = [at[bot].points for _, at in found.moments for bot in shown if bot in at]
    values += [ends[bot].points + sign * ends[bot].error for bot in shown for sign in (-1, 1)]
    up = axis(min(values), max(values), 5, number)
    # Sets are whole numbers, lines end where the axis does, and a phone has room for few.
    wide = axis(0, last, min(4, last), number)
    places = sorted({round(tick.place / 100 * wide.high) for tick in wide.ticks})
    across = Axis(0, last, ())
    across = across._replace(
        ticks=tuple(Tick(across.place(each), str(each)) for each in places if each <= last)
    )
    return Chart(
        across,
        up,
        tuple(_line(found, bot, place, across, up) for place, bot in enumerate(shown, 1)),
        tuple((sets, tuple(at.get(bot) for bot in shown)) for sets, at in found.moments),
    )


def _line(found: Course, bot: str, place: int, across: Axis, up: Axis) -> Line:
    known = [(sets, at[bot]) for sets, at in found.moments if bot in at]
    points = " ".join(
        f"{across.place(sets):g},{100 - up.place(rating.points):g}" for sets, rating in known
    )
    last = known[-1][1]
    ends = (up.place(last.points + each) for each in (-last.error, 0, last.error))
    return Line(bot, place, points, last, Interval(*ends))
