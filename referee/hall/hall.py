"""
The hall itself: routes questions out and answers in.

How to think about it: tables have questions, instances have hands free. The
hall puts each question into the tray of the instance that must answer it
(`waiting`), hands out what an instance can hold when somebody asks for it
(`take`), and passes what comes back (`receive`) to the table, whose next
question goes into the next tray. So frames grow by themselves with load, and no
task is woken for a single card. Time comes in as `now`, in seconds of any
steady clock; whoever drives the hall calls `expire` every few hundredths of a
second. What is reckoned with time is the instance's (`referee.hall.instance`).
"""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING

from referee.hall.game import Game
from referee.hall.instance import Instance, Posed
from referee.hall.values import Limits
from referee.rules.judge import Code
from referee.timing import bucket

if TYPE_CHECKING:
    from collections.abc import Iterable

    from referee.hall.values import FinishedGame, Frame, InstanceKey
    from referee.rules.actions import Answer
    from referee.table import Table, Tell


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
        self._games: dict[int, Game] = {}
        self._next_game = 1
        self._next_ask = 1
        self._owed: deque[Posed] = deque()
        """What those who are gone were asked."""

    # --- instances -----------------------------------------------------------------------

    def connect(self, key: InstanceKey, max_asks: int, now: float) -> Instance:
        """
        Let an instance in, for the first time or again.

        Open asks are handed out again by the next `take`, with the clock as it stands. A
        connection of the same key replaces the one before.
        """
        instance = self._instance(key, now)
        instance.come(max_asks, now)
        instance.tells = [
            (game_id, seated)
            for game_id in sorted(instance.games)
            for seated in self._games[game_id].introduced(instance)
        ]
        self._news(instance)
        return instance

    def disconnect(self, instance: Instance, generation: int, now: float) -> None:
        """
        An instance has lost its connection; it may come back.
        """
        if instance.generation != generation or not instance.connected:
            return
        instance.go(now)
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
        self._owed.extend(instance.give_up())
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
        answering = tuple(self._instance(key, now) for key in instances)
        game = Game.at(game_id, table, answering, names)
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
        frame = instance.take(now)
        self.ready.discard(instance)
        return frame

    def receive(
        self, instance: Instance, answers: Iterable[tuple[int, Answer | Code]], now: float
    ) -> int:
        """
        Judge answers of *instance*: (ask id, answer) or (ask id, UNREADABLE).

        Unknown, repeated and late ids are counted and ignored.

        Returns:
            How many were judged.
        """
        judged = 0
        for posed, answer, seconds in instance.hear(answers, now):
            judged += 1
            self._judge(posed, answer, seconds)
        if instance.waiting:
            self._news(instance)
        if self._owed:
            self._settle()
        return judged

    def expire(self, now: float) -> None:
        """
        Decide what is late: asks of slow instances, and instances that stay away.
        """
        for instance in list(self._instances.values()):
            if instance.connected:
                if instance.due <= now:
                    for posed, seconds in instance.late(now):
                        self._judge(posed, Code.TIMEOUT, seconds)
                    self._news(instance)
            elif instance.stays_away(now):
                self._owed.extend(instance.give_up())
        self._settle()

    def stand_still(self, seconds: float, now: float) -> None:
        """
        Let all clocks stand still for *seconds* until *now*, in which the referee was held up.
        """
        for instance in self._instances.values():
            instance.stand_still(seconds, now)

    def _judge(self, posed: Posed, answer: Answer | Code, seconds: float | None = None) -> None:
        """
        Let the table judge, tell what is to be told, and post the next question.

        Args:
            posed: What was asked; nothing happens if its game is over.
            answer: What came, or why nothing did.
            seconds: How long it was thought about; None if nobody was there to do so.
        """
        game = self._games.get(posed.game_id)
        if game is None:
            return
        self.decisions += 1
        if seconds is not None:
            game.times[posed.question.seat][bucket(seconds)] += 1
        table = game.table
        try:
            if answer is Code.GONE:
                tells = table.answer(answer, abandoned=game.abandoned)
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

    def _post(self, game: Game) -> None:
        """
        Put the open question of a table into the tray of its instance.
        """
        question = game.table.question
        if question is None:  # over before the first question
            self._finish(game, None)
            return
        instance = game.instances[question.seat]
        posed = Posed(self._next_ask, game.game_id, question)
        self._next_ask += 1
        if instance.gone:
            self._owed.append(posed)
            return
        instance.waiting.append(posed)
        if instance.connected and len(instance.open) < instance.max_asks:
            self.ready.add(instance)

    def _settle(self) -> None:
        """
        Answer for those who are gone. A queue, since one answer may bring up the next.
        """
        while self._owed:
            self._judge(self._owed.popleft(), Code.GONE)

    def _tell(self, game: Game, tells: list[Tell]) -> None:
        for seat, told in tells:
            instance = game.instances[seat]
            if instance.connected:
                instance.tells.append((game.game_id, told))
                self.ready.add(instance)

    def _fail(self, game: Game, error: Exception) -> None:
        """
        Void a game because of a bug of ours.
        """
        self._tell(game, game.void(error))
        self._finish(game, error)

    def _finish(self, game: Game, error: Exception | None) -> None:
        self._clear(game)
        self.finished.append(game.finished(error))

    def _clear(self, game: Game) -> None:
        del self._games[game.game_id]
        for instance in game.instances:
            instance.forget(game.game_id)

    def _instance(self, key: InstanceKey, now: float) -> Instance:
        instance = self._instances.get(key)
        if instance is None:
            instance = Instance(key, self.limits, now, self.limits.grace)
            self._instances[key] = instance
        return instance

    def _news(self, instance: Instance) -> None:
        if instance.connected and instance.has_news:
            self.ready.add(instance)
