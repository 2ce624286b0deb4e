"""
The library of the sample bots, over real gRPC: one conversation.
"""

from __future__ import annotations

import asyncio
import time
from typing import TYPE_CHECKING, Any

import pytest
from euchre.referee.v1 import referee_service_pb2 as pb
from euchrebot import Bot, client
from toy_referee import (
    BOTS,
    FAREWELL,
    WELCOME,
    answers,
    ended,
    frame,
    options,
    program,
    referee,
    start,
)

if TYPE_CHECKING:
    from pathlib import Path


class Slow(Bot):
    """
    Thinks longer than answers may be held back.
    """

    def play(self, ask: Any) -> int:
        """
        Play the first card, in the end.
        """
        time.sleep(client.FLUSH * 1.5)
        return ask.play.legal_cards[0]


def test_a_bot_says_hello_answers_and_leaves_at_the_farewell(folder: Path) -> None:
    """
    Token, hello, one message of answers for a frame; then exit code 0 without a word.
    """
    seen: list[Any] = []

    async def script(context: Any) -> None:
        seen.append(dict(context.invocation_metadata())["authorization"])
        seen.append((await context.read()).hello)
        await context.write(WELCOME)
        await context.write(pb.PlayResponse())  # a kind that the bot does not know
        await context.write(frame(1, 2, 3))
        seen.append(await answers(context, 3))
        await context.write(FAREWELL)

    text = f"import runpy\nrunpy.run_path({str(BOTS / 'first.py')!r}, run_name='__main__')"

    async def main() -> tuple[int, str]:
        async with referee(folder, script) as address:
            return await ended(start(address, bot=program(folder, text)))

    assert (0, "") == asyncio.run(main())
    authorization, hello, answered = seen
    assert "Bearer secret" == authorization
    assert (1, "2", 64) == (hello.protocol, hello.instance, hello.max_asks)
    assert [[(1, 13), (2, 13), (3, 13)]] == answered


def test_options_come_before_the_environment(folder: Path) -> None:
    """
    An address, a token in a file and an instance, all from the command line.
    """
    token = folder / "my.token"
    token.write_text("from-a-file\n")
    seen: list[str] = []

    async def script(context: Any) -> None:
        seen.append(dict(context.invocation_metadata())["authorization"])
        seen.append((await context.read()).hello.instance)
        await context.write(FAREWELL)

    async def main() -> tuple[int, str]:
        async with referee(folder, script) as address:
            told = ("--address", address, "--token-file", str(token), "--instance", "x")
            return await ended(start("unix:/nowhere", *told))

    assert (0, "") == asyncio.run(main())
    assert ["Bearer from-a-file", "x"] == seen


def test_a_farewell_counts_although_the_referee_is_gone(folder: Path) -> None:
    """
    A slow bot that has answers to send to a closed stream has still been told to go.
    """
    streams: list[Any] = []

    async def script(context: Any) -> None:
        streams.append(context)
        await context.read()
        await context.write(WELCOME)
        await context.write(frame(*range(8)))
        await context.write(FAREWELL)

    async def main() -> None:
        async with referee(folder, script) as address, asyncio.timeout(60):
            await client._stay(Slow(), options(address))

    asyncio.run(main())
    assert 1 == len(streams)


def test_a_slow_bot_sends_answers_while_it_thinks(folder: Path) -> None:
    """
    Its thinking time runs from the answer before, so none may wait for the whole frame.
    """
    got: list[list[tuple[int, int]]] = []

    async def script(context: Any) -> None:
        await context.read()
        await context.write(frame(*range(5)))
        got.extend(await answers(context, 5))
        await context.write(FAREWELL)

    async def main() -> None:
        async with referee(folder, script) as address, asyncio.timeout(60):
            await client._stay(Slow(), options(address))

    asyncio.run(main())
    assert [[(number, 2)] for number in range(5)] == got


@pytest.mark.parametrize(
    "text",
    [
        "def play(ask):\n    return ask.play.legal_cards[1]\n",
        "class play(euchrebot.Bot):\n    def play(self, ask):\n        return 13\n",
        "class play(euchrebot.Bot):\n    def play(self, ask):\n        return 13\nplay = play()\n",
    ],
    ids=["function", "class", "bot"],
)
def test_what_may_be_run(folder: Path, text: str) -> None:
    """
    A function that plays cards, the class of a bot, or a bot.
    """
    got: list[Any] = []

    async def script(context: Any) -> None:
        await context.read()
        response = frame(1)
        response.frame.asks.add(ask_id=2).auction.legal_bids.extend([13, 3])
        await context.write(response)
        got.extend((await context.read()).answers.answers)
        await context.write(FAREWELL)

    async def main() -> tuple[int, str]:
        async with referee(folder, script) as address:
            bot = program(folder, f"import euchrebot\n{text}\neuchrebot.run(play)")
            return await ended(start(address, bot=bot))

    assert (0, "") == asyncio.run(main())
    assert [13, 0] == [each.play for each in got]
    assert [0, 13] == [each.bid for each in got]


def test_an_error_in_a_bot_costs_one_answer(folder: Path) -> None:
    """
    It is shown on standard error, once; the first legal card is played, and the bot goes on.
    """
    got: list[Any] = []

    async def script(context: Any) -> None:
        await context.read()
        await context.write(frame(1, 2, 3, 4))
        got.extend(await answers(context, 4))
        await context.write(FAREWELL)

    text = (
        "import euchrebot\n"
        "def play(ask):\n"
        "    if ask.ask_id < 3:\n"
        "        raise ValueError('a slip')\n"
        "    if ask.ask_id == 3:\n"
        "        return 'three'\n"
        "    return 13\n"
        "euchrebot.run(play)\n"
    )

    async def main() -> tuple[int, str]:
        async with referee(folder, script) as address:
            return await ended(start(address, bot=program(folder, text)))

    code, err = asyncio.run(main())
    assert 0 == code
    assert 1 == err.count("ValueError: a slip\n-> answered the first legal thing to `play` instead")
    assert "TypeError: play() returned 'three', which is no number" in err
    assert [[(1, 2), (2, 2), (3, 2), (4, 13)]] == got
