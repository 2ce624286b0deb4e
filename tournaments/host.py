"""
A referee that is up, with the bots of a league: what the runner plays on.
"""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import secrets
from pathlib import Path
from typing import TYPE_CHECKING

import trio

from referee.door import Door, DoorClosed
from referee.hall import FinishedGame, InstanceKey
from referee.keeper import BotProcess
from referee.opening import open_table
from referee.record import GameRecord
from referee.rules.deal import Ending
from referee.rules.game import Outcome
from referee.server import Bot, RefereeServer, token_hash
from tournaments.pairing import instances_for
from tournaments.uploads import discard

if TYPE_CHECKING:
    from collections.abc import Iterable

    from referee.launch import Launcher
    from tournaments.league import Entrant, League
    from tournaments.pairing import Fixture
    from tournaments.store import Bot as StoredBot
    from tournaments.store import Run
    from tournaments.uploads import Ready, Workshop


class Host:
    """
    A referee with its bots. Made by `hosting.open_host`; used from trio.
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
