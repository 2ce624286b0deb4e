"""
How an instance is cut off in an examination, and comes back.
"""

from __future__ import annotations

import asyncio
import contextlib
from typing import TYPE_CHECKING

from referee.examiner.stage import INTERNAL, UNAVAILABLE
from referee.examiner.talk import Gone

if TYPE_CHECKING:
    from collections.abc import Sequence

    from referee.examiner.questions import Sample
    from referee.examiner.stage import End, Stage
    from referee.examiner.steps import Steps
    from referee.examiner.talk import Talk

_CUTS = {UNAVAILABLE: "reconnect.unavailable", INTERNAL: "reconnect.internal"}
"""What is examined by ending a stream, and how."""


class Cutting:
    """
    Ends streams and connections; a method is a step.
    """

    def __init__(self, steps: Steps, stage: Stage, samples: Sequence[Sample]) -> None:
        self.book = steps.book
        self._steps = steps
        self._stage = stage
        self._samples = samples

    async def cut_off(
        self, one: Talk, two: Talk, others: Sequence[asyncio.Task[None]], how: End
    ) -> None:
        """
        Cut it off with questions open, and see it come back.
        """
        chosen = self._samples[-self._steps.hands(one, 3) :]
        ids, frame = one.pose(chosen)
        await self._steps.sent(one, frame)
        await one.cut(how)
        async with self._steps.step(one, _CUTS[how], cut=True):
            try:
                await self._meet_again(one, ids)
            except Gone:
                if one.exit_code is not None:
                    raise
                await asyncio.gather(*others)
                await self._hang_up(two)
                await self._meet_again(one, ids)
        async with self._steps.step(one, "reconnect.again"):
            await self._steps.asked(one, "reconnect.again", chosen, one.pose_again(ids, chosen))

    async def _hang_up(self, two: Talk) -> None:
        """
        Close all connections, for a bot that may not know that its stream has ended.

        On a very busy machine gRPC loses the end of a stream, once in some thousand times: the
        bot then waits on a stream that is no more, and can do nothing about it. A closed
        connection tells it. A bot that was told and stays away has no reason to come now.
        """
        connected = two.connected
        await self._be_away(two)
        if connected:
            with contextlib.suppress(Gone):
                await self._meet_again(two)

    async def _be_away(self, *talks: Talk) -> None:
        for talk in talks:
            await talk.cut(UNAVAILABLE)
        await self._stage.stop()
        await asyncio.sleep(0.3)
        await self._stage.start()

    async def _meet_again(self, talk: Talk, ids: Sequence[int] = ()) -> None:
        hello = await talk.meet(self._steps.pace.grace)
        came = talk.instance_fault(hello)
        if not self.book.has_failed("hello.instance"):
            self.book.judge("reconnect.same", came)
        await talk.welcome(talk.games_of(ids))

    async def restart(self, one: Talk, two: Talk) -> None:
        """
        Be a referee that is down for a moment.
        """
        await self._be_away(one, two)
        async with self._steps.step(one, "reconnect.restart", cut=True):
            await self._meet_again(one)
            _, frame = one.pose(self._samples[:1])
            await self._steps.asked(one, "reconnect.restart", self._samples[:1], frame)
        if two.hello is not None:
            try:
                await self._meet_again(two)
            except Gone as gone:
                self.book.failed("reconnect.restart", f"instance 2: {gone}")
