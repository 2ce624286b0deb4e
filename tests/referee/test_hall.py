"""
The hall: routing, clocks, absence, forfeits, and who is to blame.
"""

from __future__ import annotations

import pytest

from referee.hall import FinishedGame, Hall, InstanceKey, Limits, Seated
from referee.opening import open_table
from referee.rules.actions import Answer, LastCall
from referee.rules.game import Ending
from referee.rules.judge import Code
from referee.rules.options import BidRules, BuckRules, Rules
from referee.seats import SEATS, Seat
from referee.table import GameOver, RulingTold
from referee.testing import MemoryBot, first_legal, play_on, spread

KEYS = (
    InstanceKey("a", "1"),
    InstanceKey("b", "1"),
    InstanceKey("a", "2"),
    InstanceKey("b", "2"),
)
NAMES = ("A", "B", "A", "B")


def begin(
    hall: Hall,
    rules: Rules | None = None,
    set_id: str = "s",
    now: float = 0.0,
    faults_to_forfeit: int = 3,
) -> int:
    """
    Seat bots a (N, S) and b (E, W) at a new table.
    """
    table = open_table(
        rules or BidRules(max_hands=8),
        bytes(32),
        set_id,
        seats=("a", "b", "a", "b"),
        faults_to_forfeit=faults_to_forfeit,
    )
    return hall.seat(table, KEYS, NAMES, now)


def everybody(hall: Hall, policies=None, **options) -> list[MemoryBot]:
    """
    Connect all four instances; *policies* by place in KEYS, `spread` where left out.
    """
    policies = policies or {}
    return [
        MemoryBot(hall, key, policies.get(place, spread), **options)
        for place, key in enumerate(KEYS)
    ]


def only(hall: Hall) -> FinishedGame:
    """
    The one game that is over.
    """
    (game,) = hall.finished
    return game


def codes(game: FinishedGame) -> list[tuple[Code, Seat]]:
    """
    All rulings of a game, in order.
    """
    return [(r.code, r.seat) for deal in game.record.deals for _, r in deal.rulings]


@pytest.mark.parametrize("rules", [BidRules(max_hands=8), BuckRules(max_hands=8)])
def test_games_are_played_to_the_end(rules: Rules) -> None:
    """
    Well-behaved bots finish a game without a ruling, and all are told that it is over.
    """
    hall = Hall()
    bots = everybody(hall)
    game_id = begin(hall, rules)
    play_on(bots)
    game = only(hall)

    assert [] == codes(game)
    assert (0, 0, 0, 0) == game.faults
    assert game.record.outcome is not None
    for bot, seat in zip(bots, SEATS, strict=True):
        tells = [tell for frame in bot.frames for tell in frame.tells]
        first, last = tells[0], tells[-1]
        assert (game_id, Seated(seat, rules, NAMES)) == first
        assert isinstance(last[1], GameOver)
        side = 0 if seat in (Seat.NORTH, Seat.SOUTH) else 1
        if rules.game == "bid":
            assert last[1].won == (side in game.record.outcome.winners)


def test_results_do_not_depend_on_tables_or_order() -> None:
    """
    Forty games at once, one after the other, and with other hands free: the same records.
    """

    def records(at_once: int, max_asks: int) -> dict[str, object]:
        hall = Hall()
        bots = everybody(hall, max_asks=max_asks)
        for start in range(0, 40, at_once):
            for number in range(start, start + at_once):
                begin(hall, set_id=f"s{number}")
            play_on(bots)
        return {game.record.set_id: game.record.to_json() for game in hall.finished}

    expected = records(1, 1)

    assert 40 == len(expected)
    assert expected == records(40, 64)
    assert expected == records(8, 3)


def test_an_instance_is_never_asked_more_than_it_can_hold() -> None:
    """
    Twenty tables, three hands: never more than three open asks.
    """
    hall = Hall()
    most = []
    bots = everybody(hall, max_asks=3)
    for number in range(20):
        begin(hall, set_id=str(number))
    while any([bot.turn(0.0) for bot in bots]):  # noqa: C419  (each gets its turn)
        most.append(max(len(frame.asks) for bot in bots for frame in bot.frames[-1:]))

    assert 3 == max(most)
    assert 20 == len(hall.finished)


def test_a_silent_bot_times_out_and_forfeits() -> None:
    """
    Three times too late: three timeouts, then the other team wins the target.
    """
    hall = Hall(Limits(answer=2.0))
    bots = everybody(hall, {1: lambda ask: None})
    begin(hall, BidRules())
    now = 0.0
    while not hall.finished:
        play_on(bots, now)
        now += 2.1
        hall.expire(now)
    play_on(bots, now)
    game = only(hall)

    assert [(Code.TIMEOUT, Seat.EAST)] * 3 + [(Code.FORFEIT, Seat.EAST)] == codes(game)
    assert Ending.FORFEIT is game.record.outcome.ending
    assert (0,) == game.record.outcome.winners
    assert 32 == game.scores[0]
    assert game.scores[1] <= 0
    assert bots[0].frames[-1].tells[-1][1].won
    assert not bots[1].frames[-1].tells[-1][1].won


def test_partners_are_one_bot_with_one_count_of_faults() -> None:
    """
    Three faults in both seats together forfeit the game, whoever has how many of them.
    """
    hall = Hall()
    wrong = {1: lambda ask: Code.UNREADABLE, 3: lambda ask: Code.UNREADABLE}
    bots = everybody(hall, wrong)
    begin(hall, BidRules())
    play_on(bots)
    *faults, forfeit = codes(only(hall))

    assert {Seat.EAST, Seat.WEST} == {seat for _, seat in faults}
    assert [Code.UNREADABLE] * 3 == [code for code, _ in faults]
    assert Code.FORFEIT is forfeit[0]
    assert (0,) == only(hall).record.outcome.winners


def test_time_runs_from_the_previous_answer() -> None:
    """
    A bot that holds ten asks and needs 1.5 s for each is in time with all of them.
    """
    hall = Hall(Limits(answer=2.0))
    bots = everybody(hall, {place: lambda ask: None for place in range(4)})
    for number in range(40):
        begin(hall, set_id=str(number))
    play_on(bots)
    slow = max(bots, key=lambda bot: len(bot.unanswered))
    asked = list(slow.unanswered)
    now = 0.0
    assert len(asked) >= 10
    for ask in asked:
        now += 1.5
        for other in bots:
            if other is not slow:
                for open_ask in other.unanswered:
                    hall.receive(
                        other.instance, [(open_ask.ask_id, Answer(first_legal(open_ask)))], now
                    )
                other.unanswered.clear()
        hall.expire(now)
        hall.receive(slow.instance, [(ask.ask_id, Answer(first_legal(ask)))], now)

    assert 0 == slow.instance.stale


def test_nobody_holds_an_ask_back_for_ever() -> None:
    """
    Answering others does not keep one ask alive beyond (asks open when sent) x limit.
    """
    hall = Hall(Limits(answer=2.0))
    held: list = []

    def hold_first(ask):
        if not held:
            held.append(ask)
            return None
        return spread(ask)

    bots = everybody(hall, {1: hold_first}, max_asks=1)
    begin(hall, BidRules(), set_id="x")
    play_on(bots)
    assert 1 == len(held)
    for tick in range(1, 20):
        hall.expire(tick * 0.1)
    assert not hall.finished
    hall.expire(2.01)

    assert held[0].ask_id not in bots[1].instance.open
    late = [(held[0].ask_id, Answer(first_legal(held[0])))]
    hall.receive(bots[1].instance, late, 2.02)
    assert 1 == bots[1].instance.stale


def test_unknown_repeated_and_foreign_ids_are_ignored() -> None:
    """
    They are counted, and nothing else happens: no fault, no ruling, no second card.
    """
    hall = Hall()
    bots = everybody(hall)
    begin(hall)
    frames = {bot: hall.take(bot.instance, 0.0) for bot in bots}
    ((asked, ask),) = [(bot, ask) for bot, frame in frames.items() for ask in frame.asks]
    other = next(bot for bot in bots if bot is not asked)
    answer = Answer(first_legal(ask))
    hall.receive(other.instance, [(ask.ask_id, answer)], 0.0)
    hall.receive(asked.instance, [(ask.ask_id, answer), (ask.ask_id, answer), (99, answer)], 0.0)
    play_on(bots)

    assert 1 == other.instance.stale
    assert 2 == asked.instance.stale
    assert [] == codes(only(hall))


def test_answers_to_nothing_buy_no_time() -> None:
    """
    An instance that holds many asks and says something else is as late as one that is silent.
    """
    hall = Hall(Limits(answer=2.0))
    bots = everybody(hall, {place: lambda ask: None for place in range(4)})
    for number in range(40):
        begin(hall, set_id=str(number))
    play_on(bots)
    slow = max(bots, key=lambda bot: len(bot.unanswered))
    assert len(slow.unanswered) >= 10
    hall.receive(slow.instance, [(10**9, Code.UNREADABLE)], 1.9)
    hall.receive(slow.instance, [], 1.9)
    hall.expire(2.1)

    assert not {ask.ask_id for ask in slow.unanswered} & slow.instance.open.keys()


def test_who_cannot_come_back_is_not_waited_for() -> None:
    """
    Its open asks are decided at once, and whatever it is asked later; also if it never came.
    """
    hall = Hall()
    bots = everybody(hall)
    begin(hall)
    for key in (KEYS[1], KEYS[3]):
        hall.give_up(key, 0.0)
    play_on(bots)

    assert (0,) == only(hall).record.outcome.winners
    assert {Code.GONE, Code.FORFEIT} == {code for code, _ in codes(only(hall))}

    late = Hall()
    late.give_up(KEYS[1], 0.0)
    late.give_up(KEYS[3], 0.0)
    bots = [MemoryBot(late, KEYS[place], spread) for place in (0, 2)]
    begin(late)
    play_on(bots)
    assert (0,) == only(late).record.outcome.winners


def test_an_unreadable_and_an_illegal_answer_are_faults() -> None:
    """
    They get the fallback and a ruling; the offender is told, and so are the others.
    """
    hall = Hall()
    says = iter([Code.UNREADABLE, LastCall()])

    def wrong_twice(ask):
        return next(says, None) or spread(ask)

    bots = everybody(hall, {1: wrong_twice})
    begin(hall)
    play_on(bots)
    game = only(hall)

    assert [(Code.UNREADABLE, Seat.EAST), (Code.ILLEGAL, Seat.EAST)] == codes(game)
    assert (0, 2, 0, 0) == game.faults
    for bot in bots:
        told = [t for f in bot.frames for _, t in f.tells if isinstance(t, RulingTold)]
        assert [bot is bots[1]] * 2 == [ruling.own for ruling in told]
        assert all(ruling.sentence for ruling in told)


def test_a_lost_connection_comes_back_to_the_same_asks() -> None:
    """
    Within the grace time: the same ids, and clocks that stood still meanwhile.
    """
    hall = Hall(Limits(answer=2.0, grace=10.0))
    bots = everybody(hall, {1: lambda ask: None})
    game_id = begin(hall)
    play_on(bots, 0.0)
    east = bots[1]
    (ask,) = east.unanswered
    hall.disconnect(east.instance, east.generation, 0.5)
    hall.expire(9.0)
    again = hall.connect(KEYS[1], 64, 9.0)
    frame = hall.take(again, 9.0)

    assert [(game_id, Seated(Seat.EAST, BidRules(max_hands=8), NAMES))] == frame.tells
    assert [ask.ask_id] == [a.ask_id for a in frame.asks]
    assert 1.5 == pytest.approx(frame.asks[0].time_left)
    hall.expire(10.4)
    assert not codes_so_far(hall)
    hall.receive(again, [(ask.ask_id, Answer(first_legal(ask)))], 10.45)
    assert 0 == again.stale


def codes_so_far(hall: Hall) -> list[Code]:
    """
    Rulings of the games in progress.
    """
    return [
        r.code
        for game in hall._games.values()
        for deal in game.table.record.deals
        for _, r in deal.rulings
    ]


def test_who_stays_away_is_gone_and_forfeits() -> None:
    """
    After the grace time the asks are decided one after the other, without a bot to wait for.
    """
    hall = Hall(Limits(grace=10.0))
    bots = everybody(hall)
    begin(hall, BidRules())
    hall.disconnect(bots[1].instance, bots[1].generation, 1.0)
    play_on(bots, 5.0)
    hall.expire(10.9)
    assert not hall.finished
    hall.expire(11.1)
    play_on(bots, 11.1)
    game = only(hall)

    assert [(Code.GONE, Seat.EAST)] * 3 + [(Code.FORFEIT, Seat.EAST)] == codes(game)
    assert (0,) == game.record.outcome.winners


def test_absence_is_an_allowance() -> None:
    """
    Dropping the connection again and again does not buy more than the grace time.
    """
    hall = Hall(Limits(answer=2.0, grace=10.0))
    bots = everybody(hall)
    instance, now = bots[1].instance, 0.0
    begin(hall)
    away = 0.0
    while not instance.gone and now < 100:
        hall.disconnect(instance, instance.generation, now)
        hall.expire(now + 4)
        now += 4
        if not instance.gone:
            away += 4
            hall.connect(KEYS[1], 64, now)

    assert 8 == away


def test_an_old_stream_cannot_speak_for_a_new_one() -> None:
    """
    The end of a replaced connection does not take the instance away.
    """
    hall = Hall()
    bots = everybody(hall)
    old = bots[1].generation
    again = hall.connect(KEYS[1], 64, 1.0)
    hall.disconnect(again, old, 2.0)

    assert again.connected
    assert ("1", "2") == hall.connected("b")


def test_leaving_is_final() -> None:
    """
    Who leaves is not waited for.
    """
    hall = Hall()
    bots = everybody(hall)
    begin(hall, BidRules())
    hall.leave(bots[1].instance, bots[1].generation, 0.0)
    hall.leave(bots[3].instance, bots[3].generation, 0.0)
    play_on(bots)

    assert (0,) == only(hall).record.outcome.winners


def test_instances_that_come_and_go_are_forgotten() -> None:
    """
    Without a game there is nothing to come back to; with one it is kept until it is over.
    """
    hall = Hall()
    for number in range(100):
        instance = hall.connect(InstanceKey("x", str(number)), 1, 0.0)
        if number % 2:
            hall.leave(instance, instance.generation, 1.0)
        hall.disconnect(instance, instance.generation, 1.0)
    assert not hall._instances

    bots = everybody(hall)
    begin(hall)
    hall.disconnect(bots[1].instance, bots[1].generation, 1.0)
    assert {*KEYS} == hall._instances.keys()

    hall.give_up(KEYS[1], 1.0)
    hall.give_up(InstanceKey("x", "1"), 1.0)
    assert {*KEYS, ("x", "1")} == hall._instances.keys()


def test_nobody_wins_what_everybody_has_left() -> None:
    """
    When all are gone no seat order chooses a winner.
    """
    hall = Hall()
    bots = everybody(hall)
    begin(hall, BidRules())
    for bot in bots:
        hall.disconnect(bot.instance, bot.generation, 0.0)
    hall.expire(1000.0)
    game = only(hall)

    assert Ending.FORFEIT is game.record.outcome.ending
    assert () == game.record.outcome.winners
    assert {0, 1} == set(game.record.forfeits)


def test_buck_goes_on_without_the_seat_that_forfeits() -> None:
    """
    It is played by fallbacks, unasked, is placed last and cannot win.
    """
    hall = Hall()
    bots = everybody(hall, {1: lambda ask: Code.UNREADABLE})
    begin(hall, BuckRules(max_hands=30))
    play_on(bots)
    game = only(hall)

    assert 3 == game.faults[1]
    assert (1,) == game.record.forfeits
    assert 4 == game.record.outcome.places[1]
    assert 1 not in game.record.outcome.winners
    assert any(
        what == "unasked" for deal in game.record.deals for seat, what in deal.entries if seat == 1
    )


def test_faults_never_forfeit_when_the_league_says_so() -> None:
    """
    With `faults_to_forfeit = 0` the game is played to its end by fallbacks.
    """
    hall = Hall()
    bots = everybody(hall, {1: lambda ask: Code.UNREADABLE})
    begin(hall, BidRules(max_hands=3), faults_to_forfeit=0)
    play_on(bots)
    game = only(hall)

    assert game.faults[1] > 3
    assert () == game.record.forfeits


def test_our_own_failure_is_charged_to_nobody() -> None:
    """
    An exception in the table voids that game, with a note, and the others go on.
    """
    hall = Hall()
    bots = everybody(hall)
    begin(hall, set_id="good")
    bad = begin(hall, set_id="bad")
    table = hall._games[bad].table

    def broken(_deal: int) -> None:
        raise RuntimeError("the deck is missing")

    table._deck = broken
    play_on(bots)
    by_set = {game.record.set_id: game for game in hall.finished}

    assert by_set["good"].error is None
    assert Ending.VOID is by_set["bad"].record.outcome.ending
    assert ["in set bad, sitting 0, deal 1"] == by_set["bad"].error.__notes__
    assert (0, 0, 0, 0) == by_set["bad"].faults


def test_partners_are_answered_by_two_instances() -> None:
    """
    The hall refuses one instance for both seats of a side, unless the league allows it.
    """
    hall = Hall()
    table = open_table(BidRules(), bytes(32), "s")
    one = (KEYS[0], KEYS[1], KEYS[0], KEYS[3])
    with pytest.raises(ValueError, match="partners"):
        hall.seat(table, one, NAMES, 0.0)
    hall.seat(table, one, NAMES, 0.0, shared=True)


def test_a_dropped_game_is_forgotten() -> None:
    """
    Its asks are taken back and nothing of it is finished.
    """
    hall = Hall()
    bots = everybody(hall)
    game_id = begin(hall)
    hall.drop(game_id)
    play_on(bots)

    assert [] == hall.finished
    assert all(not bot.instance.open and not bot.instance.games for bot in bots)


def test_our_own_stall_is_charged_to_nobody() -> None:
    """
    When the referee was held up, clocks stand still for as long.
    """
    hall = Hall(Limits(answer=2.0))
    bots = everybody(hall, {1: lambda ask: None})
    begin(hall)
    play_on(bots, 0.0)
    hall.stand_still(30.0, 30.0)
    hall.expire(31.9)
    assert [] == codes_so_far(hall)
    hall.expire(32.1)

    assert [Code.TIMEOUT] == codes_so_far(hall)


def test_what_is_asked_after_we_were_held_up_gets_no_more_time_for_it() -> None:
    """
    The first who are heard then are asked before anybody has looked at the clock.
    """
    hall = Hall(Limits(answer=2.0, grace=1.0))
    bots = everybody(hall, {1: lambda ask: None})
    begin(hall)
    play_on(bots, 29.5)
    hall.stand_still(30.0, 30.0)
    hall.expire(31.9)
    assert [] == codes_so_far(hall)
    hall.disconnect(bots[1].instance, bots[1].generation, 31.9)
    hall.connect(KEYS[1], 16, 31.9)
    (ask,) = hall.take(bots[1].instance, 31.9).asks
    assert 0.1 == pytest.approx(ask.time_left)
    hall.expire(32.1)

    assert [Code.TIMEOUT] == codes_so_far(hall)


def test_who_sits_and_who_is_known() -> None:
    """
    An instance sits while its game goes on, and is known while it is needed.
    """
    hall = Hall()
    game_id = begin(hall)
    bot = MemoryBot(hall, KEYS[0])

    assert [KEYS[0], KEYS[2]] == hall.instances("a")
    assert hall.sits("a")
    assert hall.sits("a", "2")
    assert not hall.sits("a", "3")
    hall.leave(bot.instance, bot.generation + 1, 0.0)
    assert bot.instance.connected
    hall.drop(game_id)
    hall.drop(game_id)
    assert not hall.sits("a")


def test_a_game_that_cannot_begin_is_void() -> None:
    """
    A failure of ours before the first question is charged to nobody either.
    """
    hall = Hall()
    bots = everybody(hall)
    table = open_table(BidRules(), bytes(32), "s")

    def broken(_deal: int) -> None:
        raise RuntimeError("the deck is missing")

    table._deck = broken
    hall.seat(table, KEYS, NAMES, 0.0)
    play_on(bots)

    assert Ending.VOID is only(hall).record.outcome.ending
    assert "the deck is missing" == str(only(hall).error)
    assert [GameOver] * 4 == [type(bot.frames[-1].tells[-1][1]) for bot in bots]
