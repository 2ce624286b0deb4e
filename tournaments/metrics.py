"""
The metrics of a referee that is served, for Prometheus.

Everything is counted as plain numbers where it happens (`referee.counting`) and put
into Prometheus' words only when somebody asks, from a registry of our own. The page
is served by the library's own little HTTP server in a thread: it must answer also
while the referee's loop is held up, since that is when somebody looks. It reads
numbers that another thread writes; each is copied at once, so a page may be a moment
uneven and never wrong.
"""

from __future__ import annotations

import itertools
from contextlib import contextmanager
from importlib.metadata import version
from typing import TYPE_CHECKING

from prometheus_client import CollectorRegistry, start_wsgi_server
from prometheus_client.core import (
    CounterMetricFamily,
    GaugeMetricFamily,
    HistogramMetricFamily,
    InfoMetricFamily,
)
from prometheus_client.registry import Collector

from referee.errors import ConfigError
from referee.server import check_free, is_loopback
from referee.timing import BOUNDS_MS

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from prometheus_client.core import Metric

    from referee.counting import Histogram
    from referee.server import RefereeServer
    from tournaments.runner import Runner

_SHOWN = frozenset((1, 2, 5))
"""First digits of the bounds of decision times that are shown."""


def check(address: str, *, insecure: bool) -> None:
    """
    Make sure that metrics can be served at *address*.

    Raises:
        ConfigError: It cannot be listened at, or strangers could read there.
    """
    if not insecure and not is_loopback(address):
        raise ConfigError(
            f"at {address} everybody could read them, in the clear",
            key="metrics",
            hint="listen at 127.0.0.1, or set insecure = true",
        )
    check_free(address, key="metrics")


@contextmanager
def serving(
    address: str | None, server: RefereeServer, runner: Runner, *, insecure: bool = False
) -> Iterator[None]:
    """
    Serve metrics at *address* for the time of the body; nowhere if it is None.

    Raises:
        ConfigError: It cannot be listened at, or strangers could read there.
    """
    if address is None:
        yield
        return
    check(address, insecure=insecure)
    host, _, port = address.rpartition(":")
    registry = CollectorRegistry(auto_describe=False)
    registry.register(Metrics(server, runner))
    try:
        web, thread = start_wsgi_server(int(port), host.strip("[]"), registry)
    except OSError as error:
        raise ConfigError(
            f"cannot listen at {address}: {error.strerror or error}", key="metrics"
        ) from None
    try:
        yield
    finally:
        web.shutdown()
        web.server_close()
        thread.join()


class Metrics(Collector):
    """
    What a server and its runner have counted, in Prometheus' words.
    """

    def __init__(self, server: RefereeServer, runner: Runner) -> None:
        self._server = server
        self._runner = runner

    def collect(self) -> Iterator[Metric]:
        """
        Yield all metrics as they are now.
        """
        server, runner, counts = self._server, self._runner, self._server.counts
        info = InfoMetricFamily("euchre_referee", "The referee that is running")
        info.add_metric([], {"version": version("euchre-referee")})
        yield info
        for name, text, value in (
            ("tables", "Games in progress", server.tables),
            ("instances_connected", "Instances of bots that are connected", server.instances),
            ("watchers", "Calls that watch standings or games", server.watchers.count),
            ("draining", "1 while nothing new is taken on", int(bool(server.draining))),
        ):
            yield GaugeMetricFamily(f"euchre_{name}", text, value)
        for name, text, number in (
            ("decisions", "Answers judged", server.hall.decisions),
            ("games_stored", "Games stored", runner.stored),
            (
                "games_failed",
                "Games stored as void, because of a fault of the referee",
                runner.void,
            ),
        ):
            yield CounterMetricFamily(f"euchre_{name}", text, number)
        yield _labelled("games", "Games that are over", ["ending"], _words(counts.games))
        yield _labelled("rulings", "Rulings in games over", ["code"], _words(counts.rulings))
        yield _labelled(
            "bot_faults", "Faults in games over", ["bot", "code"], _pairs(counts.faults)
        )
        yield _labelled("stream_ends", "Streams that ended", ["reason"], _words(counts.ends))
        yield _labelled(
            "calls",
            "Calls of the tournament service",
            ["method", "status"],
            _pairs(counts.calls),
        )
        yield _decisions(list(counts.times))
        yield _histogram("frame_asks", "Asks in each frame", counts.frames)
        yield _histogram(
            "turnaround_seconds", "From something to tell an instance to sent", counts.turnaround
        )
        yield _histogram("loop_lag_seconds", "How late the clocks were looked at", counts.lag)
        yield _histogram(
            "store_batch_seconds", "Storing the games of a transaction", runner.batches
        )


def _words(counts: Mapping[str, int]) -> dict[tuple[str, ...], int]:
    return {(word,): count for word, count in dict(counts).items()}


def _pairs(counts: Mapping[tuple[str, str], int]) -> dict[tuple[str, ...], int]:
    return {(one, two): count for (one, two), count in dict(counts).items()}


def _labelled(
    name: str, text: str, labels: Sequence[str], counts: Mapping[tuple[str, ...], int]
) -> Metric:
    family = CounterMetricFamily(f"euchre_{name}", text, labels=labels)
    for values, count in sorted(counts.items()):
        family.add_metric(values, count)
    return family


def _histogram(name: str, text: str, values: Histogram) -> Metric:
    bounds = [*(f"{bound:g}" for bound in values.bounds), "+Inf"]
    sums = itertools.accumulate(list(values.counts))
    return HistogramMetricFamily(
        f"euchre_{name}", text, buckets=[*zip(bounds, sums, strict=True)], sum_value=values.total
    )


def _decisions(times: list[int]) -> Metric:
    """
    The decision times of `referee.timing`, in buckets that are fewer.

    Only buckets are kept of them, so their sum is that of the upper bounds.
    """
    sums = list(itertools.accumulate(times))
    buckets = [
        (f"{bound / 1000:g}", float(total))
        for bound, total in zip(BOUNDS_MS, sums[:-1], strict=True)
        if int(f"{bound:e}"[0]) in _SHOWN and f"{bound:e}"[2] == "0"
    ]
    bounds = [*BOUNDS_MS, BOUNDS_MS[-1]]
    return HistogramMetricFamily(
        "euchre_decision_seconds",
        "Thinking time of bots in games over; the sum is rounded up to buckets",
        buckets=[*buckets, ("+Inf", float(sums[-1]))],
        sum_value=sum(bound * count for bound, count in zip(bounds, times, strict=True)) / 1000,
    )
