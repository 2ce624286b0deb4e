"""
Buckets of decision times.
"""

from __future__ import annotations

from referee.timing import BOUNDS_MS, BUCKETS, bucket, median_ms


def test_bounds_are_written_as_people_write_them() -> None:
    """
    They stand in tables, CSV and JSON, where 0.7 must not be 0.7000000000000001.
    """
    assert list(BOUNDS_MS) == sorted(BOUNDS_MS)
    assert [0.01, 0.015, 0.02, 0.03, 0.05, 0.07, 0.1] == list(BOUNDS_MS[:7])
    assert max(len(str(bound)) for bound in BOUNDS_MS) == len("70000.0")


def test_the_median_is_the_bound_of_its_bucket() -> None:
    """
    A time on a bound is in the bucket below it; what is above all bounds counts as the last.
    """
    counts = [0] * BUCKETS
    assert median_ms(counts) is None
    counts[bucket(0.0007)] += 1
    assert median_ms(counts) == 0.7
    counts[bucket(1000.0)] += 2
    assert median_ms(counts) == BOUNDS_MS[-1]
