"""
What happened in a game, complete: from it every ruling can be judged again.

A record holds how the game was set up (rules, seating, the key of its set) and
every answer in the order in which it was judged, in the notation of rules.md
7.3 with four words more: `unreadable` and `gone` for answers that were none,
`abandoned` for `gone` when the other sides were all gone too, and `unasked` for
a seat that has forfeited and is played by the referee.
"""

from __future__ import annotations

import enum
import hashlib
import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from referee.notation import line_text
from referee.rules.judge import Code

if TYPE_CHECKING:
    from referee.rules.actions import Answer
    from referee.rules.game import Outcome
    from referee.rules.judge import Ruling
    from referee.seats import Seat

SCHEMA = 1
"""Version of the form that `GameRecord.to_json` writes."""


class Mark(enum.StrEnum):
    """
    What stands in place of an answer where none was judged by itself.
    """

    UNASKED = "unasked"
    """The seat has forfeited; the referee plays its fallback."""
    ABANDONED = "abandoned"
    """The seat is gone, and so are all other sides."""


Entry = tuple["Seat", "Answer | Code | Mark"]
"""Who answered, and what: an answer, a code for the lack of one, or a mark."""


@dataclass(slots=True)
class DealRecord:
    """
    One deal of a game.
    """

    dealer: Seat
    entries: list[Entry] = field(default_factory=list)
    """Every answer, in the order in which they were judged."""
    rulings: list[tuple[int, Ruling]] = field(default_factory=list)
    """Every ruling, with the place of its answer in `entries`."""
    irregular: list[tuple[Seat, int]] = field(default_factory=list)
    """Plays that stood against the rules: seat and trick (challenge mode's unseen reneges)."""
    redeal: bool = False
    """True: thrown in, nothing scored."""
    changes: tuple[int, ...] = ()
    """Points of the deal by side."""
    scores: tuple[int, ...] = ()
    """Points after it by side."""


@dataclass(slots=True)
class GameRecord:
    """
    One game.
    """

    game: str
    """`bid` or `buck`."""
    rules: dict[str, Any]
    """Every option, as in a league file, null for none."""
    set_id: str
    """The set whose key the decks derive from."""
    sitting: int
    """Which sitting of the set, from 0."""
    disguise: int
    """Which suit permutation the decks wear, 0 for none (`referee.shuffle.DISGUISES`)."""
    seats: tuple[str, ...]
    """Ids of the bots, N, E, S, W."""
    instances: tuple[str, ...]
    """Their instances, N, E, S, W."""
    deals: list[DealRecord] = field(default_factory=list)
    outcome: Outcome | None = None
    """How it ended; None while it is in progress."""
    forfeits: tuple[int, ...] = ()
    """Sides that forfeited, in order."""

    def to_json(self) -> dict[str, Any]:
        """
        Return the record as plain values, fit for JSON, with a digest of all of them.
        """
        outcome = self.outcome
        plain = {
            "schema": SCHEMA,
            "game": self.game,
            "rules": self.rules,
            "set": self.set_id,
            "sitting": self.sitting,
            "disguise": self.disguise,
            "seats": list(self.seats),
            "instances": list(self.instances),
            "deals": [_deal_to_json(deal) for deal in self.deals],
            "outcome": outcome
            and {
                "ending": str(outcome.ending),
                "winners": list(outcome.winners),
                "places": list(outcome.places),
            },
            "forfeits": list(self.forfeits),
        }
        return plain | {"digest": digest(plain)}


def digest(plain: dict[str, Any]) -> str:
    """
    Return SHA-256, in hexadecimal, of values as JSON with sorted keys and no spaces.

    It guards what does not follow from the game itself: who sat where, and what was
    answered beside an action where nobody hears it.
    """
    text = json.dumps(plain, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()


def _deal_to_json(deal: DealRecord) -> dict[str, Any]:
    return {
        "dealer": deal.dealer.letter,
        "answers": [entry_text(entry) for entry in deal.entries],
        "rulings": [_ruling_to_json(place, ruling) for place, ruling in deal.rulings],
        "irregular": [f"{seat} {trick}" for seat, trick in deal.irregular],
        "redeal": deal.redeal,
        "changes": list(deal.changes),
        "scores": list(deal.scores),
    }


def entry_text(entry: Entry) -> str:
    """
    Return one answer as text: `E bid 4`, `W play JD challenge N 2`, `S timeout`.
    """
    seat, what = entry
    return f"{seat} {what}" if isinstance(what, Mark) else line_text(seat, what)


def _ruling_to_json(place: int, ruling: Ruling) -> dict[str, Any]:
    """
    A ruling in the form of rules.md 7.5/46, with the place of its answer as `index`.
    """
    code = ruling.code
    row: dict[str, Any] = {"index": place, "seat": ruling.seat.letter, "ruling": str(code)}
    if code in (Code.RENEGE, Code.STOOD):
        row["card"] = ruling.card and ruling.card.code
        row["penalty"] = ruling.penalty
    if ruling.challenged is not None:
        row["challenged"] = ruling.challenged.letter
        row["trick"] = ruling.trick
        if code is not Code.VOID_CHALLENGE:
            row["penalty"] = ruling.penalty
    if ruling.substitute is not None:
        row["substitute"] = str(ruling.substitute)
    return row
