"""
Watches the play of one deal: whose turn it is, what may be played, who reneged, who takes.

Written from the sentences of section 1 of the rules, sentence by sentence, with
none of the engine's code and nothing done for speed. Cards are texts as printed:
rank `9TJQKA`, suit `CDHS`, the Joker `XX`. Trump is a suit or `none`; seats are
`N E S W`, clockwise (B10, B14).
"""

from __future__ import annotations

import functools

CLOCKWISE = "NESW"
SAME_COLOUR = {"C": "S", "S": "C", "D": "H", "H": "D"}


@functools.cache
def low_to_high(suit: str, trump: str) -> list[str]:
    """
    Return the cards that belong to *suit*, the lowest first.

    B33, K9: normally 9, 10, jack, queen, king, ace. B34, K9: the trump suit 9, 10,
    queen, king, ace, jack of the other suit of the same colour, jack of trump. B51:
    the Joker is always the highest trump. B35, K15: that other jack counts as a
    trump, so it is missing from its own suit.
    """
    if suit == trump:
        return [rank + suit for rank in "9TQKA"] + ["J" + SAME_COLOUR[suit], "J" + suit, "XX"]
    cards = [rank + suit for rank in "9TJQKA"]
    if trump != "none" and SAME_COLOUR[suit] == trump:
        cards.remove("J" + suit)
    return cards


@functools.cache
def suit_of(card: str, trump: str) -> str:
    """
    Return the suit that *card* belongs to.
    """
    (suit,) = (suit for suit in "CDHS" if card in low_to_high(suit, trump))
    return suit


def may_play(hand: list[str], led: str | None, trump: str) -> set[str]:
    """
    Return what may be played from *hand* when *led* was led; None for the leader.
    """
    # B37, K15: the first player leads with any card.
    if led is None:
        return set(hand)
    # B38, K15: the suit led must be followed if possible.
    suit = suit_of(led, trump)
    following = {card for card in hand if suit_of(card, trump) == suit}
    # B39, K15: a player who cannot follow may play any card.
    return following or set(hand)


def taker(played: list[tuple[str, str]], trump: str) -> str:
    """
    Return the seat that takes a trick of (seat, card).

    B40: the highest trump played, or else the highest card of the suit led. Of two
    equal cards the first played is the higher (2.8; section 1 has no sentence on it).
    """
    led = suit_of(played[0][1], trump)
    trumps = [(seat, card) for seat, card in played if suit_of(card, trump) == trump]
    if trumps:
        candidates, order = trumps, low_to_high(trump, trump)
    else:
        candidates = [(seat, card) for seat, card in played if suit_of(card, trump) == led]
        order = low_to_high(led, trump)
    best, height = "", -1
    for seat, card in candidates:
        if order.index(card) > height:
            best, height = seat, order.index(card)
    return best


class Watcher:
    """
    Somebody who sees all hands and watches.

    Args:
        hands: By seat, when play begins; copied.
        trump: A suit or `none`.
        players: Seats that take part.
        leader: Who leads the first trick.
    """

    def __init__(self, hands: dict[str, list[str]], trump: str, players: str, leader: str) -> None:
        self.hands = {seat: list(hand) for seat, hand in hands.items()}
        self.trump = trump
        self.players = players
        self.on_turn = leader
        self.trick: list[tuple[str, str]] = []
        self.takers: list[str] = []
        self.reneges: set[tuple[str, int]] = set()

    def may_play(self) -> set[str]:
        """
        Return what the seat on turn may play.
        """
        led = self.trick[0][1] if self.trick else None
        return may_play(self.hands[self.on_turn], led, self.trump)

    def see(self, card: str) -> None:
        """
        See the seat on turn play *card*, which it holds, whether it may or not.
        """
        # B42: playing a card illegally is called reneging.
        if card not in self.may_play():
            self.reneges.add((self.on_turn, len(self.takers) + 1))
        self.hands[self.on_turn].remove(card)
        self.trick.append((self.on_turn, card))
        if len(self.trick) < len(self.players):
            self.on_turn = self._next()
            return
        # B40, K15: the taker leads next.
        self.on_turn = taker(self.trick, self.trump)
        self.takers.append(self.on_turn)
        self.trick = []

    def _next(self) -> str:
        place = CLOCKWISE.index(self.on_turn)
        while True:
            place = (place + 1) % 4
            # B30, K14: who does not play this hand is passed over.
            if CLOCKWISE[place] in self.players:
                return CLOCKWISE[place]
