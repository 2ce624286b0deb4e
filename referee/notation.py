"""
Text <-> cards and actions (rules.md 7.3, 7.5/26-29).

One action is one line, `SEAT VERB [ARGUMENT]`: `E bid 4`, `S trump S`,
`W play JD challenge N 2`. What is read here prints back as it was, but for
spaces. Reading says nothing about legality: `bid 99` is well formed.
"""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from referee.cards import BY_CODE, SUIT_BY_LETTER, Card, Suit
from referee.errors import NotationError
from referee.rules.actions import Action, Answer, Challenge, LastCall, Play
from referee.rules.judge import Code
from referee.rules.variants import GAMES
from referee.seats import BY_LETTER, SEATS, Seat

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

_NUMBER = re.compile("0|[1-9][0-9]{0,3}")
_TIMEOUT = "timeout"
_CHALLENGE = "challenge"
_SITTINGS = "abcd"
"""What the sittings of a set are called; a referee of another version may have more of them."""


def fixture_id(set_id: str, sitting: int) -> str:
    """
    Return how the game of a set is called: `bold:cautious/12b` is the second of the 12th set.
    """
    return set_id + (_SITTINGS[sitting] if 0 <= sitting < len(_SITTINGS) else f"/{sitting}")


class Line(NamedTuple):
    """
    What one line says.
    """

    seat: Seat
    answer: Answer | Code
    """An answer, or `Code.TIMEOUT`."""


def parse_line(line: str, game: str, *, challenges: bool = False) -> Line:
    """
    Read one line.

    Args:
        line: Words with one or more spaces between them.
        game: `bid` or `buck`: a verb of the other game is unknown.
        challenges: Whether the rules hear challenges (mode `challenge`); otherwise
            `call` is an unknown verb and `challenge` an unexpected word.

    Raises:
        NotationError: The line is not in the notation.
    """
    words = _words(line)
    if len(words) < 2:
        raise NotationError("must be a seat and a verb")
    seat = _parse_seat(words[0])
    verb = words[1]
    if verb == _TIMEOUT:
        _end(words[2:])
        return Line(seat, Code.TIMEOUT)
    kind = _VERBS[game].get(verb)
    if kind is None or (kind is LastCall and not challenges):
        raise NotationError(f"unknown verb {verb!r}")
    action, rest = _parse_action(kind, verb, words[2:])
    if challenges and kind in (Play, LastCall):
        return Line(seat, Answer(action, _parse_challenges(rest)))
    _end(rest)
    return Line(seat, Answer(action))


def line_text(seat: Seat, answer: Answer | Code) -> str:
    """
    Return the line that says that *seat* answered *answer*.
    """
    if isinstance(answer, Code):
        return f"{seat} {answer.value}"
    line = _lines(answer.action)[seat]
    if not answer.challenges:
        return line
    return line + "".join(f" {_CHALLENGE} {each.seat} {each.trick}" for each in answer.challenges)


@cache
def _lines(action: Action) -> tuple[str, ...]:
    """
    Return the lines of all seats: a game is written down in a fifth of the time with them.
    """
    return tuple(f"{seat} {action}" for seat in SEATS)


def parse_card(code: str) -> Card:
    """
    Read one of the 25 card codes.

    Raises:
        NotationError: It is none.
    """
    if code not in BY_CODE:
        raise NotationError(f"unknown card {code!r}")
    return BY_CODE[code]


def parse_cards(text: str) -> list[Card]:
    """
    Read cards with spaces between them, in the order given.

    Raises:
        NotationError: One of them is unknown.
    """
    return [parse_card(code) for code in _words(text)]


def cards_text(cards: Iterable[Card]) -> str:
    """
    Return *cards* with one space between them.
    """
    return " ".join([card.code for card in cards])


def _words(text: str) -> list[str]:
    # Not `split()`: only spaces separate, any other white space is part of a word.
    return [word for word in text.split(" ") if word]


def _parse_seat(letter: str) -> Seat:
    if letter not in BY_LETTER:
        raise NotationError(f"unknown seat {letter!r}")
    return BY_LETTER[letter]


def _parse_suit(letter: str) -> Suit:
    if letter not in SUIT_BY_LETTER:
        raise NotationError(f"unknown suit {letter!r}")
    return SUIT_BY_LETTER[letter]


def _parse_number(digits: str) -> int:
    if not _NUMBER.fullmatch(digits):
        raise NotationError(f"{digits!r} is not a number of at most four digits")
    return int(digits)


def _parse_action(kind: type[Action], verb: str, words: list[str]) -> tuple[Action, list[str]]:
    """
    Read the argument of *kind*, if it takes one; return what is left as well.
    """
    parse = _ARGUMENTS.get(kind)
    if parse is None:
        return kind(), words
    if not words:
        raise NotationError(f"{verb} needs an argument")
    return kind(parse(words[0])), words[1:]  # type: ignore[call-arg]  # it takes what is parsed


def _parse_challenges(words: list[str]) -> tuple[Challenge, ...]:
    found = []
    for place in range(0, len(words), 3):
        word, *where = words[place : place + 3]
        if word != _CHALLENGE:
            raise NotationError(f"unexpected {word!r}")
        if len(where) < 2:
            raise NotationError("challenge needs a seat and a trick")
        found.append(Challenge(_parse_seat(where[0]), _parse_number(where[1])))
    return tuple(found)


def _end(words: list[str]) -> None:
    if words:
        raise NotationError(f"unexpected {words[0]!r}")


_VERBS: dict[str, dict[str, type[Action]]] = {
    name: {LastCall.verb: LastCall, **{kind.verb: kind for kind in game.deal.verbs}}
    for name, game in GAMES.items()
}
"""The actions of each game by verb."""

_ARGUMENTS: dict[type[Action], Callable[[str], object]] = {
    kind: parse
    for verbs in _VERBS.values()
    for kind in verbs.values()
    for attribute, parse in (
        ("card", parse_card),
        ("suit", _parse_suit),
        ("number", _parse_number),
    )
    if hasattr(kind, attribute)
}
"""How to read what an action takes, from what it has."""
