"""
What the commands do that take long: play a run, host an open league.

Nothing here prints results; the command lines do.
"""

from __future__ import annotations

import itertools
import signal
import sys
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import structlog
import trio

from referee.background import background
from referee.errors import ConfigError
from tournaments import metrics
from tournaments.admissions import Admissions
from tournaments.arrivals import Arrivals
from tournaments.games import game_row
from tournaments.hosting import Places, open_host
from tournaments.office import OPERATOR, LeagueOffice
from tournaments.pairing import count, fixtures
from tournaments.progress import Progress
from tournaments.runner import Played, Runner
from tournaments.runs import listens_at
from tournaments.serving import Serving
from tournaments.store import RESULTS, NewGame, Run, Store
from tournaments.tally import Tally
from tournaments.tokens import kept_token

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Iterator, Sequence

    from referee.door import Door
    from tournaments.host import Host
    from tournaments.league import League
    from tournaments.pairing import Fixture
    from tournaments.store import Bot


@dataclass(frozen=True, slots=True)
class Ended:
    """
    How the playing of a run ended.
    """

    interrupted: bool
    """Somebody wanted it to stop before all games were played."""
    void: int
    """Games that are void because the referee failed."""


async def play_run(
    league: League,
    store: Store,
    run: Run,
    how: Serving | None = None,
    *,
    tables: int | None = None,
) -> Ended:
    """
    Play all games of a run that are not stored yet.

    The first SIGINT or SIGTERM lets the games in progress end, the second stops at once.

    Args:
        league: What is played.
        store: Where games go.
        run: Its run.
        how: How it is served; None: with the defaults.
        tables: Games at once; None: what the league says.

    Raises:
        ConfigError: A bot cannot be started, or an address cannot be listened at.
        StoreError: A game cannot be stored.
    """
    done = await trio.to_thread.run_sync(_done, league, store, run)
    so_far = await trio.to_thread.run_sync(_so_far, league, store, run)
    progress = Progress(sys.stderr, count(league), len(done))
    how = how or Serving()
    structlog.contextvars.bind_contextvars(league=league.id, run=run.number)
    if not league.open and _is_over(league, done, so_far):
        # Stopped between the last game and the end, for which no bot has to be there.
        await trio.to_thread.run_sync(store.finish, run)
        return Ended(interrupted=False, void=0)
    listen = how.listen or listens_at(league)
    async with open_host(league, run, places(league, run), how, listen=listen) as host:
        runner = _runner(host, store, tables or league.tables, progress, so_far)
        async with _interruptible(runner, host, progress, how.drain):
            await _wait_for_bots(host, progress)
            progress.begin()
            if league.format == "swiss":
                await runner.run(_rounds(league, host, store, done))
            else:
                await runner.run(_left(league, done, so_far, progress.spare))
    progress.close()
    # An open league may have newcomers, and they need decks that nobody knows.
    if not runner.draining and not league.open and not _left_void(league, runner):
        await trio.to_thread.run_sync(store.finish, run)
    _log_end(runner)
    return Ended(runner.draining, runner.void)


async def host_open(
    league: League, store: Store, run: Run, how: Serving, *, tables: int | None = None
) -> Ended:
    """
    Host an open league until somebody wants it to stop.

    Whenever bots are connected that have games to play against each other, these
    are played; whoever is submitted is paired with everybody.

    Raises:
        ConfigError: A bot cannot be started, or an address cannot be listened at.
        StoreError: A game cannot be stored.
    """
    done = await trio.to_thread.run_sync(_done, league, store, run)
    structlog.contextvars.bind_contextvars(league=league.id, run=run.number)
    so_far = await trio.to_thread.run_sync(_so_far, league, store, run)
    progress = Progress(sys.stderr, None, len(done))
    bots = await trio.to_thread.run_sync(store.bots, run)
    kept = places(league, run).tokens / f"{OPERATOR}.token"
    admissions = Admissions(how.submission)
    operator = kept_token(kept, OPERATOR)

    def office(host: Host, door: Door) -> LeagueOffice:
        return LeagueOffice(host, door, store, admissions=admissions, operator=operator)

    async with open_host(
        league,
        run,
        places(league, run),
        how,
        listen=how.listen or listens_at(league, hosted=True),
        revoked=[bot.id for bot in bots if bot.revoked is not None],
        make_office=office,
    ) as host:
        for bot in bots:
            if bot.program is not None and bot.revoked is None:
                await _launch(host, bot, bot.program)
            elif bot.token_sha256 is not None and bot.id not in host.names:
                host.admit(bot.id, bot.name, bot.token_sha256)
            if bot.revoked is not None:
                host.expel(bot.id)
        runner = _runner(host, store, tables or league.tables, progress, so_far)
        with metrics.serving(how.metrics, host.server, runner, insecure=how.insecure):
            async with _interruptible(runner, host, progress, how.drain):
                # Not before: whoever reads it may send the signal at once.
                progress.say(f"the operator's token is in {kept}")
                progress.say(f"listening at {host.addresses[-1]}; stop with Ctrl-C")
                await runner.run(_open_fixtures(league, host, done, so_far))
    progress.close()
    _log_end(runner)
    return Ended(interrupted=True, void=runner.void)


async def _launch(host: Host, bot: Bot, program: str) -> None:
    """
    Start an uploaded program again, if programs are still run and this one is still there.

    If not it is one of the league all the same: its games wait for it.
    """
    host.names[bot.id] = bot.name
    log = structlog.get_logger("league")
    if host.workshop is None:
        log.warning("program_not_run", bot=bot.id, why="uploads are off")
        return
    try:
        ready = await host.workshop.unpacked(Path(program))
        host.launch_program(bot.id, bot.name, ready)
    except ConfigError as error:
        log.warning("program_not_run", bot=bot.id, why=str(error))


def places(league: League, run: Run) -> Places:
    """
    Return where a run keeps its files.
    """
    return Places(
        logs=RESULTS / "logs" / f"{league.id}-{run.number}",
        tokens=RESULTS / "tokens" / league.id,
        # Of all runs: a bot is carried over from one to the next.
        programs=RESULTS / "programs" / league.id,
    )


def _done(league: League, store: Store, run: Run) -> set[str]:
    """
    Return the fixtures of a run that need not be played.

    Void games are played again, since whoever goes on has perhaps mended what made them
    so. Not in Swiss rounds: who has met whom since rests on them.
    """
    return store.played_ids(run, void=league.format == "swiss")


def _is_over(league: League, done: set[str], so_far: Tally) -> bool:
    """
    Whether nothing is left to be played.
    """
    if league.format == "swiss":  # who meets whom is seen in games alone
        return len(done) >= count(league)
    return next(_left(league, done, so_far), None) is None


def _left_void(league: League, runner: Runner) -> bool:
    """
    Whether void games of this start are to be played again by the next one.
    """
    return bool(runner.void) and league.format != "swiss"


def _so_far(league: League, store: Store, run: Run) -> Tally:
    """
    Return the tally that says which matches are decided; it is empty if none can be.
    """
    games = store.games(run) if league.stop is not None else ()
    return Tally.of(league, (row for row in games if not row.void))


def _runner(host: Host, store: Store, tables: int, progress: Progress, so_far: Tally) -> Runner:
    log = structlog.get_logger("runner")

    def keep(batch: Sequence[Played]) -> None:
        rows = [game_row(played.fixture, played.game) for played in batch]
        new = store.add_games(
            host.run,
            [
                NewGame(row, played.game.record.to_json())
                for row, played in zip(rows, batch, strict=True)
            ],
        )
        if host.league.stop is not None:
            # In a thread, but in no two at once; the other side only looks a match up.
            for row in itertools.compress(rows, new):
                so_far.add(row)
        for row in rows:
            log.info(
                "game_over",
                fixture=row.fixture,
                seats=row.seats,
                instances=row.instances,
                ending=row.ending,
                scores=row.scores,
                reneges=sum(row.reneges),
                faults=sum(row.faults),
            )

    return Runner(host.play, keep, tables=tables, progress=progress, stored=host.note_stored)


def _log_end(runner: Runner) -> None:
    structlog.get_logger("league").info(
        "league_done",
        games=runner.stored,
        void=runner.void,
        abandoned=runner.abandoned,
        interrupted=runner.draining,
    )


def _left(
    league: League, done: set[str], so_far: Tally, spare: Callable[[], None] = lambda: None
) -> Iterator[Fixture]:
    """
    Yield what is not played yet; whether its match is decided is looked up at the last moment.
    """
    for fixture in fixtures(league):
        if fixture.id in done:
            continue
        if so_far.decided(fixture.match_id):
            spare()
        else:
            yield fixture


async def _rounds(
    league: League, host: Host, store: Store, done: set[str]
) -> AsyncIterator[Fixture]:
    """
    Yield the fixtures of each round once all games of the one before are stored.
    """
    while True:
        seen = host.changes
        tally = await trio.to_thread.run_sync(lambda: Tally.of(league, store.games(host.run)))
        for fixture in fixtures(league, look=tally.look):
            if fixture.id not in done:
                done.add(fixture.id)
                yield fixture
        if len(done) >= count(league):
            return
        while host.changes == seen:
            await host.stored.wait()


async def _open_fixtures(
    league: League, host: Host, done: set[str], so_far: Tally
) -> AsyncIterator[Fixture]:
    """
    Yield fixtures of an open league as they become playable, each once.
    """
    arrivals = Arrivals(league, done)
    while True:
        changed = host.changed
        arrivals.update(host.ready())
        while host.changed is changed:
            fixture = arrivals.next()
            if fixture is None:
                await changed.wait()
                break
            if not so_far.decided(fixture.match_id):
                yield fixture


async def _wait_for_bots(host: Host, progress: Progress) -> None:
    """
    Wait until everybody is there, as long as the league file says.
    """
    league, log = host.league, structlog.get_logger("league")
    house = [entrant for entrant in league.entrants if not entrant.outside]
    outside = [entrant for entrant in league.entrants if entrant.outside]
    for entrant in outside:
        where = places(league, host.run).tokens / f"{entrant.id}.token"
        progress.say(f"waiting for {entrant.id} at {host.addresses[-1]}; its token is in {where}")
    for entrants, seconds in ((house, league.limits.hello), (outside, league.wait)):
        for entrant in await host.wait_for(entrants, seconds):
            log.warning(
                "bot_missing", bot=entrant.id, waited=seconds, here=len(host.present(entrant.id))
            )


@asynccontextmanager
async def _interruptible(
    runner: Runner, host: Host, progress: Progress, seconds: float
) -> AsyncIterator[None]:
    """
    Let the first signal drain *runner*, and the second cancel the body.

    Draining takes *seconds* at most: games that are still in progress then are given up.
    """
    log = structlog.get_logger("league")

    async def drain() -> None:
        await host.drain("the referee shuts down")
        await trio.sleep(seconds)
        runner.abandon()

    async def listen(task_status: trio.TaskStatus[None]) -> None:
        with trio.open_signal_receiver(signal.SIGINT, signal.SIGTERM) as signals:
            task_status.started()
            async for number in signals:
                if runner.draining:
                    nursery.cancel_scope.cancel()
                    return
                runner.drain()
                log.info("draining", signal=signal.Signals(number).name, seconds=seconds)
                progress.say(
                    f"finishing the games in progress, for {seconds:g} seconds at most; "
                    "once more to stop now"
                )
                nursery.start_soon(drain)

    async with background() as nursery:
        await nursery.start(listen)
        yield
