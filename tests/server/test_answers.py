"""
Answers that say nothing, and answers to nothing.
"""

from __future__ import annotations

import pytest
from euchre.referee.v1 import referee_service_pb2 as pb

from referee.rules.options import BidRules


def _no_action(out) -> None:
    del out


def _no_card(out) -> None:
    out.play = 0


def _card_99(out) -> None:
    out.play = 99


def _no_bid(out) -> None:
    out.bid = 0


def _suit_99(out) -> None:
    out.trump = 99


def _challenge_of_nobody(out) -> None:
    out.bid = 13
    out.challenges.add(trick=1)


@pytest.mark.parametrize(
    "say", [_no_action, _no_card, _card_99, _no_bid, _suit_99, _challenge_of_nobody]
)
def test_an_answer_that_says_nothing_is_a_fault_not_an_end(kit, say) -> None:
    """
    Case G21: the fallback and a ruling, three times a forfeit; the stream stays.
    """

    def policy(_ask, out) -> bool:
        say(out)
        return True

    async def scenario(rig) -> None:
        bots = await rig.four(policies={("b", "1"): policy})
        game = await rig.game(BidRules())

        assert ["unreadable E"] * 3 + ["forfeit E"] == kit.codes(game)
        assert not any(bot.task.done() for bot in bots)
        await rig.until(lambda: sum(tell.HasField("ruling") for tell in bots[1].tells) == 4)

    kit.run(scenario)


def test_ids_that_are_not_open_are_ignored(kit) -> None:
    """
    Unknown, negative, repeated and stale ones: counted, and nothing else.
    """

    def policy(ask, out) -> bool:
        kit.first(ask, out)
        answers.append(out)
        return True

    answers: list = []

    async def scenario(rig) -> None:
        _, east, *_ = await rig.four(policies={("b", "1"): policy})
        task = rig.game()
        await rig.until(lambda: answers)
        request = pb.PlayRequest()
        for ask_id in (0, -1, 2**62, answers[0].ask_id, answers[0].ask_id):
            request.answers.answers.add(ask_id=ask_id, play=1)
        await east.say(request)
        game = await task
        instance = rig.server.hall._instances["b", "1"]
        await rig.until(lambda: instance.stale == 5)

        assert [] == kit.codes(game)
        assert not east.task.done()

    kit.run(scenario)
