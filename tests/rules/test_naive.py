"""
The engine and a naive watcher, written from the sentences of the rules, see the same play.
"""

from __future__ import annotations

import pathlib
import random
import sys
from collections import Counter
from typing import TYPE_CHECKING

import pytest

from referee.cards import BY_CODE
from referee.rules.actions import Drop, Pass, Play
from referee.rules.deal import Phase, Status
from referee.rules.game import deck_for
from referee.rules.options import BidRules, BuckRules, RenegeMode, Rules
from referee.rules.variants import GAMES
from referee.seats import SEATS

if TYPE_CHECKING:
    from referee.rules.deal import Deal

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from naive import CLOCKWISE, Watcher, low_to_high, may_play, suit_of, taker

CHALLENGE = RenegeMode.CHALLENGE
TABLES: tuple[tuple[int, Rules], ...] = (
    (40_000, BidRules(renege_mode=CHALLENGE)),
    (15_000, BidRules(renege_mode=CHALLENGE, joker=True)),
    (5_000, BidRules(renege_mode=CHALLENGE, double_deck=True)),
    (5_000, BidRules(renege_mode=CHALLENGE, double_deck=True, joker=True)),
    (35_000, BuckRules(renege_mode=CHALLENGE)),
)
"""How many random deals of what; 100,000 together."""

PLAYS = {code: Play(card) for code, card in BY_CODE.items()}


def before_play(rules: Rules, rng: random.Random) -> Deal | None:
    """
    Deal and answer at random until play begins; None if it does not.
    """
    deck = list(deck_for(rules))
    rng.shuffle(deck)
    deal = GAMES[rules.game].deal(rules, rng.choice(SEATS), deck)
    # Sometimes everybody passes, so that deals without trump are not rare; few drop out.
    passing, dropping = rng.choice((0.5, 1.0)) if rules.game == "buck" else 0.5, 0.25
    while deal.phase is not Phase.PLAY:
        if deal.status is not Status.OPEN:
            return None
        action = rng.choice(deal.legal)
        if Pass() in deal.legal and rng.random() < passing:
            action = Pass()
        elif Drop() in deal.legal:
            action = deal.legal[rng.random() < dropping]
        deal.apply(action)
    return deal


def first_leader(deal: Deal) -> str:
    """
    Return who leads first: the bidder (B37), or left of the dealer (K15) the first who is in.
    """
    if deal.rules.game == "bid":
        return deal.contract.seat.letter
    place = CLOCKWISE.index(deal.dealer.letter)
    players = [seat.letter for seat in deal.participants]
    return next(seat for seat in (CLOCKWISE * 3)[place + 1 :] if seat in players)


def watched(deal: Deal, rng: random.Random) -> Watcher:
    """
    Play *deal* out, a tenth of the cards without regard to the rules, and compare every play.
    """
    hands = {
        seat.letter: [card.code for card in hand]
        for seat, hand in zip(SEATS, deal.hands, strict=True)
    }
    players = "".join(seat.letter for seat in deal.participants)
    watcher = Watcher(hands, deal.trump.letter, players, first_leader(deal))
    while deal.phase is Phase.PLAY:
        seat = watcher.on_turn
        allowed = watcher.may_play()
        assert seat == deal.to_act.letter
        assert allowed == {action.card.code for action in deal.legal}
        if rng.random() < 0.1:
            card = rng.choice(watcher.hands[seat])
        else:
            card = rng.choice(deal.legal).card.code
        if card in allowed:
            deal.apply(PLAYS[card])
        else:
            deal.stand(BY_CODE[card])
        watcher.see(card)
    return watcher


@pytest.mark.slow
@pytest.mark.parametrize("place", range(len(TABLES)))
def test_the_engine_agrees(place: int) -> None:
    """
    100,000 random deals: who is on turn, what is legal, who reneged, who took each trick.
    """
    count, rules = TABLES[place]
    rng = random.Random(place)
    seen: Counter[str] = Counter()
    while count:
        deal = before_play(rules, rng)
        if deal is None:
            continue
        count -= 1
        watcher = watched(deal, rng)
        assert watcher.takers == [trick.winner.letter for trick in deal.tricks]
        assert watcher.reneges == {(seat.letter, trick) for seat, trick in deal.irregular}
        seen[deal.trump.letter] += 1
        seen[f"{len(deal.participants)} players"] += 1
        seen["reneges"] += len(watcher.reneges)

    # Random, but not blind: everything that can be trump was, and cards were played illegally.
    trumps = {"C", "D", "H", "S"} | ({"none"} if rules.game == "buck" else set())
    assert all(seen[trump] > 500 for trump in trumps)
    assert seen["reneges"] > 5_000
    assert seen["3 players"] > 500


def test_the_watcher_reads_the_examples() -> None:
    """
    The examples that the sentences themselves give: B35, K9, B38, and B51.
    """
    assert ["9H", "TH", "QH", "KH", "AH", "JD", "JH"] == low_to_high("H", "H")[:-1]
    assert "H" == suit_of("JD", "H")
    assert ["JC", "JS", "XX"] == low_to_high("S", "S")[-3:]
    assert {"JD"} == may_play(["9C", "AD", "JD"], "KH", "H")
    assert "E" == taker([("N", "JH"), ("E", "XX"), ("S", "JD")], "H")
    assert "W" == taker([("W", "AS"), ("N", "AH"), ("E", "AC")], "none")
