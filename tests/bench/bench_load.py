"""
Whether a crowd of well-behaved bots is ever charged for what is not its fault.

* crowd: 128 tables, 512 seats, each on a stream and a connection of its own, for 20,000
  deals. False faults must be 0.
* idle: 125 tables, 500 seats like these, beside 1,000 streams that have said hello and
  wait. How long it takes from a seat's answer to the ask at the next seat, as the bots
  see it (their own work on this machine is in it), and how long the referee's part is.

    python tests/bench/bench_load.py [DEALS]
"""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import json
import logging
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

import structlog

from referee.counting import Histogram
from referee.hall import InstanceKey
from referee.opening import open_table
from referee.rules.variants import find_variant
from referee.server import Bot, RefereeServer, Settings, token_hash

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

ONCE = True
"""It takes minutes, so the report runs it once."""

DEALS = 20_000
_SECRET = bytes(32)
_PROCESSES = 4
_SEATS = "NESW"


class _All(Histogram):
    """
    Keeps every value, for percentiles.
    """

    __slots__ = ("values",)

    def __init__(self) -> None:
        super().__init__(())
        self.values: list[float] = []

    def add(self, value: float) -> None:
        self.values.append(value)


def measure(seconds: float = 1.5, deals: int = DEALS) -> dict[str, float]:
    """
    Return what happened under load.

    Args:
        seconds: Not needed here.
        deals: How many deals the crowd plays.
    """
    del seconds
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.WARNING))
    # Every connection is a file, here and in the processes that are started.
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    crowd = asyncio.run(_load(tables=128, idle=0, deals=deals))
    idle = asyncio.run(_load(tables=125, idle=1000, deals=deals // 8))
    return {f"crowd_{key}": value for key, value in crowd.items()} | {
        f"idle_{key}": value for key, value in idle.items()
    }


async def _load(tables: int, idle: int, deals: int) -> dict[str, float]:
    rules = find_variant("bid/standard").rules
    limit = asyncio.Event()
    dealt = faults = 0

    async def sit(server: RefereeServer, table: int) -> None:
        nonlocal dealt, faults
        keys = tuple(_key(table, seat) for seat in range(4))
        for number in itertools.count():
            game = await server.play(
                open_table(rules, _SECRET, f"{table}.{number}"), keys, tuple(k.bot for k in keys)
            )
            if game.error is not None:
                raise game.error
            dealt += len(game.record.deals)
            faults += sum(game.faults)
            if dealt >= deals:
                limit.set()

    with tempfile.TemporaryDirectory() as folder:
        server = RefereeServer([f"unix:{folder}/s"], Settings())
        async with _crowd(server, tables, idle) as told:
            turnaround = server.counts.turnaround = _All()
            before, began, used = server.hall.decisions, time.perf_counter(), time.process_time()
            players = [asyncio.create_task(sit(server, table)) for table in range(tables)]
            waiting = asyncio.create_task(limit.wait())
            done, _ = await asyncio.wait([waiting, *players], return_when=asyncio.FIRST_COMPLETED)
            passed, decisions = time.perf_counter() - began, server.hall.decisions - before
            cpu = time.process_time() - used
            for player in (waiting, *players):
                player.cancel()
            await asyncio.gather(waiting, *players, return_exceptions=True)
            for task in done - {waiting}:
                task.result()
    values = sorted(turnaround.values)
    seen = sorted(each for one in told for each in one["took"])
    return {
        "tables": tables,
        "streams": tables * 4 + idle,
        "deals": dealt,
        "decisions_per_second": decisions / passed,
        "server_us": cpu / decisions * 1e6,
        "false_faults": faults,
        "referee_p95_ms": 1000 * values[len(values) * 95 // 100],
        "seen_p50_ms": 1000 * seen[len(seen) // 2],
        "seen_p95_ms": 1000 * seen[len(seen) * 95 // 100],
    }


def _key(table: int, seat: int) -> InstanceKey:
    """
    Who sits there: each team a bot of its own, with two instances.
    """
    return InstanceKey(f"t{table}-{seat % 2}", _SEATS[seat])


@contextlib.asynccontextmanager
async def _crowd(
    server: RefereeServer, tables: int, idle: int
) -> AsyncIterator[list[dict[str, list[float]]]]:
    """
    Start the server and all bots; what these say in the end is in the list afterwards.
    """
    told: list[dict[str, list[float]]] = []
    seats: list[list[dict[str, str]]] = [[] for _ in range(_PROCESSES)]
    waiting: list[list[dict[str, str]]] = [[] for _ in range(_PROCESSES)]
    for table, seat in itertools.product(range(tables), range(4)):
        key = _key(table, seat)
        seats[table % _PROCESSES].append(_told(key) | {"table": str(table)})
    for number in range(idle):
        waiting[number % _PROCESSES].append(_told(InstanceKey(f"idle-{number}", "1")))
    for each in itertools.chain(*seats, *waiting):
        server.admit(Bot(each["bot"], each["bot"], token_hash(each["token"])))
    await server.start()
    processes = [
        subprocess.Popen(  # noqa: ASYNC220  (nothing runs yet that it could hold up)
            [sys.executable, str(Path(__file__).with_name("crowd.py"))],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for _ in range(_PROCESSES)
    ]
    try:
        for process, mine, still in zip(processes, seats, waiting, strict=True):
            assert process.stdin is not None
            line = {"address": server.addresses[0], "seats": mine, "idle": still}
            process.stdin.write(json.dumps(line) + "\n")
            process.stdin.flush()
        async with asyncio.timeout(120):
            while server.instances < 4 * tables + idle:  # noqa: ASYNC110  (the server has no event for that)
                await asyncio.sleep(0.05)
        yield told
        for process in processes:
            out, _ = await asyncio.to_thread(process.communicate)
            told.append(json.loads(out))
    finally:
        for process in processes:
            process.kill()
            process.wait()
        await server.stop(grace=0.5)


def _told(key: InstanceKey) -> dict[str, str]:
    return {"bot": key.bot, "instance": key.name, "token": f"token-of-{key.bot}"}


def main() -> None:
    """
    Print everything that is measured.
    """
    deals = int(sys.argv[1]) if len(sys.argv) > 1 else DEALS
    for name, value in measure(deals=deals).items():
        print(f"{name:32}{value:14,.2f}")  # noqa: T201


if __name__ == "__main__":
    main()
