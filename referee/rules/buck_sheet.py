"""
The rule sheet of Buck Euchre.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from referee.rules.options import BothAtZero, SetMode
from referee.rules.points import Point, Section, count, renege_points

if TYPE_CHECKING:
    from referee.rules.options import BuckRules

_MISSED = {
    SetMode.FLAT: "5 points",
    SetMode.ADDITIVE: "5 points, less the tricks taken",
    SetMode.ADDITIVE_STACK: "5 points, less the tricks taken; a caller without a trick gets 10",
}

_SEVERAL = {
    BothAtZero.LOWEST_THEN_EXTRA_HAND: (
        "the lowest score wins; if that is shared, another deal is played"
    ),
    BothAtZero.CALLER_FIRST: (
        "the caller wins if among them, else the lowest score; if that is shared, another deal "
        "is played"
    ),
    BothAtZero.SEAT_ORDER: "the first of them from the dealer's left wins",
    BothAtZero.SHARED: "all of them win together",
}


def buck_sheet(rules: BuckRules) -> tuple[Section, ...]:
    """
    Return the whole game as *rules* play it, in play order.
    """
    return (
        Section("The game", _game(rules)),
        Section("The deal", _deal(rules)),
        Section("Trump", _trump(rules)),
        Section("Dropping out", _drops(rules)),
        Section("Play", _play()),
        Section("Reneges", _reneges(rules)),
        Section("Score", _score(rules)),
        Section("The end", _end(rules)),
    )


def _game(rules: BuckRules) -> tuple[Point, ...]:
    return (
        Point("Four players, each for themselves."),
        Point(
            f"Everybody starts with {count(rules.start_score, 'point')}. The first at zero wins.",
            ("start_score",),
        ),
    )


def _deal(rules: BuckRules) -> tuple[Point, ...]:
    first = rules.first_dealer
    who = "is drawn with the cards" if first is None else f"is {first.name.capitalize()}"
    return (
        Point(
            "24 cards, nine to ace. The dealer deals 5 to each, two and then three, beginning at "
            "the left, and turns up the next. Three cards stay unseen."
        ),
        Point(f"The first dealer {who}; after each deal it is the next.", ("first_dealer",)),
    )


def _trump(rules: BuckRules) -> tuple[Point, ...]:
    club = "Nobody takes it up"
    if rules.club_dealer_picks_up:
        club = "The dealer takes it up and discards a card face down"
    which = "any suit" if rules.allow_turned_down_suit else "another suit than that turned down"
    return (
        Point(
            f"A club turned up is trump at once. {club}, there is no caller, nobody may drop out.",
            ("club_dealer_picks_up",),
        ),
        Point(
            "Otherwise, from the dealer's left, each player passes or orders the turned card up. "
            "Its suit is then trump, who ordered is the caller, and the dealer takes the card up "
            "and discards one face down (that card too)."
        ),
        Point(
            f"If all four pass, each passes or names {which} in the same order: that is trump, and "
            "who named it is the caller. Nobody takes up the card.",
            ("allow_turned_down_suit",),
        ),
        Point("If all four pass again, there is no trump and no caller."),
        Point(
            "Trump, from the top: jack of trump, jack of the other suit of its colour (which "
            "belongs to trump), ace, king, queen, ten, nine. Other suits, and all without trump: "
            "ace, king, queen, jack, ten, nine."
        ),
    )


def _drops(rules: BuckRules) -> tuple[Point, ...]:
    who = "each player" if rules.caller_may_drop else "each player but the caller"
    points = [
        Point(
            f"From the dealer's left, {who} stays in or drops out, aloud and for this deal.",
            ("caller_may_drop",),
        )
    ]
    if rules.caller_may_drop:
        points.append(
            Point(
                "A caller who drops out owes nothing, nor does anybody owe three.",
                ("caller_may_drop",),
            )
        )
    if not rules.no_trump_drop_allowed:
        points.append(Point("Without trump nobody may drop out.", ("no_trump_drop_allowed",)))
    points += [
        Point("Who is left alone is credited with 5 tricks, unplayed."),
        Point("With nobody in, the deal is void: no score changes."),
    ]
    return tuple(points)


def _play() -> tuple[Point, ...]:
    return (
        Point("The first player in from the dealer's left leads to the first trick, any card."),
        Point("Follow the suit led if you can, else play any card."),
        Point("The highest trump takes the trick, else the highest card of the suit led."),
        Point("The winner of a trick leads next. All five tricks are played."),
    )


def _reneges(rules: BuckRules) -> tuple[Point, ...]:
    return renege_points(
        rules.renege_mode,
        rules.renege_penalty,
        rules.false_challenge_penalty,
        to_whom="added to the score",
    )


def _score(rules: BuckRules) -> tuple[Point, ...]:
    return (
        Point("The caller owes 3 tricks, everybody else who is in owes 1."),
        Point("Who takes what is owed, or more: a point off for each trick."),
        Point(f"Who takes fewer gets {_MISSED[rules.set_mode]}.", ("set_mode",)),
        Point("Who dropped out neither gains nor loses. Scores have no limits."),
    )


def _end(rules: BuckRules) -> tuple[Point, ...]:
    alone = "with somebody else in the deal"
    if not rules.sweep_requires_opponent:
        alone = "alone in the deal too"
    limit = "There is no limit of deals."
    if rules.max_hands is not None:
        limit = (
            f"After {count(rules.max_hands, 'scored deal')} the lowest score wins; equal lowest "
            "scores share."
        )
    return (
        Point(f"Who takes all 5 tricks, {alone}, wins at once.", ("sweep_requires_opponent",)),
        Point(
            f"Otherwise who has zero or less after a deal wins. If several have, "
            f"{_SEVERAL[rules.both_at_zero]}.",
            ("both_at_zero",),
        ),
        Point(limit, ("max_hands",)),
    )
