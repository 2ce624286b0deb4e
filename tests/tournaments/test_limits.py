"""
What a bot is allowed.
"""

from __future__ import annotations

from tournaments.limits import Limits


def test_limits_for_the_hall():
    """
    What the hall keeps is handed on.
    """
    limits = Limits(answer=1.0, grace=2.0, max_asks=3).for_hall()
    assert (1.0, 2.0, 3) == (limits.answer, limits.grace, limits.max_asks)
