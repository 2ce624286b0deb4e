"""
How often somebody may call, and how many streams may be open.

Everything that comes from outside passes here, before it is parsed. Whoever comes
from one address shares its share: a token is free to get in an open league, an
address is not. What is kept of addresses is bounded.
"""

from __future__ import annotations

import ipaddress
from collections import Counter, OrderedDict
from contextlib import contextmanager
from typing import TYPE_CHECKING
from urllib.parse import unquote

from referee.refusals import Reason, Refused

if TYPE_CHECKING:
    from collections.abc import Iterator

    from referee.server.settings import Settings

LOCAL = "unix"
"""The address of all that come over a unix socket."""

MAX_NAMES = 10_000
"""Names that are remembered; the one that called longest ago is forgotten first."""


class Bucket:
    """
    A bucket that fills with time, and out of which each call takes something.
    """

    __slots__ = ("_last", "_left", "_most", "_rate")

    def __init__(self, per_second: float, most: float, now: float) -> None:
        """
        Begin full.

        Args:
            per_second: What flows in.
            most: What fits in: how much may come at once after a rest.
            now: The time.
        """
        self._rate = per_second
        self._most = most
        self._left = most
        self._last = now

    def take(self, now: float, amount: float = 1) -> float:
        """
        Take *amount* out if there is so much.

        Returns:
            0 if there was; otherwise the seconds until there will be.
        """
        self._left = min(self._most, self._left + (now - self._last) * self._rate)
        self._last = now
        if self._left >= amount:
            self._left -= amount
            return 0.0
        return (amount - self._left) / self._rate


class Shares:
    """
    A bucket for each address, or whatever else has a name.
    """

    def __init__(self, per_second: float, most: float) -> None:
        self._per_second = per_second
        self._most = most
        self._buckets: OrderedDict[str, Bucket] = OrderedDict()

    def take(self, peer: str, now: float) -> float:
        """
        Take one out of the bucket of *peer*; return as `Bucket.take` does.
        """
        bucket = self._buckets.get(peer)
        if bucket is None:
            bucket = self._buckets[peer] = Bucket(self._per_second, self._most, now)
            if len(self._buckets) > MAX_NAMES:
                self._buckets.popitem(last=False)
        self._buckets.move_to_end(peer)
        return bucket.take(now)


class Limiter:
    """
    The limits of one server on calls of all kinds.
    """

    def __init__(self, settings: Settings, now: float) -> None:
        self._settings = settings
        self._calls = Shares(settings.calls_per_second, 2 * settings.calls_per_second)
        self._openings = Shares(settings.openings_per_second, settings.max_streams)
        one, most = settings.submissions_per_minute, settings.submissions_per_minute_in_all
        self._submissions = Shares(one / 60, one)
        self._all_submissions = Bucket(most / 60, most, now)
        self._open: Counter[str] = Counter()

    def call(self, peer: str, now: float) -> None:
        """
        Let a call with one answer pass.

        Raises:
            Refused: There were too many.
        """
        _pass(self._calls.take(peer, now), Reason.TOO_MANY_CALLS)

    def opening(self, peer: str, now: float) -> None:
        """
        Let a stream of a bot be opened.

        Raises:
            Refused: There were too many.
        """
        _pass(self._openings.take(peer, now), Reason.TOO_MANY_CALLS)

    def submission(self, peer: str, now: float) -> None:
        """
        Let a submission pass, accepted or not: who guesses invitation codes is slowed down too.

        Raises:
            Refused: There were too many from there, or in all.
        """
        wait = self._submissions.take(peer, now) or self._all_submissions.take(now)
        _pass(wait, Reason.TOO_MANY_SUBMISSIONS)

    @contextmanager
    def stream(self, peer: str) -> Iterator[None]:
        """
        Hold one of the places for streams that are not a bot's: who watches or looks around.

        Raises:
            Refused: None is free, for that address or in all.
        """
        settings, taken = self._settings, self._open
        if taken[peer] >= settings.side_streams_of_one or taken.total() >= settings.side_streams:
            raise Refused(Reason.TOO_MANY_STREAMS, retry=5.0)
        taken[peer] += 1
        try:
            yield
        finally:
            taken[peer] -= 1
            if not taken[peer]:
                del taken[peer]


def peer_of(target: str) -> str:
    """
    Return where a call comes from, without its port: an address, or `unix`.

    An IPv6 network of 64 bits is one place, since whoever has one address there has all.

    Args:
        target: As gRPC names it: `ipv4:192.0.2.1:4711`, `ipv6:%5B2001:db8::1%5D:4711`.
    """
    kind, _, rest = unquote(target).partition(":")
    if kind not in ("ipv4", "ipv6"):
        return kind
    host = rest.rpartition(":")[0].strip("[]").partition("%")[0]
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return kind
    if isinstance(address, ipaddress.IPv6Address):
        if address.ipv4_mapped is not None:
            return str(address.ipv4_mapped)
        return str(ipaddress.ip_network((address, 64), strict=False))
    return str(address)


def _pass(wait: float, reason: Reason) -> None:
    if wait > 0:
        raise Refused(reason, retry=wait)
