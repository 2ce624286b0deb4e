"""
The answer of a bot that thinks nothing, for bots of tests that know nothing but the .proto.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from euchre.referee.v1 import game_pb2

_PLAIN = {"claim": "decline", "call_1": "pass_turn", "drop": "stay", "last_call": "call"}


def first(ask: game_pb2.Ask, out: game_pb2.Answer) -> bool:
    """
    Answer with the first legal thing, and bid three if that is legal.

    Returns:
        True: there is an answer. Other bots of tests are silent now and then.
    """
    question = ask.WhichOneof("question")
    body = getattr(ask, question)
    if question in _PLAIN:
        getattr(out, _PLAIN[question]).SetInParent()
    elif question == "auction":
        out.bid = 3 if 3 in body.legal_bids else body.legal_bids[0]
    elif question == "trump":
        out.trump = body.legal_suits[0]
    elif question == "call_2":
        out.name = body.legal_suits[0]
    elif question == "play":
        out.play = body.legal_cards[0]
    else:
        setattr(out, "discard" if "discard" in question else "give", body.legal_cards[0])
    return True
