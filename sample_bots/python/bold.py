"""
A bot of rules of thumb that trusts its cards, and its partner, too much.
"""

from __future__ import annotations

from euchrebot import run
from euchrebot.strategy import Rules, Style


class Bold(Rules):
    """
    Rules in a style that bids and stays in on less than is enough.
    """

    def __init__(self) -> None:
        super().__init__(Style(share=3.2, ask=3.0, moon=3.3, order=1.7, stay=0.6))


if __name__ == "__main__":
    run(Bold())
