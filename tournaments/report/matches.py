"""
What the pages of matches say: results, how sure they are, and which games are worth a look.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any, NamedTuple

from referee.seats import SEATS
from tournaments.faults import KINDS, NO_FAULTS
from tournaments.ratings import rate
from tournaments.report.charts import signed
from tournaments.report.pages import bots_of, game_file, match_file

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from tournaments.games import GameRow
    from tournaments.league import League
    from tournaments.margins import Stopped
    from tournaments.tally import Tally

MARKS = {
    "renege": "reneges",
    "challenge": "challenges",
    "fault": "faults",
    "forfeit": "forfeits",
    "void": "void",
    "beyond": "not counted",
}
"""What a game may be marked for, and what to call such games."""


class Side(NamedTuple):
    """
    A side of a game: who sat there, and what came of it.
    """

    bots: tuple[str, ...]
    score: int
    won: bool
    forfeited: bool


class Mark(NamedTuple):
    """
    Something that makes a game worth a look.
    """

    kind: str
    """One of `MARKS`."""
    text: str


class GameLine(NamedTuple):
    """
    A game in the list of its match.
    """

    number: int
    """Of its set."""
    sitting: str
    sides: tuple[Side, ...]
    ending: str
    marks: tuple[Mark, ...]
    page: str | None
    """None: it has no page."""


class BotLine(NamedTuple):
    """
    What a bot came to in a match.
    """

    bot: str
    games: int
    won: int
    drawn: int
    lost: int
    margin: float | None
    """None without a complete set."""
    error: float | None
    """Half the width of its 95 % interval."""
    superiority: float | None
    """Likelihood that it is truly better than the next that is no partner of it."""


class MatchLine(NamedTuple):
    """
    A match in the list of all.
    """

    bots: tuple[str, ...]
    """Ids in order; with partners, the first two against the others."""
    partners: bool
    page: str
    sets: int
    """Complete ones."""
    games: int
    leader: str | None
    """Who is ahead, if it is one."""
    margin: str
    stopped: Stopped | None
    """How a sequential test has decided it."""
    beyond: int
    """Games that do not count, since it was decided before."""
    marked: dict[str, int]
    """How many of its games have a mark of each kind."""


def match_line(league: League, match_id: str, tally: Tally, games: Sequence[GameLine]) -> MatchLine:
    """
    Return what stands in the list of matches about one, from its *games*.
    """
    sums = tally.matches.get(match_id)
    leader, margin = None, ""
    if sums is not None and sums.sets:
        best = max(sums.totals)
        ahead = [bot for bot, each in zip(sums.bots, sums.totals, strict=True) if each == best]
        margin = signed(best / (sums.sets * tally.unit), 1)
        leader = ahead[0] if len(ahead) == 1 else None
    return MatchLine(
        bots_of(match_id),
        _partners(league),
        match_file(match_id),
        0 if sums is None else sums.sets,
        len(games),
        leader,
        margin,
        None if sums is None else sums.stopped,
        tally.beyond,
        marked(games),
    )


def _partners(league: League) -> bool:
    """
    Whether a side is two bots.
    """
    return league.players == len(SEATS) and len(league.sides) == 2


def bot_lines(league: League, match_id: str, tally: Tally) -> list[BotLine]:
    """
    Return what the bots of a match came to in it, best first.
    """
    rated = rate(tally)
    order = sorted(
        tally.bots, key=lambda bot: (-rated.means[bot].exact if bot in rated.means else 0, bot)
    )
    sides = [bots_of(match_id)]
    if _partners(league):
        sides = [sides[0][:2], sides[0][2:]]
    found = []
    for place, bot in enumerate(order):
        mean, games = rated.means.get(bot), tally.bots[bot].whole
        partners = next((side for side in sides if len(sides) > 1 and bot in side), ())
        below = next((each for each in order[place + 1 :] if each not in partners), None)
        found.append(
            BotLine(
                bot,
                games.games,
                games.won,
                games.drawn,
                games.lost,
                None if mean is None else mean.mean,
                None if mean is None else mean.error,
                None if mean is None or below is None else rated.difference(bot, below).superiority,
            )
        )
    return found


def game_line(league: League, row: GameRow, *, page: bool, beyond: bool = False) -> GameLine:
    """
    Return what stands in the list of a match about a game.

    Args:
        league: What is played.
        row: The game.
        page: Whether it has a page.
        beyond: Whether a test had decided the match before it.
    """
    sides = []
    for side, seats in enumerate(league.sides):
        bots = dict.fromkeys(row.seats[seat] for seat in seats)
        sides.append(Side(tuple(bots), row.scores[side], side in row.winners, side in row.forfeits))
    return GameLine(
        row.set_number,
        "abcd"[row.sitting],
        tuple(sides),
        row.ending,
        tuple(_marks(league, row, beyond=beyond)),
        game_file(row.fixture) if page else None,
    )


def _marks(league: League, row: GameRow, *, beyond: bool) -> Iterator[Mark]:
    """
    Yield what makes a game worth a look.
    """
    faults = [("fault", "fault", row.faults)]
    if row.fault_kinds != NO_FAULTS:
        faults = [("fault", *each) for each in zip(KINDS, row.fault_kinds, strict=True)]
    counted = (
        ("renege", "renege", row.reneges),
        ("renege", "unpunished renege", row.watch.unpunished),
        ("challenge", "challenge right", row.watch.right),
        ("challenge", "challenge wrong", row.watch.wrong),
        *faults,
    )
    for kind, text, counts in counted:
        who = [
            SEATS[seat].letter + (f"\N{MULTIPLICATION SIGN}{count}" if count > 1 else "")
            for seat, count in enumerate(counts)
            if count
        ]
        if who:
            yield Mark(kind, f"{text} {' '.join(who)}")
    for side in row.forfeits:
        letters = "".join(SEATS[seat].letter for seat in league.sides[side])
        yield Mark("forfeit", f"forfeit {letters}")
    if row.void:
        yield Mark("void", "void")
    if beyond:
        yield Mark("beyond", "not counted")


def rulings(story: Mapping[str, Any]) -> list[tuple[int, int, str]]:
    """
    Return what was ruled in a game, and reneges that nobody saw, in order.

    Args:
        story: As `telling.tell` has it.

    Returns:
        Deal and step, as in the address of the page, and what was ruled.
    """
    found = []
    for deal, told in enumerate(story["deals"], 1):
        for place, step in enumerate(told["steps"], 1):
            said = step.get("r", ())
            if not said and "p" in step and "t" in step:
                said = (f"{SEATS[step['s']].name.capitalize()} {step['t']}, which stands.",)
            found += [(deal, place, text) for text in said]
    return found


def complete(league: League, rows: Iterable[GameRow], *, over: bool) -> set[str]:
    """
    Return the sets whose hands may be shown: nobody will play their decks again.

    Args:
        league: What is played.
        rows: Games of a match, all that are stored.
        over: Whether all games of the run are played.
    """
    stored = Counter(row.set_id for row in rows)
    return {each for each, sittings in stored.items() if over or sittings >= league.sittings}


def chunks(games: Sequence[GameLine], size: int) -> list[Sequence[GameLine]]:
    """
    Return *games* in parts of so many, one at least.
    """
    return [games[start : start + size] for start in range(0, max(1, len(games)), size)]


def marked(games: Iterable[GameLine]) -> dict[str, int]:
    """
    Return how many of *games* have a mark of each kind.
    """
    found = Counter(kind for game in games for kind in {mark.kind for mark in game.marks})
    return {kind: found[kind] for kind in MARKS if found[kind]}
