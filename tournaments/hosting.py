"""
How the host of a league is opened and closed, and what is made sure of before.

The door to asyncio, the server behind it and the local bots are opened in this
order, and closed in the other, whatever happens in between.
"""

from __future__ import annotations

import contextlib
import resource
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import trio

from referee.background import background
from referee.door import Door, DoorClosed, open_door
from referee.errors import ConfigError
from referee.folders import private_folder
from referee.launch import check_command, open_launcher
from referee.server import RefereeServer, Settings, load_tls
from tournaments.host import Host
from tournaments.serving import Serving
from tournaments.tokens import kept_token
from tournaments.uploads import open_workshop

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Collection

    from referee.hall import InstanceKey
    from referee.office import Office
    from tournaments.league import Entrant, League
    from tournaments.store import Run

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
