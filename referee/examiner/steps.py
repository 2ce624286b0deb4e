"""
The steps of an examination: what happens to a check when the bot is lost in the middle of it.
"""

from __future__ import annotations

import asyncio
import contextlib
from typing import TYPE_CHECKING

from referee.examiner.talk import Gone

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Sequence

    from referee.examiner.exam import Notebook
    from referee.examiner.pace import Pace, Running
    from referee.examiner.questions import Sample
    from referee.examiner.talk import Talk

_RESTARTS = 3
"""Times that a bot which was lost may come back, or is started again."""


class Blocked(Exception):  # noqa: N818  (what the bot did)
    """
    The examination cannot go on; the text says why.
    """


class Steps:
    """
    Takes down what comes of each step, and lets a bot that was lost come back.
    """

    def __init__(
        self, book: Notebook, pace: Pace, start: Callable[[str, str], Running] | None
    ) -> None:
        """
        Set up.

        Args:
            book: Takes the verdicts.
            pace: How long to wait.
            start: Starts an instance, from its token and its name; None if somebody else does.
        """
        self.book = book
        self.pace = pace
        self._start = start
        self._losses = 0

    @contextlib.asynccontextmanager
    async def step(
        self, talk: Talk, *names: str, stray: str = "ids.known", cut: bool = False
    ) -> AsyncIterator[None]:
        """
        Do one step of the examination; without a failure its checks are passed.

        Args:
            talk: With whom.
            names: What is examined.
            stray: Which check fails if an answer comes that nobody asked for.
            cut: Whether we have cut the bot off, so that its absence is nothing else.

        Raises:
            Blocked: The bot was lost in it, and does not come back.
        """
        ledger = talk.ledger
        ledger.stray = stray
        ledger.forget_strays()
        try:
            yield
        except Gone as gone:
            for name in names:
                self.book.failed(name, str(gone) if cut else f"{gone} in the middle of this check")
            if not cut:
                self.book.failed("ending.stays", str(gone))
            await self._return(talk, gone)
        else:
            self.book.passed(*names)
        finally:
            ledger.stray = "ids.known"

    async def _return(self, talk: Talk, gone: Gone) -> None:
        """
        Let a bot that was lost in a step come back, or start it again; a few times.

        Raises:
            Blocked: It does not.
        """
        self._losses += 1
        if self._losses > _RESTARTS:
            raise Blocked(f"{gone}, for the {self._losses}th time") from gone
        await talk.cut()
        try:
            if not await self._comes_back(talk):
                await self._start_again(talk)
            await talk.welcome()
        except Gone:
            raise Blocked(str(gone)) from gone

    async def _comes_back(self, talk: Talk) -> bool:
        if talk.exit_code is not None:
            return False
        try:
            await talk.meet(min(self.pace.grace, 3.0))
        except Gone:
            return False
        return True

    async def _start_again(self, talk: Talk) -> None:
        """
        Start a bot that has ended, or that hangs, and wait for its Hello.

        Raises:
            Gone: It does not come, or somebody else starts it.
        """
        if self._start is None or talk.running is None:
            raise Gone("somebody else starts it")
        if talk.exit_code is None:
            await talk.running.dismiss()
            await asyncio.wait([talk.running.ended], timeout=self.pace.killed)
        talk.guest.forget_lines()
        talk.running = self._start(talk.guest.token, talk.guest.instance)
        await talk.meet(self.pace.start)

    async def sent(self, one: Talk, frame: bytes) -> None:
        """
        Send a frame, in a step of its own.
        """
        async with self.step(one):
            await one.send(frame)

    async def asked(self, one: Talk, name: str, chosen: Sequence[Sample], frame: bytes) -> None:
        """
        Send a frame that asks *chosen*, the last that were posed; all must be answered.
        """
        await one.send(frame)
        missing = await one.collect(one.last_ids, self.pace.silent)
        if missing:
            self.book.failed(name, f"{len(missing)} of {len(chosen)} asks got no answer")
            one.ledger.close(missing)

    def hands(self, one: Talk, most: int) -> int:
        """
        Return how many asks it can hold, up to *most*.
        """
        return 1 if self.book.has_failed("frames.many") else min(one.max_asks, most)
