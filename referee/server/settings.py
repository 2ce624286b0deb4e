"""
How a server is set up: who may connect, and its limits.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, Protocol

from referee.hall import InstanceKey, Limits

if TYPE_CHECKING:
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
