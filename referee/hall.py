"""
The hall: many tables, many instances, and all the clocks. Sans-IO.

How to think about it: tables have questions, instances have hands free. The
hall puts each question into the tray of the instance that must answer it
(`waiting`), hands out what an instance can hold when somebody asks for it
(`take`), and passes what comes back (`receive`) to the table, whose next
question goes into the next tray. So frames grow by themselves with load, and no
task is woken for a single card. Time comes in as `now`, in seconds of any
steady clock; whoever drives the hall calls `expire` every few hundredths of a
second.

Clocks (architecture, decision 5). The thinking time of an answer runs from the
later of (ask sent, the instance's previous answer received). An ask is late
when that exceeds `answer`, and at the latest (asks open when it was sent, itself
included) x `answer` after it was sent.

Lost connections. While an instance is away its clocks stand still, and its
absence is counted. Absence is allowed for `grace` seconds; a tenth of the time
that it is connected is given back, up to `grace`. When the allowance is used up the
instance is gone: what it is asked is answered by fallbacks until it is back.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from referee.rules.judge import Code
from referee.seats import SEATS, Seat
from referee.table import GameOver, Question, Table, Told
from referee.timing import BUCKETS, bucket

if TYPE_CHECKING:
    from collections.abc import Iterable

    from referee.record import GameRecord
    from referee.rules.actions import Answer
    from referee.rules.options import Rules
    from referee.table import Tell

_GIVEN_BACK = 0.1
"""Seconds of allowed absence that a second of connection gives back."""


class InstanceKey(NamedTuple):
    """
    Names one instance of a bot.
    """

    bot: str
    """Id of the bot."""
    name: str
    """Name of the instance among those of the bot."""


@dataclass(frozen=True, slots=True)
class Limits:
    """
    What the hall allows an instance.
    """

    answer: float = 2.0
    """Thinking time for one answer, in seconds."""
    grace: float = 10.0
    """Absence that is allowed, in seconds."""
    max_asks: int = 64
    """Open asks at a time, whatever an instance wants."""


class Seated(NamedTuple):
    """
    Tells that an instance has a seat in a game.
    """

    seat: Seat
    rules: Rules
    names: tuple[str, ...]
    """Display names, N, E, S, W."""


class Ask(NamedTuple):
    """
    A question as it is sent.
    """

    ask_id: int
    game_id: int
    question: Question
    time_left: float
    """Seconds left for the answer."""


class Frame(NamedTuple):
    """
    What an instance gets at once: first what is told, then what is asked.
    """

    tells: list[tuple[int, Told | Seated]]
    """With the id of the game each is about."""
    asks: list[Ask]


@dataclass(slots=True, eq=False)
class FinishedGame:
    """
    A game that is over.
    """

    game_id: int
    record: GameRecord
    scores: tuple[int, ...]
    """Final points by side."""
    faults: tuple[int, ...]
    """By seat."""
    reneges: tuple[int, ...]
    """By seat."""
    times: tuple[list[int], ...]
    """Decisions by seat and bucket of `referee.timing`."""
    error: BaseException | None = None
    """What went wrong with us, if the game is void."""


@dataclass(slots=True, eq=False)
class _Game:
    """
    A table and who answers for its seats.
    """

    game_id: int
    table: Table
    instances: tuple[Instance, ...]
    seated: tuple[Seated, ...]
    times: tuple[list[int], ...]


@dataclass(slots=True, eq=False)
class _Open:
    """
    A question on its way: waiting to be sent, or sent and not answered.
    """

    ask_id: int
    game: _Game
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
    open: dict[int, _Open] = field(default_factory=dict)
    """Asks that were sent and not answered, by id, oldest first."""
    waiting: deque[_Open] = field(default_factory=deque)
    """Asks that it has no hands for yet."""
    tells: list[tuple[int, Told | Seated]] = field(default_factory=list)
    answered: float = 0.0
    """When its previous answer came."""
    since: float = 0.0
    """When it came or went."""
    absence: float = 0.0
    """Seconds that it may still be away, as of `since`."""
    due: float = float("inf")
    """No open ask is late before this."""

    def thinking_since(self, ask: _Open) -> float:
        """
        When the thinking time of an ask that was sent began.
        """
        sent = ask.sent
        return self.answered if sent is None or sent < self.answered else sent

    def stand_still(self, seconds: float) -> None:
        """
        Let its clocks stand still for *seconds*.
        """
        for ask in (*self.open.values(), *self.waiting):
            ask.shift(seconds)
        self.answered += seconds
        self.due += seconds

    @property
    def has_news(self) -> bool:
        """
        Whether `Hall.take` would return something.
        """
        return bool(self.tells) or (bool(self.waiting) and len(self.open) < self.max_asks)


class Hall:
    """
    Routes questions out and answers in, and keeps the clocks.
    """

    def __init__(self, limits: Limits | None = None) -> None:
        self.limits = limits or Limits()
        self.ready: set[Instance] = set()
        """Connected instances with something to take; whoever sends it clears it."""
        self.finished: list[FinishedGame] = []
        """Games that are over; whoever collects them clears it."""
        self.decisions = 0
        """Answers judged so far."""
        self._instances: dict[InstanceKey, Instance] = {}
        self._games: dict[int, _Game] = {}
        self._next_game = 1
        self._next_ask = 1
        self._owed: deque[_Open] = deque()

    # --- instances -----------------------------------------------------------------------

    def connect(self, key: InstanceKey, max_asks: int, now: float) -> Instance:
        """
        Let an instance in, for the first time or again.

        Open asks are handed out again by the next `take`, with the clock as it stands. A
        connection of the same key replaces the one before.
        """
        instance = self._instance(key, now)
        if not instance.connected:
            away = now - instance.since
            instance.absence = max(0.0, instance.absence - away)
            instance.stand_still(away)
            instance.since = now
        instance.connected = True
        instance.gone = False
        instance.generation += 1
        instance.max_asks = max(1, min(max_asks, self.limits.max_asks))
        instance.tells = [
            (game.game_id, seated)
            for game in (self._games[game_id] for game_id in sorted(instance.games))
            for seat, seated in zip(SEATS, game.seated, strict=True)
            if game.instances[seat] is instance
        ]
        again = list(instance.open.values())
        instance.open.clear()
        # Sent again before anything new; `take` keeps the clock of an ask that was sent.
        instance.waiting.extendleft(reversed(again))
        instance.due = float("inf")
        self._news(instance)
        return instance

    def disconnect(self, instance: Instance, generation: int, now: float) -> None:
        """
        An instance has lost its connection; it may come back.
        """
        if instance.generation != generation or not instance.connected:
            return
        given_back = _GIVEN_BACK * (now - instance.since)
        instance.absence = min(self.limits.grace, instance.absence + given_back)
        instance.connected = False
        instance.since = now
        instance.tells.clear()
        self.ready.discard(instance)
        if not instance.games:
            # Nothing of it is needed, and a bot could go on for ever with names for instances.
            del self._instances[instance.key]

    def leave(self, instance: Instance, generation: int, now: float) -> None:
        """
        An instance goes and will not come back to its games.
        """
        if instance.generation != generation:
            return
        self.disconnect(instance, generation, now)
        self._give_up(instance)
        self._settle()

    def give_up(self, key: InstanceKey, now: float) -> None:
        """
        Take note that an instance cannot come back: its program is not started again.
        """
        instance = self._instance(key, now)
        self.leave(instance, instance.generation, now)
        self._instances[key] = instance

    def instances(self, bot: str) -> list[InstanceKey]:
        """
        Return the instances of *bot* that were ever connected or seated.
        """
        return [key for key in self._instances if key.bot == bot]

    def connected(self, bot: str) -> tuple[str, ...]:
        """
        Return the names of the connected instances of *bot*, sorted.
        """
        return tuple(
            sorted(k.name for k, i in self._instances.items() if k.bot == bot and i.connected)
        )

    def sits(self, bot: str, name: str | None = None) -> bool:
        """
        Whether an instance of *bot*, or the one called *name*, sits in a game.
        """
        return any(
            instance.games
            for key, instance in self._instances.items()
            if key.bot == bot and name in (None, key.name)
        )

    # --- games ---------------------------------------------------------------------------

    def seat(
        self,
        table: Table,
        instances: tuple[InstanceKey, ...],
        names: tuple[str, ...],
        now: float,
        *,
        shared: bool = False,
    ) -> int:
        """
        Begin a game.

        Args:
            table: Not yet started.
            instances: Who answers for N, E, S, W; they need not be connected.
            names: Display names of the bots, N, E, S, W.
            now: The time.
            shared: Whether one instance may answer for both seats of a side.

        Returns:
            The id of the game.

        Raises:
            ValueError: One instance has two seats of a side, and that is not allowed.
        """
        for seats in table.game.sides:
            keys = {instances[seat] for seat in seats}
            if len(keys) < len(seats) and not shared:
                raise ValueError("partners must be answered by different instances")
        game_id = self._next_game
        self._next_game += 1
        game = _Game(
            game_id,
            table,
            tuple(self._instance(key, now) for key in instances),
            tuple(Seated(seat, table.game.rules, names) for seat in SEATS),
            tuple([0] * BUCKETS for _ in SEATS),
        )
        self._games[game_id] = game
        for instance, seated in zip(game.instances, game.seated, strict=True):
            instance.games.add(game_id)
            if instance.connected:
                instance.tells.append((game_id, seated))
                self.ready.add(instance)
        try:
            table.start()
        except Exception as error:  # noqa: BLE001  (a bug of ours is charged to no bot)
            self._fail(game, error)
        else:
            self._post(game)
            self._settle()
        return game_id

    def drop(self, game_id: int) -> None:
        """
        Forget a game that is in progress; nobody is told, and it counts for nobody.
        """
        game = self._games.get(game_id)
        if game is not None:
            self._clear(game)

    # --- asks and answers ----------------------------------------------------------------

    def take(self, instance: Instance, now: float) -> Frame:
        """
        Hand out all that *instance* can hold; the clocks of the asks start now.
        """
        tells, instance.tells = instance.tells, []
        asks = []
        limit = self.limits.answer
        waiting, holds = instance.waiting, instance.open
        while waiting and len(holds) < instance.max_asks:
            ask = waiting.popleft()
            if ask.sent is None:
                ask.sent = now
                ask.latest = now + (len(holds) + 1) * limit
            holds[ask.ask_id] = ask
            due = min(instance.thinking_since(ask) + limit, ask.latest)
            instance.due = min(instance.due, due)
            asks.append(Ask(ask.ask_id, ask.game.game_id, ask.question, due - now))
        self.ready.discard(instance)
        return Frame(tells, asks)

    def receive(
        self, instance: Instance, answers: Iterable[tuple[int, Answer | Code]], now: float
    ) -> int:
        """
        Judge answers of *instance*: (ask id, answer) or (ask id, UNREADABLE).

        Unknown, repeated and late ids are counted and ignored.

        Returns:
            How many were judged.
        """
        holds = instance.open
        batch = list(answers)
        before, ignored = instance.answered, instance.stale
        known = sum(ask_id in holds for ask_id, _ in batch)
        if known:  # or else answers to nothing would buy time for thinking
            instance.answered = now
        for ask_id, answer in batch:
            ask = holds.pop(ask_id, None)
            if ask is None:
                instance.stale += 1
                continue
            # Answers that come together were thought about one after the other.
            sent = ask.sent or 0.0
            took = (now - max(before, sent)) / known
            ask.game.times[ask.question.seat][bucket(took)] += 1
            self._judge(ask, answer)
        if not holds:
            instance.due = float("inf")
        if instance.waiting:
            self._news(instance)
        if self._owed:
            self._settle()
        return len(batch) - (instance.stale - ignored)

    def expire(self, now: float) -> None:
        """
        Decide what is late: asks of slow instances, and instances that stay away.
        """
        for instance in list(self._instances.values()):
            if instance.connected:
                if instance.due <= now:
                    self._expire_asks(instance, now)
            elif not instance.gone and now - instance.since >= instance.absence:
                self._give_up(instance)
        self._settle()

    def stand_still(self, seconds: float) -> None:
        """
        Let all clocks stand still for *seconds* in which the referee itself was held up.
        """
        for instance in self._instances.values():
            instance.stand_still(seconds)
            instance.since += seconds

    def _expire_asks(self, instance: Instance, now: float) -> None:
        limit = self.limits.answer
        due = float("inf")
        for ask in list(instance.open.values()):
            began = instance.thinking_since(ask)
            late = min(began + limit, ask.latest)
            if late > now:
                due = min(due, late)
                continue
            # A game that is voided or forfeited here takes its other asks along.
            if instance.open.pop(ask.ask_id, None) is None:
                continue
            ask.game.times[ask.question.seat][bucket(now - began)] += 1
            self._judge(ask, Code.TIMEOUT)
        instance.due = due
        self._news(instance)

    def _judge(self, ask: _Open, answer: Answer | Code) -> None:
        """
        Let the table judge, tell what is to be told, and post the next question.
        """
        game = ask.game
        if game.game_id not in self._games:
            return
        self.decisions += 1
        table = game.table
        try:
            if answer is Code.GONE:
                tells = table.answer(answer, abandoned=_abandoned(game))
            else:
                tells = table.answer(answer)
        except Exception as error:  # noqa: BLE001  (a bug of ours is charged to no bot)
            self._fail(game, error)
            return
        if tells:
            self._tell(game, tells)
        if table.question is None:
            self._finish(game, None)
        else:
            self._post(game)

    def _post(self, game: _Game) -> None:
        """
        Put the open question of a table into the tray of its instance.
        """
        question = game.table.question
        if question is None:  # over before the first question
            self._finish(game, None)
            return
        instance = game.instances[question.seat]
        ask = _Open(self._next_ask, game, question)
        self._next_ask += 1
        if instance.gone:
            self._owed.append(ask)
            return
        instance.waiting.append(ask)
        if instance.connected and len(instance.open) < instance.max_asks:
            self.ready.add(instance)

    def _settle(self) -> None:
        """
        Answer for those who are gone. A queue, since one answer may bring up the next.
        """
        while self._owed:
            self._judge(self._owed.popleft(), Code.GONE)

    def _give_up(self, instance: Instance) -> None:
        instance.gone = True
        instance.absence = 0.0
        self._owed.extend(instance.open.values())
        self._owed.extend(instance.waiting)
        instance.open.clear()
        instance.waiting.clear()
        instance.due = float("inf")

    def _tell(self, game: _Game, tells: list[Tell]) -> None:
        for seat, told in tells:
            instance = game.instances[seat]
            if instance.connected:
                instance.tells.append((game.game_id, told))
                self.ready.add(instance)

    def _fail(self, game: _Game, error: Exception) -> None:
        """
        Void a game because of a bug of ours.
        """
        record = game.table.record
        error.add_note(
            f"in set {record.set_id}, sitting {record.sitting}, deal {len(record.deals)}"
        )
        game.table.void()
        outcome = game.table.outcome
        if outcome is not None:
            scores = tuple(game.table.game.scores)
            over = GameOver(outcome, (), scores, won=False)
            self._tell(game, [(seat, over) for seat in SEATS])
        self._finish(game, error)

    def _finish(self, game: _Game, error: Exception | None) -> None:
        table = game.table
        self._clear(game)
        self.finished.append(
            FinishedGame(
                game.game_id,
                table.record,
                tuple(table.game.scores),
                tuple(table.faults),
                tuple(table.reneges),
                game.times,
                error,
            )
        )

    def _clear(self, game: _Game) -> None:
        del self._games[game.game_id]
        for instance in game.instances:
            instance.games.discard(game.game_id)
            stale = [ask_id for ask_id, ask in instance.open.items() if ask.game is game]
            for ask_id in stale:
                del instance.open[ask_id]
            if any(ask.game is game for ask in instance.waiting):
                instance.waiting = deque(a for a in instance.waiting if a.game is not game)

    def _instance(self, key: InstanceKey, now: float) -> Instance:
        instance = self._instances.get(key)
        if instance is None:
            instance = Instance(key, since=now, absence=self.limits.grace)
            self._instances[key] = instance
        return instance

    def _news(self, instance: Instance) -> None:
        if instance.connected and instance.has_news:
            self.ready.add(instance)


def _abandoned(game: _Game) -> bool:
    """
    Whether everybody at a table is gone.
    """
    return all(instance.gone for instance in game.instances)
