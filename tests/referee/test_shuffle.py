"""
Decks: derived as docs/shuffle.md says, each from its own key, unbiased.
"""

from __future__ import annotations

import collections
import hashlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from referee.cards import CARDS, DECK, Card, Suit
from referee.seats import SEATS, Seat
from referee.shuffle import (
    DISGUISES,
    commitment,
    disguised,
    first_dealer,
    key_of_set,
    secret_from_seed,
    shuffled,
)


def by_the_book(cards: list[Card], secret: bytes, set_id: str, deal: int) -> list[Card]:
    """
    The words of docs/shuffle.md once more, with none of the project's code.
    """
    key = hashlib.sha256(b"euchre-referee shuffle 1\x00" + secret + set_id.encode()).digest()
    stream = b"".join(
        hashlib.sha256(key + deal.to_bytes(4, "big") + block.to_bytes(4, "big")).digest()
        for block in range(64)
    )
    deck, at = list(cards), 0
    for place in reversed(range(1, len(deck))):
        while stream[at] >= 256 - 256 % (place + 1):
            at += 1
        other = stream[at] % (place + 1)
        at += 1
        deck[place], deck[other] = deck[other], deck[place]
    return deck


@given(st.binary(min_size=32, max_size=32), st.text(max_size=40), st.integers(1, 2**32 - 1))
def test_a_deck_is_what_the_document_says(secret: bytes, set_id: str, deal: int) -> None:
    """
    Two independent readings of the document deal the same cards.
    """
    expected = by_the_book(list(DECK), secret, set_id, deal)

    assert expected == list(shuffled(DECK, key_of_set(secret, set_id), deal))


@given(st.integers(0, 2**32 - 1), st.sampled_from([24, 25, 48, 49]))
def test_shuffling_keeps_the_cards(deal: int, size: int) -> None:
    """
    Nothing is lost and nothing is added, whatever the size of the deck.
    """
    cards = (list(DECK) * 2 + [Card.JOKER])[:size]

    assert sorted(cards) == sorted(shuffled(cards, bytes(32), deal))


def test_vector() -> None:
    """
    A fixed vector, so that a change of the derivation cannot go unseen.
    """
    secret = secret_from_seed("example")
    key = key_of_set(secret, "anna/bert/1")
    deck = " ".join(card.code for card in shuffled(DECK, key, 1))

    assert VECTOR == (commitment(secret), first_dealer(key).letter, deck)


VECTOR = (
    "ab0b0477c98c197e6a444dfc74a16da0979ec9a7df20fc11453f705269e499e7",
    "N",
    "QC QH 9H TD TH 9C QD AD JD JH AH AS KH KS KC KD JS AC TS QS JC 9S 9D TC",
)


@pytest.mark.slow
def test_neighbours_share_nothing() -> None:
    """
    Seeds 0 to 99, sets 1 to 20, deals 1 to 50: 100,000 decks, and none comes twice.
    """
    seen = set()
    for seed in range(100):
        secret = secret_from_seed(str(seed))
        for number in range(1, 21):
            key = key_of_set(secret, f"a/b/{number}")
            for deal in range(1, 51):
                seen.add(bytes(shuffled(DECK, key, deal)))

    assert 100_000 == len(seen)


def test_every_place_is_equally_likely() -> None:
    """
    Chi-square of card by place over 20,000 decks: 529 degrees of freedom, below 5 sigma.
    """
    counts = collections.Counter()
    decks = 20_000
    for deal in range(1, decks + 1):
        for place, card in enumerate(shuffled(DECK, b"k" * 32, deal)):
            counts[place, card] += 1
    expected = decks / 24
    chi2 = sum((n - expected) ** 2 / expected for n in counts.values())
    freedom = 23 * 23

    assert chi2 < freedom + 5 * (2 * freedom) ** 0.5


def test_first_dealer_is_uniform() -> None:
    """
    Each seat deals first in a quarter of the sets (cases R13).
    """
    sets = 20_000
    counts = collections.Counter(first_dealer(key_of_set(bytes(32), str(n))) for n in range(sets))

    assert set(SEATS) == set(counts)
    assert all(abs(counts[seat] - sets / 4) < 4 * (sets * 3 / 16) ** 0.5 for seat in Seat)


def test_disguises_keep_the_game() -> None:
    """
    Each disguise is a permutation that keeps ranks, colour pairs and the Joker.
    """
    colour = {Suit.CLUBS: 0, Suit.SPADES: 0, Suit.DIAMONDS: 1, Suit.HEARTS: 1}

    assert 8 == len(set(DISGUISES))
    for number in range(8):
        image = dict(zip(CARDS, disguised(CARDS, number), strict=True))
        assert set(CARDS) == set(image.values())
        assert Card.JOKER is image[Card.JOKER]
        for a in DECK:
            assert a.rank is image[a].rank
            for b in DECK:
                assert (colour[a.suit] == colour[b.suit]) == (
                    colour[image[a].suit] == colour[image[b].suit]
                )
                assert (a.suit is b.suit) == (image[a].suit is image[b].suit)


def test_disguise_zero_changes_nothing() -> None:
    """
    Number 0 is the deck itself.
    """
    assert CARDS == disguised(CARDS, 0)
