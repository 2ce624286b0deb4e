"""
What stands below a table of standings: all that a reader must know to believe it. Pure.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tournaments.pairing import balance, count

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tournaments.league import League
    from tournaments.margins import Stopped
    from tournaments.stopping import Stop
    from tournaments.tally import Tally


_NAMED = 12
"""Matches that are named one by one, at most."""


def notes(
    league: League,
    tally: Tally,
    *,
    commitment: str,
    seeded: bool,
    secret: bytes | None,
    scheduled: int | None,
) -> tuple[str, ...]:
    """
    Return the footnotes, as sentences.

    Args:
        league: What is played.
        tally: What came of it so far.
        commitment: Hash of the secret that the decks derive from.
        seeded: Whether that secret derives from a seed.
        secret: The secret, if it may be shown.
        scheduled: Games that there will be; None if nobody can know.
    """
    return (
        ranking_rule(league),
        *_format(league),
        _mirroring(league),
        *_decks(commitment, seeded=seeded, secret=secret),
        *_rules(league),
        *_stops(league, tally),
        *_games(tally, scheduled),
        *_faults(tally),
        *_instances(league, tally),
    )


def by_rating(league: League) -> bool:
    """
    Return whether bots are ranked, and told apart, by their ratings instead of their margins.

    Margins say nothing where bots have met different opponents: who wins in Swiss rounds is
    given the stronger ones, and in a gauntlet the newcomer alone meets the weak ones.
    """
    return league.format in ("swiss", "gauntlet")


def ranking_rule(league: League) -> str:
    """
    Return the chain that decides the order, in words; `standings` does what it says.
    """
    if by_rating(league):
        return (
            "Ranked and told apart by rating, since not everybody had the same opponents. Then by "
            "margin, the points a game by which a bot is better than its opponents, as a mean "
            "over sets with its 95 % interval, then by share of games won and points for; who is "
            "equal in all of it shares a rank."
        )
    third = "points for" if len(league.sides) == 2 else "mean place"
    return (
        "Ranked by margin: the points a game by which a bot is better than the others, as a mean "
        "over sets with its 95 % interval. Then by share of games won (a draw is half of one), "
        f"then by {third}; who is equal in all three shares a rank."
    )


def _format(league: League) -> Iterator[str]:
    """
    Say who plays whom, unless everybody plays everybody.
    """
    if league.format == "gauntlet":
        yield f"Gauntlet: {league.newcomer} " + (
            "plays against all others, who do not meet each other."
            if league.players == 2
            else "sits at every table, with every three of the others."
        )
    elif league.format == "swiss":
        yield (
            f"Swiss: {_number(league.rounds or 1, 'round')}, in each of which bots meet that stand "
            "alike; nobody meets anybody twice. Whoever is left over, the last and nobody twice, "
            "has no game in that round; the next one is paired as if it had won."
        )
    even = balance(league)
    if even is None:
        return
    opponents = _times(even.opponents)
    if even.partners is not None:
        yield (
            f"Partners change: in each round of all matches any two bots are partners "
            f"{_times(even.partners)} and opponents {opponents}."
        )
    else:
        four = count(league) // (league.sets * league.sittings)
        yield f"A sample of {four} fours, in which any two bots meet {opponents}."


def _times(found: tuple[int, int]) -> str:
    least, most = found
    return f"{_number(least, 'time')}" if least == most else f"{least} to {most} times"


def _mirroring(league: League) -> str:
    if not league.mirrored:
        return "Not mirrored: each game has decks of its own, and is a set of its own."
    text = f"A set is {league.sittings} games with the same decks, one for each seating"
    if league.disguised:
        return text + "; the second wears other suits."
    return text + "."


def _decks(commitment: str, *, seeded: bool, secret: bytes | None) -> Iterator[str]:
    if seeded:
        yield "Decks predictable: they derive from a seed."
    yield f"Commitment to the decks (SHA-256 of their secret): {commitment}"
    if secret is not None:
        yield f"The secret of the decks, now that all are played: {secret.hex()}"


def _rules(league: League) -> Iterator[str]:
    options = league.rules.options()
    if options:
        listed = ", ".join(
            f"{name} = {'none' if value is None else str(value).lower()}"
            if not isinstance(value, str)
            else f"{name} = {value}"
            for name, value in options.items()
        )
        yield f"Rules that differ from the default: {listed}"


def _stops(league: League, tally: Tally) -> Iterator[str]:
    """
    How matches end early, and which did.
    """
    stop = league.stop
    if stop is None:
        return
    yield (
        f"A sequential test ends a match once it is decided whether the first of its two bots "
        f"is better by {stop.high:+g} points a game or more, or by {stop.low:+g} or less "
        f"(errors {100 * stop.alpha:g} % and {100 * stop.beta:g} %, at least "
        f"{_number(stop.min_sets, 'set')}). Sets that were begun beyond that are kept, and counted "
        "nowhere. Margins of such matches are a little too far from the middle."
    )
    ended = [
        f"{match_id} after set {stopped.after} ({_decided(stop, match.bots, stopped)})"
        for match_id, match in sorted(tally.matches.items())
        if (stopped := match.stopped) is not None
    ]
    if ended:
        more = f", and {len(ended) - _NAMED} more" if len(ended) > _NAMED else ""
        yield f"Ended early: {', '.join(ended[:_NAMED])}{more}."
    if tally.waiting:
        yield (
            f"{_number(tally.waiting, 'game')} not counted yet: earlier sets may end the match "
            "before."
        )


def _decided(stop: Stop, bots: tuple[str, ...], stopped: Stopped) -> str:
    """
    Say what a test has decided, by name: which bot is the first of a match, nobody remembers.
    """
    first, second = bots
    if stopped.better:
        return f"{first} is better" if stop.high >= 0 else f"{first} by {stop.high:+g} or more"
    return f"{second} is better" if stop.low <= 0 else f"{first} by {stop.low:+g} or less"


def _games(tally: Tally, scheduled: int | None) -> Iterator[str]:
    played = tally.games + tally.voids
    if scheduled is not None and played < scheduled:
        yield f"{played} of {_number(scheduled, 'game')} played so far."
    if tally.incomplete:
        whose = "its" if tally.incomplete == 1 else "their"
        yield (
            f"{_number(tally.incomplete, 'set')} incomplete: {whose} games are counted, "
            "but not in the margins."
        )
    if tally.forfeited:
        yield (
            f"{_number(tally.forfeited, 'game')} forfeited: such games count, and who forfeits "
            "has the worst score at the table."
        )
    if tally.adjudicated:
        yield (
            f"{_number(tally.adjudicated, 'game')} ended by the number of deals and decided by "
            "the scores."
        )
    if tally.voids:
        yield f"{_number(tally.voids, 'game')} void, because the referee failed; counted nowhere."


def _faults(tally: Tally) -> Iterator[str]:
    unknown = sum(bot.faults - sum(bot.fault_kinds) for bot in tally.bots.values())
    if unknown:
        yield (
            f"{_number(unknown, 'fault')} of unknown kind, in games stored by an earlier version, "
            "which only counted them."
        )


def _instances(league: League, tally: Tally) -> Iterator[str]:
    if tally.whispers:
        yield f"{_number(tally.whispers, 'game')} with both seats of a team on one instance."
    if tally.repeated:
        yield (
            f"{_number(tally.repeated, 'set')} of {tally.sets} in which an instance sat in more "
            f"than one sitting: it met decks again"
            + (", in other suits." if league.disguised else ".")
        )


def _number(count: int, what: str) -> str:
    return f"{count} {what}" if count == 1 else f"{count} {what}s"
