"""
One instance: the questions that it holds, and its clocks.

How to think about it: a question lies in the tray (`waiting`) until the instance has a
hand free, then in its hands (`open`) until it is answered or late. Whatever takes a
question from one place to another is a method here, and so is all that is reckoned with
time; what an answer means for its game is not known here.

Clocks (docs/architecture.md). The thinking time of an answer runs from the later of (ask
sent, the instance's previous answer received). An ask is late when that exceeds
`Limits.answer`, and at the latest (asks open when it was sent, itself included) x
`Limits.answer` after it was sent.

Lost connections. While an instance is away its clocks stand still, and its absence is
counted. Absence is allowed for `Limits.grace` seconds; a tenth of the time that it is
connected is given back, up to `grace`. When the allowance is used up the instance is
gone: what it is asked is answered by fallbacks until it is back.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from referee.hall.values import Ask, Frame, InstanceKey, Limits

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from referee.hall.values import Seated
    from referee.rules.actions import Answer
    from referee.rules.judge import Code
    from referee.table import Question, Told

_GIVEN_BACK = 0.1
"""Seconds of allowed absence that a second of connection gives back."""

_NEVER = float("inf")


@dataclass(slots=True, eq=False)
class Posed:
    """
    A question on its way: waiting to be sent, or sent and not answered.
    """

    ask_id: int
    game_id: int
    question: Question
    sent: float | None = None
    """When it was sent; None while it waits for its first sending."""
    latest: float = 0.0
    """When it is late whatever its instance does."""

    def shift(self, seconds: float) -> None:
        """
        Let its clock stand still for *seconds*.
        """
        if self.sent is not None:
            self.sent += seconds
            self.latest += seconds


@dataclass(slots=True, eq=False)
class Instance:
    """
    One instance of a bot, connected or not.

    Only the hall writes it.
    """

    key: InstanceKey
    limits: Limits
    since: float
    """When it came or went."""
    absence: float
    """Seconds that it may still be away, as of `since`."""
    max_asks: int = 1
    connected: bool = False
    generation: int = 0
    """Grows with each connection; an old stream cannot speak for a new one."""
    gone: bool = False
    """Away for longer than is allowed."""
    stale: int = 0
    """Answers that were ignored: unknown, repeated or late."""
    games: set[int] = field(default_factory=set)
    """Ids of the games it sits in."""
    open: dict[int, Posed] = field(default_factory=dict)
    """Asks that were sent and not answered, by id, oldest first."""
    waiting: deque[Posed] = field(default_factory=deque)
    """Asks that it has no hands for yet."""
    tells: list[tuple[int, Told | Seated]] = field(default_factory=list)
    answered: float = 0.0
    """When its previous answer came."""
    due: float = _NEVER
    """No open ask is late before this."""

    # --- questions and answers -----------------------------------------------------------

    @property
    def has_news(self) -> bool:
        """
        Whether `take` would return something.
        """
        return bool(self.tells) or (bool(self.waiting) and len(self.open) < self.max_asks)

    def take(self, now: float) -> Frame:
        """
        Take all that it has hands for; the clocks of what was never sent start now.
        """
        tells, self.tells = self.tells, []
        asks = []
        limit = self.limits.answer
        waiting, holds = self.waiting, self.open
        while waiting and len(holds) < self.max_asks:
            ask = waiting.popleft()
            if ask.sent is None:
                ask.sent = now
                ask.latest = now + (len(holds) + 1) * limit
            holds[ask.ask_id] = ask
            due = min(self._thinking_since(ask) + limit, ask.latest)
            self.due = min(self.due, due)
            asks.append(Ask(ask.ask_id, ask.game_id, ask.question, due - now))
        return Frame(tells, asks)

    def hear(
        self, answers: Iterable[tuple[int, Answer | Code]], now: float
    ) -> Iterator[tuple[Posed, Answer | Code, float]]:
        """
        Take answers out of its hands one by one; those to nothing are counted.

        To judge one can end its game, and with it other asks: so each is looked for
        only when those before it are judged.

        Yields:
            What was asked, its answer, and the seconds that it took.
        """
        holds = self.open
        batch = list(answers)
        before = self.answered
        known = sum(ask_id in holds for ask_id, _ in batch)
        if known:  # or else answers to nothing would buy time for thinking
            self.answered = now
        for ask_id, answer in batch:
            ask = holds.pop(ask_id, None)
            if ask is None:
                self.stale += 1
                continue
            # Answers that come together were thought about one after the other.
            yield ask, answer, (now - max(before, ask.sent or 0.0)) / known
        if not holds:
            self.due = _NEVER

    def late(self, now: float) -> Iterator[tuple[Posed, float]]:
        """
        Take what is late out of its hands, one by one as `hear` does.

        Yields:
            What was asked, and the seconds that it was thought about.
        """
        limit = self.limits.answer
        due = _NEVER
        for ask in list(self.open.values()):
            began = self._thinking_since(ask)
            late = min(began + limit, ask.latest)
            if late > now:
                due = min(due, late)
            elif self.open.pop(ask.ask_id, None) is not None:
                yield ask, now - began
        self.due = due

    def forget(self, game_id: int) -> None:
        """
        Take a game away from it, with all questions that belong to it.
        """
        self.games.discard(game_id)
        for ask_id in [ask_id for ask_id, ask in self.open.items() if ask.game_id == game_id]:
            del self.open[ask_id]
        if any(ask.game_id == game_id for ask in self.waiting):
            self.waiting = deque(ask for ask in self.waiting if ask.game_id != game_id)

    def _thinking_since(self, ask: Posed) -> float:
        """
        When the thinking time of an ask that was sent began.
        """
        sent = ask.sent
        return self.answered if sent is None or sent < self.answered else sent

    # --- coming and going ----------------------------------------------------------------

    def come(self, max_asks: int, now: float) -> None:
        """
        Be connected, for the first time or again.

        What it held waits again, before anything new and with the clock as it stands.
        """
        if not self.connected:
            away = now - self.since
            self.absence = max(0.0, self.absence - away)
            self._shift(away)
            self.since = now
        self.connected = True
        self.gone = False
        self.generation += 1
        self.max_asks = max(1, min(max_asks, self.limits.max_asks))
        self.waiting.extendleft(reversed(self.open.values()))
        self.open.clear()
        self.due = _NEVER

    def go(self, now: float) -> None:
        """
        Be away; it may come back.
        """
        given_back = _GIVEN_BACK * (now - self.since)
        self.absence = min(self.limits.grace, self.absence + given_back)
        self.connected = False
        self.since = now
        self.tells.clear()

    def give_up(self) -> list[Posed]:
        """
        Be gone; return all that it was asked, the oldest first.
        """
        self.gone = True
        self.absence = 0.0
        owed = [*self.open.values(), *self.waiting]
        self.open.clear()
        self.waiting.clear()
        self.due = _NEVER
        return owed

    def stays_away(self, now: float) -> bool:
        """
        Whether it is away, not given up yet, and its allowance is used up.
        """
        return not self.connected and not self.gone and now - self.since >= self.absence

    def stand_still(self, seconds: float, now: float) -> None:
        """
        Let all its clocks stand still for *seconds* until *now*, in which the referee was held up.

        What began meanwhile, or right afterwards and before anybody looked, gets no more than
        has passed since. `due` stays: nothing is late before.
        """
        for ask in (*self.open.values(), *self.waiting):
            if ask.sent is not None:
                ask.shift(min(seconds, now - ask.sent))
        self.answered = min(self.answered + seconds, now)
        self.since = min(self.since + seconds, now)

    def _shift(self, seconds: float) -> None:
        """
        Let the clocks of its asks stand still for *seconds*.
        """
        for ask in (*self.open.values(), *self.waiting):
            ask.shift(seconds)
        self.answered += seconds
        self.due += seconds
