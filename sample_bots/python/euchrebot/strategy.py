"""
A rule-based player of both games, quick enough to be asked many thousand times a second.

`lead` and `follow` pick a card from plain numbers and are also what the search bot plays
its samples out with. `Rules` reads a question once and calls them. What the cards are
worth, and how much is enough, are numbers in a `Style`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from euchrebot.bot import PASS, Bot
from euchrebot.cards import ABOVE, JOKER, POWER, STRENGTH, SUIT, TRUMP_SET, bits
from euchrebot.hands import WORTH, best_trump, expected, least

if TYPE_CHECKING:
    from collections.abc import Sequence

    from euchre.referee.v1 import game_pb2

ASK, MOON = 14, 15
"""Numbers of the two bids for all tricks."""


class Style(NamedTuple):
    """
    How a player values hands and how much is enough for it.
    """

    share: float = 1.2
    """Bid: tricks that the partner is trusted to take of six."""
    margin: float = 0.0
    """Bid: tricks that must be expected beyond the bid."""
    ask: float = 3.9
    """Bid: own tricks of six that are enough to ask."""
    moon: float = 4.7
    """Bid: own tricks of six that are enough to shoot the moon."""
    order: float = 2.6
    """Buck: own tricks that are enough to order or to name."""
    stay: float = 0.8
    """Buck: own tricks that are enough to stay in against three."""
    call: float = 0.3
    """Buck, with samples: points that are enough to call."""
    risk: float = 0.0
    """Buck, with samples: points that are enough to stay in."""


def lead(hand: Sequence[int], trump: int, offense: bool, gone: int) -> int:
    """
    Return the card of *hand* to lead.

    Args:
        hand: Not empty.
        trump: Of the deal.
        offense: Whether the seat's side has to make the contract.
        gone: Set of the cards that nobody else can hold.
    """
    suit = SUIT[trump]
    power = POWER[trump]
    above = ABOVE[trump]
    out = ~gone
    trumps_out = TRUMP_SET[trump] & out
    best_value = -1
    best = hand[0]
    for card in hand:
        rank = power[card]
        if above[card] & out:
            value = (30 + rank if offense and trumps_out else 10) if rank > 20 else 40 - rank
        elif rank > 20:
            # Top trumps draw those of the others; with none left they can wait.
            value = (200 + rank if offense else 70) if trumps_out else 90
        else:
            value = 100 + suit[card]
        if value > best_value:
            best_value = value
            best = card
    return best


def follow(  # noqa: C901, PLR0917  (one walk over the cards, asked most often of all)
    legal: Sequence[int], trump: int, led: int, top: int, ours: bool, last: bool, gone: int
) -> int:
    """
    Return the card of *legal* to play to a trick that is under way.

    Args:
        legal: Not empty.
        trump: Of the deal.
        led: The suit led.
        top: The card that is winning.
        ours: Whether it is the partner's.
        last: Whether nobody plays after this.
        gone: Set of the cards that nobody else can hold.
    """
    strength = STRENGTH[trump][led]
    power = POWER[trump]
    above = ABOVE[trump]
    best = strength[top]
    low = win = high = sure = 0
    low_value = win_value = sure_value = 99
    high_value = 0
    for card in legal:
        rank = power[card]
        reach = strength[card]
        keep = rank
        if not above[card] & ~gone:
            keep += 5
            if best < reach < sure_value:
                sure_value = reach
                sure = card
        if keep < low_value:
            low_value = keep
            low = card
        if reach > best:
            if reach < win_value:
                win_value = reach
                win = card
            if reach > high_value:
                high_value = reach
                high = card
    if not win:
        return low
    if last:
        return low if ours else win
    if ours:
        return low
    if sure and (win_value < 20 or led == trump):
        return sure
    if win_value > 20:
        return win  # the cheapest ruff
    return high


class Rules(Bot):
    """
    Answers every question by rules of thumb, as its *style* has it.
    """

    def __init__(self, style: Style | None = None) -> None:
        self.style = style or Style()

    def claim(self, ask: game_pb2.Ask) -> bool:
        """
        Claim unless the hand is worth a bid.
        """
        return best_trump(list(ask.view.hand))[0] < 2.5

    def joker_discard(self, ask: game_pb2.Ask) -> int:
        """
        Discard the least card under the trump that is, or that would be named.
        """
        hand = list(ask.view.hand)
        trump = ask.view.public_view.trump or best_trump(hand)[1]
        return least(list(ask.joker_discard.legal_cards), trump)

    def auction(self, ask: game_pb2.Ask) -> int:
        """
        Bid the least that is enough if the hand is worth it, and leave it to the partner.
        """
        legal = list(ask.auction.legal_bids)
        view = ask.view
        hand = list(view.hand)
        tricks = 6 if len(hand) < 12 else 12
        own = best_trump(hand)[0]
        style = self.style
        solo = own * 6 / tricks
        if solo >= style.moon and MOON in legal:
            return MOON
        if solo >= style.ask and ASK in legal:
            return ASK
        if legal[0] != PASS:
            return legal[0]
        bid = legal[1]
        holder = 0
        for call in view.public_view.calls:
            if call.bid:
                holder = call.seat
        if bid > 12 or (holder and (holder + view.seat) % 2 == 0):
            return PASS
        return bid if own + style.share * tricks / 6 - style.margin >= bid else PASS

    def trump(self, ask: game_pb2.Ask) -> int:
        """
        Name the best suit.
        """
        return best_trump(list(ask.view.hand), list(ask.trump.legal_suits))[1]

    def ask_give(self, ask: game_pb2.Ask) -> int:
        """
        Give the least card away.
        """
        return least(list(ask.ask_give.legal_cards), ask.view.public_view.trump)

    def ask_gift(self, ask: game_pb2.Ask) -> int:
        """
        Give the best card.
        """
        power = POWER[ask.view.public_view.trump]
        return max(ask.ask_gift.legal_cards, key=power.__getitem__)

    def play(self, ask: game_pb2.Ask) -> int:
        """
        Play by `lead` and `follow`.
        """
        legal = list(ask.play.legal_cards)
        if len(legal) == 1:
            return legal[0]
        view = ask.view
        public = view.public_view
        trump = public.trump
        seat = view.seat
        hand = list(view.hand)
        # Nothing tells whether there is a Joker; most games have none to be afraid of.
        twice = bits(hand) | 1 << JOKER
        once = 0
        trick = None
        for trick in public.tricks:
            for card in trick.cards:
                bit = 1 << card
                twice |= once & bit
                once |= bit
        # With 48 cards one is gone when both copies are; the own hand is not counted twice.
        gone = twice if len(hand) + len(public.tricks) > 7 else twice | once
        contract = public.contract.seat
        bid = bool(public.contract.bid)
        offense = contract == seat or (bid and (contract + seat) % 2 == 0)
        if trick is None or trick.winner:
            return lead(legal, trump, offense, gone)
        cards = list(trick.cards)
        led = SUIT[trump][cards[0]]
        strength = STRENGTH[trump][led]
        place = 0
        for each in range(1, len(cards)):
            if strength[cards[each]] > strength[cards[place]]:
                place = each
        ours = bid and (trick.seats[place] + seat) % 2 == 0
        last = len(cards) + 1 == len(public.participants)
        return follow(legal, trump, led, cards[place], ours, last, gone)

    def call_1(self, ask: game_pb2.Ask) -> bool:
        """
        Order if the hand is worth it; the dealer counts the card, the others fear it.
        """
        view = ask.view
        public = view.public_view
        turn_up = int(public.turn_up)
        trump = (turn_up - 1) // 6 + 1
        hand: list[int] = list(view.hand)
        if public.dealer == view.seat:
            hand.append(turn_up)
            hand.remove(least(hand, trump))
            return expected(hand, trump) >= self.style.order
        return expected(hand, trump) - 0.2 * WORTH[trump][turn_up] >= self.style.order

    def call_2(self, ask: game_pb2.Ask) -> int:
        """
        Name the best suit if it is worth it.
        """
        worth, suit = best_trump(list(ask.view.hand), list(ask.call_2.legal_suits))
        return suit if worth >= self.style.order else PASS

    def dealer_discard(self, ask: game_pb2.Ask) -> int:
        """
        Discard the least card.
        """
        return least(list(ask.dealer_discard.legal_cards), ask.view.public_view.trump)

    def drop(self, ask: game_pb2.Ask) -> bool:
        """
        Drop unless a trick is likely; the fewer are in, the likelier it is.
        """
        view = ask.view
        public = view.public_view
        others = len(public.participants) - 1
        if not others:
            return False
        need = self.style.stay * (0.4 + 0.2 * others)
        return expected(list(view.hand), public.trump) < need
