"""
Rulings in plain English, for people and for the logs of bots.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from referee.rules.actions import Play
from referee.rules.judge import Code, Ruling
from referee.rules.reasons import EXPECTED

if TYPE_CHECKING:
    from referee.rules.deal import Phase
    from referee.seats import Seat

_MISSING = {
    Code.TIMEOUT: "did not answer in time",
    Code.GONE: "was not there to answer",
    Code.UNREADABLE: "sent an answer without an action that is known here",
}


def sentence(ruling: Ruling, phase: Phase | None, *, public: bool) -> str:
    """
    Return *ruling* in words: what was tried, why it is not legal, what was done.

    Args:
        ruling: The ruling.
        phase: What was asked; None where that plays no part.
        public: For everybody at the table. Such a sentence names no card that was
            refused, and no card that was not played face up (7.5/9).
    """
    who = ruling.seat.name.capitalize()
    code = ruling.code
    asked = f", asked {EXPECTED[phase]}" if phase is not None else ""
    if code in _MISSING:
        return f"{who}{asked}, {_MISSING[code]}. {_done(ruling, public)}"
    if code is Code.ILLEGAL:
        if public:
            return f"{who}{asked}, gave an answer that is not legal. {_done(ruling, public)}"
        return f'{who} answered "{ruling.tried}": {ruling.why}. {_done(ruling, public)}'
    if code is Code.FORFEIT:
        return f"{who} has had too many faults and forfeits the game."
    return _on_cards(ruling, who, public)


def _on_cards(ruling: Ruling, who: str, public: bool) -> str:
    """
    A sentence about a renege or a challenge.
    """
    cost = f"{ruling.penalty} point{'' if ruling.penalty == 1 else 's'}"
    code = ruling.code
    if code is Code.RENEGE:
        if public:
            return f"{who} reneged: {cost}. The referee played {_card(ruling)} instead."
        return (
            f"{who} reneged with {ruling.card}: {ruling.why}. That costs {cost}, and the referee "
            f"played {_card(ruling)} instead."
        )
    if code is Code.STOOD:
        why = "" if public else f": {ruling.why}"
        return f"{who} reneged with {ruling.card}{why}. The card stands and costs {cost}."
    whom = _name(ruling.challenged)
    play = f"{whom}'s card in trick {ruling.trick}"
    if code is Code.UPHELD:
        return f"{who} challenged {play}, and was right: a renege. That costs {whom} {cost}."
    if code is Code.FALSE_CHALLENGE:
        return f"{who} challenged {play}, and was wrong: it was legal. That costs {who} {cost}."
    return f"{who} challenged {play}, which cannot be judged or has been: nothing happens."


def _name(seat: Seat | None) -> str:
    return seat.name.capitalize() if seat is not None else "nobody"


def _card(ruling: Ruling) -> str:
    return str(getattr(ruling.substitute, "card", "nothing"))


def _done(ruling: Ruling, public: bool) -> str:
    substitute = ruling.substitute
    if substitute is None:
        return "Nothing else happens."
    if isinstance(substitute, Play):
        return f"The referee played {substitute.card} instead."
    if public and hasattr(substitute, "card"):  # face down
        return "The referee chose a card instead."
    return f'The referee took this for "{substitute}".'
