"""
A bot that cheats with its memory: of a mirrored deck it has seen the first sitting.

The sittings of a set have the same decks. This bot writes down who held what, knows
the deal again by its own hand, also in other suits, and then plays with all hands open. By
itself it plays like `bold.py`. What it gains by that, and which defences leave it nothing,
is in docs/statistics.md. Bid Euchre with 24 cards.

A process remembers what it saw itself; with REMEMBER_FOLDER in its environment the
processes of the bot share their memory there, as those of one user can. REMEMBER_SUITS=own
makes it too simple to think of other suits.
"""

from __future__ import annotations

import itertools
import json
import os
from pathlib import Path
from typing import TYPE_CHECKING

from euchrebot import PASS, run
from euchrebot.cards import POWER, SUITS, bits
from euchrebot.hands import expected, least
from euchrebot.outcomes import board, contract, passed, place_of, worth
from euchrebot.sampling import Situation, play_out
from euchrebot.strategy import ASK, Rules, Style

if TYPE_CHECKING:
    from collections.abc import Iterator

    from euchre.referee.v1 import game_pb2

SEATS = (1, 2, 3, 4)
DECK = bits(range(1, 25))

Hands = list[list[int]]
"""By seat; place 0 is nobody."""


def disguises() -> Iterator[list[int]]:
    """
    Yield tables from card to card, for the permutations of suits that keep colour pairs.
    """
    for order in itertools.permutations(SUITS):
        if order[0] + order[3] == 5:  # clubs and spades, diamonds and hearts add up to 5
            yield [0] + [6 * (order[suit] - 1) + rank for suit in range(4) for rank in range(1, 7)]


class Memory:
    """
    Who held what, by game and number of the deal.
    """

    def __init__(self, folder: str | None, *, suits: str) -> None:
        self.folder = Path(folder) if folder else None
        self.tables = list(disguises()) if suits == "all" else [list(range(25))]
        self.deals: dict[int, dict[int, Hands]] = {}
        """By number of the deal and game: the cards that each seat is known to have held."""
        self.read: dict[Path, int] = {}
        """How far each file of the folder has been read."""

    def note(self, game: int, deal: int, hands: Hands) -> None:
        """
        Remember cards by seat, and tell the other processes.
        """
        self._add(game, deal, hands)
        if self.folder is not None:
            with (self.folder / f"{os.getpid()}.jsonl").open("a") as file:
                file.write(json.dumps([game, deal, hands]) + "\n")

    def recognised(self, game: int, deal: int, seat: int, hand: list[int]) -> Hands | None:
        """
        Return all hands, if a deal of another game is this one, in whatever suits.
        """
        self._catch_up()
        mine = bits(hand)
        for other, hands in self.deals.get(deal, {}).items():
            known = hands[seat]
            if other == game or len(known) < 4:
                continue
            for table in self.tables:
                if not bits(table[card] for card in known) & ~mine:
                    found = [[table[card] for card in each] for each in hands]
                    found[seat] = list(hand)
                    return _filled(found)
        return None

    def _add(self, game: int, deal: int, hands: Hands) -> None:
        known = self.deals.setdefault(deal, {}).setdefault(game, [[] for _ in range(5)])
        for seat in SEATS:
            known[seat] += [card for card in hands[seat] if card not in known[seat]]

    def _catch_up(self) -> None:
        if self.folder is None:
            return
        for path in self.folder.glob("*.jsonl"):
            with path.open() as file:
                file.seek(self.read.get(path, 0))
                while (line := file.readline()).endswith("\n"):
                    self._add(*json.loads(line))
                    self.read[path] = file.tell()


def _filled(hands: Hands) -> Hands:
    """
    Deal the few cards that were never seen to whoever has room for them.
    """
    left = DECK & ~bits(card for hand in hands for card in hand)
    unseen = [card for card in range(1, 25) if left >> card & 1]
    for seat in SEATS:
        while len(hands[seat]) < 6 and unseen:
            hands[seat].append(unseen.pop())
    return hands


class Remember(Rules):
    """
    Rules of thumb until it knows the deal; then it plays out what each card leads to.
    """

    def __init__(self) -> None:
        super().__init__(Style(share=3.2, ask=3.0, moon=3.3, order=1.7, stay=0.6))
        self.memory = Memory(
            os.environ.get("REMEMBER_FOLDER"), suits=os.environ.get("REMEMBER_SUITS", "all")
        )
        self.open: dict[int, tuple[int, Hands | None]] = {}
        """By game: the deal that it is at, and the hands as they were dealt if they are known."""

    def auction(self, ask: game_pb2.Ask) -> int:
        """
        Make the bid that will do best.
        """
        hands = self._hands(ask)
        if hands is None:
            return super().auction(ask)
        now = Situation(ask.view)
        legal = list(ask.auction.legal_bids)
        found = {
            bid: max(contract(now, hands, now.seat, suit, bid) for suit in SUITS)
            for bid in legal
            if bid != PASS
        }
        if PASS in legal:
            found[PASS] = passed(now, hands)
        return max(found, key=lambda bid: (found[bid], -bid))

    def trump(self, ask: game_pb2.Ask) -> int:
        """
        Name the suit that will do best.
        """
        hands = self._hands(ask)
        if hands is None:
            return super().trump(ask)
        now = Situation(ask.view)
        return max(
            ask.trump.legal_suits,
            key=lambda suit: (
                contract(now, hands, now.seat, suit, now.bid),
                expected(now.hand, suit),
            ),
        )

    def play(self, ask: game_pb2.Ask) -> int:
        """
        Play the card that will do best, and take note of what is on the table.
        """
        hands = self._hands(ask)
        now = Situation(ask.view)
        if len(now.tricks) >= 5:
            self._note(ask, now)
        if hands is None:
            return super().play(ask)
        left = _left(now, hands)
        if left is None:
            return super().play(ask)
        totals = {}
        for card in ask.play.legal_cards:
            table = board(now, [list(hand) for hand in left], now.seats())
            totals[card] = worth(now, play_out(table, teams=True, first=card))
        power = POWER[now.trump]
        return max(totals, key=lambda card: (totals[card], -power[card]))

    def _hands(self, ask: game_pb2.Ask) -> Hands | None:
        """
        Return the hands of this deal as they were dealt; None if they are not known.
        """
        public = ask.view.public_view
        if len(public.scores) == 4:
            return None
        number, hands = self.open.get(ask.game_id, (0, None))
        if number == public.deal and (hands is not None or public.tricks):
            return hands
        # The first question of the deal, or one that comes while the other sitting goes on.
        hand = list(ask.view.hand)
        if number != public.deal:
            mine: Hands = [[] for _ in range(5)]
            mine[ask.view.seat] = hand
            self.memory.note(ask.game_id, public.deal, mine)
        found = None
        if len(hand) == 6 and not public.tricks:
            found = self.memory.recognised(ask.game_id, public.deal, ask.view.seat, hand)
        self.open[ask.game_id] = (public.deal, found)
        return found

    def _note(self, ask: game_pb2.Ask, now: Situation) -> None:
        """
        Remember who has played what.
        """
        played: Hands = [[] for _ in range(5)]
        for seats, cards, _ in now.tricks:
            for seat, card in zip(seats, cards, strict=True):
                played[seat].append(card)
        if now.bid == ASK:  # two cards changed hands
            played[now.contract] = []
        self.memory.note(ask.game_id, ask.view.public_view.deal, played)


def _left(now: Situation, dealt: Hands) -> Hands | None:
    """
    Return what everybody still holds; None if that does not fit what was played.
    """
    hands = [list(hand) for hand in dealt]
    if now.bid == ASK and now.contract != now.seat:
        power = POWER[now.trump]
        gift = max(hands[place_of(now.contract + 2)], key=power.__getitem__)
        hands[now.contract].remove(least(hands[now.contract], now.trump))
        hands[now.contract].append(gift)
    for seats, cards, _ in now.tricks:
        for seat, card in zip(seats, cards, strict=True):
            if card in hands[seat]:
                hands[seat].remove(card)
            elif seat != now.seat:
                return None
    hands[now.seat] = list(now.hand)
    return hands


if __name__ == "__main__":
    run(Remember())
