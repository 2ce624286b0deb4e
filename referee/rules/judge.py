"""
Judges answers: what becomes of each, and what it costs (rules.md 2.9, 2.13, 7.2).
"""

from __future__ import annotations

import enum
from typing import TYPE_CHECKING, NamedTuple

from referee.errors import RuleViolation
from referee.rules.actions import LastCall, Play
from referee.rules.deal import Phase
from referee.rules.options import RenegeMode

if TYPE_CHECKING:
    from referee.cards import Card
    from referee.rules.actions import Action, Answer, Challenge
    from referee.rules.deal import Deal
    from referee.seats import Seat


class Code(enum.StrEnum):
    """
    The kinds of rulings on an answer (rules.md 7.4, 7.5/46), and those on the lack of one.
    """

    RENEGE = "renege"
    """A card that may not be played was refused: penalty and substitute."""
    STOOD = "stood"
    """A card that may not be played stands, for a penalty (mode `stand`)."""
    UPHELD = "upheld"
    """A challenge was right."""
    FALSE_CHALLENGE = "false_challenge"
    """A challenge was wrong."""
    VOID_CHALLENGE = "void_challenge"
    """A challenge named nothing that can be judged."""
    ILLEGAL = "illegal"
    """Any other answer that is not legal: the fallback. A fault."""
    TIMEOUT = "timeout"
    """No answer in time: the fallback. A fault."""
    UNREADABLE = "unreadable"
    """An answer without a known action: the fallback. A fault."""
    GONE = "gone"
    """Nobody was there to be asked: the fallback. A fault."""
    FORFEIT = "forfeit"
    """Too many faults in this game (ruled by the table, not by `judge`)."""


FAULTS = frozenset({Code.ILLEGAL, Code.TIMEOUT, Code.UNREADABLE, Code.GONE})
"""The rulings that are faults; reneges are not (rules.md 2.13)."""


class Ruling(NamedTuple):
    """
    One judgement of the referee.
    """

    code: Code
    seat: Seat
    """Whose answer was judged; with a challenge, the challenger."""
    penalty: int = 0
    """Points, never negative."""
    card: Card | None = None
    """`renege`, `stood`: the card that was tried."""
    substitute: Action | None = None
    """What the referee did instead."""
    challenged: Seat | None = None
    """With a challenge: the seat that was challenged."""
    trick: int = 0
    """With a challenge: the trick, from 1."""
    tried: Action | None = None
    """What was answered, where that was not legal; for the offender's eyes, as `card` is."""
    why: str = ""
    """Why it was not, as a clause; it may name a card that was refused."""


def judge(deal: Deal, answer: Answer | Code) -> tuple[Ruling, ...]:
    """
    Judge *answer* for the seat on turn and play on; return what had to be ruled.

    Args:
        deal: An open deal.
        answer: What the seat answered; TIMEOUT, UNREADABLE or GONE where there was no answer.

    Returns:
        Rulings in the order in which they were made (7.5/45); nothing if all was in order.
    """
    if isinstance(answer, Code):
        return (_fall_back(deal, answer),)
    action, challenges = answer
    if not challenges:
        # Almost every answer is this one. The deal checks it, so nothing is checked twice.
        try:
            deal.apply(action)
        except RuleViolation as violation:
            return _refuse(deal, action, str(violation))
        return ()
    rulings = _judge_challenges(deal, action, challenges)
    try:
        deal.apply(action)
    except RuleViolation as violation:
        rulings += _refuse(deal, action, str(violation))
    return rulings


def _fall_back(deal: Deal, code: Code, tried: Action | None = None, why: str = "") -> Ruling:
    seat = _on_turn(deal)
    substitute = deal.fallback()
    deal.apply(substitute)
    return Ruling(code, seat, substitute=substitute, tried=tried, why=why)


def _refuse(deal: Deal, action: Action, why: str) -> tuple[Ruling, ...]:
    """
    Rule on an action that is not legal (2.13, 3.10); only a card in play is a renege (7.5/4).
    """
    if not isinstance(action, Play) or deal.phase is not Phase.PLAY:
        return (_fall_back(deal, Code.ILLEGAL, action, why),)
    seat = _on_turn(deal)
    rules = deal.rules
    card = action.card
    mode = rules.renege_mode
    penalty = rules.renege_penalty
    # A card not held is never accepted, whatever the mode (7.2).
    if mode is RenegeMode.REJECT or card not in deal.hands[seat]:
        substitute = deal.fallback()
        deal.penalise(deal.side_of[seat], penalty)
        deal.apply(substitute)
        return (Ruling(Code.RENEGE, seat, penalty, card, substitute, tried=action, why=why),)
    if mode is RenegeMode.CHALLENGE:
        deal.stand(card)
        return ()
    deal.penalise(deal.side_of[seat], penalty)
    deal.stand(card)
    return (Ruling(Code.STOOD, seat, penalty, card, tried=action, why=why),)


def _judge_challenges(
    deal: Deal, action: Action, challenges: tuple[Challenge, ...]
) -> tuple[Ruling, ...]:
    """
    Judge what stands beside *action*, in the order given, before the action (7.2, 7.5/53).
    """
    heard = (deal.phase is Phase.PLAY and isinstance(action, Play)) or (
        deal.phase is Phase.LAST_CALL and isinstance(action, LastCall)
    )
    if not heard or deal.rules.renege_mode is not RenegeMode.CHALLENGE:
        return ()
    return tuple(_judge_challenge(deal, challenge) for challenge in challenges)


def _judge_challenge(deal: Deal, challenge: Challenge) -> Ruling:
    challenger = _on_turn(deal)
    seat, trick = challenge
    if not deal.may_challenge(challenger, seat, trick):
        return Ruling(Code.VOID_CHALLENGE, challenger, challenged=seat, trick=trick)
    deal.judged.add(challenge)
    if challenge in deal.irregular:
        code, side, penalty = Code.UPHELD, deal.side_of[seat], deal.rules.renege_penalty
    else:
        code, side = Code.FALSE_CHALLENGE, deal.side_of[challenger]
        penalty = deal.rules.false_challenge_penalty
    deal.penalise(side, penalty)
    return Ruling(code, challenger, penalty, challenged=seat, trick=trick)


def _on_turn(deal: Deal) -> Seat:
    if deal.to_act is None:
        raise ValueError("the deal is over, and nobody is on turn")
    return deal.to_act
