"""
Write a bot for Bid Euchre and Buck Euchre in Python.

    from euchrebot import Bot, run

    class First(Bot):
        def play(self, ask):
            return ask.play.legal_cards[0]

    run(First())

It needs grpcio, protobuf and the generated `euchre.referee.v1`, and nothing else of
the referee.
"""

from euchrebot.bot import PASS, Bot, answer
from euchrebot.client import run

__all__ = ["PASS", "Bot", "answer", "run"]
