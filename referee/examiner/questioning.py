"""
What is asked in an examination, from easy to hard, of an instance that stays connected.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from referee.examiner.checks import TABLES
from referee.examiner.steps import Blocked
from referee.hall import Seated
from referee.rules.judge import Code
from referee.seats import Seat
from referee.table import RulingTold
from referee.view import PublicRuling
from referee.wire.hearing import from_later, tells_frame, unknown_message, unknown_tell

if TYPE_CHECKING:
    from collections.abc import Sequence

    from referee.examiner.questions import Sample
    from referee.examiner.steps import Steps
    from referee.examiner.talk import Talk
    from referee.rules.deal import Phase

_LARGE = (1 << 53) + 1
"""The first whole number that a double does not hold."""

_PATIENCE = 3
"""Questions in a row without an answer, or with a late one, after which it is enough."""

_ENOUGH = 10
"""Answers after which a bot can be called slow."""


class Questioning:
    """
    Asks all that is asked; a method is a step, and they may be taken in any order.
    """

    def __init__(self, steps: Steps, samples: Sequence[Sample]) -> None:
        self.book = steps.book
        self._steps = steps
        self._samples = samples

    async def quiet(self, one: Talk) -> None:
        """
        See that it says nothing unless it is asked.
        """
        async with self._steps.step(one, "hello.waits", stray="hello.waits"):
            await one.welcome()
            await one.listen(self._steps.pace.quiet)
        async with self._steps.step(one, "frames.empty", stray="frames.empty"):
            await one.tell()
            await one.listen(self._steps.pace.quiet)
        async with self._steps.step(one, "frames.tells", stray="frames.tells"):
            rules = [TABLES[game] for game in sorted({sample.game for sample in self._samples})]
            seat = Seat.NORTH
            names = ("One", "Two", "Three", "Four")
            await one.tell([(900 + n, Seated(seat, each, names)) for n, each in enumerate(rules)])
            await one.listen(self._steps.pace.quiet)

    async def one_by_one(self, one: Talk) -> None:
        """
        Ask every kind of question, one a frame.
        """
        missed = 0
        missing: list[int] = []
        for sample in self._samples:
            late = len(one.ledger.times)
            async with self._steps.step(one, sample.check):
                ids, frame = one.pose([sample])
                await one.send(frame)
                missing = await one.collect(ids, self._wait(missed))
                if missing:
                    self.book.failed(sample.check, "no answer came")
                    one.ledger.close(missing)
                else:
                    self.book.passed("frames.one")
            slow = any(took > self._steps.pace.answer for took in one.ledger.times[late:])
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
        average, limit = sum(times) / len(times), self._steps.pace.answer
        if average >= limit / 2:
            self.book.failed("time.average", f"{average:.2f} s, of {limit:.2f} s that it has")
            raise Blocked("it is too slow for the rest")

    def _wait(self, missed: int) -> float:
        return self._steps.pace.silent if missed == 0 else self._steps.pace.answer

    async def after_a_ruling(self, one: Talk) -> None:
        """
        Decide an ask by a ruling before its answer can come, and ask another.
        """
        async with self._steps.step(one, "ids.late"):
            (first,), frame = one.pose(self._samples[:1])
            one.ledger.close([first])
            await one.send(frame)
            seat = self._samples[0].question.seat
            ruling = PublicRuling(Code.TIMEOUT, seat, 0, None, 0, None)
            told = RulingTold(1, ruling, "did not answer in time: a fault", own=True)
            await one.send(tells_frame([(1, told)]))
            _, frame = one.pose(self._samples[1:2])
            await self._steps.asked(one, "ids.late", self._samples[1:2], frame)

    async def large_ids(self, one: Talk) -> None:
        """
        Ask under an id that a floating point number does not hold.
        """
        async with self._steps.step(one, "ids.large", stray="ids.large"):
            _, frame = one.pose(self._samples[:1], first_id=_LARGE)
            await self._steps.asked(one, "ids.large", self._samples[:1], frame)

    async def little_time(self, one: Talk) -> None:
        """
        Ask with little time to answer.
        """
        async with self._steps.step(one, "time.short"):
            short = self._steps.pace.short
            _, frame = one.pose(self._samples[:1], timed="time.short", limit=short)
            await self._steps.asked(one, "time.short", self._samples[:1], frame)

    async def many(self, one: Talk) -> None:
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
        async with self._steps.step(one, "frames.many", "time.many"):
            _, frame = one.pose(chosen, timed="time.many")
            await self._steps.asked(one, "frames.many", chosen, frame)
        if self.book.has_failed("frames.many"):
            self.book.skipped(("frames.more",), "it does not answer a frame of many")
            return
        async with self._steps.step(one, "frames.more"):
            half = most // 2
            first, frame = one.pose(chosen[:half], timed="time.many")
            await one.send(frame)
            second, frame = one.pose(chosen[half:], timed="time.many")
            one.last_ids = [*first, *second]
            await self._steps.asked(one, "frames.more", chosen, frame)

    async def later(self, one: Talk) -> None:
        """
        Send what a later version of the protocol may send.
        """
        name = "later.tells"
        async with self._steps.step(one, name, stray=name):
            _, frame = one.pose(self._samples[:1])
            await self._steps.asked(one, name, self._samples[:1], unknown_tell(frame))
        name = "later.messages"
        async with self._steps.step(one, name, stray=name):
            await one.send(unknown_message())
            _, frame = one.pose(self._samples[:1])
            await self._steps.asked(one, name, self._samples[:1], frame)
        name = "later.fields"
        async with self._steps.step(one, name, stray=name):
            for sample in self._one_of_each():
                _, frame = one.pose([sample])
                await self._steps.asked(one, name, [sample], from_later(frame))

    async def both(self, one: Talk, two: Talk) -> None:
        """
        Ask two instances at the same time.
        """
        name = "instances.both"
        chosen = self._samples[-self._steps.hands(one, 4) :]
        talks = (one, two)
        async with self._steps.step(one, name):
            posed = [talk.pose(chosen) for talk in talks]
            for talk, (_, frame) in zip(talks, posed, strict=True):
                await talk.send(frame)
            for talk, (ids, _) in zip(talks, posed, strict=True):
                missing = await talk.collect(ids, self._steps.pace.silent)
                if missing:
                    instance = talk.guest.instance
                    came = f"instance {instance}: {len(missing)} asks got no answer"
                    self.book.failed(name, came)
                    talk.ledger.close(missing)

    def _one_of_each(self) -> list[Sample]:
        found: dict[tuple[str, Phase], Sample] = {}
        for sample in self._samples:
            found.setdefault((sample.game, sample.question.phase), sample)
        return list(found.values())
