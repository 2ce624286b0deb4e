"""
The library of the sample bots, over real gRPC: refused, lost and ended.
"""

from __future__ import annotations

import asyncio
import signal
import threading
from typing import TYPE_CHECKING, Any

import grpc
import grpc.aio
import pytest
from euchrebot import Bot, client
from toy_referee import (
    FAREWELL,
    WELCOME,
    answers,
    ended,
    frame,
    options,
    program,
    reached,
    referee,
    start,
)

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize("code", ["UNAUTHENTICATED", "INVALID_ARGUMENT", "FAILED_PRECONDITION"])
def test_who_is_refused_says_so_in_one_line(folder: Path, code: str) -> None:
    """
    Exit code 1, the status and the referee's words, and no traceback.
    """

    async def script(context: Any) -> None:
        await context.abort(grpc.StatusCode[code], "no such\ntoken")

    async def main() -> tuple[int, str]:
        async with referee(folder, script) as address:
            return await ended(start(address))

    assert (1, f"first.py: the referee refused: {code} no such token\n") == asyncio.run(main())


def test_who_is_replaced_goes_for_good(folder: Path) -> None:
    """
    Two streams of one instance would replace each other for ever.
    """

    async def script(context: Any) -> None:
        await context.read()
        await context.write(WELCOME)
        await context.abort(grpc.StatusCode.ABORTED, "replaced")

    async def main() -> tuple[int, str]:
        async with referee(folder, script) as address:
            return await ended(start(address))

    assert (1, "first.py: the referee refused: ABORTED replaced\n") == asyncio.run(main())


@pytest.mark.slow
def test_nobody_there(folder: Path) -> None:
    """
    After a while a bot goes home, with one line and exit code 1.
    """
    text = (
        "import euchrebot, euchrebot.client\n"
        "euchrebot.client.GIVE_UP = 0.3\n"
        "euchrebot.run(euchrebot.Bot)\n"
    )
    process = start("unix:/nowhere/socket", bot=program(folder, text))
    code, err = asyncio.run(ended(process))
    assert 1 == code
    assert err.startswith("bot.py: no referee at unix:/nowhere/socket: UNAVAILABLE")
    assert 1 == err.count("\n")


@pytest.mark.parametrize(
    ("env", "arguments", "words"),
    [
        ({"EUCHRE_REFEREE": ""}, (), "an address and a token are needed"),
        ({"EUCHRE_TOKEN": ""}, (), "an address and a token are needed"),
        ({"EUCHRE_TOKEN": "t\u00e4"}, (), "characters that no token has"),
        ({}, ("--token-file", "/nowhere"), "cannot read /nowhere"),
        ({}, ("--max-asks", "many"), "invalid int value"),
    ],
)
def test_a_wrong_start(env: dict[str, str], arguments: tuple[str, ...], words: str) -> None:
    """
    Exit code 2, and what is wrong in the last line.
    """
    code, err = asyncio.run(ended(start("unix:/nowhere", *arguments, **env)))
    assert 2 == code
    assert words in err.splitlines()[-1]
    assert "Traceback" not in err


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_a_bot_quietly(folder: Path, number: signal.Signals) -> None:
    """
    The referee hears that the stream is over, and nobody reads a traceback.
    """

    async def main() -> tuple[int, str]:
        there = asyncio.Event()
        gone = asyncio.Event()

        async def script(context: Any) -> None:
            await context.read()
            await context.write(WELCOME)
            await context.write(frame(1))
            await answers(context, 1)
            there.set()
            try:
                await context.read()
            finally:
                gone.set()

        async with referee(folder, script) as address:
            process = start(address)
            await reached(there, process)
            process.send_signal(number)
            result = await ended(process)
            await reached(gone, process)
            return result

    assert (130, "") == asyncio.run(main())


@pytest.mark.slow
def test_a_bot_comes_back_when_the_referee_does(folder: Path, monkeypatch: Any) -> None:
    """
    It never pauses for five seconds, has the same name, and goes on.
    """
    pause = asyncio.sleep
    tries: list[float] = []

    async def counted(seconds: float) -> None:
        tries.append(seconds)
        await pause(seconds)

    monkeypatch.setattr(asyncio, "sleep", counted)

    async def main() -> None:
        met = asyncio.Event()

        async def first(context: Any) -> None:
            await context.read()
            await context.write(WELCOME)
            met.set()
            await context.read()

        async def second(context: Any) -> None:
            assert "1" == (await context.read()).hello.instance
            await context.write(WELCOME)
            await context.write(frame(7))
            assert [[(7, 2)]] == await answers(context, 1)
            await context.write(FAREWELL)

        async with asyncio.timeout(60):
            async with referee(folder, first) as address:
                bot = asyncio.create_task(client._stay(Bot(), options(address)))
                await met.wait()
            while len(tries) < 3:  # it tries while nobody is there
                await pause(0.01)
            async with referee(folder, second):
                await bot

    asyncio.run(main())
    assert max(tries) < 5
    # Nor does gRPC, which pauses by itself between two attempts to connect.
    assert 5000 > dict(client._OPTIONS)["grpc.max_reconnect_backoff_ms"]


def test_who_is_not_welcomed_dials_again(folder: Path, monkeypatch: Any) -> None:
    """
    A call can be lost on its way; the bot does not wait for ever.
    """
    monkeypatch.setattr(client, "WELCOME", 0.2)
    calls: list[str] = []

    async def script(context: Any) -> None:
        calls.append((await context.read()).hello.instance)
        if len(calls) == 1:
            monkeypatch.setattr(client, "WELCOME", 60.0)
            await context.read()
        else:
            await context.write(WELCOME)
            await context.write(FAREWELL)

    async def main() -> None:
        async with asyncio.timeout(60), referee(folder, script) as address:
            await client._stay(Bot(), options(address))

    asyncio.run(main())
    assert ["1", "1"] == calls


@pytest.mark.slow
def test_fifty_lost_streams_leave_nothing_behind(folder: Path, monkeypatch: Any) -> None:
    """
    Streams that break off, in all the ways there are: no more threads, and no farewell missed.
    """
    pause = asyncio.sleep
    monkeypatch.setattr(asyncio, "sleep", lambda _: pause(0))
    threads: list[int] = []

    async def script(context: Any) -> None:
        threads.append(threading.active_count())
        await context.read()
        await context.write(WELCOME)
        await context.write(frame(1))
        await answers(context, 1)
        if len(threads) > 50:
            await context.write(FAREWELL)
        elif len(threads) % 2:
            codes = (grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.INTERNAL)
            await context.abort(codes[len(threads) % 4 // 2], "lost")

    async def main() -> None:
        async with referee(folder, script) as address, asyncio.timeout(60):
            await client._stay(Bot(), options(address))

    asyncio.run(main())
    assert 51 == len(threads)
    assert max(threads[10:]) <= max(threads[:10])
