"""
The examiner's side of the conversation with one instance.
"""

from __future__ import annotations

import asyncio
import contextlib
import itertools
from typing import TYPE_CHECKING, Any

from referee.escaping import escaped
from referee.examiner.exam import Ledger, Notebook, software_fault
from referee.examiner.stage import DONE
from referee.hall import Ask, Frame, Limits, Seated
from referee.server.clocks import attend
from referee.wire import encode
from referee.wire.frames import FrameEncoder
from referee.wire.hearing import tells_frame

if TYPE_CHECKING:
    from collections.abc import Sequence

    from referee.examiner.pace import Pace, Running
    from referee.examiner.questions import Sample
    from referee.examiner.stage import Guest, Line, Stage
    from referee.wire.hearing import Heard, HelloHeard

_NAMES = ("Examiner", "Bot", "Examiner", "Bot")
_SETTLED = 0.05
"""Seconds in which the right answer follows one that nobody asked for, if it does."""

_MOST = 64
"""Asks that are open at a time at most, as in a referee."""


class Gone(Exception):  # noqa: N818  (what the bot did)
    """
    The instance is not there any more; the text says how that was noticed.
    """


class Talk:
    """
    One instance: what it is sent, and what it says.
    """

    def __init__(
        self,
        stage: Stage,
        guest: Guest,
        notebook: Notebook,
        pace: Pace,
        running: Running | None,
    ) -> None:
        self.guest = guest
        self.notebook = notebook
        self.pace = pace
        self.running = running
        """Its process; None if somebody else has started it."""
        self.ledger = Ledger(notebook)
        self.hello: HelloHeard | None = None
        """How it introduced itself first."""
        self.last_ids: list[int] = []
        """The asks that were posed last."""
        self._stage = stage
        self._line: Line | None = None
        self._encoder = FrameEncoder()
        self._game_ids = itertools.count(1)
        self._ask_ids = itertools.count(1001)  # another number than the game's
        self._game_of: dict[int, int] = {}

    @property
    def max_asks(self) -> int:
        """
        How many asks it may hold.
        """
        wanted = self.hello.max_asks if self.hello is not None else 1
        return min(wanted, _MOST) if wanted > 0 else 1

    @property
    def connected(self) -> bool:
        """
        Whether it has a stream.
        """
        return self._line is not None

    @property
    def exit_code(self) -> int | None:
        """
        The exit code of its process; None while it runs, or is not ours.
        """
        if self.running is None or not self.running.ended.done():
            return None
        return self.running.ended.result()

    # --- coming and going ----------------------------------------------------------------

    async def meet(self, seconds: float) -> HelloHeard:
        """
        Wait until it has dialled in and said Hello; the Welcome is not sent yet.

        Raises:
            Gone: It did not.
        """
        line = await self._next_line(seconds)
        self._line = line
        try:
            _, heard = await asyncio.wait_for(line.heard.get(), self.pace.start)
        except TimeoutError:
            raise Gone("it opened a stream and sent nothing") from None
        if heard is None:
            raise Gone(self._how("it opened a stream and ended it without a message"))
        if heard.hello is None:
            raise Gone(f"its first message was {_ARTICLE[heard.kind]}")
        self.hello = self.hello or heard.hello
        return heard.hello

    async def welcome(self, open_games: Sequence[int] = ()) -> None:
        """
        Let it in.
        """
        message = encode.welcome(
            name="The bot that is examined",
            instance=self.guest.instance,
            limits=Limits(answer=self.pace.answer, grace=self.pace.grace),
            max_asks=self.max_asks,
            max_instances=_MOST,
            max_message_bytes=1 << 20,
            faults_to_forfeit=3,
            commitment="0" * 64,
            open_games=open_games,
        )
        await self.send(message.SerializeToString())

    async def send(self, message: bytes) -> None:
        """
        Send a message.

        Raises:
            Gone: There is no stream.
        """
        if self._line is None:
            raise Gone("it is not connected")
        await self._line.send(message)

    async def cut(self, how: tuple[object, str] = DONE) -> None:
        """
        End its stream.
        """
        line, self._line = self._line, None
        if line is not None:
            await line.end(how)  # type: ignore[arg-type]  # a status code, which only stage knows

    async def farewell(self, reason: str) -> None:
        """
        End the conversation politely; take note of what came until then.
        """
        await self.listen(0)
        with contextlib.suppress(Gone):
            await self.send(encode.farewell(reason).SerializeToString())
        await self.cut()

    async def _next_line(self, seconds: float) -> Line:
        came = asyncio.ensure_future(self.guest.lines.get())
        strange = asyncio.ensure_future(self._stage.strange.wait())
        waiting: list[asyncio.Future[Any]] = [came, strange]
        if self.running is not None:
            waiting.append(self.running.ended)
        try:
            await asyncio.wait(waiting, timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
            if came.done():
                return came.result()
        finally:
            came.cancel()
            strange.cancel()
        if self._stage.strangers:
            raise Gone(f"a bot dialled in with {self._stage.strangers[0]}")
        raise Gone(self._how(f"it did not dial in within {seconds:.0f} s"))

    def _how(self, otherwise: str) -> str:
        code = self.exit_code
        if code is None:
            return otherwise
        said = "" if self.running is None else escaped(self.running.said())
        return f"it ended with exit code {code}" + (said and f": {said}")

    # --- asking --------------------------------------------------------------------------

    def pose(
        self,
        samples: Sequence[Sample],
        *,
        timed: str = "time.limit",
        limit: float = 0.0,
        first_id: int = 0,
    ) -> tuple[list[int], bytes]:
        """
        Make a frame of asks, each in a game of its own; return their ids and the frame.
        """
        limit = limit or self.pace.answer
        tells: list[tuple[int, Seated]] = []
        asks = []
        for place, sample in enumerate(samples):
            game_id = first_id + place if first_id else next(self._game_ids)
            ask_id = first_id + place if first_id else next(self._ask_ids)
            seated = Seated(sample.question.seat, sample.rules, _NAMES)
            self._game_of[ask_id] = game_id
            tells.append((game_id, seated))
            asks.append(Ask(ask_id, game_id, sample.question, limit))
        frame = self._encode(Frame([*tells], asks))
        self._write_down(asks, samples, timed, limit)
        self.last_ids = [ask.ask_id for ask in asks]
        return self.last_ids, frame

    def pose_again(self, ids: Sequence[int], samples: Sequence[Sample]) -> bytes:
        """
        Make a frame of asks that are open, as after a reconnect.
        """
        limit = self.pace.answer
        asks = [
            Ask(ask_id, self._game_of[ask_id], sample.question, limit)
            for ask_id, sample in zip(ids, samples, strict=True)
        ]
        tells = [
            (ask.game_id, Seated(ask.question.seat, s.rules, _NAMES))
            for ask, s in zip(asks, samples, strict=True)
        ]
        frame = self._encode(Frame([*tells], asks))
        self._write_down(asks, samples, "time.limit", limit)
        self.last_ids = list(ids)
        return frame

    def games_of(self, ids: Sequence[int]) -> list[int]:
        """
        Return the games that asks belong to.
        """
        return sorted(self._game_of[ask_id] for ask_id in ids)

    def _encode(self, frame: Frame) -> bytes:
        message = self._encoder.encode(frame)
        for ask in frame.asks:
            self._encoder.forget(ask.game_id)
        return message

    def _write_down(
        self, asks: Sequence[Ask], samples: Sequence[Sample], timed: str, limit: float
    ) -> None:
        now = asyncio.get_running_loop().time()
        for ask, sample in zip(asks, samples, strict=True):
            self.ledger.asked(ask.ask_id, sample, now, limit, timed)

    async def tell(self, tells: Sequence[tuple[int, Seated]] = ()) -> None:
        """
        Send a frame without asks.
        """
        await self.send(tells_frame(tells))

    # --- listening -----------------------------------------------------------------------

    async def collect(self, ids: Sequence[int], seconds: float) -> list[int]:
        """
        Listen until all asks are answered; return those that are not.

        Args:
            ids: The asks.
            seconds: How long a silence means that no more comes.

        Raises:
            Gone: It broke off the stream before.
        """
        missing = self.ledger.missing(ids)
        while missing:
            # An answer under another id is told from an answer to nothing by what follows.
            lost = len(missing) == 1 and self.ledger.has_stray
            if not await self._hear_one(_SETTLED if lost else seconds):
                break
            missing = self.ledger.missing(ids)
        if len(missing) == 1 and self.ledger.adopt(missing[0]):
            return []
        return missing

    async def listen(self, seconds: float) -> None:
        """
        Listen for some time, to what should be nothing.

        Raises:
            Gone: It broke off the stream.
        """
        loop = asyncio.get_running_loop()
        deadline = loop.time() + seconds
        while await self._hear_one(deadline - loop.time()):
            pass

    async def _hear_one(self, seconds: float) -> bool:
        if self._line is None:
            raise Gone("it is not connected")
        queue = self._line.heard
        if queue.empty() and seconds <= 0:
            return False
        try:
            now, heard = await asyncio.wait_for(queue.get(), max(seconds, 0.001))
        except TimeoutError:
            return False
        if heard is None:
            await self.cut()
            if self.running is not None:
                # A process that crashes loses its stream first.
                await attend(self.running.ended, self.pace.crash)
            raise Gone(self._how("it broke off the stream"))
        self._take(heard, now)
        return True

    def _take(self, heard: Heard, now: float) -> None:
        if heard.kind == "answers":
            self.ledger.heard(heard.answers, now)
        elif heard.kind == "hello":
            self.notebook.failed("hello.once", "a second Hello on the same stream")
        elif heard.kind == "leave":
            self.notebook.failed("ending.stays", "it sent Leave while it was being examined")
        else:
            self.notebook.failed("hello.messages", f"it sent {_ARTICLE[heard.kind]}")

    # --- judging a Hello -----------------------------------------------------------------

    def judge_hello(self, hello: HelloHeard) -> None:
        """
        Judge its first Hello.
        """
        book = self.notebook
        book.passed("hello.token", "hello.first")
        book.judge("hello.protocol", "" if hello.protocol == 1 else f"it is {hello.protocol}")
        book.judge("hello.instance", self.instance_fault(hello))
        known = {"GAME_BID", "GAME_BUCK"}
        wrong = [name for name in hello.games if name not in known]
        twice = len(set(hello.games)) < len(hello.games)
        book.judge(
            "hello.games",
            f"it names {', '.join(wrong)}" if wrong else "it names a game twice" if twice else "",
        )
        book.judge("hello.max_asks", f"it is {hello.max_asks}" if hello.max_asks < 0 else "")
        book.judge("hello.software", software_fault(hello.software))

    def instance_fault(self, hello: HelloHeard) -> str:
        """
        Return what is wrong with the name of its instance; nothing if it is as given.
        """
        # Nothing means `1`.
        said = hello.instance or "1"
        if said == self.guest.instance:
            return ""
        return f"it is `{escaped(said[:40])}`; EUCHRE_INSTANCE was `{self.guest.instance}`"


_ARTICLE = {
    "hello": "a Hello",
    "answers": "an Answers",
    "leave": "a Leave",
    "unknown": "a message of no known kind",
    "garbage": "bytes that are no message of the protocol",
}
