"""
Views: what a seat may know, and nothing else.
"""

from __future__ import annotations

import copy
import random
from collections import Counter

import pytest

from referee.cards import BY_CODE, CARDS, Card
from referee.rules.actions import Answer, Play
from referee.rules.deal import Deal, Phase
from referee.rules.game import deck_for
from referee.rules.judge import Code, Ruling, judge
from referee.rules.options import BidRules, BuckRules, Rules
from referee.rules.variants import GAMES
from referee.seats import SEATS, Seat
from referee.view import DealViews, public_ruling

CLAIMABLE = ("9C", "TC", "9D", "TD", "9H", "AS")


def rules_of(rng: random.Random) -> Rules:
    """
    Rules with options picked at random, as far as they shape who knows what.
    """
    mode = rng.choice(["reject", "stand", "challenge"])
    if rng.random() < 0.5:
        return BuckRules.from_options(
            {
                "renege_mode": mode,
                "club_dealer_picks_up": rng.random() < 0.5,
                "caller_may_drop": rng.random() < 0.5,
            }
        )
    return BidRules.from_options(
        {
            "renege_mode": mode,
            "joker": rng.random() < 0.5,
            "joker_discard": rng.choice(["before_auction", "after_trump"]),
            "double_deck": rng.random() < 0.3,
            "ace_no_face": rng.random() < 0.5,
            "stick_the_dealer": rng.random() < 0.5,
            "ask_gift_rule": rng.choice(["best_trump", "free"]),
        }
    )


def states(seed: int, count: int):
    """
    Yield *count* open deals at random points of random play, with asks bid often.
    """
    rng = random.Random(seed)
    while count:
        rules = rules_of(rng)
        deck = list(deck_for(rules))
        rng.shuffle(deck)
        if rules.game == "bid" and rules.ace_no_face and not rules.double_deck:
            # Hands to claim are rare: deal one to the dealer's left.
            for place, code in zip(range(0, 24, 4), CLAIMABLE, strict=True):
                at = deck.index(BY_CODE[code])
                deck[place], deck[at] = deck[at], deck[place]
        deal = GAMES[rules.game].deal(rules, rng.choice(SEATS), tuple(deck))
        while deal.to_act is not None and count:
            yield rng, deal, deck
            count -= 1
            legal = deal.legal
            action = rng.choice(legal)
            if deal.phase is Phase.AUCTION and rng.random() < 0.3:
                action = legal[-2 if len(legal) > 1 else -1]
            elif deal.phase in (Phase.CALL_1, Phase.CLAIM) and rng.random() < 0.7:
                action = deal.fallback()
            elif deal.phase is Phase.PLAY and rng.random() < 0.1:
                action = Play(rng.choice(CARDS))
            judge(deal, Answer(action))


def exchanged(rng: random.Random, deal: Deal, deck: list[Card], seat: Seat) -> Deal:
    """
    The same deal with all cards that *seat* cannot see dealt out anew among their places.

    Unseen are: the other hands, a discard that is not its own, the cards of an ask
    exchange that it has no part in, and what was never dealt.
    """
    other = copy.deepcopy(deal)
    seen = [*deal.hands[seat], *(card for trick in deal.tricks for card in trick.cards)]
    seen += [deal.turn_up] if deal.turn_up is not None else []
    seen += [deal.discarded] if deal.discarded is not None and seat is deal.dealer else []
    unseen = list((Counter(deck) - Counter(seen)).elements())
    rng.shuffle(unseen)
    give = iter(unseen * 3)
    for each in SEATS:
        if each is not seat:
            other.hands[each] = sorted(next(give) for _ in deal.hands[each])
    if deal.discarded is not None and seat is not deal.dealer:
        other.discarded = next(give)
    partners = (seat, seat.partner) if len(deal.given) == 2 else (seat,)
    for giver in deal.given:
        if giver not in partners:
            other.given[giver] = next(give)
    return other


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(4))
def test_a_view_does_not_change_with_hidden_cards(seed: int) -> None:
    """
    10,000 states in all, each seen by all four seats: only what is hidden was exchanged.
    """
    phases = set()
    for rng, deal, deck in states(seed, 2500):
        phases.add(deal.phase)
        scores = (0,) * len(deal.sides)
        for seat in SEATS:
            expected = DealViews(deal, 1, scores).seat(seat)
            other = exchanged(rng, deal, deck, seat)
            assert expected == DealViews(other, 1, scores).seat(seat)

    assert set(Phase) == phases


def test_views_are_kept_as_they_were() -> None:
    """
    A view taken before a card is played does not change when it is played.
    """
    for _, deal, _ in states(9, 300):
        views = DealViews(deal, 1, (0,) * len(deal.sides))
        before = [views.seat(seat) for seat in SEATS]
        frozen = copy.deepcopy(before)
        judge(copy.deepcopy(deal), Answer(deal.legal[0]))
        assert frozen == before


def test_kept_tricks_are_the_tricks() -> None:
    """
    Views made one after the other equal views made from scratch.
    """
    views = None
    last = None
    for _, deal, _ in states(10, 2000):
        if deal is not last:
            last = deal
            views = DealViews(deal, 1, (0,) * len(deal.sides))
        fresh = DealViews(deal, 1, (0,) * len(deal.sides))
        for seat in SEATS:
            assert fresh.seat(seat) == views.seat(seat)


def test_a_refused_card_is_not_shown() -> None:
    """
    Of a renege all see the card that the referee played, not the one that was tried.
    """
    queen, nine = Card.QUEEN_OF_SPADES, Card.NINE_OF_HEARTS
    ruling = Ruling(Code.RENEGE, Seat.EAST, 2, queen, Play(nine))

    shown = public_ruling(ruling)

    assert nine is shown.card
    assert queen not in shown


def test_a_fallback_of_a_hidden_card_is_not_shown() -> None:
    """
    What the referee discarded for a dealer who was late stays face down.
    """
    for _, deal, _ in states(11, 3000):
        if deal.phase in (Phase.DEALER_DISCARD, Phase.JOKER_DISCARD, Phase.ASK_GIVE):
            (ruling,) = judge(copy.deepcopy(deal), Code.TIMEOUT)
            assert ruling.substitute is not None
            assert public_ruling(ruling).card is None
