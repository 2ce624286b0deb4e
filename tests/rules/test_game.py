"""
Games: the dealer goes round, games end in every way they can, places and forfeits.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from referee.cards import DECK, Card
from referee.notation import parse_cards
from referee.rules.actions import Bid, BidMoon, Claim, Drop, NameTrump, Order, Pass, Stay
from referee.rules.deal import Contract, Deal, Ending, RedealReason, Status
from referee.rules.game import Game, Outcome, deck_for
from referee.rules.options import BidRules, BothAtZero, BuckRules
from referee.rules.variants import VARIANTS, find_variant
from referee.seats import SEATS, Seat

if TYPE_CHECKING:
    from collections.abc import Sequence

N, E, S, W = Seat


def all_pass(game: Game) -> Outcome | None:
    """
    Play a deal of Bid Euchre that everybody passes.
    """
    deal = game.start_deal(deck_for(game.rules))
    for _ in SEATS:
        deal.apply(Pass())
    return game.close(deal)


def score(game: Game, changes: Sequence[int], **state: Any) -> Outcome | None:
    """
    Close a deal that is worth *changes*.
    """
    deal = game.start_deal(deck_for(game.rules))
    deal.status, deal.changes = Status.SCORED, list(changes)
    deal.contract = Contract(state.get("bidder", N), None)
    deal.taken = state.get("taken", deal.taken)
    deal.participants = state.get("participants", deal.participants)
    return game.close(deal)


def bid_game(scores: Sequence[int] = (0, 0), **options: Any) -> Game:
    """
    A game of Bid Euchre that stands at *scores*; N deals.
    """
    game = Game(BidRules.from_options(options), N)
    game.scores = list(scores)
    return game


def buck_game(scores: Sequence[int] = (25,) * 4, **options: Any) -> Game:
    """
    A game of Buck Euchre that stands at *scores*; N deals.
    """
    game = Game(BuckRules.from_options(options), N)
    game.scores = list(scores)
    return game


def test_defaults() -> None:
    """
    A game starts with nothing dealt, at 0:0 or at 25 each.
    """
    bid, buck = Game(find_variant("bid/standard"), S), Game(find_variant("buck/standard"), S)

    assert ([0, 0], [25] * 4) == (bid.scores, buck.scores)
    assert (0, 0, 0, S, None) == (
        bid.deals, bid.scored, bid.redeals_in_a_row, bid.dealer, bid.outcome,
    )  # fmt: skip
    assert ((N, S), (E, W)) == bid.sides
    assert ((N,), (E,), (S,), (W,)) == buck.sides
    assert (0, 1, 0, 1) == bid.side_of
    assert (0, 1, 2, 3) == buck.side_of


def test_the_rules_may_say_who_deals_first() -> None:
    """
    `first_dealer` goes over what the cards say.
    """
    assert W is Game(BidRules(first_dealer=W), N).dealer


@pytest.mark.parametrize("name", VARIANTS)
def test_decks(name: str) -> None:
    """
    The unshuffled deck is in canonical order and has the cards of 2.2 and 3.2.
    """
    deck = deck_for(VARIANTS[name].rules)

    expected = {"bid/joker": [*DECK, Card.JOKER], "bid/double-deck": sorted(DECK + DECK)}
    assert expected.get(name, list(DECK)) == list(deck)


def test_a_double_deck_with_joker() -> None:
    """
    Both together: 49 cards, the dealer gets 13 (A25).
    """
    rules = BidRules(double_deck=True, joker=True)
    deal = Game(rules, E).start_deal(deck_for(rules))

    assert 49 == len(deck_for(rules))
    assert [12, 13, 12, 12] == list(map(len, deal.hands))
    assert Card.JOKER in deal.hands[E]


def test_cards_are_dealt_one_at_a_time_from_the_left() -> None:
    """
    Card k goes to seat dealer + 1 + k mod 4 (2.3).
    """
    deal = Game(BidRules(), W).start_deal(DECK)

    assert [sorted(DECK[place::4]) for place in range(4)] == deal.hands


def test_packets_of_two_and_three() -> None:
    """
    Cards 0-7 are pairs, 8-19 triples, card 20 is turned up (3.3).
    """
    deal = Game(BuckRules(), W).start_deal(DECK)

    pairs, triples = DECK[:8], DECK[8:20]
    assert [
        sorted(pairs[2 * place : 2 * place + 2] + triples[3 * place : 3 * place + 3])
        for place in range(4)
    ] == deal.hands
    assert DECK[20] is deal.turn_up


def test_the_game_counts() -> None:
    """
    Deals, scored deals and redeals in a row are counted; a scored deal ends the row.
    """
    game = bid_game()
    all_pass(game)
    all_pass(game)
    assert (2, 0, 2, S) == (game.deals, game.scored, game.redeals_in_a_row, game.dealer)
    score(game, (3, 3))
    assert (3, 1, 0, W) == (game.deals, game.scored, game.redeals_in_a_row, game.dealer)


def test_an_open_deal_cannot_be_closed() -> None:
    """
    A deal that somebody must answer is not over.
    """
    game = bid_game()
    with pytest.raises(RuntimeError):
        game.close(game.start_deal(DECK))


def test_a_game_that_is_over_deals_no_more() -> None:
    """
    After the end there are no deals and no forfeits.
    """
    game = bid_game((30, 0))
    score(game, (3, 3))
    with pytest.raises(RuntimeError):
        game.start_deal(DECK)
    with pytest.raises(RuntimeError):
        game.forfeit(0)


BID_ENDS = {
    "32 wins": ((28, 0), (4, 2), {}, (0,)),
    "31 does not": ((28, 0), (3, 3), {}, None),
    "defenders too": ((0, 30), (4, 2), {}, (1,)),
    "the higher of two": ((31, 30), (3, 3), {}, (0,)),
    "the higher of two, in the second team": ((30, 31), (3, 3), {}, (1,)),
    "a tie goes on": ((30, 30), (3, 3), {}, None),
    "bidders first": ((29, 31), (3, 3), {"both_over_target": "bidders_first"}, (0,)),
    "bidders first in a tie": ((30, 30), (3, 3), {"both_over_target": "bidders_first"}, (0,)),
    "bidders first, one team": ((0, 31), (3, 3), {"both_over_target": "bidders_first"}, (1,)),
    "a lower target": ((0, 0), (3, 3), {"target": 3, "both_over_target": "bidders_first"}, (0,)),
}


@pytest.mark.parametrize("name", BID_ENDS)
def test_the_end_of_bid(name: str) -> None:
    """
    A team at the target wins (2.11).
    """
    scores, changes, options, winners = BID_ENDS[name]
    outcome = score(bid_game(scores, **options), changes)

    if winners is None:
        assert None is outcome
    else:
        places = (1, 2) if winners == (0,) else (2, 1)
        assert Outcome(Ending.TARGET, winners, places) == outcome


BUCK_ENDS: dict[str, tuple[Any, ...]] = {
    "zero wins": ((1, 9, 9, 9), (-1, 0, 5, 5), {}, {}, (0,), (1, 2, 3, 3)),
    "one does not": ((2, 9, 9, 9), (-1, 0, 0, 0), {}, {}, None, None),
    "the lowest": ((1, 1, 9, 9), (-1, -3, 0, 5), {}, {}, (1,), (2, 1, 3, 4)),
    "a tie goes on": ((1, 1, 9, 9), (-1, -1, 0, 0), {}, {}, None, None),
    "a tie above the lowest": ((0, 0, -1, 9), (0, 0, 0, 0), {}, {}, (2,), (2, 2, 1, 4)),
    "a dropped player too": (
        (-1, 9, 9, 9), (0, -1, -2, -2), {}, {"participants": (E, S, W)}, (0,), (1, 4, 2, 2),
    ),
    "the caller first": (
        (1, 1, 9, 9), (-1, -3, 0, 0), {"both_at_zero": "caller_first"}, {}, (0,), (1, 2, 3, 3),
    ),
    "the caller is not among them": (
        (1, 1, 9, 9), (-1, -3, 0, 0), {"both_at_zero": "caller_first"}, {"bidder": W}, (1,),
        (2, 1, 3, 3),
    ),
    "no caller among equals": (
        (1, 1, 9, 9), (-1, -1, 0, 0), {"both_at_zero": "caller_first"}, {"bidder": W}, None, None,
    ),
    "in the order of seats": (
        (1, 1, 9, 1), (-1, -1, 0, -4), {"both_at_zero": "seat_order"}, {}, (1,), (3, 1, 4, 2),
    ),
    "shared": (
        (1, 1, 9, 9), (-1, -4, 0, 0), {"both_at_zero": "shared"}, {}, (0, 1), (1, 1, 3, 3),
    ),
    "one alone, whatever the option": (
        (9, 9, 1, 9), (0, 0, -1, 0), {"both_at_zero": "caller_first"}, {}, (2,), (2, 2, 1, 2),
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", BUCK_ENDS)
def test_the_end_of_buck(name: str) -> None:
    """
    A player at zero wins, of several whom the option says (3.8).
    """
    scores, changes, options, state, winners, places = BUCK_ENDS[name]
    outcome = score(buck_game(scores, **options), changes, **state)

    expected = None if winners is None else Outcome(Ending.ZERO, winners, places)
    assert expected == outcome


@pytest.mark.parametrize("mode", BothAtZero)
def test_a_sweep_comes_first(mode: BothAtZero) -> None:
    """
    Five tricks against an opponent win, whatever the scores and the option.
    """
    game = buck_game((0, 25, -3, 25), both_at_zero=mode.value)
    outcome = score(game, (5, -5, 5, 5), taken=[0, 5, 0, 0])

    assert Outcome(Ending.SWEEP, (1,), (3, 1, 2, 4)) == outcome
    assert [5, 20, 2, 30] == game.scores


def test_a_sweep_against_nobody() -> None:
    """
    A walkover is no sweep, unless the option says so (A37).
    """
    alone = {"taken": [0, 5, 0, 0], "participants": (E,)}

    assert None is score(buck_game(), (0, -5, 0, 0), **alone)
    outcome = score(buck_game(sweep_requires_opponent=False), (0, -5, 0, 0), **alone)
    assert Outcome(Ending.SWEEP, (1,), (2, 1, 2, 2)) == outcome


def test_a_void_deal_of_buck_counts() -> None:
    """
    With nobody in a deal is scored with nothing, and counts for `max_hands` (7.5/41).
    """
    game = buck_game(max_hands=1)
    deal = game.start_deal(DECK)
    for _ in range(8):
        deal.apply(Pass())
    for _ in SEATS:
        deal.apply(Drop())

    assert (Status.SCORED, [0] * 4, [0] * 4) == (deal.status, deal.changes, deal.taken)
    assert Outcome(Ending.ADJUDICATED, (0, 1, 2, 3), (1,) * 4) == game.close(deal)


def test_a_walkover() -> None:
    """
    Who is left alone is credited with five tricks, and no trick is played.
    """
    game = buck_game()
    deal = game.start_deal(DECK)
    deal.apply(Order())
    deal.apply(deal.legal[0])
    for _ in range(3):
        deal.apply(Drop())

    assert ([0, 0, -5, 0], [0, 0, 5, 0]) == (
        [deal.changes[seat] for seat in (N, S, E, W)],
        [deal.taken[seat] for seat in (N, S, E, W)],
    )
    assert [] == deal.tricks
    assert None is game.close(deal)


@pytest.mark.parametrize("limit", [1, 3, None])
def test_too_many_redeals(limit: int | None) -> None:
    """
    After so many redeals in a row the scores decide; equal scores are a draw (A7).
    """
    for scores, winners, places in (
        ((3, 5), (1,), (2, 1)),
        ((5, 3), (0,), (1, 2)),
        ((4, 4), (), (1, 1)),
    ):
        options = {} if limit is None else {"max_consecutive_redeals": limit}
        game = bid_game(scores, **options)
        for _ in range((limit or 100) - 1):
            assert None is all_pass(game)
        outcome = all_pass(game)

        assert Outcome(Ending.ADJUDICATED, winners, places) == outcome


def test_no_limit_of_redeals() -> None:
    """
    With None there is no limit.
    """
    game = bid_game(max_consecutive_redeals=None)
    for _ in range(150):
        assert None is all_pass(game)


def test_claims_count_as_redeals() -> None:
    """
    An Ace No Face claim is a redeal like four passes (A7).
    """
    game = bid_game(ace_no_face=True, max_consecutive_redeals=1)
    easy = parse_cards("AC 9C TC 9D TD 9H")
    rest = [card for card in DECK if card not in easy]
    deal = game.start_deal(
        [card for place in range(6) for card in (easy[place], *rest[3 * place : 3 * place + 3])]
    )
    deal.apply(Claim())

    assert (Status.REDEAL, RedealReason.CLAIMED) == (deal.status, deal.redeal_reason)
    assert tuple(sorted(easy)) == deal.claimed_hand
    outcome = game.close(deal)
    assert outcome is not None
    assert Ending.ADJUDICATED is outcome.ending


def test_too_many_deals() -> None:
    """
    After `max_hands` scored deals the scores decide, unless the game is won anyway (A27, A41).
    """
    assert Outcome(Ending.ADJUDICATED, (), (1, 1)) == score(bid_game(max_hands=1), (3, 3))
    assert Outcome(Ending.ADJUDICATED, (1,), (2, 1)) == score(bid_game(max_hands=1), (-3, 3))
    assert Outcome(Ending.TARGET, (0,), (1, 2)) == score(bid_game((30, 0), max_hands=1), (3, 3))
    assert Outcome(Ending.ADJUDICATED, (1, 2), (4, 1, 1, 3)) == score(
        buck_game(max_hands=1), (5, -2, -2, -1)
    )
    game = bid_game(max_hands=2)
    assert None is all_pass(game)
    assert None is score(game, (1, 5))
    assert None is not score(game, (1, 5))


def test_forfeit_of_a_team() -> None:
    """
    The other team wins the target to nothing, or to less if the score was below.
    """
    for scores, expected in (((10, 7), [32, 0]), ((10, -4), [32, -4]), ((40, 40), [32, 0])):
        game = bid_game(scores)
        assert Outcome(Ending.FORFEIT, (0,), (1, 2)) == game.forfeit(1)
        assert expected == game.scores
        assert frozenset({E, W}) == game.forfeited_seats


def test_forfeit_of_both_teams() -> None:
    """
    If the other team forfeits as well, nobody wins.
    """
    game = bid_game((10, -4))
    game.forfeit(1)

    assert Outcome(Ending.FORFEIT, (), (1, 1)) == game.forfeit(0)
    assert [0, -4] == game.scores


def test_forfeit_of_a_player() -> None:
    """
    In Buck the game goes on; who forfeited cannot win and is placed last.
    """
    game = buck_game((1, 9, 3, 9))

    assert None is game.forfeit(0)
    assert frozenset({N}) == game.forfeited_seats
    assert None is score(game, (-5, 0, 0, 0))  # N would win
    assert Outcome(Ending.ZERO, (2,), (4, 2, 1, 3)) == score(game, (0, -2, -3, 0))


def test_who_forfeited_does_not_tie() -> None:
    """
    The test of 3.8 is made as if who forfeited were not there.
    """
    game = buck_game((0, 1, 9, 9))
    game.forfeit(0)

    assert Outcome(Ending.ZERO, (1,), (4, 1, 2, 2)) == score(game, (0, -1, 0, 0))


def test_who_forfeited_does_not_sweep() -> None:
    """
    A sweep of a seat that forfeited wins nothing.
    """
    game = buck_game()
    game.forfeit(0)

    assert None is score(game, (-5, 5, 5, 5), taken=[5, 0, 0, 0])


def test_who_forfeited_is_passed_over_in_an_adjudication() -> None:
    """
    The lowest score of the others wins.
    """
    game = buck_game((1, 9, 3, 9), max_hands=1)
    game.forfeit(0)

    assert Outcome(Ending.ADJUDICATED, (2,), (4, 2, 1, 2)) == score(game, (0, 0, 0, 0))


def test_the_last_player_wins() -> None:
    """
    When all but one have forfeited the game ends; when all have, nobody wins.
    """
    game = buck_game((5, 9, 30, 9))
    assert None is game.forfeit(0)
    assert None is game.forfeit(1)
    assert Outcome(Ending.FORFEIT, (2,), (2, 2, 1, 2)) == game.forfeit(3)
    assert [5, 9, 30, 9] == game.scores
    assert Outcome(Ending.FORFEIT, (), (1, 1, 1, 1)) == game.forfeit(2)


def test_void() -> None:
    """
    A void game has no winner.
    """
    game = buck_game()

    assert Outcome(Ending.VOID, (), (1, 1, 1, 1)) == game.void()
    assert Ending.VOID is game.outcome.ending  # type: ignore[union-attr]


def test_ties_are_played_off_under_the_ordinary_rules() -> None:
    """
    After S20 a team may fall back under the target, and the game simply goes on (A16).
    """
    game = bid_game((29, 29))
    assert None is score(game, (3, 3))
    assert None is score(game, (-5, -3))
    assert [27, 29] == game.scores
    assert None is not score(game, (3, 3))


def _played(game: Game, bid: Any) -> Deal:
    deal = game.start_deal(deck_for(game.rules))
    deal.apply(bid)
    while deal.contract is None:
        deal.apply(Pass())
    deal.apply(NameTrump(DECK[0].suit))  # type: ignore[arg-type]
    while deal.to_act is not None:
        deal.apply(deal.legal[0])
    return deal


@pytest.mark.parametrize(
    ("options", "bid", "lost"),
    [
        ({}, Bid(5), 5),
        ({"set_bidders_keep_tricks": True}, Bid(5), 5),
        ({}, BidMoon(), 6),
        ({"set_bidders_keep_tricks": True}, BidMoon(), 6),
        ({"set_penalty": "stake"}, BidMoon(), 24),
        ({"set_penalty": "stake", "moon_made": 0}, BidMoon(), 0),
        ({"set_penalty": "stake", "moon_made": 7}, Bid(5), 5),
        ({"set_penalty": "stake", "plain_all_bid": True}, Bid(6), 6),
    ],
)
def test_the_price_of_a_set(options: dict[str, Any], bid: Any, lost: int) -> None:
    """
    A failed contract costs what `set_penalty` says; the tricks may be kept (7.5/14).
    """
    deal = _played(bid_game(**options), bid)

    ours, theirs = deal.taken[1], deal.taken[0]
    assert 0 < ours < 5
    assert [theirs, ours * bool(options.get("set_bidders_keep_tricks")) - lost] == deal.changes


def test_staying_alone_is_a_walkover_without_a_caller_too() -> None:
    """
    In a deal without trump the last who stays is credited with all tricks.
    """
    deal = buck_game().start_deal(DECK)
    for _ in range(8):
        deal.apply(Pass())
    for action in (Drop(), Stay(), Drop(), Drop()):
        deal.apply(action)

    assert [0, 0, -5, 0] == deal.changes
    assert (S,) == deal.participants
