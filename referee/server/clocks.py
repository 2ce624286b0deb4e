"""
Time limits that stand still while the referee itself is held up.

Those of asyncio know one clock, which runs on while our process is suspended or starved:
afterwards all of them are over at once, and whoever we did not look at seems to be late.
So here somebody looks at the clock every few hundredths of a second, and the time by
which a look comes too late is nobody's.
"""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable

_TICK = 0.025
"""Seconds between two looks at the clock."""

_HELD_UP = 0.1
"""A look that comes so many seconds late says that we were held up, not the bots."""

_SLICES = 5
"""Parts of a short wait, of which being held up once costs no more than one."""


class Clocks:
    """
    The time limits of one server.
    """

    def __init__(self) -> None:
        self._ends: dict[asyncio.Timeout, float] = {}
        """When each limit that runs is reached."""

    async def run(self, look: Callable[[float, float, float], None]) -> None:
        """
        Let the clocks run.

        Args:
            look: Is called with the time, the seconds by which this look comes late, and
                those of them in which we were held up.
        """
        loop = asyncio.get_running_loop()
        last = loop.time()
        while True:
            await asyncio.sleep(_TICK)
            now = loop.time()
            late = max(0.0, now - last - _TICK)
            last = now
            held_up = late if late > _HELD_UP else 0.0
            if self._ends:
                self._look(now, held_up)
            look(now, late, held_up)

    def _look(self, now: float, held_up: float) -> None:
        if held_up:
            self._ends = {limit: end + held_up for limit, end in self._ends.items()}
        over = [limit for limit, end in self._ends.items() if end <= now]
        for limit in over:
            del self._ends[limit]
            limit.reschedule(now)

    @asynccontextmanager
    async def within(self, seconds: float) -> AsyncIterator[None]:
        """
        Allow the body so many seconds, as `asyncio.timeout` does.

        Raises:
            TimeoutError: It took longer.
        """
        async with asyncio.timeout(None) as limit:
            self._ends[limit] = asyncio.get_running_loop().time() + seconds
            try:
                yield
            finally:
                self._ends.pop(limit, None)


async def attend(task: asyncio.Future[Any], seconds: float) -> None:
    """
    Wait for a moment, or until *task* is done.

    For waits that also go on while the clocks are stopped, at the end of a server. Were it
    one wait, then it would be over when our process is suspended in it and goes on, before
    we have looked at what has come meanwhile.
    """
    for _ in range(_SLICES):
        if task.done():
            return
        await asyncio.wait([task], timeout=seconds / _SLICES)


async def attend_only(doing: Awaitable[Any], seconds: float) -> None:
    """
    Do something for a moment, as `attend` waits for it, and then no longer.

    Whatever comes of it, nobody asks.
    """
    task = asyncio.ensure_future(doing)
    try:
        await attend(task, seconds)
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
