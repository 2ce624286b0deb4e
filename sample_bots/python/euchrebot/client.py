"""
Takes a bot to a referee: dial in, say hello, answer frames, come back when cut off.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import os
import pathlib
import signal
import sys
import time
from typing import TYPE_CHECKING, Any

import grpc
import grpc.aio
from euchre.referee.v1 import referee_service_pb2, referee_service_pb2_grpc

from euchrebot.bot import answer, as_bot, seat

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from euchre.referee.v1 import game_pb2

    from euchrebot.bot import Bot

FLUSH = 0.02
"""Seconds after which answers are sent although a frame is not worked through."""

WELCOME = 20.0
"""
Seconds after which a bot that was not welcomed dials again.

When hundreds dial at the same moment, gRPC can lose a call on its way to the referee,
which then knows nothing of it.
"""

GIVE_UP = 30.0
"""Seconds of failed attempts in a row after which a bot goes home."""

_AGAIN = {
    grpc.StatusCode.OK,
    grpc.StatusCode.UNAVAILABLE,
    grpc.StatusCode.INTERNAL,
    grpc.StatusCode.UNKNOWN,
    grpc.StatusCode.CANCELLED,
    grpc.StatusCode.RESOURCE_EXHAUSTED,
    grpc.StatusCode.DEADLINE_EXCEEDED,
}
"""Statuses after which coming back makes sense."""

_OPTIONS = [
    ("grpc.keepalive_time_ms", 10_000),
    ("grpc.keepalive_timeout_ms", 5_000),
    ("grpc.max_reconnect_backoff_ms", 1_000),
    ("grpc.initial_reconnect_backoff_ms", 100),
]


class Refused(Exception):  # noqa: N818  (what the referee did)
    """
    The referee does not want this bot, and coming back would not help.
    """


def run(
    player: Bot | type[Bot] | Callable[[game_pb2.Ask], int],
    arguments: Sequence[str] | None = None,
) -> None:
    """
    Play for *player* until the referee says farewell; then leave the program.

    A player is a bot, the class of one, or just a function that picks a card to play:
    everything else is then answered with the first legal thing.
    The address, the token and the name of the instance come from the environment
    (EUCHRE_REFEREE, EUCHRE_TOKEN, EUCHRE_INSTANCE) or from the command line.
    Exit code 0 after a farewell, 1 if the referee cannot be reached or refuses, 2 if
    the command line is wrong.
    """
    options = _options(arguments)
    bot = as_bot(player)
    try:
        code = asyncio.run(_until_signal(bot, options))
    except KeyboardInterrupt:
        code = 130
    except Refused as refusal:
        print(f"{pathlib.Path(sys.argv[0]).name}: {refusal}", file=sys.stderr)
        code = 1
    sys.exit(code)


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description="Plays Bid Euchre and Buck Euchre for a referee.",
        epilog="What is left out comes from EUCHRE_REFEREE, EUCHRE_TOKEN, EUCHRE_INSTANCE and"
        " EUCHRE_MAX_ASKS.",
    )
    env = os.environ
    parser.add_argument("--address", default=env.get("EUCHRE_REFEREE"), help="host:port")
    parser.add_argument("--token", default=env.get("EUCHRE_TOKEN"), help="what `submit` gave")
    parser.add_argument("--token-file", type=pathlib.Path, help="a file that holds it")
    parser.add_argument("--instance", default=env.get("EUCHRE_INSTANCE") or "1", help="default 1")
    asks = env.get("EUCHRE_MAX_ASKS") or "64"
    parser.add_argument("--max-asks", type=int, default=asks, help="open asks at a time")
    options = parser.parse_args(arguments)
    if options.token_file is not None:
        try:
            options.token = options.token_file.read_text().strip()
        except (OSError, UnicodeDecodeError) as error:
            parser.error(f"cannot read {options.token_file}: {error}")
    if not options.address or not options.token:
        parser.error(
            "an address and a token are needed: EUCHRE_REFEREE and EUCHRE_TOKEN in the "
            "environment, or --address and --token-file"
        )
    if not (options.token.isascii() and options.token.isprintable()):
        parser.error("the token has characters that no token has")  # gRPC would not send it
    return options


def _channel(address: str) -> grpc.aio.Channel:
    """
    Return a channel, with TLS if the environment says so and the referee is not on this machine.
    """
    env = os.environ
    names = ("EUCHRE_TLS_CA", "EUCHRE_TLS_KEY", "EUCHRE_TLS_CERT")
    if address.startswith("unix:") or not any(map(env.get, ("EUCHRE_TLS", *names))):
        return grpc.aio.insecure_channel(address, options=_OPTIONS)
    try:
        files = [pathlib.Path(env[n]).read_bytes() if env.get(n) else None for n in names]
    except OSError as error:
        raise Refused(f"cannot read {error.filename}: {error.strerror}") from None
    return grpc.aio.secure_channel(address, grpc.ssl_channel_credentials(*files), options=_OPTIONS)


async def _until_signal(bot: Bot, options: argparse.Namespace) -> int:
    """
    Play until farewell, or until somebody wants the program to end.
    """
    task = asyncio.ensure_future(_stay(bot, options))
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, task.cancel)
    try:
        await task
    except asyncio.CancelledError:
        return 130
    return 0


async def _stay(bot: Bot, options: argparse.Namespace) -> None:
    """
    Converse, again and again, until the referee says farewell.
    """
    failing_since: float | None = None
    pause = 0.1
    async with _channel(options.address) as channel:
        stub = referee_service_pb2_grpc.RefereeServiceStub(channel)
        while True:
            met: list[bool] = []
            try:
                if await _converse(stub, bot, options, met):
                    return
                code, details = grpc.StatusCode.OK, "the stream ended"
            except grpc.aio.AioRpcError as error:
                code, details = error.code(), " ".join((error.details() or "").split())
            if code not in _AGAIN:
                raise Refused(f"the referee refused: {code.name} {details}")
            now = time.monotonic()
            if met or failing_since is None:
                failing_since, pause = now, 0.1
            if now - failing_since > GIVE_UP:
                raise Refused(f"no referee at {options.address}: {code.name} {details}")
            await asyncio.sleep(pause)
            pause = min(2 * pause, 2.0)


async def _converse(stub: Any, bot: Bot, options: argparse.Namespace, met: list[bool]) -> bool:
    """
    Hold one conversation; return whether it ended with a farewell.
    """
    call = stub.Play(metadata=(("authorization", f"Bearer {options.token}"),))
    frames: asyncio.Queue[Any] = asyncio.Queue()
    reading = asyncio.create_task(_read(call, frames, met))
    hello = referee_service_pb2.Hello(
        protocol=1, instance=options.instance, software="euchrebot 1", max_asks=options.max_asks
    )
    try:
        # Why a message could not be sent is for the reader to say: it may be a farewell.
        with contextlib.suppress(grpc.aio.AioRpcError, asyncio.InvalidStateError):
            await call.write(referee_service_pb2.PlayRequest(hello=hello))
            while (frame := await frames.get()) is not None:
                for tell in frame.tells:
                    if tell.WhichOneof("kind") == "seated":
                        seat(bot, tell.seated)
                await _answer_frame(call, bot, frame.asks)
        return await reading
    finally:
        reading.cancel()
        call.cancel()


async def _read(call: Any, frames: asyncio.Queue[Any], met: list[bool]) -> bool:
    """
    Put what is asked into *frames*, and None at the end; return whether that was a farewell.

    It always waits for the next message, also while answers are thought about and sent:
    once a write has failed, gRPC gives out nothing that was not being waited for.
    """
    patience: float | None = WELCOME
    try:
        while True:
            try:
                async with asyncio.timeout(patience):
                    response = await call.read()
            except TimeoutError:
                return False
            if response is grpc.aio.EOF:
                return False
            patience = None
            kind = response.WhichOneof("kind")
            if kind == "frame":
                frames.put_nowait(response.frame)
            elif kind == "welcome":
                met.append(True)
            elif kind == "farewell":
                return True
    finally:
        frames.put_nowait(None)


async def _answer_frame(call: Any, bot: Bot, asks: Sequence[Any]) -> None:
    """
    Answer all asks of a frame, in one message unless that takes long.

    The time for an answer runs from the one before, so a slow bot that holds many
    asks must send answers while it works.
    """
    request = referee_service_pb2.PlayRequest()
    answers = request.answers.answers
    sent = time.monotonic()
    for ask in asks:
        answer(bot, ask, answers.add())
        if time.monotonic() - sent > FLUSH:
            await call.write(request)
            request = referee_service_pb2.PlayRequest()
            answers = request.answers.answers
            sent = time.monotonic()
    if answers:
        await call.write(request)
