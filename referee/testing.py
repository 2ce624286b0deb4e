"""
Bots in memory, for tests and demonstrations of whatever stands on the hall.

They are simple and real: they take frames from a hall and give answers to it,
as a gRPC stream does, with a clock that the test moves.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from referee.rules.actions import Action, Answer

if TYPE_CHECKING:
    from collections.abc import Callable

    from referee.hall import Ask, Frame, Hall, Instance, InstanceKey
    from referee.rules.judge import Code


def first_legal(ask: Ask) -> Action:
    """
    Answer with the first legal action.
    """
    return ask.question.legal[0]


def spread(ask: Ask) -> Action:
    """
    Answer with a legal action picked by what the seat sees, so that games differ.
    """
    view = ask.question.view
    legal = ask.question.legal
    cards = sum((place + 1) * card for place, card in enumerate(view.hand))
    return legal[(cards + 7 * len(view.public.tricks) + len(view.public.calls)) % len(legal)]


class MemoryBot:
    """
    One instance that speaks to a hall in memory.
    """

    def __init__(
        self,
        hall: Hall,
        key: InstanceKey,
        policy: Callable[[Ask], Action | Answer | Code | None] = spread,
        *,
        max_asks: int = 64,
        now: float = 0.0,
    ) -> None:
        self.hall = hall
        self.key = key
        self.policy = policy
        self.frames: list[Frame] = []
        """Every frame that it got."""
        self.unanswered: list[Ask] = []
        """Asks that its policy was silent about."""
        self.instance: Instance = hall.connect(key, max_asks, now)
        self.generation = self.instance.generation

    def turn(self, now: float) -> bool:
        """
        Take what there is and answer it; return whether there was anything.
        """
        if self.instance not in self.hall.ready:
            return False
        frame = self.hall.take(self.instance, now)
        self.frames.append(frame)
        answers: list[tuple[int, Answer | Code]] = []
        for ask in frame.asks:
            said = self.policy(ask)
            if said is None:
                self.unanswered.append(ask)
            else:
                answers.append((ask.ask_id, Answer(said) if isinstance(said, Action) else said))
        self.hall.receive(self.instance, answers, now)
        return True


def play_on(bots: list[MemoryBot], now: float = 0.0) -> None:
    """
    Let *bots* take turns until nobody has anything to do.
    """
    while any([bot.turn(now) for bot in bots]):  # noqa: C419  (each gets its turn)
        pass
