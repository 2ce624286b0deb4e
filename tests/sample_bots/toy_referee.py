"""
A referee that does what a few lines say, and bots started against it.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import signal
import subprocess
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import grpc
import grpc.aio
from euchre.referee.v1 import referee_service_pb2 as pb
from euchrebot import client

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

BOTS = Path(client.__file__).parents[1]
PATIENCE = 60.0
"""Seconds after which something that must happen has not."""
Script = Callable[[Any], Awaitable[None]]


@contextlib.asynccontextmanager
async def referee(folder: Path, script: Script) -> AsyncIterator[str]:
    """
    Listen on a socket in *folder* and treat every stream as *script* says.

    Raises:
        AssertionError: One in *script*, which gRPC would only tell the bot.
    """
    failed: list[AssertionError] = []

    async def handle(_: Any, context: Any) -> None:
        try:
            await script(context)
        except AssertionError as error:
            failed.append(error)
            raise

    method = grpc.stream_stream_rpc_method_handler(
        handle, pb.PlayRequest.FromString, pb.PlayResponse.SerializeToString
    )
    server = grpc.aio.server()
    server.add_generic_rpc_handlers(
        (
            grpc.method_handlers_generic_handler(
                "euchre.referee.v1.RefereeService", {"Play": method}
            ),
        )
    )
    address = f"unix:{folder}/socket"
    server.add_insecure_port(address)
    await server.start()
    try:
        yield address
    finally:
        # Should it hang, the test says where.
        await asyncio.wait_for(server.stop(0), PATIENCE)
        for each in failed:
            raise each


def frame(*ids: int) -> pb.PlayResponse:
    """
    A frame of asks to play the ten of clubs, or else the nine of hearts.
    """
    response = pb.PlayResponse()
    for ask_id in ids:
        ask = response.frame.asks.add(ask_id=ask_id)
        ask.play.legal_cards.extend([2, 13])
    return response


WELCOME = pb.PlayResponse(welcome=pb.Welcome(protocol=1))
FAREWELL = pb.PlayResponse(farewell=pb.Farewell(reason="done"))


async def answers(context: Any, count: int) -> list[list[tuple[int, int]]]:
    """
    Read until *count* answers are there; return them by message, as id and card.
    """
    messages: list[list[tuple[int, int]]] = []
    while sum(map(len, messages)) < count:
        request = await context.read()
        messages.append([(each.ask_id, each.play) for each in request.answers.answers])
    return messages


def start(address: str, *arguments: str, bot: Path = BOTS / "first.py", **env: str) -> Any:
    """
    Start a bot as a league does: all that it is told is in its environment.
    """
    told = {"EUCHRE_REFEREE": address, "EUCHRE_TOKEN": "secret", "EUCHRE_INSTANCE": "2", **env}
    return subprocess.Popen(
        [sys.executable, str(bot), *arguments],
        env={"PATH": "", "PYTHONFAULTHANDLER": "1", **told},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


async def ended(process: Any) -> tuple[int, str]:
    """
    The exit code of *process*, and what it said on standard error.
    """
    code, _, err = await end_of(process)
    return code, err


async def end_of(process: Any) -> tuple[int, str, str]:
    """
    The exit code of *process*, and what it said on both outputs; it is gone afterwards.

    Raises:
        AssertionError: It has not ended; with what it said, and where a Python program was.
    """
    reading = asyncio.create_task(asyncio.to_thread(process.communicate))
    try:
        await asyncio.wait([reading], timeout=PATIENCE)
        in_time = reading.done()
        if not in_time:
            process.send_signal(signal.SIGABRT)
        out, err = await reading
    finally:
        process.kill()  # the thread that reads would keep us here for ever
    assert in_time, f"it has not ended: {out}{err}"
    return process.returncode, out, err


async def reached(place: asyncio.Event, process: Any) -> None:
    """
    Wait until the referee's script has come to a *place*.

    Raises:
        AssertionError: It has not; with what *process* said.
    """
    try:
        await asyncio.wait_for(place.wait(), PATIENCE)
    except TimeoutError:
        process.send_signal(signal.SIGABRT)
        raise AssertionError(f"nothing happens: {await end_of(process)}") from None


def program(folder: Path, text: str) -> Path:
    """
    A bot of its own, which takes for a frame as long as it takes and answers in one message.
    """
    path = folder / "bot.py"
    path.write_text(
        f"import sys\nsys.path.insert(0, {str(BOTS)!r})\n"
        f"import euchrebot.client\neuchrebot.client.FLUSH = 1000.0\n{text}\n"
    )
    return path


def options(address: str) -> argparse.Namespace:
    """
    What a bot in this process is told.
    """
    return argparse.Namespace(address=address, token="t", instance="1", max_asks=8)  # noqa: S106
