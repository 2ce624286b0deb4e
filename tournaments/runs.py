"""
A run before and after it is played: what is checked, how it begins, and how it is closed.
"""

from __future__ import annotations

import secrets
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import structlog

from referee.errors import ConfigError
from referee.server import check_address, check_free
from referee.shuffle import commitment, secret_from_seed
from tournaments import metrics
from tournaments.hosting import check_bots, settings_of
from tournaments.reading import scheduled_of
from tournaments.tally import Tally
from tournaments.uploads import discard, open_workshop

if TYPE_CHECKING:
    from tournaments.league import League
    from tournaments.serving import Serving
    from tournaments.store import Bot, Run, Store


def check_served(league: League, how: Serving) -> None:
    """
    Refuse what would keep a league from being served, before anything is begun.

    Raises:
        ConfigError: A file of TLS will not do, or tokens would cross a network in the clear.
    """
    settings = settings_of(league, how)
    listen = how.listen or listens_at(league)
    if listen is not None:
        check_address(listen, beyond_loopback=settings.insecure_ok or settings.tls is not None)


def begin(
    store: Store, league: League, text: str, path: str, how: Serving, *, hosted: bool = False
) -> Run:
    """
    Begin a new run, unless it is plain already that it cannot be played.

    One that is hosted begins with the bots that were submitted to the one before, unless
    *how* says that it does not.

    Args:
        store: Where it goes.
        league: What is played; with a seed its decks are repeatable.
        text: The league file, word for word.
        path: Where it lies.
        how: How it will be served.
        hosted: Whether by `host_open`.

    Raises:
        ConfigError: A bot cannot be started, an address cannot be listened at, there can be
            no sandboxes for programs here, or a house bot has the id of one that is carried
            over.
    """
    check_bots(league, path)
    listen = how.listen or listens_at(league, hosted=hosted)
    if listen is not None:
        check_free(listen)
    if hosted and how.metrics is not None:
        metrics.check(how.metrics, insecure=how.insecure)
    with open_workshop(how.uploads, Path()):
        pass  # that is trying it
    before = store.last_entered(league.id) if hosted and how.submission.carry_over else []
    carried = _carried(league, before, path)
    seed = league.seed
    secret = secrets.token_bytes(32) if seed is None else secret_from_seed(seed)
    run = store.new_run(
        league, text=text, secret=secret, commitment=commitment(secret), carried=carried
    )
    for program in store.outdated_programs(league.id):
        discard(program)
    if before:
        structlog.contextvars.bind_contextvars(league=league.id, run=run.number)
        out = {bot.id for bot in before} - {bot.id for bot in carried}
        structlog.get_logger("league").info(
            "bots_carried_over", bots=len(carried), left_out=sorted(out)
        )
    return run


def _carried(league: League, before: list[Bot], path: str) -> list[Bot]:
    """
    Return those of the bots of an earlier run that play in a new one, as their newest versions.

    Raises:
        ConfigError: A house bot has the id of one of them; nobody could tell them apart.
    """
    newest = [bot.renewed() for bot in before]
    carried = [
        bot for bot in newest if bot.revoked is None and (not bot.games or league.game in bot.games)
    ]
    theirs = {bot.id for bot in carried}
    for number, entrant in enumerate(league.entrants, 1):
        if entrant.id in theirs:
            raise ConfigError(
                f"{entrant.id!r} is the id of a bot that was submitted to an earlier run and is "
                "carried over",
                path=path,
                key=f"bots[{number}].id",
                hint="give the house bot another id; or carry nobody over, with "
                "`carry_over = false` under [submission] in the file of --config",
            )
    return carried


def check_same(run: Run, league: League, path: str) -> League:
    """
    Return *league* as it must be to continue *run*.

    Raises:
        ConfigError: It is another league than the run was begun with, or has another seed.
    """
    if run.fingerprint != league.fingerprint():
        raise ConfigError(
            f"has changed since run {run.number} was begun",
            path=path,
            hint="`league run` begins a new run; or put the file back as it was",
        )
    if league.seed is not None and league.seed != run.seed:
        raise ConfigError(
            f"run {run.number} has another seed",
            path=path,
            key="--seed",
            hint="leave --seed out to continue it",
        )
    return league.with_seed(run.seed)


class Closed(NamedTuple):
    """
    What a run lacks that was ended as it is.
    """

    missing: int
    """Games that were not played; only an open league may lack some."""
    void: int
    """Games that are void because the referee failed, and stay so."""


def close(store: Store, league: League, run: Run) -> Closed:
    """
    End a run as it is, so that its decks may be known; nothing more is played in it.

    Raises:
        ConfigError: Games are missing that can be played.
    """
    tally = Tally.of(league, store.games(run))
    missing = scheduled_of(league, store, run) - tally.spared - tally.games - tally.voids
    if missing > 0 and not league.open:
        raise ConfigError(
            f"run {run.number} lacks {missing} of its games", hint="`league resume` plays them"
        )
    if run.finished is None:
        store.finish(run)
    return Closed(missing, tally.voids)


def listens_at(league: League, *, hosted: bool = False) -> str | None:
    """
    Where bots from outside connect; nowhere if there are none and none can come.
    """
    outside = hosted or any(entrant.outside for entrant in league.entrants)
    return league.listen or ("127.0.0.1:50117" if outside else None)
