"""
The course of an examination: what is done with which instance, and in which order.

How to think about it: instance `1` goes through all steps, from easy to hard; a step
names the checks that fail if the bot is lost in it. Instance `2` waits, is asked beside
the first, and gets SIGTERM at the end. Two more come and go meanwhile: one with a long
name, which is replaced, and one that is refused.
"""

from __future__ import annotations

import asyncio
import secrets
from typing import TYPE_CHECKING

from referee.examiner import sides
from referee.examiner.checks import BY_NAME
from referee.examiner.cutting import Cutting
from referee.examiner.exam import Notebook
from referee.examiner.questioning import Questioning
from referee.examiner.questions import samples
from referee.examiner.stage import INTERNAL, REFUSED, UNAVAILABLE
from referee.examiner.steps import Blocked, Steps
from referee.examiner.talk import Gone, Talk

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from referee.examiner.pace import Pace, Running
    from referee.examiner.questions import Sample
    from referee.examiner.stage import Guest, Stage
    from referee.wire.hearing import HelloHeard

LONG = "a.Long_Name-of.32-characters_x32"
"""The longest name that an instance may have, with every kind of character."""

_GAMES = {"GAME_BID": "bid", "GAME_BUCK": "buck"}

_UNIVERSAL = (
    *("hello.once", "hello.waits", "hello.messages", "ids.known", "ids.once"),
    *("reneges.challenges", "time.limit", "ending.stays", "output.none"),
)
"""Checks that are passed if nothing has spoken against them until the end."""


class Course:
    """
    One examination.
    """

    def __init__(
        self,
        stage: Stage,
        pace: Pace,
        games: frozenset[str],
        start: Callable[[str, str], Running] | None,
        invite: Callable[[str, str], None],
    ) -> None:
        """
        Set up.

        Args:
            stage: Where the bot dials in; has started.
            pace: How long to wait.
            games: What is examined, of what the bot plays.
            start: Starts an instance, from its token and its name; None if somebody else does.
            invite: Is told the token and the name of each instance that somebody else starts.
        """
        self.book = Notebook()
        self.games = games
        self.software = ""
        """What the bot says that it is."""
        self.blocked = "what it builds on has failed"
        """Why checks without a verdict were not reached."""
        self._stage = stage
        self._pace = pace
        self._start = start
        self._invite = invite
        self._samples: list[Sample] = []

    async def run(self) -> None:
        """
        Examine the bot from its first Hello to its end.
        """
        one, two = self._instance("1"), self._instance("2")
        try:
            hello = await self._first_hello(one)
        except Gone as gone:
            self.blocked = str(gone)
            return
        others: list[asyncio.Task[None]] = []
        partner = asyncio.create_task(sides.partner(two, hello))
        if self._start is not None:
            others.append(asyncio.create_task(sides.replaced(self._instance(LONG))))
            others.append(asyncio.create_task(sides.refused(self._instance("refused"))))
        try:
            try:
                await self._examine(one, two, partner, others)
            except Blocked as blocked:
                self.blocked = str(blocked)
                # Good enough for whatever does not hang as well.
                await asyncio.wait([partner, *others], timeout=self._pace.end)
            connected = partner.done() and partner.result()
            await asyncio.gather(sides.farewell(one), sides.sigterm(two, connected=connected))
        finally:
            for task in (partner, *others):
                task.cancel()
            await asyncio.gather(partner, *others, return_exceptions=True)
        self._sum_up(one)

    def _instance(self, name: str) -> Talk:
        token = secrets.token_urlsafe(24)
        guest: Guest = self._stage.expect(token, name)
        if name == "refused":
            guest.refusal = REFUSED
        running = None
        if self._start is not None:
            running = self._start(token, name)
        else:
            self._invite(token, name)
        return Talk(self._stage, guest, self.book, self._pace, running)

    async def _first_hello(self, one: Talk) -> HelloHeard:
        """
        Wait for the first instance, and judge how it introduces itself.
        """
        try:
            hello = await one.meet(self._pace.start)
        except Gone as gone:
            strange = bool(self._stage.strangers)
            self.book.failed("hello.token" if strange else "hello.first", str(gone))
            raise
        one.judge_hello(hello)
        self.software = hello.software[:200]
        played = {_GAMES[name] for name in hello.games if name in _GAMES} or set(_GAMES.values())
        self.games = self.games & played
        self._samples = [sample for sample in samples() if sample.game in self.games]
        if not self._samples:
            self.book.failed("hello.games", "it plays none of the games that are examined")
            raise Gone("it plays none of the games that are examined")
        return hello

    async def _examine(
        self,
        one: Talk,
        two: Talk,
        partner: asyncio.Task[bool],
        others: Sequence[asyncio.Task[None]],
    ) -> None:
        """
        Take the first instance through all steps.

        Raises:
            Blocked: It was lost.
        """
        steps = Steps(self.book, self._pace, self._start)
        asking = Questioning(steps, self._samples)
        await asking.quiet(one)
        await asking.one_by_one(one)
        await asking.after_a_ruling(one)
        await asking.large_ids(one)
        await asking.little_time(one)
        await asking.many(one)
        await asking.later(one)
        if await partner:
            await asking.both(one, two)
        cutting = Cutting(steps, self._stage, self._samples)
        await cutting.cut_off(one, two, others, UNAVAILABLE)
        await cutting.cut_off(one, two, others, INTERNAL)
        await asyncio.gather(*others)
        await cutting.restart(one, two)

    def _sum_up(self, one: Talk) -> None:
        """
        Pass what nothing has spoken against, if there was anything to judge.
        """
        if one.ledger.times:
            self.book.passed(*_UNIVERSAL)
            if self.book.has_failed("hello.instance"):
                self.book.skipped(("reconnect.same",), "the name was wrong from the start")
        if self._start is None:
            names = [name for name in BY_NAME if name.startswith("output.")]
            names += ["hello.long_instance", "reconnect.aborted", "reconnect.refused"]
            self.book.skipped(names, "somebody else started it")
