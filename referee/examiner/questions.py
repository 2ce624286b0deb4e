"""
Real questions: deals are played by the rules until everything has been asked.

How to think about it: `WANTED` says what must come up, table by table. Deals of that
table are played with answers that are picked by a fixed rule, and each question that
somebody wants is kept. The decks follow from a fixed secret, so the questions are
the same each time.
"""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, NamedTuple

from referee.cards import Card
from referee.examiner.checks import TABLES
from referee.opening import open_table
from referee.rules.actions import Answer, Bid, BidAsk, Pass, Stay
from referee.rules.deal import Phase
from referee.rules.trump import Trump

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from referee.rules.actions import Action
    from referee.rules.options import Rules
    from referee.table import Question

_SECRET = bytes(32)
_DEALS = 400
"""More games than it ever takes until a question has come up."""


class Sample(NamedTuple):
    """
    A question with what it examines.
    """

    check: str
    """Name of the check."""
    table: str
    """Name of the table in `TABLES`."""
    question: Question

    @property
    def rules(self) -> Rules:
        """
        What is played at its table.
        """
        return TABLES[self.table]

    @property
    def game(self) -> str:
        """
        Which game that is.
        """
        return self.rules.game


class _Wanted(NamedTuple):
    """
    Questions that somebody wants.
    """

    check: str
    table: str
    phase: Phase
    number: int = 2
    """How many of them."""
    fits: Callable[[Question], bool] = lambda _: True


def _leads(question: Question) -> bool:
    tricks = question.view.public.tricks
    return not tricks or tricks[-1].winner is not None


def _must_follow(question: Question) -> bool:
    return len(question.legal) < len(question.view.hand)


def _must_bid(question: Question) -> bool:
    return Pass() not in question.legal


def _has_joker(question: Question) -> bool:
    return Card.JOKER in question.view.hand


def _has_twins(question: Question) -> bool:
    hand = question.view.hand
    return len(set(hand)) < len(hand)


def _no_trump(question: Question) -> bool:
    return question.view.public.trump is Trump.NONE


WANTED: tuple[_Wanted, ...] = (
    _Wanted("bid.claim", "bid/ace-no-face", Phase.CLAIM),
    _Wanted("bid.joker_discard", "bid/joker", Phase.JOKER_DISCARD),
    _Wanted("bid.auction", "bid", Phase.AUCTION, 3),
    _Wanted("bid.trump", "bid", Phase.TRUMP),
    _Wanted("bid.ask_give", "bid", Phase.ASK_GIVE),
    _Wanted("bid.ask_gift", "bid", Phase.ASK_GIFT),
    _Wanted("bid.play", "bid", Phase.PLAY, 2, _leads),
    _Wanted("bid.play", "bid", Phase.PLAY, 4, _must_follow),
    _Wanted("bid.last_call", "bid/challenge", Phase.LAST_CALL),
    _Wanted("buck.call_1", "buck", Phase.CALL_1),
    _Wanted("buck.call_2", "buck", Phase.CALL_2),
    _Wanted("buck.dealer_discard", "buck", Phase.DEALER_DISCARD),
    _Wanted("buck.drop", "buck", Phase.DROP),
    _Wanted("buck.play", "buck", Phase.PLAY, 2, _leads),
    _Wanted("buck.play", "buck", Phase.PLAY, 4, _must_follow),
    _Wanted("buck.last_call", "buck/challenge", Phase.LAST_CALL),
    _Wanted("alternatives.stick_the_dealer", "bid/stick-the-dealer", Phase.AUCTION, 2, _must_bid),
    _Wanted("alternatives.ace_no_face", "bid/ace-no-face", Phase.AUCTION, 1),
    _Wanted("alternatives.ace_no_face", "bid/ace-no-face", Phase.PLAY, 1),
    _Wanted("alternatives.joker", "bid/joker", Phase.AUCTION, 1, _has_joker),
    _Wanted("alternatives.joker", "bid/joker", Phase.PLAY, 2, _has_joker),
    _Wanted("alternatives.joker_late", "bid/joker-late", Phase.JOKER_DISCARD, 2),
    _Wanted("alternatives.double_deck", "bid/double-deck", Phase.AUCTION, 1, _has_twins),
    _Wanted("alternatives.double_deck", "bid/double-deck", Phase.TRUMP, 1, _has_twins),
    _Wanted("alternatives.double_deck", "bid/double-deck", Phase.PLAY, 2, _has_twins),
    _Wanted("alternatives.no_trump", "buck", Phase.PLAY, 2, _no_trump),
    _Wanted("alternatives.turned_down", "buck/turned-down", Phase.CALL_2),
    _Wanted("reneges.bid_stand", "bid/stand", Phase.PLAY, 2, _must_follow),
    _Wanted("reneges.bid_challenge", "bid/challenge", Phase.PLAY, 3, _must_follow),
    _Wanted("reneges.buck_stand", "buck/stand", Phase.PLAY, 2, _must_follow),
    _Wanted("reneges.buck_challenge", "buck/challenge", Phase.PLAY, 3, _must_follow),
)
"""What must come up."""


@functools.cache
def samples() -> tuple[Sample, ...]:
    """
    Return all questions, in the order of `WANTED`.
    """
    found: dict[int, list[Sample]] = {place: [] for place in range(len(WANTED))}
    for table in TABLES:
        wanted = [place for place, each in enumerate(WANTED) if each.table == table]
        for question in _questions(table):
            missing = [place for place in wanted if len(found[place]) < WANTED[place].number]
            if not missing:
                break
            for place in missing:
                want = WANTED[place]
                if question.phase is want.phase and want.fits(question):
                    found[place].append(Sample(want.check, table, question))
                    break
    return tuple(sample for place in sorted(found) for sample in found[place])


def _questions(name: str) -> Iterator[Question]:
    """
    Yield what is asked at a table, game after game.
    """
    for number in range(_DEALS):
        table = open_table(TABLES[name], _SECRET, f"{name} {number}")
        table.start()
        asked = 0
        # The first deals of a game will do; then other cards are wanted.
        while (question := table.question) is not None and asked < 200:
            yield question
            asked += 1
            table.answer(Answer(_pick(question, asked)))


def _pick(question: Question, asked: int) -> Action:
    """
    Pick what the seats do: in every other deal nobody bids who need not; few drop out.
    """
    legal = question.legal
    if question.phase is Phase.AUCTION:
        wanted = BidAsk() if asked % 3 == 0 else Bid(3)
        return wanted if question.view.public.deal % 2 and wanted in legal else legal[0]
    if question.phase is Phase.DROP and asked % 4:
        return Stay()
    return legal[(sum(question.view.hand) + asked) % len(legal)]
