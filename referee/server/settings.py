"""
How a server is set up: who may connect, its limits, and where it listens.
"""

from __future__ import annotations

import errno
import hashlib
import ipaddress
import os
import resource
import socket
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Literal, Protocol

from referee.errors import ConfigError
from referee.folders import SOCKET_PATH_LIMIT
from referee.hall import InstanceKey, Limits

if TYPE_CHECKING:
    from collections.abc import Sequence

    import grpc.aio

    from referee.server.tls import Tls

OPTIONS: tuple[tuple[str, int], ...] = (
    # A second server on the same port must fail instead of sharing it.
    ("grpc.so_reuseport", 0),
    # Notice a frozen peer within seconds; all three are needed.
    ("grpc.keepalive_time_ms", 5000),
    ("grpc.keepalive_timeout_ms", 5000),
    ("grpc.http2.ping_timeout_ms", 5000),
    ("grpc.keepalive_permit_without_calls", 1),
    # Clients may ping as often as twice a second; by default they are thrown out for it.
    ("grpc.http2.min_recv_ping_interval_without_data_ms", 500),
    ("grpc.http2.max_ping_strikes", 0),
    # Headers are parsed before anybody can say no, a request that is nothing but headers
    # takes half a megabyte, and by default a connection may have any number of them.
    ("grpc.max_concurrent_streams", 256),
    # Who connects and says nothing; by default it has two minutes.
    ("grpc.server_handshake_timeout_ms", 20_000),
    # Who said something once. Clients connect again by themselves when they need to.
    ("grpc.max_connection_idle_ms", 300_000),
)
"""Options of gRPC that do not depend on settings."""

_MOST_CONNECTIONS = 4096
"""To one address; fewer where the system allows few open files."""


@dataclass(frozen=True, slots=True)
class Bot:
    """
    A bot that may connect.
    """

    bot_id: str
    name: str
    token_sha256: str
    """Hash of its token, in hexadecimal."""


def token_hash(token: str) -> str:
    """
    Return what is kept of a token.
    """
    return hashlib.sha256(token.encode()).hexdigest()


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """
    How a server is set up.
    """

    limits: Limits = field(default_factory=Limits)
    hello: float = 20.0
    """Seconds from the opening of a stream to its Hello."""
    max_instances: int = 64
    """Instances of one bot that may be connected."""
    max_streams: int = 4096
    """Streams of bots in all."""
    max_streams_of_one: int | None = None
    """The same from one address, unless it is a unix socket; None: half of all."""
    max_message_bytes: int = 1 << 20
    """Size of one message of a bot."""
    messages_per_second: float = 5000.0
    """Messages that a stream may send, on average."""
    calls_per_second: float = 50.0
    """Calls with one answer that one address may make, on average."""
    openings_per_second: float = 500.0
    """Streams of bots that one address may open, on average."""
    submissions_per_minute: float = 20.0
    """Bots that one address may submit, or try to."""
    submissions_per_minute_in_all: float = 120.0
    """The same of all addresses together."""
    side_streams_of_one: int = 32
    """Streams that are not a bot's which one address may have open: watching, reflection."""
    side_streams: int = 256
    """The same of all addresses together."""
    reflection: float = 60.0
    """Seconds that a stream of the reflection service may last."""
    write: float = 5.0
    """Seconds that a bot may take to read what it is sent."""
    faults_to_forfeit: int = 3
    """What bots are told about it; the table keeps it."""
    games: frozenset[str] = frozenset({"bid", "buck"})
    """What is played here; who can play none of it is turned away."""
    tls: Tls | None = None
    """How the server proves who it is; None: it does not."""
    insecure_ok: bool = False
    """Whether tokens may cross a network in the clear."""
    watch: Literal["anyone", "bots", "nobody"] = "anyone"
    """Who may watch standings and games; `bots`: who shows a token of the league."""
    max_watchers: int = 100
    """Calls that watch, in all."""

    @property
    def streams_of_one(self) -> int:
        """
        Streams of bots that may be open from one address.
        """
        share = self.max_streams_of_one
        return max(1, self.max_streams // 2) if share is None else share


class Observer(Protocol):
    """
    Who is told when instances come and go, in the asyncio thread.
    """

    def __call__(self, key: InstanceKey, *, connected: bool) -> None:
        """
        Take note; must not block or raise.
        """


def nobody(key: InstanceKey, *, connected: bool) -> None:
    """
    Take no note.
    """
    del key, connected


def connections_allowed() -> int:
    """
    Return how many connections may be open to one address that is listened at.

    A quarter of the files that this process may open: the others are for the store, for
    starting bots, and for bots that come by another way. Whoever comes then is turned
    away at once, and nobody else is harmed.
    """
    files, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    unlimited = files == resource.RLIM_INFINITY
    return _MOST_CONNECTIONS if unlimited else min(_MOST_CONNECTIONS, max(1, files // 4))


def check_address(address: str, *, beyond_loopback: bool) -> None:
    """
    Refuse an address that should not be listened at.

    Args:
        address: Where.
        beyond_loopback: Whether it may be reached over a network.

    Raises:
        ConfigError: It is somebody else's, or tokens would not be safe there.
    """
    if address.startswith("unix:"):
        _check_path(address.removeprefix("unix:"))
    elif not beyond_loopback and not _loopback(address.rpartition(":")[0]):
        raise ConfigError(
            f"at {address} the tokens of bots would cross the network in the clear",
            hint="name a certificate under [tls] in the file of --config; or listen at 127.0.0.1 "
            "behind a tunnel or a TLS proxy; or write insecure = true there to allow it on purpose",
        )


def check_free(address: str, *, key: str = "") -> None:
    """
    Make sure that an address can be listened at, as far as this moment can tell.

    Args:
        address: `host:port`, or a socket, of which nothing is known before.
        key: What names it, for the error.

    Raises:
        ConfigError: It is taken, or not of this machine.
    """
    if address.startswith("unix:"):
        return
    host, _, port = address.rpartition(":")
    heard, why = False, None
    try:
        places = socket.getaddrinfo(
            host.strip("[]"), int(port), type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )
    except OSError as error:
        raise ConfigError(f"cannot listen at {address}: {error.strerror}", key=key) from None
    for family, *_, place in places:
        try:
            with socket.create_server(place[:2], family=family):
                heard = True
        except OSError as error:
            # A name may stand for addresses that only some machines have.
            if why is None or error.errno == errno.EADDRINUSE:
                why = error
    if why is not None and (not heard or why.errno == errno.EADDRINUSE):
        said = os.strerror(why.errno or 0)
        hint = "is another referee running there?" if why.errno == errno.EADDRINUSE else ""
        raise ConfigError(f"cannot listen at {address}: {said}", key=key, hint=hint)


def listen(server: grpc.aio.Server, address: str, tls: Tls | None) -> str:
    """
    Listen at *address*; return it with the real port.

    Args:
        server: Not started yet.
        address: Where.
        tls: How it proves who it is over a network; a unix socket needs no proof.

    Raises:
        ConfigError: It cannot be listened at.
    """
    try:
        if tls is None or address.startswith("unix:"):
            port = server.add_insecure_port(address)
        else:
            port = server.add_secure_port(address, tls.credentials())
    except RuntimeError as error:
        raise ConfigError(
            f"cannot listen at {address}", hint="is another referee running there?"
        ) from error
    if address.startswith("unix:"):
        # Its folder says who may come here; the programs of a sandbox have another user.
        Path(address.removeprefix("unix:")).chmod(0o666)
        return address
    return f"{address.rpartition(':')[0]}:{port}"


def release(addresses: Sequence[str]) -> None:
    """
    Remove the sockets of a server that never started; gRPC leaves them.
    """
    for address in addresses:
        if address.startswith("unix:"):
            Path(address.removeprefix("unix:")).unlink(missing_ok=True)


def _check_path(path: str) -> None:
    if len(path.encode()) > SOCKET_PATH_LIMIT:
        raise ConfigError(
            f"a socket's path may have {SOCKET_PATH_LIMIT} bytes: {path}",
            hint="choose a shorter folder",
        )
    # gRPC would take the path from whoever listens there, and both would suffer.
    if Path(path).exists():
        raise ConfigError(f"cannot listen at {path}: it exists", hint="use a fresh folder each run")


def _loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return host == "localhost"
