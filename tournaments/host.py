"""
A referee that is up, with the bots of a league: what the runner plays on.

It opens the door to asyncio, the server behind it and the local bots, in this
order, and closes them in the other, whatever happens in between.
"""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import resource
import secrets
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import trio

from referee.background import background
from referee.door import Door, DoorClosed, open_door
from referee.errors import ConfigError
from referee.folders import private_folder
from referee.hall import FinishedGame, InstanceKey
from referee.keeper import BotProcess
from referee.launch import Launcher, check_command, open_launcher
from referee.opening import open_table
from referee.record import GameRecord
from referee.rules.deal import Ending
from referee.rules.game import Outcome
from referee.server import Bot, RefereeServer, Settings, load_tls, token_hash
from tournaments.pairing import instances_for
from tournaments.serving import Serving
from tournaments.tokens import kept_token
from tournaments.uploads import discard, open_workshop

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Collection, Iterable

    from referee.office import Office
    from tournaments.league import Entrant, League
    from tournaments.pairing import Fixture
    from tournaments.store import Bot as StoredBot
    from tournaments.store import Run
    from tournaments.uploads import Ready, Workshop


_FILES, _FILES_OF_INSTANCE = 64, 4
"""Files that are open at once: for the referee, and for each instance (measured: 20 and 3)."""
_MOST_FILES = 1 << 16
"""More are not asked for without need."""


@dataclass(frozen=True, slots=True)
class Places:
    """
    Where a host keeps its files.
    """

    logs: Path
    """Folder of what the bots print to standard error."""
    tokens: Path
    """Folder of the tokens of bots that connect from outside."""
    programs: Path
    """Folder of the programs that were uploaded."""


class Host:
    """
    A referee with its bots. Made by `open_host`; used from trio.
    """

    def __init__(
        self,
        league: League,
        run: Run,
        door: Door,
        server: RefereeServer,
        launcher: Launcher,
        *,
        workshop: Workshop | None = None,
    ) -> None:
        self.league = league
        self.run = run
        self.addresses = server.addresses
        """Where the server listens."""
        self.names: dict[str, str] = {}
        """Display names by id."""
        self.out: set[str] = set()
        """Ids of those who were taken out."""
        self.changed = trio.Event()
        """Set, and replaced, when an instance comes or goes or a bot is entered."""
        self.stored = trio.Event()
        """Set, and replaced, when games have been stored or a bot was entered."""
        self.changes = 0
        """Grows when games have been stored or a bot was entered: standings are not as before."""
        self.farewell = "the league is over"
        """What bots are told at the end."""
        self._door = door
        self.server = server
        self._launcher = launcher
        self.workshop = workshop
        """Takes in programs; None if none are taken."""
        self._launched: dict[str, tuple[str, ...]] = {}
        self._unpacked: dict[str, Path] = {}
        """By bot, where its program lies."""
        self._present: dict[str, set[str]] = {}
        self._gone: set[InstanceKey] = set()

    # --- bots ----------------------------------------------------------------------------

    def admit(self, bot_id: str, name: str, token_sha256: str) -> None:
        """
        Let a bot connect with its token.
        """
        self.names[bot_id] = name
        self._door.call_soon(self.server.admit, Bot(bot_id, name, token_sha256))
        self._note_change()
        self.note_stored()

    def expel(self, bot_id: str) -> None:
        """
        Take a bot out: it may not connect, and plays no further games.
        """
        self.out.add(bot_id)
        self._door.call_soon(self.server.dismiss, bot_id)
        self._launcher.dismiss(bot_id)
        self._note_change()

    async def remove_program(self, bot: StoredBot) -> None:
        """
        Remove the program of a bot that was taken out, as it was kept and as it lies ready.
        """
        for each in (bot.program, bot.waiting and bot.waiting.program):
            if each:
                discard(each)
        folder = self._unpacked.pop(bot.id, None)
        if folder is not None and self.workshop is not None:
            await trio.to_thread.run_sync(self.workshop.drop, folder)

    def launch(self, entrant: Entrant) -> None:
        """
        Start the processes of a house bot.
        """
        token = secrets.token_urlsafe(32)
        self.admit(entrant.id, entrant.name, token_hash(token))
        process = BotProcess(
            bot_id=entrant.id,
            instance="",
            command=entrant.command or (),
            cwd=Path(entrant.cwd or "."),
            token=token,
            env=dict(entrant.env),
            restarts=self.league.limits.restarts,
            memory_mb=self.league.limits.memory_mb,
        )
        self._start(process, self.league.instances_of(entrant))

    def launch_program(self, bot_id: str, name: str, ready: Ready) -> None:
        """
        Start the processes of an uploaded program, each in a sandbox of its own.

        They get a token that nobody else has; that of its owner lets nobody play.
        """
        assert self.workshop is not None  # noqa: S101  (it has made the program ready)
        token = secrets.token_urlsafe(32)
        self.admit(bot_id, name, token_hash(token))
        process = BotProcess(
            bot_id=bot_id,
            instance="",
            command=ready.program.command,
            cwd=ready.folder,
            token=token,
            restarts=self.league.limits.restarts,
            cell=self.workshop.cell(ready.folder),
        )
        self._unpacked[bot_id] = ready.folder
        self._start(process, ready.program.instances_in(self.league))

    def _start(self, process: BotProcess, count: int) -> None:
        names = tuple(str(number) for number in range(1, count + 1))
        self._launched[process.bot_id] = names
        for name in names:
            self._launcher.start(dataclasses.replace(process, instance=name))

    def present(self, bot_id: str) -> frozenset[str]:
        """
        Return the names of the instances of a bot that are connected.
        """
        return frozenset(self._present.get(bot_id, ()))

    def ready(self) -> list[str]:
        """
        Return who could play: those of whom enough instances are connected.
        """
        needed = self.league.instances_needed
        return [
            bot
            for bot in self.names
            if bot not in self.out and len(self._present.get(bot, ())) >= needed
        ]

    async def wait_for(self, entrants: Iterable[Entrant], seconds: float) -> list[Entrant]:
        """
        Wait until *entrants* are connected with all their instances, at most *seconds*.

        Returns:
            Those that are not.
        """
        wanted = list(entrants)
        with trio.move_on_after(seconds):
            while self._missing(wanted):
                await self.changed.wait()
        return self._missing(wanted)

    def _missing(self, entrants: list[Entrant]) -> list[Entrant]:
        return [
            entrant
            for entrant in entrants
            if len(self._present.get(entrant.id, ())) < self._expected(entrant)
        ]

    def _expected(self, entrant: Entrant) -> int:
        gone = sum(key.bot == entrant.id for key in self._gone)
        return self.league.instances_of(entrant) - gone

    async def give_up_the_gone(self) -> None:
        """
        Wait no longer for programs that are not started again; for ever.
        """
        async for gone in self._launcher.gone:
            key = InstanceKey(gone.process.bot_id, gone.process.instance)
            self._gone.add(key)
            with contextlib.suppress(DoorClosed):
                self._door.call_soon(self.server.give_up, key)
            self._note_change()

    def came_or_went(self, key: InstanceKey, *, connected: bool) -> None:
        """
        Take note that an instance has connected or is away.
        """
        here = self._present.setdefault(key.bot, set())
        (here.add if connected else here.discard)(key.name)
        self._note_change()

    def _note_change(self) -> None:
        self.changed.set()
        self.changed = trio.Event()

    # --- games ---------------------------------------------------------------------------

    def note_stored(self) -> None:
        """
        Take note that what is shown of the league has changed.
        """
        self.changes += 1
        self._door.call_soon(self.server.watchers.changed)
        self.stored.set()
        self.stored = trio.Event()

    async def drain(self, reason: str) -> None:
        """
        Take on nothing new: no bots that have no game in progress, and no submissions.
        """
        self.farewell = reason
        await self._door.run(self.server.drain, reason)

    async def play(self, fixture: Fixture) -> FinishedGame:
        """
        Play one game to its end; void if not even its table can be opened.
        """
        league = self.league
        keys = instances_for(
            fixture,
            {bot: self._instances(bot) for bot in fixture.seats},
            shared=league.shared_instances,
        )
        instances = tuple(key.name for key in keys)
        try:
            table = open_table(
                league.rules,
                self.run.secret,
                fixture.set_id,
                sitting=fixture.sitting,
                disguise=fixture.disguise,
                seats=fixture.seats,
                instances=instances,
                faults_to_forfeit=league.limits.faults_to_forfeit,
            )
        except Exception as error:  # noqa: BLE001  (a bug of ours costs this game only)
            return _unopened(league, fixture, instances, error)
        names = tuple(self.names[bot] for bot in fixture.seats)
        play = functools.partial(self.server.play, shared=league.shared_instances)
        return await self._door.run(play, table, keys, names)

    def _instances(self, bot: str) -> tuple[str, ...]:
        """
        The instances that a bot has: those that were launched, or those that came.

        A bot from outside that is not there is seated all the same, under the names
        that it would have; its games are decided as for anybody who is gone.
        """
        if bot in self._launched:
            return self._launched[bot]
        names = sorted(self.present(bot))
        spare = (str(n) for n in range(1, 10) if str(n) not in names)
        while len(names) < self.league.instances_needed:
            names.append(next(spare))
        return tuple(names)


@asynccontextmanager
async def open_host(
    league: League,
    run: Run,
    places: Places,
    how: Serving | None = None,
    *,
    listen: str | None = None,
    revoked: Collection[str] = (),
    make_office: Callable[[Host, Door], Office] | None = None,
) -> AsyncIterator[Host]:
    """
    Run a referee with the bots of *league* for the time of the body.

    Args:
        league: What is played. Its house bots are launched.
        run: Its run; says the secret of the decks.
        places: Where files go.
        how: How it is served; None: with the defaults.
        listen: Where to listen for bots from outside, besides where the house bots connect.
        revoked: Bots of the league that were taken out; they are not launched or let in.
        make_office: Makes what answers the tournament service; None: there is no such office.

    Yields:
        The host, with the house bots connected or on their way.

    Raises:
        ConfigError: A bot cannot be started, or an address cannot be listened at.
    """
    check_bots(league)
    house = [each for each in league.entrants if not each.outside and each.id not in revoked]
    outside = [each for each in league.entrants if each.outside and each.id not in revoked]
    how = how or Serving()
    settings = settings_of(league, how)
    token = trio.lowlevel.current_trio_token()
    made: list[Host] = []

    def note(key: InstanceKey, connected: bool) -> None:
        for host in made:
            host.came_or_went(key, connected=connected)

    def observe(key: InstanceKey, *, connected: bool) -> None:
        # After the end of trio nobody wants to know.
        with contextlib.suppress(trio.RunFinishedError):
            token.run_sync_soon(note, key, connected)

    owner = run.commitment
    with (
        private_folder() as folder,
        open_workshop(how.uploads, places.programs, owner) as workshop,
    ):
        local = f"unix:{folder}/referee.sock" if league.transport == "unix" else "127.0.0.1:0"
        addresses = [listen] if listen else []
        reached = [local, *([f"unix:{workshop.socket}"] if workshop else [])]
        async with open_door() as door:
            server = RefereeServer(addresses, settings, local=reached, observer=observe)
            server.commitment = run.commitment
            try:
                await door.run(server.start)
                async with open_launcher(server.addresses[0], places.logs) as launcher:
                    host = Host(league, run, door, server, launcher, workshop=workshop)
                    made.append(host)
                    if make_office is not None:
                        server.office = make_office(host, door)
                    for entrant in house:
                        host.launch(entrant)
                    for entrant in outside:
                        host.admit(entrant.id, entrant.name, _token_of(entrant, places.tokens))
                    async with background() as watching:
                        watching.start_soon(host.give_up_the_gone)
                        yield host
                    async with trio.open_nursery() as nursery:
                        # Bots that leave when they are told farewell have not died.
                        nursery.start_soon(launcher.stop)
                        await door.run(server.stop, host.farewell)
            finally:
                with trio.CancelScope(shield=True), contextlib.suppress(DoorClosed):
                    await door.run(server.stop)


def check_bots(league: League, path: str = "") -> None:
    """
    Make sure that the house bots can be started, before anything is.

    Args:
        league: Names them.
        path: The file that does, for the error.

    Raises:
        ConfigError: One cannot, or there are more than this system has files for.
    """
    _make_room(league)
    for number, entrant in enumerate(league.entrants, 1):
        if entrant.outside:
            continue
        try:
            check_command(entrant.command or (), Path(entrant.cwd or "."))
        except ConfigError as error:
            key = f"bots[{number}].{error.key}"
            raise ConfigError(error.why, path=path, key=key, hint=error.hint) from None


def _make_room(league: League) -> None:
    """
    Let this process open as many files as it will need.

    With fewer, bots could not be started or let in, and would forfeit for no fault of theirs.

    Raises:
        ConfigError: The system allows fewer.
    """
    instances = sum(league.instances_of(entrant) for entrant in league.entrants)
    needed = _FILES + _FILES_OF_INSTANCE * instances
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    unlimited = resource.RLIM_INFINITY
    if hard != unlimited and hard < needed:
        raise ConfigError(
            f"{instances} instances need {needed} open files, and the system allows {hard}",
            hint="`ulimit -n` says how many, limits.conf or LimitNOFILE allow more",
        )
    if soft != unlimited:
        # An open league does not know how many will come.
        most = _MOST_FILES if hard == unlimited else min(hard, _MOST_FILES)
        resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, needed, most), hard))


def _unopened(
    league: League, fixture: Fixture, instances: tuple[str, ...], error: Exception
) -> FinishedGame:
    """
    Return the void game that is left of a fixture whose table could not be opened.
    """
    return FinishedGame(
        game_id=0,
        record=GameRecord(
            game=league.game,
            rules=league.rules.options(every=True),
            set_id=fixture.set_id,
            sitting=fixture.sitting,
            disguise=fixture.disguise,
            seats=fixture.seats,
            instances=instances,
            outcome=Outcome(Ending.VOID, (), (1,) * len(league.sides)),
        ),
        scores=(0,) * len(league.sides),
        faults=(0,) * len(fixture.seats),
        reneges=(0,) * len(fixture.seats),
        times=([],) * len(fixture.seats),
        error=error,
    )


def settings_of(league: League, how: Serving) -> Settings:
    """
    Return how the server of a league is set up; reads the files of TLS.

    Raises:
        ConfigError: One of them will not do.
    """
    limits = league.limits
    return Settings(
        limits=limits.for_hall(),
        hello=limits.hello,
        max_instances=limits.max_instances,
        faults_to_forfeit=limits.faults_to_forfeit,
        games=frozenset({league.game}),
        submissions_per_minute=how.submission.per_minute,
        submissions_per_minute_in_all=how.submission.per_minute_in_all,
        max_streams=how.streams.in_all,
        max_streams_of_one=how.streams.from_one_address,
        tls=None
        if how.tls is None
        else load_tls(how.tls.certificate, how.tls.key, how.tls.client_ca),
        insecure_ok=how.insecure,
        watch=how.watch,
    )


def _token_of(entrant: Entrant, folder: Path) -> str:
    """
    Return the hash of the token of a bot from outside, which is made if there is none.
    """
    return kept_token(folder / f"{entrant.id}.token", entrant.id)
