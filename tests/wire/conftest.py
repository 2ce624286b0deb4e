"""
Random play for the tests of the wire.
"""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import pytest

from referee.cards import CARDS
from referee.opening import open_table
from referee.rules.actions import Answer, Challenge, LastCall, Play
from referee.rules.deal import Phase
from referee.rules.judge import Code
from referee.rules.options import BidRules, BuckRules
from referee.seats import SEATS

if TYPE_CHECKING:
    from collections.abc import Callable

    from referee.rules.options import Rules
    from referee.table import Table

_MODES = ["reject", "stand", "challenge"]


def _rules(rng: random.Random) -> Rules:
    """
    Either game, with options drawn at random.
    """
    flags: tuple[str, ...]
    options: dict[str, object] = {
        "max_hands": rng.randint(2, 5),
        "renege_mode": rng.choice(_MODES),
        "renege_penalty": rng.randrange(4),
    }
    if rng.random() < 0.4:
        flags = ("club_dealer_picks_up", "allow_turned_down_suit", "caller_may_drop")
        options["set_mode"] = rng.choice(["flat", "additive", "additive-stack"])
    else:
        flags = ("joker", "stick_the_dealer", "moon_outbids_ask", "plain_all_bid")
        options["joker_discard"] = rng.choice(["before_auction", "after_trump"])
        options["ask_gift_rule"] = rng.choice(["best_trump", "free"])
        deck = rng.choice([{}, {}, {"double_deck": True}, {"ace_no_face": True}])
        if "double_deck" in deck:
            flags = flags[1:]
        options |= {"min_bid": rng.choice([1, 3]), **deck}
    options |= {name: rng.random() < 0.5 for name in flags}
    return (BuckRules if "set_mode" in options else BidRules).from_options(options)


def _answer(table: Table, rng: random.Random) -> Answer | Code:
    """
    Mostly legal; reneges, challenges and silence now and then.
    """
    question = table.question
    assert question is not None
    dice = rng.random()
    if dice < 0.01:
        return rng.choice([Code.TIMEOUT, Code.UNREADABLE, Code.GONE])
    if question.phase is Phase.PLAY and dice < 0.2:
        challenges = (Challenge(rng.choice(SEATS), rng.randrange(4)),)
        held = question.view.hand if dice < 0.15 else CARDS
        return Answer(Play(rng.choice(held)), challenges if dice < 0.1 else ())
    if question.phase is Phase.LAST_CALL:
        return Answer(LastCall(), (Challenge(rng.choice(SEATS), rng.randrange(7)),))
    return Answer(rng.choice(question.legal))


@pytest.fixture(name="random_tables", scope="session")
def _random_tables() -> Callable[..., object]:
    """
    A function that yields tables at every question of many random games.
    """

    def tables(seed: int, games: int, answer: Callable[..., Answer | Code] = _answer) -> object:
        rng = random.Random(seed)
        for number in range(games):
            table = open_table(_rules(rng), bytes(32), f"{seed}.{number}", faults_to_forfeit=5)
            table.start()
            while table.question is not None:
                yield number, table
                table.answer(answer(table, rng))

    return tables
