"""
What a bot author writes: one method for each kind of question.

A question is the message `Ask` of the protocol, complete in itself. Answers are
what one would write down: a card, a bid, a suit, yes or no. Everything here is a
pure function of the ask, and so should a bot be: then its games can be repeated,
and a lost connection costs it nothing.
"""

from __future__ import annotations

import operator
import sys
import traceback
from typing import TYPE_CHECKING

from euchre.referee.v1 import game_pb2

if TYPE_CHECKING:
    from collections.abc import Callable

    from euchre.referee.v1 import referee_service_pb2

PASS = game_pb2.BID_PASS
"""What `auction` returns to pass; `call_2` may return it too."""


class Bot:
    """
    A bot that answers the first legal thing; override what you can do better.

    Cards, bids and suits are the numbers of the protocol, which are also in the
    legal list of each question: `ask.play.legal_cards`, `ask.auction.legal_bids`.
    """

    def seated(self, seated: referee_service_pb2.Seated) -> None:
        """
        Learn that a game begins, or goes on after a reconnect: its rules, the seat, the names.

        The one method that answers nothing. A bot that remembers no more than the rules
        of the last game is as good as a pure function: a referee plays by one set of rules.
        """

    def claim(self, ask: game_pb2.Ask) -> bool:
        """
        Whether to claim an Ace No Face hand.
        """
        return False

    def joker_discard(self, ask: game_pb2.Ask) -> int:
        """
        Return the card to discard, as dealer of the Joker alternative.
        """
        return ask.joker_discard.legal_cards[0]

    def auction(self, ask: game_pb2.Ask) -> int:
        """
        Return a bid of `ask.auction.legal_bids`.
        """
        return ask.auction.legal_bids[0]

    def trump(self, ask: game_pb2.Ask) -> int:
        """
        Return the suit to name, as bidder.
        """
        return ask.trump.legal_suits[0]

    def ask_give(self, ask: game_pb2.Ask) -> int:
        """
        Return the card to give away, as asking bidder.
        """
        return ask.ask_give.legal_cards[0]

    def ask_gift(self, ask: game_pb2.Ask) -> int:
        """
        Return the card to give to the asking partner.
        """
        return ask.ask_gift.legal_cards[0]

    def play(self, ask: game_pb2.Ask) -> int:
        """
        Return a card of `ask.play.legal_cards`.
        """
        return ask.play.legal_cards[0]

    def call_1(self, ask: game_pb2.Ask) -> bool:
        """
        Whether to order the turned card up.
        """
        return False

    def call_2(self, ask: game_pb2.Ask) -> int:
        """
        Return a suit of `ask.call_2.legal_suits`, or `PASS`.
        """
        return PASS

    def dealer_discard(self, ask: game_pb2.Ask) -> int:
        """
        Return the card to discard, as dealer who took the turned card up.
        """
        return ask.dealer_discard.legal_cards[0]

    def drop(self, ask: game_pb2.Ask) -> bool:
        """
        Whether to drop out of the deal.
        """
        return False

    def challenges(self, ask: game_pb2.Ask) -> list[tuple[int, int]]:
        """
        Return what to challenge beside the card of `play`: pairs of seat and trick.

        Only heard where reneges are found by challenges; a wrong one costs points.
        """
        return []

    def last_call(self, ask: game_pb2.Ask) -> list[tuple[int, int]]:
        """
        Return what to challenge before the deal is scored; unless overridden, `challenges`.
        """
        return self.challenges(ask)


class _Plays(Bot):
    """
    A bot that is one function, which picks the cards to play.
    """

    def __init__(self, function: Callable[[game_pb2.Ask], int]) -> None:
        self._function = function

    def play(self, ask: game_pb2.Ask) -> int:
        """
        Return what the function does.
        """
        return self._function(ask)


def as_bot(player: Bot | type[Bot] | Callable[[game_pb2.Ask], int]) -> Bot:
    """
    Return the bot that *player* is, is the class of, or picks the cards for.
    """
    if isinstance(player, Bot):
        return player
    if isinstance(player, type):
        made: Bot = player()
        return made
    return _Plays(player)


def seat(bot: Bot, seated: referee_service_pb2.Seated) -> None:
    """
    Tell *bot* of a game; what it raises is shown on standard error, and that is all.
    """
    try:
        bot.seated(seated)
    except Exception:  # noqa: BLE001  (whatever an author wrote)
        traceback.print_exc(file=sys.stderr)


def answer(bot: Bot, ask: game_pb2.Ask, out: game_pb2.Answer) -> None:
    """
    Let *bot* answer *ask* into *out*.

    What a bot raises is shown on standard error, each error once, and the first legal
    thing is answered in its place: one bug should not lose a game.
    """
    out.ask_id = ask.ask_id
    question = ask.WhichOneof("question")
    write = _WRITERS.get(question or "")
    if write is None:
        return  # a kind that this library does not know; the referee has a fallback
    try:
        write(bot, ask, out)
    except Exception:  # noqa: BLE001  (whatever an author wrote)
        _show(traceback.format_exc(), f"answered the first legal thing to `{question}` instead")
        out.ClearField("challenges")  # some may be there already
        write(_FIRST, ask, out)


_FIRST = Bot()

_MOST = 100
"""Errors that are shown, at most: their texts may hold what differs each time."""
_shown: set[str] = set()


def _show(error: str, then: str) -> None:
    """
    Show an error on standard error, unless it was shown before: a night has a million.
    """
    if error not in _shown and len(_shown) < _MOST:
        _shown.add(error)
        print(f"{error}-> {then}; this error is not shown again", file=sys.stderr, flush=True)


def _number(method: str, value: object) -> int:
    """
    Return what *method* returned, which must be a number of the protocol.
    """
    try:
        return operator.index(value)  # type: ignore[arg-type]
    except TypeError:
        raise TypeError(f"{method}() returned {value!r}, which is no number") from None


def _play(bot: Bot, ask: game_pb2.Ask, out: game_pb2.Answer) -> None:
    card, challenges = _number("play", bot.play(ask)), bot.challenges(ask)
    out.play = card  # type: ignore[assignment]  # the stubs want the enum's own type
    _add(challenges, out)


def _claim(bot: Bot, ask: game_pb2.Ask, out: game_pb2.Answer) -> None:
    (out.claim if bot.claim(ask) else out.decline).SetInParent()


def _joker_discard(bot: Bot, ask: game_pb2.Ask, out: game_pb2.Answer) -> None:
    out.discard = _number("joker_discard", bot.joker_discard(ask))  # type: ignore[assignment]


def _auction(bot: Bot, ask: game_pb2.Ask, out: game_pb2.Answer) -> None:
    out.bid = _number("auction", bot.auction(ask))  # type: ignore[assignment]


def _trump(bot: Bot, ask: game_pb2.Ask, out: game_pb2.Answer) -> None:
    out.trump = _number("trump", bot.trump(ask))  # type: ignore[assignment]


def _ask_give(bot: Bot, ask: game_pb2.Ask, out: game_pb2.Answer) -> None:
    out.give = _number("ask_give", bot.ask_give(ask))  # type: ignore[assignment]


def _ask_gift(bot: Bot, ask: game_pb2.Ask, out: game_pb2.Answer) -> None:
    out.give = _number("ask_gift", bot.ask_gift(ask))  # type: ignore[assignment]


def _call_1(bot: Bot, ask: game_pb2.Ask, out: game_pb2.Answer) -> None:
    (out.order if bot.call_1(ask) else out.pass_turn).SetInParent()


def _call_2(bot: Bot, ask: game_pb2.Ask, out: game_pb2.Answer) -> None:
    suit = bot.call_2(ask)
    if suit in ask.call_2.legal_suits:
        out.name = suit  # type: ignore[assignment]
    else:
        out.pass_turn.SetInParent()


def _dealer_discard(bot: Bot, ask: game_pb2.Ask, out: game_pb2.Answer) -> None:
    out.discard = _number("dealer_discard", bot.dealer_discard(ask))  # type: ignore[assignment]


def _drop(bot: Bot, ask: game_pb2.Ask, out: game_pb2.Answer) -> None:
    (out.drop if bot.drop(ask) else out.stay).SetInParent()


def _last_call(bot: Bot, ask: game_pb2.Ask, out: game_pb2.Answer) -> None:
    challenges = bot.last_call(ask)
    out.call.SetInParent()
    _add(challenges, out)


def _add(challenges: list[tuple[int, int]], out: game_pb2.Answer) -> None:
    for challenged, trick in challenges or ():
        out.challenges.add(seat=challenged, trick=trick)


_WRITERS: dict[str, Callable[[Bot, game_pb2.Ask, game_pb2.Answer], None]] = {
    "play": _play,
    "claim": _claim,
    "joker_discard": _joker_discard,
    "auction": _auction,
    "trump": _trump,
    "ask_give": _ask_give,
    "ask_gift": _ask_gift,
    "call_1": _call_1,
    "call_2": _call_2,
    "dealer_discard": _dealer_discard,
    "drop": _drop,
    "last_call": _last_call,
}
