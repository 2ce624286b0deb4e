"""
Deals that could be, and how they would go on: what the search bot thinks with.

A `Situation` is what one seat knows, read once from a question. `deals` makes hands for
the others that agree with it, always the same ones for the same situation, and `play_out`
plays cards to the end by the rules of thumb.
"""

from __future__ import annotations

import random
import zlib
from typing import TYPE_CHECKING

from euchrebot.cards import JOKER, STRENGTH, SUIT, bits, unseen, voids
from euchrebot.strategy import follow, lead

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from euchre.referee.v1 import game_pb2

ATTEMPTS = 12
"""Tries at a deal that agrees with all shown voids, before one that does not is taken."""


class Situation:
    """
    What one seat knows, in plain numbers.
    """

    def __init__(self, view: game_pb2.SeatView) -> None:
        public = view.public_view
        self.seat: int = view.seat
        self.hand: list[int] = list(view.hand)
        self.trump: int = public.trump
        self.dealer: int = public.dealer
        self.turn_up: int = public.turn_up
        self.contract: int = public.contract.seat
        self.bid: int = public.contract.bid
        self.buck = len(public.scores) == 4
        self.participants: list[int] = list(public.participants)
        self.calls = [(call.seat, call.said, call.bid, call.suit) for call in public.calls]
        self.tricks = [(list(t.seats), list(t.cards), int(t.winner)) for t in public.tricks]
        self.taken: list[int] = list(public.taken)
        aside = [card for card in (view.discarded, view.given) if card]
        played = [card for _, cards, _ in self.tricks for card in cards]
        mine = sum(self.seat in seats for seats, _, _ in self.tricks)
        self.size = len(self.hand) + mine
        """Cards that every seat was dealt."""
        self.double = self.size > 8
        seen = [*self.hand, *aside, *played]
        self.taken_up = self.buck and any(call[1] == 5 for call in self.calls)
        """Buck: whether the dealer took the turned card into the hand."""
        if self.turn_up and self.turn_up not in seen and not (self.taken_up and self.dealer_holds):
            seen.append(self.turn_up)
        self.pool = unseen(seen, joker=False, copies=2 if self.double else 1)
        """Cards that the others may hold."""
        self.once = self.twice = 0
        for card in played:
            self.twice |= self.once & 1 << card
            self.once |= 1 << card
        self.seed = zlib.crc32(
            repr((self.seat, self.hand, public.deal, self.calls, self.tricks)).encode()
        )

    @property
    def dealer_holds(self) -> bool:
        """
        Whether another seat is the dealer who may hold the turned card.
        """
        return self.dealer != self.seat

    def seats(self) -> list[int]:
        """
        Return who plays, or all four while that is open.
        """
        return self.participants or [1, 2, 3, 4]


def deals(situation: Situation, count: int, seats: Sequence[int]) -> Iterator[list[list[int]]]:
    """
    Yield *count* times hands by seat (place 0 is nobody), the own one included.

    Args:
        situation: What is known.
        count: How many deals.
        seats: Who gets cards; the own seat need not be among them.
    """
    me = situation.seat
    tricks = situation.tricks
    under_way = tricks[-1] if tricks and not tricks[-1][2] else ((), (), 0)
    # The dealer of the Joker alternative may hold a card more than the others.
    full = len(situation.hand) if tricks or situation.double else min(len(situation.hand), 6)
    need = {seat: full - (seat in under_way[0]) for seat in seats if seat != me}
    shown = voids(situation.trump, [trick[:2] for trick in tricks])
    # The seats that may hold the least are dealt to first.
    suit = SUIT[situation.trump]
    pool = list(situation.pool)

    def slack(seat: int) -> int:
        return sum(suit[card] not in shown[seat] for card in pool) - need[seat]

    order = sorted(need, key=lambda seat: (slack(seat), seat))
    if len(pool) < sum(need.values()) and JOKER not in situation.hand:
        pool.append(JOKER)
    rng = random.Random(situation.seed)  # noqa: S311  (deals that are repeatable)
    turn_up = situation.turn_up
    fixed = turn_up if situation.taken_up and turn_up in pool else 0
    if situation.dealer not in need or not need.get(situation.dealer):
        fixed = 0
    if fixed:
        pool.remove(fixed)
        if suit[fixed] in shown[situation.dealer]:
            fixed = 0  # it was discarded
    room = [(seat, need[seat] - bool(fixed and seat == situation.dealer)) for seat in order]
    for _ in range(count):
        hands = _dealt(rng, pool, room, shown, suit)
        if fixed:
            hands[situation.dealer].append(fixed)
        hands[me] = list(situation.hand)
        yield hands


def _dealt(
    rng: random.Random,
    pool: list[int],
    room: Sequence[tuple[int, int]],
    shown: Sequence[set[int]],
    suit: Sequence[int],
) -> list[list[int]]:
    """
    Deal from *pool* to each seat of *room* as many cards as it is to get.
    """
    hands: list[list[int]] = [[], [], [], [], []]
    for attempt in range(ATTEMPTS):
        rng.shuffle(pool)
        left = pool
        if attempt > ATTEMPTS // 2:
            # Chance did not do: what few may hold goes first.
            left = sorted(pool, key=lambda card: sum(suit[card] not in shown[s] for s, _ in room))
        for seat, wanted in room:
            avoid = shown[seat] if attempt < ATTEMPTS - 1 else ()
            hand: list[int] = []
            rest: list[int] = []
            for card in left:
                (hand if len(hand) < wanted and suit[card] not in avoid else rest).append(card)
            if len(hand) < wanted:
                break
            left = rest
            hands[seat] = hand
        else:
            break
    return hands


class Board:
    """
    A deal under way with all cards open.
    """

    __slots__ = (
        "double",
        "hands",
        "led",
        "next",
        "offense",
        "once",
        "seat",
        "top",
        "top_seat",
        "trump",
        "twice",
        "waiting",
        "width",
    )

    def __init__(self, hands: list[list[int]], seats: Sequence[int], trump: int, seat: int) -> None:
        self.hands = hands
        self.trump = trump
        self.seat = seat
        """Who is on turn."""
        self.width = len(seats)
        self.waiting = self.width
        """Who is still to play to the trick under way."""
        self.next = [0] * 5
        ring = sorted(seats)
        for place, each in enumerate(ring):
            self.next[each] = ring[(place + 1) % len(ring)]
        self.led = self.top = self.top_seat = self.once = self.twice = 0
        self.double = False
        self.offense = [False] * 5


def play_out(board: Board, *, teams: bool, first: int = 0) -> list[int]:
    """
    Play *board* to the end, and use it up; return the tricks that each seat takes.

    Args:
        board: Where it begins.
        teams: Whether opposite seats are partners.
        first: What the seat on turn plays; 0 for what the rules of thumb say.
    """
    trump, hands, following, offense = board.trump, board.hands, board.next, board.offense
    seat, width, waiting = board.seat, board.width, board.waiting
    led, top, top_seat = board.led, board.top, board.top_seat
    once, twice, double = board.once, board.twice, board.double
    suit = SUIT[trump]
    strengths = STRENGTH[trump]
    held = [bits(hand) for hand in hands]
    if not any(each >> JOKER for each in held):
        once |= 1 << JOKER
        twice |= 1 << JOKER
    taken = [0, 0, 0, 0, 0]
    while hands[seat]:
        hand = hands[seat]
        gone = twice | (once & held[seat]) if double else once | held[seat]
        if first:
            card = first
            first = 0
        elif waiting == width:
            card = lead(hand, trump, offense[seat], gone) if len(hand) > 1 else hand[0]
        else:
            legal = [each for each in hand if suit[each] == led] or hand
            if len(legal) == 1:
                card = legal[0]
            else:
                ours = teams and (top_seat + seat) % 2 == 0
                card = follow(legal, trump, led, top, ours, waiting == 1, gone)
        hand.remove(card)
        twice |= once & 1 << card
        once |= 1 << card
        if waiting == width:
            led = suit[card]
            top, top_seat = card, seat
        elif strengths[led][card] > strengths[led][top]:
            top, top_seat = card, seat
        waiting -= 1
        if waiting:
            seat = following[seat]
        else:
            taken[top_seat] += 1
            seat = top_seat
            waiting = width
    return taken
