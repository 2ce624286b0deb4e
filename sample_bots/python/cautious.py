"""
A bot of rules of thumb that bids what it can make.
"""

from __future__ import annotations

from euchrebot import run
from euchrebot.strategy import Rules, Style


class Cautious(Rules):
    """
    Rules in the style that was measured to be best.
    """

    def __init__(self) -> None:
        super().__init__(Style())


if __name__ == "__main__":
    run(Cautious())
