"""
Decks from keys: committed before the first deal, revealed after the last.

Every deck of a league derives from one secret. A stream of bytes is SHA-256 in
counter mode over (secret, set, deal); the deck is shuffled by Fisher-Yates with
bytes of that stream, and bytes that would favour a card are rejected.
`docs/shuffle.md` says the same in enough detail to redo it in any language.
"""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, TypeVar

from referee.cards import CARDS, Card, Suit
from referee.seats import SEATS, Seat

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

T = TypeVar("T")

SECRET_BYTES = 32
_LABEL = b"euchre-referee shuffle 1\0"


def commitment(secret: bytes) -> str:
    """
    Return what is published before the first deal: SHA-256 of *secret*, in hexadecimal.
    """
    return hashlib.sha256(secret).hexdigest()


def secret_from_seed(seed: str) -> bytes:
    """
    Return the 32-byte secret of a repeatable run; whoever knows *seed* knows all decks.
    """
    return hashlib.sha256(b"euchre-referee seed 1\0" + seed.encode()).digest()


def key_of_set(secret: bytes, set_id: str) -> bytes:
    """
    Return the 32-byte key that all sittings of a set share, and nobody else has.
    """
    return hashlib.sha256(_LABEL + secret + set_id.encode()).digest()


def shuffled(cards: Sequence[T], key: bytes, deal: int) -> tuple[T, ...]:
    """
    Return *cards* in the order of deal number *deal* (from 1, redeals included).

    Fisher-Yates from the last place down: for place i, a byte b of the stream
    below the greatest multiple of i + 1 that fits into 256 picks place
    b mod (i + 1); other bytes are skipped.

    Args:
        cards: At most 256 of them.
        key: Of the set, from `key_of_set`.
        deal: Number of the deal in its game.
    """
    deck = list(cards)
    stream = _stream(key, deal)
    for place in range(len(deck) - 1, 0, -1):
        count = place + 1
        limit = 256 - 256 % count
        byte = next(stream)
        while byte >= limit:
            byte = next(stream)
        other = byte % count
        deck[place], deck[other] = deck[other], deck[place]
    return tuple(deck)


def first_dealer(key: bytes) -> Seat:
    """
    Return the seat that deals first in a set: the first byte of deal 0, modulo 4.
    """
    return SEATS[next(_stream(key, 0)) % 4]


def _stream(key: bytes, deal: int) -> Iterator[int]:
    """
    Yield the bytes of SHA-256(key, deal, block) for blocks 0, 1, 2 ...
    """
    prefix = key + deal.to_bytes(4, "big")
    block = 0
    while True:
        yield from hashlib.sha256(prefix + block.to_bytes(4, "big")).digest()
        block += 1


def _disguises() -> tuple[tuple[Card, ...], ...]:
    """
    Tables from card to card, for the eight suit permutations that keep colour pairs.
    """
    c, d, h, s = Suit
    tables = []
    for black in ((c, s), (s, c)):
        for red in ((d, h), (h, d)):
            for pairs in ((black, red), (red, black)):
                # CLUBS and SPADES go to the first pair, DIAMONDS and HEARTS to the second.
                image = {c: pairs[0][0], s: pairs[0][1], d: pairs[1][0], h: pairs[1][1]}
                table = [Card.NINE_OF_CLUBS]  # place 0 belongs to no card
                for card in CARDS:
                    if card.suit is None:
                        table.append(card)
                    else:
                        table.append(Card(card + 6 * (image[card.suit] - card.suit)))
                tables.append(tuple(table))
    return tuple(tables)


DISGUISES = _disguises()
"""By number, 0 to 7, a table from card to card; 0 changes nothing (architecture, decision 10)."""


def disguised(deck: Sequence[Card], disguise: int) -> tuple[Card, ...]:
    """
    Return *deck* in other suits: the same deal to the rules, other cards to a memory.
    """
    table = DISGUISES[disguise]
    return tuple(table[card] for card in deck)
