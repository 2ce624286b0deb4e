"""
How fast games are played over gRPC, and how much of that is the price of gRPC.

Two rule bots of `sample_bots/python`, each instance a process of its own, play Bid
Euchre over a unix socket. Beside it stands an echo: the same bots, stack and
messages, built by the same encoder from questions that were recorded before, with
no game behind. Its number is what a referee could reach that costs nothing.

    python tests/bench/bench_wire.py [SECONDS]
"""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import logging
import os
import subprocess
import sys
import tempfile
import time
from collections import deque
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import grpc.aio
import structlog
from euchre.referee.v1 import referee_service_pb2_grpc

from referee.hall import Ask, Frame, InstanceKey, Limits
from referee.opening import open_table
from referee.rules.variants import find_variant
from referee.seats import SEATS
from referee.server import Bot, RefereeServer, Settings, token_hash
from referee.server.guard import Guard
from referee.server.limiter import Limiter
from referee.wire import decode, encode
from referee.wire.frames import FrameEncoder

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator

    from referee.table import Question

_BOTS = Path(__file__).parents[2] / "sample_bots" / "python"
_NAMES = ("cautious", "bold")
_TOKEN = {name: f"token-of-{name}" for name in _NAMES}
_SECRET = bytes(32)
_WARM_UP = 1.0
"""Seconds before counting starts."""


class Speed(NamedTuple):
    """
    What was measured.
    """

    per_second: float
    """Decisions, or answers to the echo."""
    server_us: float
    """Processor time of the server for each, in microseconds."""
    per_frame: float
    """Asks in a frame."""


def measure(seconds: float = 3.0) -> dict[str, float]:
    """
    Return decisions a second by number of tables, and their share of the echo.

    Args:
        seconds: How long to count for each number.
    """
    # What a run of games would log has no place here, neither on the screen nor in the time.
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.WARNING))
    found: dict[str, float] = {}
    for tables, instances in ((1, 4), (16, 4), (64, 4), (256, 4), (256, 16)):
        name = f"{tables}_tables_{instances}_instances"
        game = asyncio.run(_games(tables, instances, seconds))
        echo = asyncio.run(_echo(tables, instances, seconds))
        found |= {
            f"{name}_decisions_per_second": game.per_second,
            f"{name}_echo_per_second": echo.per_second,
            f"{name}_ratio": game.per_second / echo.per_second,
            f"{name}_server_us": game.server_us,
            f"{name}_echo_server_us": echo.server_us,
            f"{name}_asks_per_frame": game.per_frame,
        }
    return found


# --- the bots ----------------------------------------------------------------------------


def _keys(instances: int) -> list[InstanceKey]:
    """
    The instances of both bots, half each.
    """
    return [
        InstanceKey(name, str(number)) for number in range(1, instances // 2 + 1) for name in _NAMES
    ]


@contextlib.contextmanager
def _bots(address: str, keys: list[InstanceKey]) -> Iterator[None]:
    """
    Processes of the sample bots that dial *address*.
    """
    processes = [
        subprocess.Popen(
            [sys.executable, _BOTS / f"{key.bot}.py"],
            env=os.environ
            | {
                "EUCHRE_REFEREE": address,
                "EUCHRE_TOKEN": _TOKEN[key.bot],
                "EUCHRE_INSTANCE": key.name,
            },
        )
        for key in keys
    ]
    try:
        yield
    finally:
        for process in processes:
            process.kill()
        for process in processes:
            process.wait()


def _seats(keys: list[InstanceKey], table: int) -> tuple[InstanceKey, ...]:
    """
    Who sits at a table: N and S one bot, E and W the other, each pair two instances.
    """
    teams = [[key for key in keys if key.bot == name] for name in _NAMES]
    if table % 2:
        teams.reverse()
    return tuple(teams[seat % 2][(table + seat // 2) % len(teams[0])] for seat in SEATS)


async def _count(seconds: float, done: Any, frames: Any) -> Speed:
    """
    Watch counters for a while.
    """
    await asyncio.sleep(_WARM_UP)
    before = (done(), frames(), time.process_time(), time.perf_counter())
    await asyncio.sleep(seconds)
    after = (done(), frames(), time.process_time(), time.perf_counter())
    count, sent, used, passed = (b - a for a, b in zip(before, after, strict=True))
    return Speed(count / passed, used / max(count, 1) * 1e6, count / max(sent, 1))


# --- games -------------------------------------------------------------------------------


class _CountingEncoder(FrameEncoder):
    frames = 0

    def encode(self, frame: Frame) -> bytes:
        self.frames += 1
        return super().encode(frame)


@contextlib.asynccontextmanager
async def served(
    address: str, keys: list[InstanceKey], answer: float = 10.0
) -> AsyncIterator[RefereeServer]:
    """
    A server with the bots connected.
    """
    server = RefereeServer([address], Settings(limits=Limits(answer=answer)))
    server.encoder = _CountingEncoder()
    for name in _NAMES:
        server.admit(Bot(name, name, token_hash(_TOKEN[name])))
    await server.start()
    try:
        with _bots(address, keys):
            async with asyncio.timeout(30):
                while any(key.name not in server.connected(key.bot) for key in keys):  # noqa: ASYNC110  (the server has no event for that)
                    await asyncio.sleep(0.01)
            yield server
    finally:
        await server.stop(grace=0.5)


async def _games(tables: int, instances: int, seconds: float) -> Speed:
    keys = _keys(instances)
    rules = find_variant("bid/standard").rules

    async def sit(server: RefereeServer, table: int) -> None:
        for number in itertools.count():
            seats = _seats(keys, table)
            game = await server.play(
                open_table(rules, _SECRET, f"{table}.{number}"), seats, tuple(k.bot for k in seats)
            )
            if game.error is not None:
                raise game.error
            if any(game.faults):
                raise RuntimeError(f"faults: {game.faults}")

    with tempfile.TemporaryDirectory() as folder:
        async with served(f"unix:{folder}/s", keys) as server:
            players = [asyncio.create_task(sit(server, table)) for table in range(tables)]
            try:
                return await _count(
                    seconds, lambda: server.hall.decisions, lambda: server.encoder.frames
                )
            finally:
                for player in players:
                    player.cancel()
                for result in await asyncio.gather(*players, return_exceptions=True):
                    if isinstance(result, Exception):
                        raise result


# --- the echo ----------------------------------------------------------------------------


def _recorded(games: int) -> list[list[Question]]:
    """
    The questions of whole games, answered as in `referee.testing.spread`.
    """
    from referee.rules.actions import Answer  # noqa: PLC0415
    from referee.testing import spread  # noqa: PLC0415

    rules = find_variant("bid/standard").rules
    found = []
    for number in range(games):
        table = open_table(rules, _SECRET, f"echo.{number}")
        table.start()
        questions = []
        while table.question is not None and len(questions) < 1000:
            questions.append(table.question)
            table.answer(Answer(spread(Ask(0, 0, table.question, 0.0))))
        found.append(questions)
    return found


def _from(questions: list[Question], place: int) -> Iterator[Question]:
    """
    Yield *questions* for ever, beginning at *place*.
    """
    place %= len(questions)
    return itertools.cycle(questions[place:] + questions[:place])


class _Echo(referee_service_pb2_grpc.RefereeServiceServicer):
    """
    Sends recorded questions, one open at each table, and takes whatever comes back.
    """

    def __init__(self, tables: int, keys: list[InstanceKey]) -> None:
        games = _recorded(8)
        self.answered = 0
        self.frames = 0
        self._keys = keys
        self._encoder = FrameEncoder()
        # Tables in lock step would ask one instance all at once, in fuller frames than a match.
        self._questions = [_from(games[table % len(games)], 37 * table) for table in range(tables)]
        self._seats = [_seats(keys, table) for table in range(tables)]
        self._trays: dict[InstanceKey, deque[Ask]] = {key: deque() for key in keys}
        self._open: dict[InstanceKey, dict[int, int]] = {key: {} for key in keys}
        self._news = {key: asyncio.Event() for key in keys}
        self._ids = itertools.count(1)
        self.missing = set(keys)
        self.complete = asyncio.Event()
        """Set when all instances are there."""
        for table in range(tables):
            self._next(table)

    def _next(self, table: int) -> None:
        question = next(self._questions[table])
        key = self._seats[table][question.seat]
        self._trays[key].append(Ask(next(self._ids), table, question, 10.0))
        self._news[key].set()

    async def Play(self, request_iterator: Any, context: Any) -> None:  # noqa: N802
        """
        Serve one instance.
        """
        del request_iterator
        hello = decode.hello((await context.read()).hello)
        token = dict(context.invocation_metadata())["authorization"]
        name = next(name for name in _NAMES if token.endswith(_TOKEN[name]))
        key = InstanceKey(name, hello.instance)
        await context.write(
            encode.welcome(
                name=name,
                instance=hello.instance,
                limits=Limits(),
                max_asks=64,
                max_instances=64,
                max_message_bytes=1 << 20,
                faults_to_forfeit=3,
                commitment="",
                open_games=[],
            ).SerializeToString()
        )
        self.missing.discard(key)
        if not self.missing:
            self.complete.set()
        writer = asyncio.create_task(self._write(context, key))
        held = self._open[key]
        try:
            while True:
                request = await context.read()
                if request is grpc.aio.EOF:
                    return
                for ask_id, _ in decode.read_answers(request.answers):
                    self.answered += 1
                    self._next(held.pop(ask_id))
                self._news[key].set()
        finally:
            writer.cancel()

    async def _write(self, context: Any, key: InstanceKey) -> None:
        tray, held, news = self._trays[key], self._open[key], self._news[key]
        while True:
            await news.wait()
            await asyncio.sleep(0)
            news.clear()
            asks = []
            while tray and len(held) < 64:
                ask = tray.popleft()
                held[ask.ask_id] = ask.game_id
                asks.append(ask)
            if asks:
                self.frames += 1
                await context.write(self._encoder.encode(Frame([], asks)))


async def _echo(tables: int, instances: int, seconds: float) -> Speed:
    keys = _keys(instances)
    service = _Echo(tables, keys)
    with tempfile.TemporaryDirectory() as folder:
        address = f"unix:{folder}/s"
        settings = Settings()
        limiter = Limiter(settings, asyncio.get_running_loop().time())
        # The same guard as before games; what it guards here is not asked.
        server = grpc.aio.server(interceptors=[Guard(RefereeServer([address], settings), limiter)])
        referee_service_pb2_grpc.add_RefereeServiceServicer_to_server(service, server)
        server.add_insecure_port(address)
        await server.start()
        try:
            with _bots(address, keys):
                await asyncio.wait_for(service.complete.wait(), 30)
                return await _count(seconds, lambda: service.answered, lambda: service.frames)
        finally:
            await server.stop(0)


def main() -> None:
    """
    Print everything that is measured.
    """
    seconds = float(sys.argv[1]) if len(sys.argv) > 1 else 3.0
    for name, value in measure(seconds).items():
        print(f"{name:48}{value:12,.2f}")  # noqa: T201


if __name__ == "__main__":
    main()
