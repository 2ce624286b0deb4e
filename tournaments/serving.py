"""
One TOML file -> how a referee is served: where it listens, who may enter, what it tells.

A league file says what is played; whoever plays it again elsewhere needs it word
for word. This file says how one machine hosts it, and nothing in it can change a
result. All of it may be left out:

    league = "tournaments/leagues/open.toml"
    store = "sqlite:///results/open.db"
    listen = "0.0.0.0:50117"           # left out: what the league file says
    insecure = false                   # true: without [tls], tokens cross the network in the clear
    drain = 30.0                       # seconds that games in progress get after SIGTERM
    watch = "anyone"                   # or "bots", "nobody": who may watch standings and games
    metrics = "127.0.0.1:9464"         # Prometheus; left out: none

    [tls]
    certificate = "referee.crt"
    key = "referee.key"
    client_ca = "clients.crt"          # given: clients must show a certificate that it signed

    [submission]
    mode = "open"                      # or "invitation", "closed"
    invitations = "invitations.txt"    # one code a line
    per_minute = 20                    # attempts that one address may make, and
    per_minute_in_all = 120
    carry_over = true                  # false: a new run begins with the house bots alone

    [streams]
    from_one_address = 2048            # of bots; left out: half of all
    in_all = 4096

    [log]
    level = "info"
    format = "auto"                    # or "json", "console"

    [uploads]
    enabled = false                    # true: programs may be sent, and are run in a sandbox
    without_sandbox = false            # true: they run here even where there is no bubblewrap
    user = "nobody"                    # who they run as, when the referee is started as root
    package_mb = 32
    memory_mb = 512                    # for each process group, and
    disk_mb = 256
    processes = 64
    build_seconds = 300
    bots = 64                          # uploaded ones that play at a time

Paths are relative to the file. The store's, like the folder `results/`, is relative to
the working folder.
"""

from __future__ import annotations

import dataclasses
import math
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, cast

from referee import logs
from referee.errors import ConfigError
from tournaments.names import is_address
from tournaments.tables import parsed, read

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tournaments.tables import Table


@dataclass(frozen=True, slots=True, kw_only=True)
class Tls:
    """
    Files, in PEM, of a server that proves who it is.
    """

    certificate: Path
    """Chain of the server, its own first."""
    key: Path
    client_ca: Path | None = None
    """Whose signature the certificates of clients must bear; None: they need none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Submissions:
    """
    Who may enter a bot.
    """

    mode: Literal["open", "invitation", "closed"] = "open"
    invitations: Path | None = None
    """File of invitation codes, one a line; what follows a `#` is a comment."""
    per_minute: int = 20
    """Attempts to enter a bot that one address may make."""
    per_minute_in_all: int = 120
    """The same of all addresses together."""
    carry_over: bool = True
    """Whether the bots of a run that is over are entered into the next one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Streams:
    """
    Streams of bots that may be open.
    """

    from_one_address: int | None = None
    """None: half of all. Unix sockets have no such limit."""
    in_all: int = 4096


@dataclass(frozen=True, slots=True, kw_only=True)
class Uploads:
    """
    Programs that others send, and what each is allowed.
    """

    enabled: bool = False
    without_sandbox: bool = False
    """Whether they are run even where there is no bubblewrap."""
    user: str = "nobody"
    """Who they run as when the referee is started as root."""
    package_mb: int = 32
    memory_mb: int = 512
    disk_mb: int = 256
    processes: int = 64
    build_seconds: int = 300
    bots: int = 64
    """Uploaded bots that may play at a time; each has processes and files of its own."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Logging:
    """
    What is logged, and how.
    """

    level: str = "info"
    format: Literal["auto", "json", "console"] = "auto"
    """`auto`: for people on a terminal, JSON otherwise."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Serving:
    """
    How a referee is served.
    """

    league: Path | None = None
    store: str | None = None
    listen: str | None = None
    """`host:port`; None: what the league file says."""
    insecure: bool = False
    """Whether tokens may cross a network in the clear."""
    drain: float = 30.0
    """Seconds that games in progress get after SIGTERM."""
    watch: Literal["anyone", "bots", "nobody"] = "anyone"
    """Who may watch standings and games."""
    metrics: str | None = None
    """`host:port` of the metrics; None: there are none."""
    tls: Tls | None = None
    submission: Submissions = field(default_factory=Submissions)
    streams: Streams = field(default_factory=Streams)
    log: Logging = field(default_factory=Logging)
    uploads: Uploads = field(default_factory=Uploads)


def load(path: str | Path) -> Serving:
    """
    Return what a file says.

    Raises:
        ConfigError: It cannot be read, or something in it is wrong.
    """
    return parse(read(path), path)


def parse(text: str, path: str | Path) -> Serving:
    """
    Return what *text* says.

    Args:
        text: In TOML.
        path: Where it stands: for errors, and for the folder that its paths begin in.

    Raises:
        ConfigError: Something in it is wrong.
    """
    folder = Path(path).absolute().parent
    with parsed(text, path) as file:
        tls = None
        if "tls" in file.values:
            tls = _tls(file.table("tls"), folder)
        submission = _submissions(file.table("submission", optional=True), folder)
        streams = Streams(
            **_rest(file.table("streams", optional=True), {"from_one_address": int, "in_all": int})
        )
        log = _logging(file.table("log", optional=True))
        uploads = _uploads(file.table("uploads", optional=True))
        league = file.take("league", str)
        watch = _choice(file, "watch", ("anyone", "bots", "nobody"), "anyone")
        listen = _address(file, "listen")
        metrics = _address(file, "metrics")
        rest = file.rest({"store": str, "insecure": bool, "drain": float})
        if not 0 <= rest.get("drain", 0.0) < math.inf:
            raise ConfigError("must be a number of seconds, not negative", key="drain")
        return Serving(
            league=None if league is None else folder / league,
            listen=listen,
            metrics=metrics,
            watch=cast("Any", watch),
            tls=tls,
            submission=submission,
            streams=streams,
            log=log,
            uploads=uploads,
            **rest,
        )


def _tls(table: Table, folder: Path) -> Tls:
    certificate = folder / table.need("certificate", str)
    key = folder / table.need("key", str)
    client_ca = table.take("client_ca", str)
    table.close()
    return Tls(
        certificate=certificate,
        key=key,
        client_ca=None if client_ca is None else folder / client_ca,
    )


def _submissions(table: Table, folder: Path) -> Submissions:
    mode = _choice(table, "mode", ("open", "invitation", "closed"), "open")
    file = table.take("invitations", str)
    rest = _rest(table, {"per_minute": int, "per_minute_in_all": int, "carry_over": bool})
    if mode == "invitation" and file is None:
        raise ConfigError(
            "is missing",
            key="submission.invitations",
            hint="the file that holds the invitation codes, one a line",
        )
    return Submissions(
        mode=cast("Any", mode), invitations=None if file is None else folder / file, **rest
    )


def _logging(table: Table) -> Logging:
    level = _choice(table, "level", logs.LEVELS, "info")
    form = _choice(table, "format", ("auto", "json", "console"), "auto")
    table.close()
    return Logging(level=level, format=cast("Any", form))


def _uploads(table: Table) -> Uploads:
    kinds = {each.name: type(each.default) for each in dataclasses.fields(Uploads)}
    return Uploads(**_rest(table, kinds))


def _rest(table: Table, kinds: Mapping[str, type]) -> dict[str, Any]:
    """
    Take all that is left, of which whole numbers must be at least 1.
    """
    values = table.rest(kinds)
    for name, value in values.items():
        if type(value) is int and value < 1:
            raise ConfigError(f"must be at least 1, not {value}", key=f"{table.place}{name}")
    return values


def _choice(table: Table, key: str, choices: tuple[str, ...], default: str) -> str:
    value: str = table.take(key, str, default)
    if value not in choices:
        raise ConfigError(
            f"must be one of {', '.join(choices)}, not {value!r}", key=f"{table.place}{key}"
        )
    return value


def _address(table: Table, key: str) -> str | None:
    value: str | None = table.take(key, str)
    if value is not None and not is_address(value):
        raise ConfigError(
            f"must be host:port, not {value!r}", key=f"{table.place}{key}", hint="127.0.0.1:50117"
        )
    return value
