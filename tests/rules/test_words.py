"""
Rulings and lines as text.
"""

from __future__ import annotations

import pytest

from referee.cards import BY_CODE, CARDS
from referee.errors import NotationError
from referee.notation import cards_text, line_text, parse_cards, parse_line
from referee.rules.actions import (
    Answer,
    Bid,
    Challenge,
    Discard,
    Give,
    LastCall,
    NameTrump,
    Pass,
    Play,
)
from referee.rules.deal import Phase
from referee.rules.judge import Code, Ruling
from referee.rules.variants import GAMES
from referee.rules.words import sentence
from referee.seats import Seat

W, N = Seat.WEST, Seat.NORTH
KS, JC = BY_CODE["KS"], BY_CODE["JC"]

SENTENCES = {
    "renege": (
        Ruling(Code.RENEGE, W, 2, KS, Play(JC), tried=Play(KS), why="clubs were led"),
        Phase.PLAY,
        (
            "West reneged with KS: clubs were led. That costs 2 points, and the referee played JC "
            "instead."
        ),
        "West reneged: 2 points. The referee played JC instead.",
    ),
    "stood": (
        Ruling(Code.STOOD, W, 1, KS, tried=Play(KS), why="clubs were led"),
        Phase.PLAY,
        "West reneged with KS: clubs were led. The card stands and costs 1 point.",
        "West reneged with KS. The card stands and costs 1 point.",
    ),
    "illegal bid": (
        Ruling(Code.ILLEGAL, W, substitute=Pass(), tried=Bid(2), why="it is too low"),
        Phase.AUCTION,
        'West answered "bid 2": it is too low. The referee took this for "pass".',
        (
            "West, asked to bid or to pass, gave an answer that is not legal. The referee took "
            'this for "pass".'
        ),
    ),
    "illegal card": (
        Ruling(Code.ILLEGAL, W, substitute=Give(JC), tried=Give(KS), why="KS was not held"),
        Phase.ASK_GIVE,
        'West answered "give KS": KS was not held. The referee took this for "give JC".',
        (
            "West, asked to give a card to the partner, gave an answer that is not legal. The "
            "referee chose a card instead."
        ),
    ),
    "timeout": (
        Ruling(Code.TIMEOUT, W, substitute=Play(JC)),
        Phase.PLAY,
        "West, asked to play a card, did not answer in time. The referee played JC instead.",
        "West, asked to play a card, did not answer in time. The referee played JC instead.",
    ),
    "gone": (
        Ruling(Code.GONE, W, substitute=Discard(JC)),
        Phase.DEALER_DISCARD,
        (
            "West, asked to discard a card, was not there to answer. The referee took this for "
            '"discard JC".'
        ),
        "West, asked to discard a card, was not there to answer. The referee chose a card instead.",
    ),
    "upheld": (
        Ruling(Code.UPHELD, W, 2, challenged=N, trick=3),
        Phase.PLAY,
        (
            "West challenged North's card in trick 3, and was right: a renege. That costs North 2 "
            "points."
        ),
        None,
    ),
    "false challenge": (
        Ruling(Code.FALSE_CHALLENGE, W, 2, challenged=N, trick=3),
        Phase.PLAY,
        (
            "West challenged North's card in trick 3, and was wrong: it was legal. That costs West "
            "2 points."
        ),
        None,
    ),
    "void challenge": (
        Ruling(Code.VOID_CHALLENGE, W, challenged=N, trick=0),
        Phase.LAST_CALL,
        (
            "West challenged North's card in trick 0, which cannot be judged or has been: nothing "
            "happens."
        ),
        None,
    ),
    "forfeit": (
        Ruling(Code.FORFEIT, W),
        None,
        "West has had too many faults and forfeits the game.",
        None,
    ),
}


@pytest.mark.parametrize("name", SENTENCES)
def test_sentences(name: str) -> None:
    """
    A sentence says what was tried, why that is not legal, what was done, and what it costs.
    """
    ruling, phase, own, public = SENTENCES[name]

    assert own == sentence(ruling, phase, public=False)
    assert (public or own) == sentence(ruling, phase, public=True)


@pytest.mark.parametrize("code", Code)
@pytest.mark.parametrize("substitute", [Play(JC), Give(JC), Discard(JC), Pass(), None])
@pytest.mark.parametrize("phase", [*Phase, None])
def test_no_refused_card_is_public(code: Code, substitute: Play, phase: Phase | None) -> None:
    """
    In public no card is named that was refused or lies face down (7.5/9).
    """
    tried = None if code is Code.STOOD else Play(KS)
    ruling = Ruling(
        code, W, 2, None if code is Code.STOOD else KS, substitute, N, 1, tried, "KS was not held"
    )
    words = sentence(ruling, phase, public=True)

    assert "KS" not in words
    if isinstance(substitute, Give | Discard) and code is not Code.RENEGE:
        assert "JC" not in words


LINES = {
    "bid": [
        "E claim", "E decline", "E discard XX", "N pass", "E bid 4", "E bid 0", "E bid 9999",
        "S ask", "W moon", "S trump S", "S give 9C", "W play JD", "E timeout",
        "W play JD challenge N 2", "W play JD challenge N 2 challenge E 0 challenge W 9999",
        "W call", "W call challenge E 12",
    ],
    "buck": [
        "E order", "E pass", "E name H", "N discard TD", "S stay", "S drop", "W play XX",
        "W timeout", "W play 9C challenge N 5", "W call challenge E 1 challenge E 1",
    ],
}  # fmt: skip


@pytest.mark.parametrize(("game", "line"), [(game, line) for game in LINES for line in LINES[game]])
def test_lines_come_back(game: str, line: str) -> None:
    """
    What is read prints back identically, and with more spaces reads the same.
    """
    parsed = parse_line(line, game, challenges=True)

    assert line == line_text(*parsed)
    assert parsed == parse_line(f"  {line.replace(' ', '   ')} ", game, challenges=True)


def test_every_verb_is_tested() -> None:
    """
    The lines above have every verb of each game.
    """
    for name, game in GAMES.items():
        verbs = {line.split()[1] for line in LINES[name]} - {"timeout", "call"}
        assert {kind.verb for kind in game.deal.verbs} == verbs


def test_what_lines_mean() -> None:
    """
    A line is a seat and an answer.
    """
    assert (Seat.EAST, Answer(Bid(4))) == parse_line("E bid 4", "bid")
    assert (Seat.SOUTH, Code.TIMEOUT) == parse_line("S timeout", "bid")
    assert (
        Seat.WEST,
        Answer(Play(BY_CODE["JD"]), (Challenge(Seat.NORTH, 2),)),
    ) == parse_line("W play JD challenge N 2", "bid", challenges=True)
    assert (Seat.WEST, Answer(LastCall())) == parse_line("W call", "buck", challenges=True)
    assert Answer(NameTrump(BY_CODE["9S"].suit)) == parse_line("S trump S", "bid").answer  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("", "must be a seat and a verb"),
        ("E", "must be a seat and a verb"),
        ("NS pass", "unknown seat 'NS'"),
        ("E fly", "unknown verb 'fly'"),
        ("E order", "unknown verb 'order'"),
        ("E call", "unknown verb 'call'"),
        ("E bid", "bid needs an argument"),
        ("E bid four", "'four' is not a number of at most four digits"),
        ("E bid -1", "'-1' is not a number of at most four digits"),
        ("E bid 00", "'00' is not a number of at most four digits"),
        ("E trump X", "unknown suit 'X'"),
        ("E play 10C", "unknown card '10C'"),
        ("E pass 3", "unexpected '3'"),
        ("E timeout now", "unexpected 'now'"),
        ("E play 9C challenge N 1", "unexpected 'challenge'"),
    ],
)
def test_bad_lines(line: str, why: str) -> None:
    """
    What is not in the notation is refused with a reason.
    """
    with pytest.raises(NotationError) as caught:
        parse_line(line, "bid")

    assert why == str(caught.value)


@pytest.mark.parametrize(
    "line",
    [
        "E play 9C N 1",
        "E play 9C challenge",
        "E play 9C challenge N",
        "E play 9C challenge 1 N",
        "E play 9C challenge N 1 challenge",
        "E play 9C challenge N 1 2",
        "E call N 1",
        "E pass challenge N 1",
        "E timeout challenge N 1",
    ],
)
def test_bad_challenges(line: str) -> None:
    """
    A challenge is the word, a seat and a trick, beside `play` and `call` only.
    """
    with pytest.raises(NotationError):
        parse_line(line, "bid", challenges=True)


def test_cards() -> None:
    """
    All 25 cards are read and printed.
    """
    text = cards_text(CARDS)

    assert 25 == len(text.split())
    assert list(CARDS) == parse_cards(text)
    assert [] == parse_cards("  ")
    with pytest.raises(NotationError, match="unknown card '9X'"):
        parse_cards("9C 9X")
