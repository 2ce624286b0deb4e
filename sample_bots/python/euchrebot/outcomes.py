"""
What a deal is worth to one seat, whether it was played or could be.

The points are those of the rules without options, since a question does not tell them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from euchrebot.bot import PASS
from euchrebot.cards import POWER, SUIT, winning
from euchrebot.hands import best_trump, least
from euchrebot.sampling import Board, Situation, play_out
from euchrebot.strategy import ASK

if TYPE_CHECKING:
    from collections.abc import Sequence

SWEEP = 15
"""Buck: points that taking all five tricks, which wins the game, is put at."""

OTHERS = 0.33
"""Buck: how much a point of another player counts against one's own."""


def place_of(number: int) -> int:
    """
    Return the seat that *number* steps from the last one come to.
    """
    return (number - 1) % 4 + 1


def points_in_buck(
    seat: int, caller: int, taken: Sequence[int], inside: Sequence[int], others: float = OTHERS
) -> float:
    """
    Return how good a deal of Buck Euchre is for *seat*.

    Args:
        seat: Whose interest it is.
        caller: Who called; 0 for nobody.
        taken: Tricks by seat.
        inside: Who took part.
        others: How much a point for the other three together counts against it.
    """
    total = 0.0
    for each in inside:
        tricks = taken[each]
        points = float(tricks if tricks >= (3 if each == caller else 1) else -5)
        if tricks == 5:
            points = SWEEP
        total += points if each == seat else -others * points
    return total


def points_in_bid(declarer: int, bid: int, taken: Sequence[int]) -> int:
    """
    Return the points for the side of *declarer*, less those of the other side.
    """
    tricks = sum(taken)
    made = taken[declarer] + taken[place_of(declarer + 2)]
    if bid > PASS:
        stake = 2 * tricks if bid == ASK else 4 * tricks
        own = stake if made == tricks else -tricks
    else:
        own = made if made >= bid else -bid
    return own - (tricks - made)


def worth(now: Situation, taken: list[int]) -> float:
    """
    Return how good a deal is for the own seat that ends with *taken* from here.
    """
    for _, _, winner in now.tricks:
        if winner:
            taken[winner] += 1
    if now.buck:
        return points_in_buck(now.seat, now.contract, taken, now.participants)
    points = points_in_bid(now.contract, now.bid, taken)
    return points if (now.contract + now.seat) % 2 == 0 else -points


def contract(now: Situation, hands: list[list[int]], declarer: int, trump: int, bid: int) -> int:
    """
    Return the points of the own side, less the others', if *declarer* plays that contract.
    """
    hands = [list(hand) for hand in hands]
    partner = place_of(declarer + 2)
    seats = [1, 2, 3, 4]
    if bid > PASS:
        seats.remove(partner)
    if len(hands[declarer]) > 6 and len(hands[declarer]) < 12:
        hands[declarer].remove(least(hands[declarer], trump))
    if bid == ASK:
        power = POWER[trump]
        gift = max(hands[partner], key=power.__getitem__)
        hands[declarer].remove(least(hands[declarer], trump))
        hands[declarer].append(gift)
    table = Board(hands, seats, trump, declarer)
    table.double = now.double
    table.offense[declarer] = table.offense[partner] = True
    points = points_in_bid(declarer, bid, play_out(table, teams=True))
    return points if (declarer + now.seat) % 2 == 0 else -points


def passed(now: Situation, hands: list[list[int]]) -> float:
    """
    Return what comes of passing: the contract that stands, or one that others may bid.
    """
    holder, bid = 0, 0
    for caller, _, said, _ in now.calls:
        if said:
            holder, bid = caller, said
    if holder:
        return contract(now, hands, holder, best_trump(hands[holder])[1], bid)
    spoken = {seat for seat, _, _, _ in now.calls}
    waiting = [seat for seat in range(1, 5) if seat not in spoken and seat != now.seat]
    if not waiting:
        return 0.0
    worth, trump, seat = max((*best_trump(hands[seat]), seat) for seat in waiting)
    return contract(now, hands, seat, trump, 3) if worth >= 1.5 else 0.0


def board(now: Situation, hands: list[list[int]], seats: Sequence[int]) -> Board:
    """
    Return the situation with *hands*.
    """
    table = Board(hands, seats, now.trump, now.seat)
    table.once, table.twice, table.double = now.once, now.twice, now.double
    table.offense[now.contract] = True
    if not now.buck:
        table.offense[place_of(now.contract + 2)] = True
    if now.tricks and not now.tricks[-1][2]:
        order, cards, _ = now.tricks[-1]
        place = winning(now.trump, cards)
        table.waiting -= len(cards)
        table.led = SUIT[now.trump][cards[0]]
        table.top, table.top_seat = cards[place], order[place]
    return table
