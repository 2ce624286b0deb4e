"""
Rule bugs that people met in other programs, one kind a test.

The labels are those of the list that this project keeps of them; the programs
and places are in the docstrings.
"""

from __future__ import annotations

import pickle
import random
from typing import TYPE_CHECKING, Any

import pytest

from referee.cards import CARDS, DECK, SUITS, Card, Suit
from referee.notation import parse_cards
from referee.rules.actions import Answer, Bid, BidAsk, BidMoon, Drop, NameTrump, Pass, Play, Stay
from referee.rules.bid import BidDeal
from referee.rules.deal import Phase, Status
from referee.rules.game import Game, deck_for
from referee.rules.judge import judge
from referee.rules.options import BidRules, BuckRules
from referee.rules.tricks import legal_follows, winner
from referee.rules.trump import EFFECTIVE_SUIT, Trump, effective_suit, is_trump
from referee.rules.variants import VARIANTS
from referee.scenario import adjudicate
from referee.seats import SEATS, Seat

if TYPE_CHECKING:
    from referee.rules.deal import Deal

N, E, S, W = Seat


def follows(trump: Trump, led: str, hand: str) -> set[str]:
    """
    The codes of the cards that may be played.
    """
    (card,) = parse_cards(led)
    plays = legal_follows(sorted(parse_cards(hand)), card, trump)
    return {play.card.code for play in plays if isinstance(play, Play)}


def takes(trump: Trump, cards: str) -> int:
    """
    The place of the winner, from 1.
    """
    return winner(parse_cards(cards), trump) + 1


def auction(rules: BidRules, dealer: Seat, *calls: Any) -> Deal:
    """
    A deal of a deck in order, after *calls*.
    """
    deal = BidDeal(rules, dealer, BidDeal.deck(rules))
    for call in calls:
        deal.apply(call)
    return deal


def test_r1_a_left_bower_leads_trump() -> None:
    """
    deno-bid-euchre: followers of a led left bower were held to its printed suit.
    """
    assert {"9H"} == follows(Trump.HEARTS, "JD", "9H AD 9C")
    assert {"AD", "KD", "9C"} == follows(Trump.HEARTS, "JD", "AD KD 9C")


def test_r2_the_left_bower_goes_by_trump() -> None:
    """
    deno-bid-euchre: the left bower was found from the suit led.
    """
    assert {"JS", "9D"} == follows(Trump.CLUBS, "AS", "JS 9D")
    assert {"JS"} == follows(Trump.CLUBS, "9C", "JS 9D AS")
    assert 2 == takes(Trump.CLUBS, "AS JS KS 9S")


def test_r3_a_ruff_wins() -> None:
    """
    deno-bid-euchre: a ruff could not win.
    """
    assert 2 == takes(Trump.SPADES, "AH 9S KH QH")


@pytest.mark.parametrize("bid", [BidAsk(), BidMoon()])
@pytest.mark.parametrize("bidder", SEATS)
def test_r5_the_partner_is_not_asked(bidder: Seat, bid: Any) -> None:
    """
    deno-bid-euchre: the partner who sits out was asked to play.
    """
    deal = auction(BidRules(), bidder.left.left.left, bid)
    while deal.phase is Phase.AUCTION:
        deal.apply(Pass())
    while deal.to_act is not None:
        if deal.phase is Phase.PLAY:
            assert bidder.partner is not deal.to_act
        deal.apply(deal.legal[0])

    assert all(3 == len(trick.cards) for trick in deal.tricks)
    assert 6 == len(deal.tricks)


def test_r6_the_dealer_goes_round() -> None:
    """
    deno-bid-euchre: the dealer was the same for ever after the first hand.
    """
    game = Game(BidRules(target=1000), N)
    dealers = []
    for number in range(9):
        deal = game.start_deal(DECK)
        dealers.append(deal.dealer)
        assert deal.dealer.left is deal.to_act
        if number not in (3, 6):
            deal.apply(Bid(3))
        while deal.to_act is not None:
            deal.apply(deal.legal[0])
        game.close(deal)

    assert [SEATS[number % 4] for number in range(9)] == dealers
    assert (9, 7) == (game.deals, game.scored)


@pytest.mark.parametrize("plain", [False, True])
def test_r7_who_may_bid_what(plain: bool) -> None:
    """
    deno-bid-euchre: after a bid later seats could not pass, and an equal bid was higher.
    """
    deal = auction(BidRules(plain_all_bid=plain), N, Bid(3))
    higher = [4, 5, 6] if plain else [4, 5]

    assert (Pass(), *map(Bid, higher), BidAsk(), BidMoon()) == deal.legal
    assert Phase.TRUMP is auction(BidRules(), N, BidMoon()).phase


def test_r8_a_contract_needs_what_was_bid() -> None:
    """
    drbr/bid-euchre: every contract needed six tricks.
    """
    for bid, taken, options, expected in (
        (Bid(4), (4, 2), {}, [14, 22]),
        (BidMoon(), (5, 1), {}, [4, 21]),
        (BidMoon(), (5, 1), {"set_penalty": "stake"}, [-14, 21]),
    ):
        assert expected == _scored(bid, taken, options)


def _scored(bid: Any, taken: tuple[int, int], options: dict[str, Any]) -> list[int]:
    game = Game(BidRules.from_options(options), W)
    game.scores = [10, 20]
    deal = game.start_deal(DECK)
    deal.apply(bid)
    while deal.phase is Phase.AUCTION:
        deal.apply(Pass())
    deal.taken = list(taken)
    deal._finish()
    game.close(deal)
    return game.scores


def test_r10_all_passes_are_counted() -> None:
    """
    wlindley/euchre: a second round of passes restarted for ever.
    """
    buck = Game(BuckRules(), N).start_deal(DECK)
    phases = []
    for _ in range(8):
        phases.append(buck.phase)
        buck.apply(Pass())
    assert [Phase.CALL_1] * 4 + [Phase.CALL_2] * 4 == phases
    assert (Phase.DROP, Trump.NONE, None) == (buck.phase, buck.trump, buck.contract)

    game = Game(BidRules(), N)
    game.scores = [3, 4]
    bid = game.start_deal(DECK)
    for _ in range(4):
        bid.apply(Pass())
    assert None is game.close(bid)
    assert (Status.REDEAL, E, [3, 4]) == (bid.status, game.dealer, game.scores)


@pytest.mark.parametrize("trump", Trump)
def test_r12_seven_trumps(trump: Trump) -> None:
    """
    wlindley/euchre, NemesisEuchre: the left bower was classed with its printed suit.
    """
    sizes = {suit: sum(effective_suit(card, trump) is suit for card in DECK) for suit in SUITS}

    if trump is Trump.NONE:
        assert [6, 6, 6, 6] == list(sizes.values())
    else:
        assert 7 == sizes.pop(Suit(trump)) == sum(is_trump(card, trump) for card in DECK)
        assert [5, 6, 6] == sorted(sizes.values())
        assert is_trump(Card.JOKER, trump)


def test_the_joker_has_no_suit_without_trump() -> None:
    """
    There is no such game; asking is a mistake.
    """
    with pytest.raises(ValueError, match="0 is not a valid Suit"):
        effective_suit(Card.JOKER, Trump.NONE)
    assert 0 == EFFECTIVE_SUIT[Trump.NONE][Card.JOKER]


@pytest.mark.slow
def test_r13_no_seat_is_favoured() -> None:
    """
    NemesisEuchre: a fixed first dealer won 52 : 48 over equal bots.

    Each deck is played from two dealers, one seat apart, by the same random choices.
    """
    rng = random.Random(13)
    wins = [0, 0]
    for number in range(1500):
        for dealer in (N, E):
            game = Game(BidRules(target=10, max_hands=30), dealer)
            draw = random.Random(number)
            while game.outcome is None:
                deal = game.start_deal(draw.sample(DECK, 24))
                while deal.to_act is not None:
                    # Of bids only pass and the lowest, else every score falls for ever.
                    some = deal.legal if deal.phase is Phase.PLAY else deal.legal[:2]
                    deal.apply(rng.choice(some))
                game.close(deal)
            for side in game.outcome.winners:
                wins[side] += 1

    # Three standard deviations of the difference of the wins of two equals.
    assert 2500 < sum(wins)
    assert abs(wins[0] - wins[1]) < 3 * sum(wins) ** 0.5


def test_r16_winners_are_found_without_a_clamp() -> None:
    """
    doenjon/buckEuchre: scores were clamped at zero before the winner was found.
    """
    game = Game(BuckRules(), N)
    game.scores = [2, 2, 20, 20]
    deal = game.start_deal(DECK)
    deal.taken = [3, 2, 0, 0]
    deal._finish()
    outcome = game.close(deal)

    assert [-1, 0, 25, 25] == game.scores
    assert outcome is not None
    assert (0,) == outcome.winners


@pytest.mark.parametrize("turn", range(4))
@pytest.mark.parametrize("scores", [[0, 0, 5, 5], [-3, -3, 2, 5]])
def test_r17_ties_do_not_go_by_seat(scores: list[int], turn: int) -> None:
    """
    doenjon/buckEuchre: of players tied below zero the lowest seat won.
    """
    game = Game(BuckRules(), N)
    game.scores = scores[turn:] + scores[:turn]
    deal = game.start_deal(DECK)
    for _ in range(8):
        deal.apply(Pass())
    for _ in range(4):
        deal.apply(Drop())

    assert None is game.close(deal)


def test_r20_a_ruff_is_no_follow() -> None:
    """
    doenjon/buckEuchre: not to follow a led left bower is about trump, not its printed suit.
    """
    assert {"9H", "9C"} == follows(Trump.SPADES, "JC", "9H 9C")
    assert {"9S"} == follows(Trump.SPADES, "JC", "9H 9C 9S")
    assert {"9H", "JC"} == follows(Trump.SPADES, "AC", "9H JC")


def test_r23_one_of_two_equal_cards_is_removed() -> None:
    """
    rlcard: removing one of two equal cards removed both.
    """
    rules = BidRules(double_deck=True)
    deck = BidDeal.deck(rules)
    deal: Deal = BidDeal.from_hands(rules, N, [deck[12 * seat : 12 * seat + 12] for seat in SEATS])
    deal.apply(Bid(11))
    while deal.phase is not Phase.PLAY:
        deal.apply(deal.legal[0])
    seat = deal.to_act
    assert seat is not None
    twice = next(card for card in deal.hands[seat] if deal.hands[seat].count(card) == 2)
    deal.apply(Play(twice))

    assert 1 == deal.hands[seat].count(twice)
    while deal.to_act is not seat:
        deal.apply(deal.legal[0])
    assert len(set(deal.legal)) == len(deal.legal)


def test_r25_the_targets_of_the_articles() -> None:
    """
    cards-ts: the default target was another game's.
    """
    bid, buck = VARIANTS["bid/standard"].rules, VARIANTS["buck/standard"].rules
    assert isinstance(bid, BidRules)
    assert isinstance(buck, BuckRules)
    assert (32, 25) == (bid.target, buck.start_score)


def test_r28_a_set_costs_the_bid() -> None:
    """
    aernberger/Bid-Euchre: a set contract cost nothing and paid the defenders.
    """
    assert [5, 22] == _scored(Bid(5), (4, 2), {})


def test_r29_no_trump() -> None:
    """
    coinche: a nine beat a ten, and an off-suit jack won.
    """
    assert 2 == takes(Trump.NONE, "9D TD JS JH")
    assert 1 == takes(Trump.NONE, "9D JH JS AC")


@pytest.mark.parametrize(("before", "ends"), [(30, True), (29, False)])
def test_r30_defenders_end_the_game(before: int, ends: bool) -> None:
    """
    coinche, Program-Wars, t_games: defenders' points, or exactly the target, did not end it.
    """
    game = Game(BidRules(), W)
    game.scores = [0, before]
    deal = game.start_deal(DECK)
    deal.apply(Bid(4))
    while deal.phase is not Phase.TRUMP:
        deal.apply(Pass())
    deal.taken = [4, 2]
    deal._finish()
    outcome = game.close(deal)

    assert ends == (outcome is not None and outcome.winners == (1,))


def test_r31_the_trump_jack_is_no_plain_jack() -> None:
    """
    jass-kit-py: legal cards compared the trump jack in plain order.
    """
    assert {"JD", "JH", "9D"} == follows(Trump.DIAMONDS, "KD", "JD JH 9D 9S")


def test_r33_an_empty_hand_is_not_the_end() -> None:
    """
    doppelkopf: the last trick was derived from hand sizes before the cards were dealt.
    """
    deal = Game(BidRules(), N).start_deal(DECK)

    assert (Status.OPEN, [], [0, 0]) == (deal.status, deal.tricks, deal.taken)


def test_r34_after_the_last_card_there_is_no_question() -> None:
    """
    OpenSpiel's euchre: an index ran past the last trick.
    """
    deal = auction(BidRules(), N, Bid(3))
    while deal.to_act is not None:
        deal.apply(deal.legal[0])

    assert (None, None, ()) == (deal.to_act, deal.phase, deal.legal)
    assert all(trick.winner is not None for trick in deal.tricks)


def test_r37_a_claim() -> None:
    """
    TricksterBots: a claim had no state; only a hand that qualifies is asked.
    """
    scenario = {
        "game": "bid",
        "rules": {"ace_no_face": True},
        "dealer": "N",
        "hands": {
            "E": "9C TC 9D TD AH AS", "S": "AC JC QC KC AD JD",
            "W": "9H TH JH QH KH QD", "N": "9S TS JS QS KS KD",
        },
        "actions": ["E claim"],
    }  # fmt: skip

    assert ("redeal", "E") == tuple(map(adjudicate(scenario).get, ("status", "next_dealer")))
    late = adjudicate({**scenario, "actions": ["E decline", "E pass", "S claim"]})
    assert [{"index": 2, "seat": "S", "ruling": "illegal", "substitute": "pass"}] == late["rulings"]


@pytest.mark.parametrize("name", VARIANTS)
def test_r3_equal_actions_are_one(name: str, rng: random.Random) -> None:
    """
    deno-bid-euchre: moves were compared by identity, so one from the wire was illegal.

    Here equal actions are one object, however they are made.
    """
    game = Game(VARIANTS[name], N)
    deck = list(deck_for(game.rules))
    rng.shuffle(deck)
    deal = game.start_deal(deck)
    while deal.to_act is not None:
        action = rng.choice(deal.legal)
        again = pickle.loads(pickle.dumps(action))  # noqa: S301
        assert action is again
        deal.apply(again)


def test_every_card_of_every_trump_is_worth_something_else() -> None:
    """
    Within trump no two cards are equal, and any trump beats any other card.
    """
    for trump in tuple(Trump)[:4]:
        trumps = [card for card in CARDS if is_trump(card, trump)]
        assert 8 == len(trumps)
        for one in CARDS:
            for other in CARDS:
                if one is other:
                    continue
                first = winner([one, other], trump) == 0
                if is_trump(one, trump) and is_trump(other, trump):
                    assert first != (winner([other, one], trump) == 0)
                elif is_trump(one, trump) or is_trump(other, trump):
                    assert first == is_trump(one, trump)


def test_stay_is_said_aloud() -> None:
    """
    The log of a deal has what was said and nothing that is private.
    """
    deal = Game(BuckRules(), N).start_deal(DECK)
    for _ in range(8):
        deal.apply(Pass())
    deal.apply(Stay())

    assert [Pass()] * 8 + [Stay()] == [call.action for call in deal.calls]
    deal = auction(BidRules(), N, BidMoon(), NameTrump(Suit.HEARTS))
    assert [(E, BidMoon()), (E, NameTrump(Suit.HEARTS))] == deal.calls
    judge(deal, Answer(deal.legal[0]))
    assert 2 == len(deal.calls)
