"""
Many well-behaved bots in one process, each on a connection of its own.

Standard input says who they are: JSON with `address`, `seats` (bot, instance, token and
table of each) and `idle`, which says hello and waits. Standard output says, when input
ends, how long the referee took from the answer of one seat to the ask of the next one
at its table, as the bots saw it.
"""

from __future__ import annotations

import asyncio
import json
import sys
import time
from pathlib import Path

import grpc.aio

sys.path.insert(0, str(Path(__file__).parents[2] / "sample_bots" / "python"))

from euchre.referee.v1 import referee_service_pb2, referee_service_pb2_grpc
from euchrebot.bot import answer
from euchrebot.strategy import Rules

TOGETHER = 20
"""Bots that dial at the same moment; with hundreds at once gRPC can lose a call."""

doors = asyncio.Semaphore(TOGETHER)
last: dict[str, float] = {}
"""When the newest answer of a table was given to gRPC."""
took: list[float] = []


async def sit(address: str, seat: dict[str, str]) -> None:
    """
    Answer until the referee ends the stream, or somebody cancels.
    """
    options = [("grpc.use_local_subchannel_pool", 1)]
    async with grpc.aio.insecure_channel(address, options=options) as channel:
        stub = referee_service_pb2_grpc.RefereeServiceStub(channel)
        async with doors:
            call = stub.Play(metadata=[("authorization", f"Bearer {seat['token']}")])
            hello = referee_service_pb2.Hello(protocol=1, instance=seat["instance"], max_asks=1)
            await call.write(referee_service_pb2.PlayRequest(hello=hello))
            await call.read()
        bot, table = Rules(), seat.get("table", "")
        while True:
            response = await call.read()
            if response is grpc.aio.EOF:
                return
            if response.WhichOneof("kind") != "frame":
                continue
            asks = response.frame.asks
            if asks and table in last:
                took.append(time.perf_counter() - last[table])
            request = referee_service_pb2.PlayRequest()
            for ask in asks:
                answer(bot, ask, request.answers.answers.add())
            if asks:
                last[table] = time.perf_counter()
                await call.write(request)


async def main() -> None:
    """
    Sit everybody down, and get up at the end of input.
    """
    told = json.loads(await asyncio.to_thread(sys.stdin.readline))
    tasks = [
        asyncio.create_task(sit(told["address"], seat)) for seat in (*told["seats"], *told["idle"])
    ]
    await asyncio.to_thread(sys.stdin.read)
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    took.sort()
    print(json.dumps({"took": took[:: max(1, len(took) // 10_000)]}))  # noqa: T201


if __name__ == "__main__":
    asyncio.run(main())
