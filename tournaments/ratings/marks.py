"""
Marks for who is not told apart. Pure.

Bots in the order of the standings get letters; those that share one stand next to each
other, and no two of them are told apart. A bot may have several: it may be as good as
the one above and as the one below, although these two differ.
"""

from __future__ import annotations

import string
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence


def marks(order: Sequence[str], separated: Callable[[str, str], bool]) -> dict[str, str]:
    """
    Return the mark of each bot: `a`, `ab`, or `a-d` for more than two letters.

    Args:
        order: Ids, best first.
        separated: Whether two bots are told apart, the better one first.
    """
    starts = []
    start = 0
    for last, bot in enumerate(order):
        # The group that ends here begins behind the nearest bot that is told apart from this one.
        apart = (place for place in range(last - 1, start - 1, -1) if separated(order[place], bot))
        start = next(apart, start - 1) + 1
        starts.append(start)
    groups = [
        (first, last)
        for last, first in enumerate(starts)
        if last + 1 == len(starts) or starts[last + 1] > first
    ]
    found = {}
    for place, bot in enumerate(order):
        mine = [each for each, (first, last) in enumerate(groups) if first <= place <= last]
        found[bot] = _mark(mine[0], mine[-1])
    return found


def _mark(first: int, last: int) -> str:
    if first == last:
        return _letter(first)
    if last - first == 1 and last < 26:
        return _letter(first) + _letter(last)
    return f"{_letter(first)}-{_letter(last)}"


def _letter(number: int) -> str:
    """
    `a` to `z`, then `a1` to `z1`, and so on.
    """
    more, place = divmod(number, 26)
    return string.ascii_lowercase[place] + (str(more) if more else "")
