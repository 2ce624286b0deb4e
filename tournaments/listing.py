"""
Lists games, a line for each bot of each: what statistics are made of, before they are. Pure.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from referee.seats import SEATS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from tournaments.games import GameRow
    from tournaments.tally import Tally


_LEFT = frozenset({0, 1, 2, 8})
"""Columns of words."""


class Line(NamedTuple):
    """
    What a game came to for one bot.
    """

    game: str
    """Id of its fixture."""
    match: str
    set: int
    sitting: int
    """From 1, in its set."""
    bot: str
    seats: str
    """Those of the bot, as letters."""
    points: int
    """Final points of its side."""
    margin: float | None
    """In points, as standings count it; None of a void game."""
    place: int
    ending: str
    forfeited: bool
    """Through this bot."""
    reneges: int
    """That were caught, of this bot."""
    faults: int
    counted: bool
    """Whether the game is in the standings: it is not void, nor beyond the end of its match."""

    @property
    def penalised(self) -> bool:
        """
        Whether the referee had anything to rule against the bot.
        """
        return bool(self.reneges or self.faults or self.forfeited)


def lines(tally: Tally, rows: Iterable[GameRow]) -> Iterator[Line]:
    """
    Yield a line for each bot of each game, in the order of *rows* and of the seats.

    Args:
        tally: Of all games of the run: it knows which matches have ended early.
        rows: The games.
    """
    side_of = {seat: side for side, seats in enumerate(tally.league.sides) for seat in seats}
    for row in rows:
        counted = not (row.void or tally.is_beyond(row))
        margins = {} if row.void else tally.margins_of(row)
        for bot in dict.fromkeys(row.seats):
            seats = [seat for seat in SEATS if row.seats[seat] == bot]
            side = side_of[int(seats[0])]
            yield Line(
                game=row.fixture,
                match=row.match_id,
                set=row.set_number,
                sitting=row.sitting + 1,
                bot=bot,
                seats="".join(seat.letter for seat in seats),
                points=row.scores[side],
                margin=margins.get(bot),
                place=row.places[side],
                ending=row.ending,
                forfeited=side in row.forfeits and tally.to_blame(row, side, bot),
                reneges=sum(row.reneges[seat] for seat in seats),
                faults=sum(row.faults[seat] for seat in seats),
                counted=counted,
            )


def plain(found: Iterable[Line]) -> str:
    """
    Return lines as a table for people.
    """
    table = [("game", "bot", "seats", "points", "margin", "place", "ren", "flt", "ended")]
    table += [
        (
            line.game,
            line.bot,
            line.seats,
            str(line.points),
            "-" if line.margin is None else f"{round(line.margin, 1):+g}",
            str(line.place),
            str(line.reneges),
            str(line.faults),
            _ended(line),
        )
        for line in found
    ]
    widths = [max(map(len, column)) for column in zip(*table, strict=True)]
    rows = [
        "  ".join(
            cell.ljust(width) if place in _LEFT else cell.rjust(width)
            for place, (cell, width) in enumerate(zip(cells, widths, strict=True))
        ).rstrip()
        for cells in table
    ]
    return "\n".join([rows[0], "-" * max(map(len, rows)), *rows[1:]]) + "\n"


def _ended(line: Line) -> str:
    """
    Say how a game ended for a bot.
    """
    ended = "forfeited" if line.forfeited else line.ending
    return ended if line.counted or line.ending == "void" else f"{ended}, not counted"
