"""
What a rule sheet is made of.
"""

from __future__ import annotations

from typing import NamedTuple


class Point(NamedTuple):
    """
    One rule in plain English.
    """

    text: str
    options: tuple[str, ...] = ()
    """The options that it depends on; it is marked if one of them is not the default."""


class Section(NamedTuple):
    """
    Rules that belong together.
    """

    heading: str
    points: tuple[Point, ...]


def count(number: int, what: str) -> str:
    """
    Return a number with its noun.

    >>> count(1, "point"), count(3, "trick")
    ('1 point', '3 tricks')
    """
    return f"{number} {what}{'' if number == 1 else 's'}"


def renege_points(
    mode: str, penalty: int, false_penalty: int, *, to_whom: str
) -> tuple[Point, ...]:
    """
    Return what happens to cards that may not be played: the same in every game.

    Args:
        mode: The `renege_mode`.
        penalty: The `renege_penalty`.
        false_penalty: The `false_challenge_penalty`.
        to_whom: How a penalty is charged, as in "taken from the team's score".
    """
    options = ("renege_mode", "renege_penalty")
    cost = count(penalty, "point")
    points = [
        Point(
            "A renege is a card played that may not be played, held or not. A card that is not "
            "held is always refused."
        )
    ]
    if mode == "challenge":
        points += [
            Point(
                "A held card stands, whatever it is, and nobody is told. Beside any card a player "
                "may challenge opponents' plays of this deal, by seat and trick; after the last "
                "trick everybody who played is asked for challenges once more.",
                options,
            ),
            Point(f"A challenge that is right: {cost} {to_whom} of the offender.", options),
            Point(
                f"A challenge that is wrong: {count(false_penalty, 'point')} {to_whom} of the "
                "challenger. A play is judged once; further challenges of it are void and free.",
                ("renege_mode", "false_challenge_penalty"),
            ),
            Point(f"A card refused: {cost} too, and the first legal card is played.", options),
        ]
    elif mode == "stand":
        points += [
            Point(f"A held card stands and counts: {cost} {to_whom}, at once.", options),
            Point(f"A card refused: {cost} too, and the first legal card is played.", options),
        ]
    else:
        points.append(
            Point(
                f"The card is refused and not shown: {cost} {to_whom}, at once, and the referee "
                "plays the first legal card.",
                options,
            )
        )
    return tuple(points)
