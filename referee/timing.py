"""
Decision times, counted into fixed buckets so that leagues can be added up.
"""

from __future__ import annotations

from bisect import bisect_left
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

BOUNDS_MS: tuple[float, ...] = tuple(
    float(f"{step}e{power}") for power in range(-2, 5) for step in (1.0, 1.5, 2.0, 3.0, 5.0, 7.0)
)
"""Upper bounds of the buckets in milliseconds, 0.01 to 70,000; one more bucket is above them."""

BUCKETS = len(BOUNDS_MS) + 1

_BOUNDS_S = tuple(bound / 1000 for bound in BOUNDS_MS)


def bucket(seconds: float) -> int:
    """
    Return the bucket of a decision that took *seconds*.
    """
    return bisect_left(_BOUNDS_S, seconds)


def median_ms(counts: Sequence[int]) -> float | None:
    """
    Return the upper bound, in milliseconds, of the bucket that holds the median.

    Args:
        counts: Decisions by bucket, `BUCKETS` of them.

    Returns:
        None without decisions.
    """
    total = sum(counts)
    if not total:
        return None
    seen = 0
    for place, count in enumerate(counts):
        seen += count
        if 2 * seen >= total:
            return BOUNDS_MS[min(place, len(BOUNDS_MS) - 1)]
    raise AssertionError("the buckets add up to their sum")
