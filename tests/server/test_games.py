"""
Whole games over real streams: who is told what, and what becomes of lost connections.
"""

from __future__ import annotations

import asyncio
import contextlib
import random
import re
import sys
from pathlib import Path

import pytest
from euchre.referee.v1 import cards_pb2, referee_service_pb2

from referee.cards import CARDS
from referee.opening import open_table
from referee.rules.game import Ending
from referee.rules.options import BidRules, BuckRules
from referee.seats import SEATS
from referee.table import Table

FIRST = Path(__file__).parents[2] / "sample_bots/python/first.py"


@pytest.mark.slow
@pytest.mark.parametrize("rules", [BidRules(), BuckRules(max_hands=8)])
@pytest.mark.parametrize("tcp", [False, True])
def test_a_whole_game(kit, rules, tcp: bool) -> None:
    """
    Bots with nothing but the protocol play to the end and are told all that happens.
    """

    async def scenario(rig) -> None:
        bots = await rig.four()
        game = await rig.game(rules)

        assert [] == kit.codes(game)
        assert game.record.outcome is not None
        for bot, seat in zip(bots, SEATS, strict=True):
            await rig.until(lambda bot=bot: bot.tells and bot.tells[-1].HasField("game_over"))
            assert seat + 1 == bot.tells[0].seated.seat
            assert list(game.scores) == list(bot.tells[-1].game_over.scores)
            deals = [t.deal_over for t in bot.tells if t.HasField("deal_over")]
            assert list(range(1, len(deals) + 1)) == [deal.deal for deal in deals]
            assert {ask.game_id for ask in bot.asks} == {bot.tells[0].seated.game_id}
        assert {} == rig.server.encoder._public

    kit.run(scenario, address="127.0.0.1:0" if tcp else kit.address)


@pytest.mark.slow
def test_games_side_by_side_are_those_one_after_the_other(kit) -> None:
    """
    Twenty tables at once give the records of twenty tables in turn.
    """
    found: list[dict] = []

    async def scenario(rig, at_once: int) -> None:
        await rig.four()
        records = {}
        for start in range(0, 20, at_once):
            games = [rig.game(set_id=f"s{n}") for n in range(start, start + at_once)]
            for game in games:
                record = (await game).record
                records[record.set_id] = record.to_json()
        found.append(records)

    kit.run(lambda rig: scenario(rig, 1))
    kit.run(lambda rig: scenario(rig, 20))

    assert 20 == len(found[0])
    assert found[0] == found[1]


# --- R19: nobody is shown a card that it may not see -----------------------------------


def cards_in(message) -> set[int]:
    """
    Every card in any field of a message, however deep.
    """
    found: set[int] = set()
    for field, value in message.ListFields():
        values = value if field.is_repeated else [value]
        if field.enum_type is cards_pb2.Card.DESCRIPTOR:
            found |= set(values)
        elif field.message_type is not None:
            for each in values:
                found |= cards_in(each)
    return found


def cards_named(text: str) -> set[int]:
    """
    Every card that a sentence names.
    """
    names = {str(card): int(card) for card in CARDS}
    return {names[word] for word in re.findall(r"\w+", text) if word in names}


class Lookout:
    """
    Sees the truth of one table, and holds every message against it.
    """

    def __init__(self, monkeypatch, policy) -> None:
        self.policy = policy
        self.rng = random.Random(5)
        self.dealt: list[set[int]] = []
        self.table: Table | None = None
        self.deals = self.messages = 0
        self.hidden = 0
        original = Table._next_deal

        def next_deal(table: Table) -> None:
            original(table)
            self.dealt = [{int(card) for card in hand} for hand in table._deal.hands]
            self.deals += 1

        monkeypatch.setattr(Table, "_next_deal", next_deal)

    def public(self) -> set[int]:
        """
        What all have seen by now: the cards played, and the one that was turned up.
        """
        deal = self.table._deal
        seen = {int(card) for trick in deal.tricks for card in trick.cards}
        return seen | ({int(deal.turn_up)} if deal.turn_up else set())

    def check(self, ask, seat) -> None:
        """
        An ask: nobody else is on turn, so the table stands still.
        """
        deal = self.table._deal
        assert deal.to_act is seat
        may_see = self.dealt[seat] | self.public() | {int(c) for c in deal.hands[seat]}
        if len(deal.given) == 2 and seat in deal.given:
            may_see.add(int(deal.given[seat.partner]))
        shown = cards_in(ask)
        assert shown <= may_see, f"{seat} was shown {shown - may_see}"
        assert {int(c) for c in deal.hands[seat]} == set(ask.view.hand)
        self.messages += 1
        self.hidden += len(set(CARDS) - may_see)

    def bot(self, seat):
        """
        Return a policy that checks each ask, and then plays at random, and wrongly at times.
        """

        def answer(ask, out) -> bool:
            self.check(ask, seat)
            self.policy(ask, out)
            question = ask.WhichOneof("question")
            if question == "play" and self.rng.random() < 0.1:
                out.play = self.rng.choice(list(ask.view.hand))
            elif question == "auction":
                out.bid = self.rng.choice(list(ask.auction.legal_bids))
            elif question == "call_1" and self.rng.random() < 0.5:
                out.order.SetInParent()
            return True

        return answer

    def check_tells(self, tells) -> None:
        """
        Hold all that a seat was told against what all may know; its own rulings may say more.
        """
        for tell in tells:
            if not tell.HasField("ruling"):
                assert set() == cards_in(tell)
            elif not tell.ruling.own:
                assert cards_named(tell.ruling.sentence) <= cards_in(tell.ruling)


@pytest.mark.slow
@pytest.mark.parametrize("mode", ["reject", "stand", "challenge"])
@pytest.mark.parametrize("kind", [BidRules, BuckRules])
def test_nobody_is_shown_a_card_that_it_may_not_see(kit, monkeypatch, kind, mode: str) -> None:
    """
    Case R19: a thousand deals in all, with reneges and asks, every message scanned.
    """
    lookout = Lookout(monkeypatch, kit.first)
    options = {"renege_mode": mode, "max_hands": 9}
    if kind is BidRules:
        options |= {"joker": True, "target": 400}
    else:
        options |= {"start_score": 200, "club_dealer_picks_up": True}

    async def scenario(rig) -> None:
        policies = dict(zip(kit.SEATED, map(lookout.bot, SEATS), strict=True))
        bots = await rig.four(policies=policies)
        for number in range(24):
            rules = kind.from_options(options)
            lookout.table = open_table(rules, bytes(32), f"r{number}", faults_to_forfeit=0)
            await rig.play(lookout.table)
        played = lookout.table.game.outcome
        assert played is not None
        for bot in bots:
            assert not bot.task.done(), "a check has failed"
            lookout.check_tells(bot.tells)

    kit.run(scenario)

    assert lookout.deals >= 167
    assert lookout.messages > 3000
    assert lookout.hidden > 10_000


# --- lost connections ----------------------------------------------------------------------


def test_a_bot_that_comes_back_finds_its_asks(kit) -> None:
    """
    Seated again, the same ids, the clock as it stood; and then it plays on.
    """

    async def scenario(rig) -> None:
        _, east, *_ = await rig.four(policies={("b", "1"): kit.silent})
        task = rig.game()
        await rig.until(lambda: east.unanswered)
        (ask,) = east.unanswered
        await east.close()
        await rig.until(lambda: rig.lost("b"))
        again = await rig.bot("b")
        await rig.until(lambda: again.asks)
        game = await task

        assert [ask.game_id] == list(again.received[0].welcome.open_games)
        assert ask.game_id == again.tells[0].seated.game_id
        assert ask.ask_id == again.asks[0].ask_id
        assert ask.view == again.asks[0].view
        assert again.asks[0].time_left.ToMicroseconds() < ask.time_left.ToMicroseconds()
        assert [] == kit.codes(game)

    kit.run(scenario)


def test_a_bot_that_stays_away_forfeits(kit) -> None:
    """
    After the grace time its asks are answered by fallbacks, until it has forfeited.
    """

    async def scenario(rig) -> None:
        _, east, *_ = await rig.four(policies={("b", "1"): kit.silent})
        task = rig.game(BidRules())
        await rig.until(lambda: east.unanswered)
        await east.close()
        game = await task

        assert ["gone E"] * 3 + ["forfeit E"] == kit.codes(game)
        assert Ending.FORFEIT is game.record.outcome.ending

    kit.run(scenario, limits={"grace": 0.05})


@pytest.mark.slow
def test_a_killed_process_is_noticed(kit) -> None:
    """
    Case G3: kill -9 in the middle of a deal; the seat is lost, and forfeits.
    """

    async def scenario(rig) -> None:
        await rig.bot("a")
        await rig.bot("a", "2")
        await rig.bot("b", "2")
        command = [sys.executable, str(FIRST), "--address", rig.address]
        process = await asyncio.create_subprocess_exec(*command, "--token", "token-b")
        try:
            await rig.until(lambda: not rig.lost("b"))
            task = rig.game(BidRules(target=100_000, max_hands=None))
            await rig.until(lambda: rig.server.hall.decisions > 50)
            process.kill()
            await rig.until(lambda: rig.lost("b"))
            game = await task
        finally:
            with contextlib.suppress(ProcessLookupError):
                process.kill()
            await process.wait()

        assert ["gone E"] * 3 + ["forfeit E"] == kit.codes(game)

    kit.run(scenario, limits={"grace": 0.05})


def test_a_half_closed_stream_is_lost(kit) -> None:
    """
    Case G6: who will send nothing any more is not waited for.
    """

    async def scenario(rig) -> None:
        bot = await rig.bot("b")
        await bot.call.done_writing()
        code, _ = await bot.status()

        assert "OK" == code.name
        await rig.until(lambda: rig.lost("b"))

    kit.run(scenario)


def test_a_late_answer_is_a_timeout(kit) -> None:
    """
    The fallback is taken, and what comes afterwards changes nothing.
    """

    async def scenario(rig) -> None:
        held: list = []

        def late_once(ask, out) -> bool:
            if held:
                return kit.first(ask, out)
            held.append(ask)
            return False

        _, east, *_ = await rig.four(policies={("b", "1"): late_once})
        task = rig.game()
        await rig.until(lambda: held)
        rig.make_late("b")
        await rig.until(lambda: any(tell.HasField("ruling") for tell in east.tells))
        request = referee_service_pb2.PlayRequest()
        kit.first(held[0], request.answers.answers.add(ask_id=held[0].ask_id))
        await east.say(request)
        game = await task
        instance = rig.server.hall._instances["b", "1"]
        await rig.until(lambda: instance.stale == 1)

        assert ["timeout E"] == kit.codes(game)

    kit.run(scenario)


def test_a_silent_bot_forfeits(kit) -> None:
    """
    Three asks without an answer.
    """

    async def scenario(rig) -> None:
        bots = await rig.four(policies={("b", "1"): kit.silent})
        task = rig.game(BidRules())
        for number in (1, 2, 3):
            await rig.until(lambda number=number: len(bots[1].unanswered) == number)
            rig.make_late("b")
        game = await task

        assert ["timeout E"] * 3 + ["forfeit E"] == kit.codes(game)
        await rig.until(lambda: bots[0].tells[-1].HasField("game_over"))
        assert bots[0].tells[-1].game_over.won

    kit.run(scenario)


def test_who_leaves_is_not_waited_for(kit) -> None:
    """
    Leave: the stream ends well, and its asks are decided at once.
    """

    async def scenario(rig) -> None:
        _, east, *_ = await rig.four(policies={("b", "1"): kit.silent})
        task = rig.game(BidRules())
        await rig.until(lambda: east.unanswered)
        leave = referee_service_pb2.PlayRequest(leave=referee_service_pb2.Leave())
        await east.say(leave)
        game = await task

        assert "OK" == (await east.status())[0].name
        assert ["gone E"] * 3 + ["forfeit E"] == kit.codes(game)

    kit.run(scenario)


def test_a_server_starts_again_in_the_same_folder(kit) -> None:
    """
    The next server at the same path takes the same bots.
    """

    async def scenario(rig) -> None:
        await rig.four()
        assert [] == kit.codes(await rig.game())

    kit.run(scenario)
    kit.run(scenario)
