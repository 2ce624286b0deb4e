"""
Tells a recorded game so that a card player can read it, trick by trick.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from referee.errors import RecordError
from referee.notation import cards_text
from referee.replay import steps
from referee.rules.actions import NameSuit, NameTrump
from referee.rules.deal import Status
from referee.rules.words import sentence
from referee.seats import SEATS

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from referee.cards import Card
    from referee.record import DealRecord, GameRecord
    from referee.rules.deal import Deal


class _Told(NamedTuple):
    """
    A deal with what it began with.
    """

    hands: tuple[tuple[Card, ...], ...]
    """As dealt."""
    scores: tuple[int, ...]
    """By side, before it."""
    deal: Deal
    log: DealRecord


def story(
    record: Mapping[str, Any],
    secret: bytes,
    names: Sequence[str],
    *,
    faults_to_forfeit: int,
    only: int | None = None,
) -> str:
    """
    Return a game as text.

    Args:
        record: As `GameRecord.to_json` has it.
        secret: Of the league.
        names: What to call the bots, N, E, S, W.
        faults_to_forfeit: Of the league.
        only: Number of the one deal to tell; None for all.

    Raises:
        RecordError: The record does not replay, or has no such deal.
    """
    told: list[_Told] = []
    last = None
    table = None
    for table in steps(record, secret, faults_to_forfeit=faults_to_forfeit):
        deal = table.deal
        if deal is not last:
            last = deal
            hands = tuple(tuple(hand) for hand in deal.hands)
            told.append(_Told(hands, tuple(table.game.scores), deal, table.record.deals[-1]))
    if table is None:
        raise RecordError("the record has no answers")
    if only is not None and not 1 <= only <= len(told):
        raise RecordError(f"there is no deal {only}: the game has {len(told)}")
    lines = [
        f"Game of set {record['set']}, sitting {record['sitting'] + 1}",
        *(f"  {seat} {name}" for seat, name in zip(SEATS, names, strict=True)),
    ]
    for number, each in enumerate(told, 1):
        if only is None or number == only:
            lines += ["", *_deal(number, each)]
    if only is None:
        lines += ["", _end(table.record, told[-1].deal)]
    return "\n".join(lines) + "\n"


def _deal(number: int, told: _Told) -> Iterator[str]:
    deal = told.deal
    yield f"Deal {number}, dealer {deal.dealer}; {_points(deal, told.scores)}"
    for seat in SEATS:
        yield f"  {seat}  {cards_text(told.hands[seat])}"
    if deal.turn_up is not None:
        yield f"  turned up: {deal.turn_up}"
    if deal.calls:
        yield "  " + ", ".join(f"{seat} {_said(action)}" for seat, action in deal.calls)
    yield from _out_of_sight(deal)
    for place, trick in enumerate(deal.tricks, 1):
        cards = "  ".join(
            f"{seat} {card}{'!' if (seat, place) in deal.irregular else ''}"
            for seat, card in zip(trick.seats, trick.cards, strict=True)
        )
        yield f"  {place:2}  {cards:28}" + (
            f"  {trick.winner} takes it" if trick.winner is not None else ""
        )
    for _, ruling in told.log.rulings:
        yield f"  ruling: {sentence(ruling, None, public=False)}"
    if not told.log.scores:
        return  # a forfeit has ended the game before the deal was written down
    if deal.status is Status.REDEAL:
        yield "  thrown in"
    elif deal.status is Status.SCORED:
        changes = ", ".join(
            f"{name} {change:+}" for name, change in zip(deal.side_names, deal.changes, strict=True)
        )
        yield f"  {changes}; {_points(deal, told.log.scores)}"


def _out_of_sight(deal: Deal) -> Iterator[str]:
    """
    What only some of the seats knew.
    """
    if deal.discarded is not None:
        yield f"  {deal.dealer} discarded {deal.discarded}"
    for giver, card in deal.given.items():
        yield f"  {giver} gave {card}"
    if deal.claimed_hand:
        yield f"  claimed: {cards_text(deal.claimed_hand)}"


def _said(action: Any) -> str:
    return f"names {action.suit}" if isinstance(action, NameTrump | NameSuit) else str(action)


def _points(deal: Deal, scores: Sequence[int]) -> str:
    return "score " + ", ".join(
        f"{name} {points}" for name, points in zip(deal.side_names, scores, strict=True)
    )


def _end(record: GameRecord, deal: Deal) -> str:
    outcome = record.outcome
    if outcome is None:
        raise RecordError("the game has no end")
    winners = " and ".join(deal.side_names[side] for side in outcome.winners)
    return f"{winners or 'Nobody'} won ({outcome.ending})."


def seat_names(seats: Sequence[str], names: Mapping[str, str]) -> list[str]:
    """
    Return what to call who sat where: the name, and the id where they differ.
    """
    return [bot if names.get(bot, bot) == bot else f"{names[bot]} ({bot})" for bot in seats]
