"""
How the bots of all languages that are built begin, come back, and end.
"""

from __future__ import annotations

import asyncio
import os
import shutil
import signal
import subprocess
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import grpc
import pytest
import toy_referee
from languages import BOTS, built

if TYPE_CHECKING:
    from collections.abc import Iterator

    from euchre.referee.v1 import referee_service_pb2 as pb

pytestmark = pytest.mark.slow
every_language = pytest.mark.parametrize("language", built())


@pytest.fixture
def folder() -> Iterator[Path]:
    """
    A folder whose path is short enough for a socket.
    """
    path = Path(tempfile.mkdtemp(prefix="bot-"))
    yield path
    shutil.rmtree(path)


def start(language: str, **told: str) -> subprocess.Popen[str]:
    """
    Start a bot that is told what a league would tell it, and nothing else of our names.
    """
    environment = {key: text for key, text in os.environ.items() if not key.startswith("EUCHRE_")}
    return subprocess.Popen(
        BOTS[language],
        env={**environment, "PYTHONFAULTHANDLER": "1", **told},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


async def hello(context: Any) -> pb.Hello:
    """
    Read the first message of a stream, which must be a hello, and welcome the bot.
    """
    request = await context.read()
    assert "hello" == request.WhichOneof("kind")
    await context.write(toy_referee.WELCOME)
    return request.hello


@every_language
def test_it_answers_comes_back_and_ends(language: str, folder: Path) -> None:
    """
    After a stream that breaks and one that just ends it is back as the same instance.

    After a farewell it ends with 0 and has said nothing.
    """
    seen: list[tuple[str, pb.Hello]] = []

    async def script(context: Any) -> None:
        token = dict(context.invocation_metadata())["authorization"]
        seen.append((token, await hello(context)))
        await context.write(toy_referee.frame())  # without asks: nothing comes back
        await context.write(toy_referee.frame(7, 2**40))
        # In one message, unless the machine made it slow.
        messages = await toy_referee.answers(context, 2)
        assert [(7, 2), (2**40, 2)] == [each for message in messages for each in message]
        if len(seen) == 1:
            await context.abort(grpc.StatusCode.UNAVAILABLE, "away for a moment")
        if len(seen) == 3:
            await context.write(toy_referee.FAREWELL)

    async def play() -> tuple[int, str, str]:
        async with toy_referee.referee(folder, script) as address:
            told = {"EUCHRE_REFEREE": address, "EUCHRE_TOKEN": "secret", "EUCHRE_MAX_ASKS": "8"}
            return await toy_referee.end_of(start(language, **told, EUCHRE_INSTANCE="two"))

    assert (0, "", "") == asyncio.run(play())
    assert ["Bearer secret"] * 3 == [token for token, _ in seen]
    assert [(1, "two", 8)] * 3 == [(h.protocol, h.instance, h.max_asks) for _, h in seen]
    assert all(h.software for _, h in seen)


@every_language
def test_it_takes_no_for_an_answer(language: str, folder: Path) -> None:
    """
    Refused, it says why in one line and ends with 1; left unsaid, it is instance 1 with 64 asks.
    """
    seen: list[pb.Hello] = []

    async def script(context: Any) -> None:
        seen.append(await hello(context))
        await context.abort(grpc.StatusCode.ABORTED, "a newer stream took over")

    async def play() -> tuple[int, str, str]:
        async with toy_referee.referee(folder, script) as address:
            told = {"EUCHRE_REFEREE": address, "EUCHRE_TOKEN": "t"}
            return await toy_referee.end_of(start(language, **told, EUCHRE_INSTANCE=""))

    code, out, err = asyncio.run(play())
    assert (1, "", 1) == (code, out, err.count("\n"))
    assert "the referee refused: " in err
    assert "a newer stream took over" in err
    assert [("1", 64)] == [(h.instance, h.max_asks) for h in seen]


@every_language
@pytest.mark.parametrize(
    "told",
    [
        {"EUCHRE_TOKEN": "t"},
        {"EUCHRE_REFEREE": "unix:/nowhere"},
        {"EUCHRE_REFEREE": "unix:/nowhere", "EUCHRE_TOKEN": "t", "EUCHRE_MAX_ASKS": "many"},
    ],
    ids=["no address", "no token", "no number"],
)
def test_it_says_what_it_needs(language: str, told: dict[str, str]) -> None:
    """
    Exit code 2, and no try to reach anybody.
    """
    code, out, err = asyncio.run(toy_referee.end_of(start(language, **told)))
    assert (2, "") == (code, out)
    assert err


@every_language
def test_it_hears_a_farewell_while_it_answers(language: str, folder: Path) -> None:
    """
    The stream ends before all answers could be sent, and the farewell counts all the same.
    """

    async def script(context: Any) -> None:
        await hello(context)
        for ask_id in range(1, 101):
            await context.write(toy_referee.frame(ask_id))
        await context.write(toy_referee.FAREWELL)

    async def play() -> tuple[int, str, str]:
        async with toy_referee.referee(folder, script) as address:
            told = {"EUCHRE_REFEREE": address, "EUCHRE_TOKEN": "t"}
            return await toy_referee.end_of(start(language, **told))

    assert (0, "", "") == asyncio.run(play())


@every_language
def test_it_ends_when_it_is_told_to(language: str, folder: Path) -> None:
    """
    SIGTERM in the middle of a conversation: it ends by it, and says nothing.
    """

    async def play() -> tuple[int, str, str]:
        there = asyncio.Event()

        async def script(context: Any) -> None:
            await hello(context)
            there.set()
            await context.read()

        async with toy_referee.referee(folder, script) as address:
            told = {"EUCHRE_REFEREE": address, "EUCHRE_TOKEN": "t"}
            bot = start(language, **told)
            await toy_referee.reached(there, bot)
            bot.terminate()
            return await toy_referee.end_of(bot)

    code, out, err = asyncio.run(play())
    assert code in {-signal.SIGTERM, 128 + signal.SIGTERM, 130}  # by it, or by a handler
    assert ("", "") == (out, err)
