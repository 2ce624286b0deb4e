"""
Writes tests/vectors/simple_strategy.jsonl: what the simple strategy answers to what.

    PYTHONPATH=sample_bots/python python tests/languages/strategy_vectors.py

The questions come from whole games of both variants under all alternatives, played by
bots that are simple, rash, random or timid, so that also what the strategy itself would never
get into is asked. The answers are those of sample_bots/python/simple.py. A line has the
ask and the answer twice: as the protocol's bytes (base64) and, for people, as JSON.
"""

from __future__ import annotations

import base64
import json
import pathlib
import random
from collections import Counter
from typing import TYPE_CHECKING

from bold import Bold
from euchre.referee.v1 import cards_pb2, game_pb2, referee_service_pb2
from euchrebot import Bot, answer
from google.protobuf.json_format import MessageToDict
from random_bot import Random
from simple import ORDER, STAY, Simple, printed, worth

from referee.hall import Ask, Frame
from referee.opening import open_table
from referee.rules.options import AskGiftRule, BidRules, BuckRules, JokerDiscard, RenegeMode
from referee.wire.decode import read_answers
from referee.wire.frames import FrameEncoder

if TYPE_CHECKING:
    from collections.abc import Iterator

    from referee.rules.options import Rules
    from referee.table import Question

VECTORS = pathlib.Path(__file__).parents[1] / "vectors" / "simple_strategy.jsonl"
HEADER = {
    "about": "what the strategy of sample_bots/STRATEGY.md answers to what; ask and answer are"
    " messages of the protocol, in base64 and as JSON",
    "made_by": "tests/languages/strategy_vectors.py with sample_bots/python/simple.py",
}
GAMES = {"bid": 16, "buck": 40}
"""Games for each set of rules: some questions are rare in Buck."""
EACH, EACH_MANY = 6, 2
"""Questions taken of each sort and set of rules, if their kind has few sorts or many."""
MANY = {"play", "drop"}

BID = {"max_hands": 12}
BUCK = {"max_hands": 16}
TABLES: dict[str, Rules] = {
    "bid": BidRules(**BID),
    "bid, stick the dealer": BidRules(stick_the_dealer=True, **BID),
    "bid, ace no face": BidRules(ace_no_face=True, max_hands=60),
    "bid, joker": BidRules(joker=True, ask_gift_rule=AskGiftRule.FREE, **BID),
    "bid, joker, discard after trump": BidRules(
        joker=True, joker_discard=JokerDiscard.AFTER_TRUMP, plain_all_bid=True, **BID
    ),
    "bid, double deck": BidRules(double_deck=True, **BID),
    "bid, everything": BidRules(
        double_deck=True,
        joker=True,
        ace_no_face=True,
        stick_the_dealer=True,
        renege_mode=RenegeMode.CHALLENGE,
        **BID,
    ),
    "buck": BuckRules(**BUCK),
    "buck, other options": BuckRules(
        club_dealer_picks_up=True,
        allow_turned_down_suit=True,
        caller_may_drop=True,
        renege_mode=RenegeMode.CHALLENGE,
        **BUCK,
    ),
    "buck, no drop without trump": BuckRules(no_trump_drop_allowed=False, **BUCK),
}


class Timid(Bot):
    """
    A bot that passes, and drops out of every deal that it can.
    """

    def drop(self, ask: game_pb2.Ask) -> bool:  # noqa: ARG002  (whatever it is asked)
        """
        Drop.
        """
        return True


def message(question: Question, ask_id: int, game_id: int, left: float) -> game_pb2.Ask:
    """
    Encode *question* as a bot gets it.
    """
    sent = FrameEncoder().encode(Frame([], [Ask(game_id, ask_id, question, left)]))
    (ask,) = referee_service_pb2.PlayResponse.FromString(sent).frame.asks
    return ask


def answered(ask: game_pb2.Ask, bot: Bot) -> game_pb2.Answer:
    """
    Return what *bot* answers.
    """
    out = game_pb2.Answer()
    answer(bot, ask, out)
    return out


def asked(name: str) -> Iterator[game_pb2.Ask]:
    """
    Yield the questions of the games by the rules of that *name*.
    """
    rng = random.Random(name)
    simple = Simple()
    for number in range(GAMES[TABLES[name].game]):
        players = rng.choices((simple, Bold(), Random(), Timid()), k=4)
        table = open_table(TABLES[name], bytes(32), f"vectors {name}/{number}")
        table.start()
        while (question := table.question) is not None:
            numbers = rng.randrange(1, 2**40), rng.randrange(1, 2**20), rng.randrange(2000) / 1000
            ask = message(question, *numbers)
            yield ask
            said = referee_service_pb2.Answers(answers=[answered(ask, players[question.seat])])
            ((_, action),) = read_answers(said)
            table.answer(action)


def sort(ask: game_pb2.Ask, said: game_pb2.Answer) -> tuple[object, ...]:
    """
    Return what makes a question another sort than one that is there already.
    """
    kind = ask.WhichOneof("question")
    question = getattr(ask, kind)
    legal = next((list(value) for _, value in question.ListFields()), [])
    more: tuple[object, ...] = (len(legal) == 1,)
    public = ask.view.public_view
    if kind == "auction":
        more = (said.bid, legal[0] == game_pb2.BID_PASS)
    elif kind == "call_1":
        more = (near(worth(ask.view.hand, printed(public.turn_up)), ORDER),)
    elif kind == "drop":
        short = near(worth(ask.view.hand, public.trump), STAY)
        more = (len(public.participants), public.trump == cards_pb2.TRUMP_NONE, short)
    elif kind == "play":
        trick = public.tricks[-1] if public.tricks and not public.tricks[-1].winner else None
        cards = list(trick.cards) if trick else []
        twice = len(set(cards)) < len(cards)
        more = (*more, len(cards), said.play == legal[0], twice)
    return kind, said.WhichOneof("action"), *more


def near(value: int, limit: int) -> int:
    """
    Return how a value stands to a limit: exactly if it is one off, else from -2 to 2.
    """
    return max(-2, min(2, value - limit))


def rows() -> list[dict[str, object]]:
    """
    Return all vectors, and one of a question that is of no known kind.
    """
    found: list[dict[str, object]] = []
    simple = Simple()
    for name in TABLES:
        taken: Counter[tuple[object, ...]] = Counter()
        for ask in asked(name):
            said = answered(ask, simple)
            key = sort(ask, said)
            taken[key] += 1
            if taken[key] <= (EACH_MANY if key[0] in MANY else EACH):
                found.append(row(name, ask, said))
    unknown = game_pb2.Ask(ask_id=7)
    found.append(row("from a newer protocol", unknown, answered(unknown, simple)))
    return found


def row(name: str, ask: game_pb2.Ask, said: game_pb2.Answer) -> dict[str, object]:
    """
    Return one vector.
    """
    return {
        "rules": name,
        "kind": ask.WhichOneof("question"),
        "ask": base64.b64encode(ask.SerializeToString(deterministic=True)).decode(),
        "answer": base64.b64encode(said.SerializeToString(deterministic=True)).decode(),
        "ask_json": MessageToDict(ask),
        "answer_json": MessageToDict(said),
    }


def text() -> str:
    """
    Return the file.
    """
    return "".join(json.dumps(each, separators=(",", ":")) + "\n" for each in [HEADER, *rows()])


def read() -> list[tuple[str, game_pb2.Ask, game_pb2.Answer]]:
    """
    Return the vectors of the file: the rules that each comes from, the ask and the answer.
    """
    lines = map(json.loads, VECTORS.read_text().splitlines()[1:])
    return [
        (
            line["rules"],
            game_pb2.Ask.FromString(base64.b64decode(line["ask"])),
            game_pb2.Answer.FromString(base64.b64decode(line["answer"])),
        )
        for line in lines
    ]


if __name__ == "__main__":
    VECTORS.write_text(text())
