"""
The course of an examination: what is done with which instance, and in which order.

How to think about it: instance `1` goes through all steps, from easy to hard; a step
names the checks that fail if the bot is lost in it. Instance `2` waits, is asked beside
the first, and gets SIGTERM at the end. Two more come and go meanwhile: one with a long
name, which is replaced, and one that is refused.
"""

from __future__ import annotations

import asyncio
import contextlib
import secrets
from typing import TYPE_CHECKING

from referee.examiner import sides
from referee.examiner.checks import BY_NAME, TABLES
from referee.examiner.exam import Notebook
from referee.examiner.questions import samples
from referee.examiner.stage import INTERNAL, REFUSED, UNAVAILABLE
from referee.examiner.talk import Gone, Talk
from referee.hall import Seated
from referee.rules.judge import Code
from referee.seats import Seat
from referee.table import RulingTold
from referee.view import PublicRuling
from referee.wire.hearing import from_later, tells_frame, unknown_message, unknown_tell

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Sequence

    from referee.examiner.pace import Pace, Running
    from referee.examiner.questions import Sample
    from referee.examiner.stage import End, Guest, Stage
    from referee.rules.deal import Phase
    from referee.wire.hearing import HelloHeard

LONG = "a.Long_Name-of.32-characters_x32"
"""The longest name that an instance may have, with every kind of character."""

_LARGE = (1 << 53) + 1
"""The first whole number that a double does not hold."""

_PATIENCE = 3
"""Questions in a row without an answer, or with a late one, after which it is enough."""

_ENOUGH = 10
"""Answers after which a bot can be called slow."""

_RESTARTS = 3
"""Times that a bot which was lost may come back, or is started again."""

_CUTS = {UNAVAILABLE: "reconnect.unavailable", INTERNAL: "reconnect.internal"}
"""What is examined by ending a stream, and how."""

_GAMES = {"GAME_BID": "bid", "GAME_BUCK": "buck"}

_UNIVERSAL = (
    *("hello.once", "hello.waits", "hello.messages", "ids.known", "ids.once"),
    *("reneges.challenges", "time.limit", "ending.stays", "output.none"),
)
"""Checks that are passed if nothing has spoken against them until the end."""


class Blocked(Exception):  # noqa: N818  (what the bot did)
    """
    The examination cannot go on; the text says why.
    """


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
        self._losses = 0

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
                await self._steps(one, two, partner, others)
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

    # --- the first instance --------------------------------------------------------------

    async def _steps(
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
        await self._quiet(one)
        await self._one_by_one(one)
        await self._after_a_ruling(one)
        await self._large_ids(one)
        await self._little_time(one)
        await self._many(one)
        await self._later(one)
        if await partner:
            await self._both(one, two)
        await self._cut_off(one, two, others, UNAVAILABLE)
        await self._cut_off(one, two, others, INTERNAL)
        await asyncio.gather(*others)
        await self._restart(one, two)

    @contextlib.asynccontextmanager
    async def _step(
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
            await talk.meet(min(self._pace.grace, 3.0))
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
            await asyncio.wait([talk.running.ended], timeout=self._pace.killed)
        talk.guest.forget_lines()
        talk.running = self._start(talk.guest.token, talk.guest.instance)
        await talk.meet(self._pace.start)

    async def _quiet(self, one: Talk) -> None:
        """
        See that it says nothing unless it is asked.
        """
        async with self._step(one, "hello.waits", stray="hello.waits"):
            await one.welcome()
            await one.listen(self._pace.quiet)
        async with self._step(one, "frames.empty", stray="frames.empty"):
            await one.tell()
            await one.listen(self._pace.quiet)
        async with self._step(one, "frames.tells", stray="frames.tells"):
            rules = [TABLES[game] for game in sorted(self.games)]
            seat = Seat.NORTH
            names = ("One", "Two", "Three", "Four")
            await one.tell([(900 + n, Seated(seat, each, names)) for n, each in enumerate(rules)])
            await one.listen(self._pace.quiet)

    async def _one_by_one(self, one: Talk) -> None:
        """
        Ask every kind of question, one a frame.
        """
        missed = 0
        missing: list[int] = []
        for sample in self._samples:
            late = len(one.ledger.times)
            async with self._step(one, sample.check):
                ids, frame = one.pose([sample])
                await one.send(frame)
                missing = await one.collect(ids, self._wait(missed))
                if missing:
                    self.book.failed(sample.check, "no answer came")
                    one.ledger.close(missing)
                else:
                    self.book.passed("frames.one")
            slow = any(took > self._pace.answer for took in one.ledger.times[late:])
            missed = missed + 1 if missing or slow else 0
            if missed >= _PATIENCE:
                if not one.ledger.times:
                    self.book.failed("frames.one", f"no answer to {missed} questions in a row")
                raise Blocked(f"{missed} answers in a row did not come in time")
            self._judge_average(one.ledger.times)
        if self.book.has_failed("ids.known"):
            raise Blocked("answers cannot be told apart by their ids")
        self.book.passed("time.average")

    def _judge_average(self, times: Sequence[float]) -> None:
        """
        Stop if the bot is slow: so many questions would take too long.

        Raises:
            Blocked: It is.
        """
        if len(times) < _ENOUGH:
            return
        average, limit = sum(times) / len(times), self._pace.answer
        if average >= limit / 2:
            self.book.failed("time.average", f"{average:.2f} s, of {limit:.2f} s that it has")
            raise Blocked("it is too slow for the rest")

    def _wait(self, missed: int) -> float:
        return self._pace.silent if missed == 0 else self._pace.answer

    async def _asked(self, one: Talk, name: str, chosen: Sequence[Sample], frame: bytes) -> None:
        """
        Send a frame that asks *chosen*, the last that were posed; all must be answered.
        """
        await one.send(frame)
        missing = await one.collect(one.last_ids, self._pace.silent)
        if missing:
            self.book.failed(name, f"{len(missing)} of {len(chosen)} asks got no answer")
            one.ledger.close(missing)

    async def _after_a_ruling(self, one: Talk) -> None:
        """
        Decide an ask by a ruling before its answer can come, and ask another.
        """
        async with self._step(one, "ids.late"):
            (first,), frame = one.pose(self._samples[:1])
            one.ledger.close([first])
            await one.send(frame)
            seat = self._samples[0].question.seat
            ruling = PublicRuling(Code.TIMEOUT, seat, 0, None, 0, None)
            told = RulingTold(1, ruling, "did not answer in time: a fault", own=True)
            await one.send(tells_frame([(1, told)]))
            _, frame = one.pose(self._samples[1:2])
            await self._asked(one, "ids.late", self._samples[1:2], frame)

    async def _large_ids(self, one: Talk) -> None:
        async with self._step(one, "ids.large", stray="ids.large"):
            _, frame = one.pose(self._samples[:1], first_id=_LARGE)
            await self._asked(one, "ids.large", self._samples[:1], frame)

    async def _little_time(self, one: Talk) -> None:
        async with self._step(one, "time.short"):
            short = self._pace.short
            _, frame = one.pose(self._samples[:1], timed="time.short", limit=short)
            await self._asked(one, "time.short", self._samples[:1], frame)

    async def _many(self, one: Talk) -> None:
        """
        Fill its hands: at once, and in two halves.
        """
        most = one.max_asks
        if most == 1:
            self.book.skipped(
                ("frames.many", "frames.more", "time.many"), "Hello.max_asks is 1: one at a time"
            )
            return
        # A referee plays by one set of rules.
        same = [sample for sample in self._samples if sample.table == self._samples[-1].game]
        chosen = [same[place % len(same)] for place in range(most)]
        async with self._step(one, "frames.many", "time.many"):
            _, frame = one.pose(chosen, timed="time.many")
            await self._asked(one, "frames.many", chosen, frame)
        if self.book.has_failed("frames.many"):
            self.book.skipped(("frames.more",), "it does not answer a frame of many")
            return
        async with self._step(one, "frames.more"):
            half = most // 2
            first, frame = one.pose(chosen[:half], timed="time.many")
            await one.send(frame)
            second, frame = one.pose(chosen[half:], timed="time.many")
            one.last_ids = [*first, *second]
            await self._asked(one, "frames.more", chosen, frame)

    async def _later(self, one: Talk) -> None:
        """
        Send what a later version of the protocol may send.
        """
        name = "later.tells"
        async with self._step(one, name, stray=name):
            _, frame = one.pose(self._samples[:1])
            await self._asked(one, name, self._samples[:1], unknown_tell(frame))
        name = "later.messages"
        async with self._step(one, name, stray=name):
            await one.send(unknown_message())
            _, frame = one.pose(self._samples[:1])
            await self._asked(one, name, self._samples[:1], frame)
        name = "later.fields"
        async with self._step(one, name, stray=name):
            for sample in self._one_of_each():
                _, frame = one.pose([sample])
                await self._asked(one, name, [sample], from_later(frame))

    def _hands(self, one: Talk, most: int) -> int:
        """
        Return how many asks it can hold, up to *most*.
        """
        return 1 if self.book.has_failed("frames.many") else min(one.max_asks, most)

    def _one_of_each(self) -> list[Sample]:
        found: dict[tuple[str, Phase], Sample] = {}
        for sample in self._samples:
            found.setdefault((sample.game, sample.question.phase), sample)
        return list(found.values())

    async def _cut_off(
        self, one: Talk, two: Talk, others: Sequence[asyncio.Task[None]], how: End
    ) -> None:
        """
        Cut it off with questions open, and see it come back.
        """
        chosen = self._samples[-self._hands(one, 3) :]
        ids, frame = one.pose(chosen)
        await self._sent(one, frame)
        await one.cut(how)
        async with self._step(one, _CUTS[how], cut=True):
            try:
                await self._meet_again(one, ids)
            except Gone:
                if one.exit_code is not None:
                    raise
                await asyncio.gather(*others)
                await self._hang_up(two)
                await self._meet_again(one, ids)
        async with self._step(one, "reconnect.again"):
            await self._asked(one, "reconnect.again", chosen, one.pose_again(ids, chosen))

    async def _hang_up(self, two: Talk) -> None:
        """
        Close all connections, for a bot that may not know that its stream has ended.

        gRPC loses the end of a stream, about once in a thousand times on a very busy machine:
        the bot then waits on a stream that is no more, and can do nothing about it. A closed
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

    async def _sent(self, one: Talk, frame: bytes) -> None:
        async with self._step(one):
            await one.send(frame)

    async def _meet_again(self, talk: Talk, ids: Sequence[int] = ()) -> None:
        hello = await talk.meet(self._pace.grace)
        came = talk.instance_fault(hello)
        if not self.book.has_failed("hello.instance"):
            self.book.judge("reconnect.same", came)
        await talk.welcome(talk.games_of(ids))

    async def _restart(self, one: Talk, two: Talk) -> None:
        """
        Be a referee that is down for a moment.
        """
        await self._be_away(one, two)
        async with self._step(one, "reconnect.restart", cut=True):
            await self._meet_again(one)
            _, frame = one.pose(self._samples[:1])
            await self._asked(one, "reconnect.restart", self._samples[:1], frame)
        if two.hello is not None:
            try:
                await self._meet_again(two)
            except Gone as gone:
                self.book.failed("reconnect.restart", f"instance 2: {gone}")

    async def _both(self, one: Talk, two: Talk) -> None:
        """
        Ask two instances at the same time.
        """
        name = "instances.both"
        chosen = self._samples[-self._hands(one, 4) :]
        talks = (one, two)
        async with self._step(one, name):
            posed = [talk.pose(chosen) for talk in talks]
            for talk, (_, frame) in zip(talks, posed, strict=True):
                await talk.send(frame)
            for talk, (ids, _) in zip(talks, posed, strict=True):
                missing = await talk.collect(ids, self._pace.silent)
                if missing:
                    instance = talk.guest.instance
                    came = f"instance {instance}: {len(missing)} asks got no answer"
                    self.book.failed(name, came)
                    talk.ledger.close(missing)

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
