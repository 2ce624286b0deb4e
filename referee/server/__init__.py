"""
The gRPC server: streams of bots around one hall, and the tournament service.

Everything here runs in one asyncio loop, which also drives the hall: a reader per
stream passes answers to it, a writer per stream sends what lies in its
instance's tray when its turn comes, and one task lets the clocks run. Nothing in
the hall waits, so between two awaits the hall is always in order.
"""

from referee.server.addresses import check_address, check_free, is_loopback
from referee.server.core import RefereeServer
from referee.server.settings import Bot, Observer, Settings, token_hash
from referee.server.tls import Tls, load_tls

__all__ = [
    "Bot",
    "Observer",
    "RefereeServer",
    "Settings",
    "Tls",
    "check_address",
    "check_free",
    "is_loopback",
    "load_tls",
    "token_hash",
]
