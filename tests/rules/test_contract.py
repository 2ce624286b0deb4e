"""
What every variant owes its callers, whatever the game.

After a change of the rules that is meant: delete the file in tests/golden, run
the tests to have it written anew, and read the diff.
"""

from __future__ import annotations

import random
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from referee.cards import CARDS, SUITS
from referee.errors import RuleViolation
from referee.notation import cards_text, line_text, parse_cards, parse_line
from referee.rules.actions import (
    Action,
    Answer,
    Bid,
    BidAsk,
    BidMoon,
    Claim,
    Decline,
    Discard,
    Drop,
    Give,
    LastCall,
    NameSuit,
    NameTrump,
    Order,
    Pass,
    Play,
    Stay,
)
from referee.rules.deal import Deal, Status
from referee.rules.game import Game, deck_for
from referee.rules.judge import judge
from referee.rules.variants import VARIANTS
from referee.seats import SEATS, Seat

if TYPE_CHECKING:
    from collections.abc import Callable

GOLDEN = Path(__file__).parent.parent / "golden"

EVERYTHING: list[Action] = [
    *(kind() for kind in (Claim, Decline, Pass, BidAsk, BidMoon, Order, Stay, Drop, LastCall)),
    *(Bid(number) for number in range(14)),
    *(kind(suit) for kind in (NameTrump, NameSuit) for suit in SUITS),
    *(kind(card) for kind in (Discard, Give, Play) for card in CARDS),
]
"""Every action there is, in an order that is canonical within each question."""

VERBS = [
    Claim,
    Decline,
    Pass,
    Bid,
    BidAsk,
    BidMoon,
    Order,
    NameTrump,
    NameSuit,
    Discard,
    Give,
    Play,
]
VERBS += [Stay, Drop, LastCall]


def rank(action: Action) -> tuple[int, int]:
    """
    Sorts actions canonically: 7.4 and 7.5/33.
    """
    number = getattr(action, "card", getattr(action, "suit", getattr(action, "number", 0)))
    return VERBS.index(type(action)), number


def cards_of(deal: Deal) -> Counter[Any]:
    """
    All cards that a deal shows somewhere.
    """
    found = Counter(card for hand in deal.hands for card in hand)
    found.update(card for trick in deal.tricks for card in trick.cards)
    if deal.discarded is not None:
        found[deal.discarded] += 1
    return found


def next_deal(game: Game, rng: random.Random) -> Deal:
    """
    A deal from a shuffled deck.
    """
    deck = list(deck_for(game.rules))
    rng.shuffle(deck)
    return game.start_deal(deck)


@pytest.mark.parametrize("name", VARIANTS)
def test_random_play(
    name: str, rng: random.Random, state_of: Callable[[Deal], dict[str, Any]]
) -> None:
    """
    Legal actions are there, sorted and unique; others raise and change nothing; cards are kept.
    """
    game = Game(VARIANTS[name], Seat.NORTH)
    for number in range(25):
        deal = next_deal(game, rng)
        start = cards_of(deal)
        if deal.turn_up is not None:
            start[deal.turn_up] += 1
        while deal.to_act is not None:
            legal = list(deal.legal)
            assert Status.OPEN is deal.status
            assert legal
            assert sorted(legal, key=rank) == legal
            assert len(set(legal)) == len(legal)
            assert deal.fallback() in legal
            if number < 8:
                before = state_of(deal)
                for action in EVERYTHING:
                    if action not in legal:
                        with pytest.raises(RuleViolation):
                            deal.apply(action)
                assert before == state_of(deal)
            deal.apply(rng.choice(legal))
            now = cards_of(deal)
            if deal.turn_up is not None:  # until the dealer has it, it is on the table
                now[deal.turn_up] = start[deal.turn_up]
            assert start == now
            assert all(sorted(hand) == hand for hand in deal.hands)
        assert Status.OPEN is not deal.status
        assert len(deal.sides) == len(deal.changes) == len(deal.taken)
        if game.close(deal) is not None:
            break


@pytest.mark.parametrize("name", VARIANTS)
def test_games_end(name: str, rng: random.Random) -> None:
    """
    Random games end, with a winner or a draw, and places that fit.
    """
    for _ in range(3):
        game = Game(VARIANTS[name], rng.choice(SEATS))
        while game.outcome is None:
            deal = next_deal(game, rng)
            while deal.to_act is not None:
                judge(deal, Answer(rng.choice(deal.legal)))
            game.close(deal)

        outcome = game.outcome
        assert len(game.sides) == len(game.scores) == len(outcome.places)
        assert 1 == min(outcome.places)
        assert all(1 == outcome.places[side] for side in outcome.winners)
        assert game.scored <= 500
        assert game.scored <= game.deals


@pytest.mark.parametrize("name", VARIANTS)
def test_sides(name: str) -> None:
    """
    Each seat is on one side, and sides have names.
    """
    game = Game(VARIANTS[name], Seat.NORTH)

    assert sorted(SEATS) == sorted(seat for side in game.sides for seat in side)
    for number, side in enumerate(game.sides):
        assert all(number == game.side_of[seat] for seat in side)
    assert len(game.sides) == len(deal_type(name).side_names)


def deal_type(name: str) -> type[Deal]:
    """
    The class of a variant's deals.
    """
    game = Game(VARIANTS[name], Seat.NORTH)
    return type(game.start_deal(deck_for(game.rules)))


@pytest.mark.parametrize("name", VARIANTS)
def test_lines_replay(name: str, rng: random.Random, state_of: Callable[[Deal], Any]) -> None:
    """
    A deal's lines of notation, judged again, lead to the same deal.
    """
    for _ in range(10):
        game = Game(VARIANTS[name], rng.choice(SEATS))
        deck = list(deck_for(game.rules))
        rng.shuffle(deck)
        deal = type(game.start_deal(deck))(game.rules, game.dealer, deck)
        again = type(deal).from_hands(game.rules, game.dealer, deal.hands, deal.turn_up)
        assert state_of(deal) == state_of(again)
        while deal.to_act is not None:
            line = line_text(deal.to_act, Answer(rng.choice(deal.legal)))
            for each in (deal, again):
                judge(each, parse_line(line, game.rules.game).answer)

        assert state_of(deal) == state_of(again)


@pytest.mark.parametrize("name", VARIANTS)
def test_golden(name: str) -> None:
    """
    The first deals of a game of each variant go as they always went.
    """
    path = GOLDEN / f"{name.replace('/', '-')}.txt"
    if not path.exists():
        path.write_text(_playthrough(name))
        pytest.fail(f"{path} was not there and has been written: read it")
    written = path.read_text()
    decks = [line.removeprefix("deck ") for line in written.splitlines() if line[:5] == "deck "]

    assert written == _playthrough(name, decks)


def _playthrough(name: str, decks: list[str] | None = None) -> str:
    """
    Deals as text. Choices come from a plain generator, the same in any Python.
    """
    game = Game(VARIANTS[name], Seat.NORTH)
    if decks is None:
        shuffle = random.Random(name)
        cards = list(deck_for(game.rules))
        decks = [cards_text(shuffle.sample(cards, len(cards))) for _ in range(3)]
    state = 1
    lines = [f"# {name}: what is answered, and what comes of it."]
    for deck in decks:
        deal = game.start_deal(parse_cards(deck))
        lines += ["", f"deck {deck}", f"dealer {deal.dealer}"]
        lines += [f"hand {seat} {cards_text(deal.hands[seat])}" for seat in SEATS]
        while deal.to_act is not None:
            state = state * 48271 % 2147483647
            action = deal.legal[state % len(deal.legal)]
            choices = "" if len(deal.legal) == 1 else f"   # of {', '.join(map(str, deal.legal))}"
            lines.append(line_text(deal.to_act, Answer(action)) + choices)
            deal.apply(action)
            if deal.tricks and deal.tricks[-1].winner is not None and action.verb == "play":
                lines.append(f"trick to {deal.tricks[-1].winner}")
        outcome = game.close(deal)
        taken = " ".join(map(str, deal.taken))
        changes = " ".join(map(str, deal.changes))
        lines.append(f"{deal.status}: tricks {taken}, points {changes}")
        if outcome is not None:
            lines.append(f"game over: {outcome.ending}, won by {outcome.winners}")
            break
    return "\n".join(lines) + "\n"
