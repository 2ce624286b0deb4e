"""
Judges what came: a notebook of verdicts, and a ledger of what was asked and answered.

Sans-IO: whoever speaks to the bot writes down here what was sent and what came, with
the time in seconds of any steady clock. The first failure of a check is the one that
is reported.
"""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from referee.examiner.checks import BY_NAME, CHECKS
from referee.examiner.report import Outcome, Result
from referee.rules.actions import Answer, Play
from referee.rules.deal import Phase
from referee.rules.judge import Code
from referee.rules.options import RenegeMode
from referee.rules.reasons import EXPECTED
from referee.rules.variants import GAMES

if TYPE_CHECKING:
    from collections.abc import Iterable

    from referee.examiner.questions import Sample
    from referee.rules.actions import Challenge

_SHOWN = 8
"""Legal actions that a report lists."""


class Notebook:
    """
    The verdicts so far.
    """

    def __init__(self) -> None:
        self._verdicts: dict[str, tuple[Outcome, str]] = {}

    def passed(self, *names: str) -> None:
        """
        A check was passed, unless it has failed before.
        """
        for name in names:
            if not self.has_failed(name):
                self._verdicts[name] = Outcome.PASSED, ""

    def failed(self, name: str, came: str) -> None:
        """
        A check has failed; the first time is what counts.
        """
        if not self.has_failed(name):
            self._verdicts[name] = Outcome.FAILED, came

    def skipped(self, names: Iterable[str], why: str) -> None:
        """
        Checks cannot be made; what is known of them already stays.
        """
        for name in names:
            self._verdicts.setdefault(name, (Outcome.SKIPPED, why))

    def judge(self, name: str, came: str) -> None:
        """
        A check has failed if something came, and was passed otherwise.
        """
        if came:
            self.failed(name, came)
        else:
            self.passed(name)

    def has_failed(self, name: str) -> bool:
        """
        Whether a check has failed.
        """
        if name not in BY_NAME:
            raise KeyError(name)
        return self._verdicts.get(name, (None, ""))[0] is Outcome.FAILED

    def results(self, games: frozenset[str], blocked: str) -> tuple[Result, ...]:
        """
        Return what came of every check.

        Args:
            games: What is examined, of the games that the bot plays.
            blocked: Why checks without a verdict were not reached.
        """
        found = []
        for check in CHECKS:
            verdict = self._verdicts.get(check.name, (Outcome.SKIPPED, f"not reached: {blocked}"))
            if check.game and check.game not in games:
                verdict = Outcome.SKIPPED, f"{GAMES[check.game].title} is not played"
            found.append(Result(check, *verdict))
        return tuple(found)


def fault_of(sample: Sample, said: Answer | Code) -> str:
    """
    Return what is wrong with an answer; nothing if it may be given.
    """
    question = sample.question
    if isinstance(said, Code):
        return "an answer without an action, or with a number that the protocol does not have"
    action = said.action
    if action in question.legal:
        return ""
    if isinstance(action, Play) and question.phase is Phase.PLAY:
        held = action.card in question.view.hand
        if held and sample.rules.renege_mode is not RenegeMode.REJECT:
            return ""  # a renege, and part of the game here
    legal = ", ".join(map(str, question.legal[:_SHOWN]))
    more = ", ..." if len(question.legal) > _SHOWN else ""
    asked = f"asked {EXPECTED[question.phase]}"
    return f"{asked}, it answered `{action}` (legal: {legal}{more})"


def challenge_fault(sample: Sample, challenges: tuple[Challenge, ...]) -> str:
    """
    Return what is wrong with the challenges beside an answer; nothing if all is well.
    """
    question = sample.question
    if not challenges:
        return ""
    mode = sample.rules.renege_mode
    if mode is not RenegeMode.CHALLENGE:
        return f"a challenge where reneges are found by `{mode}`"
    if question.phase not in (Phase.PLAY, Phase.LAST_CALL):
        return f"a challenge beside an answer to {question.phase}"
    tricks = len(question.view.public.tricks)
    for seat, trick in challenges:
        if seat is question.view.seat:
            return "a challenge of its own play"
        if not 1 <= trick <= tricks:
            return f"a challenge of trick {trick}, of {tricks} so far"
    return ""


def software_fault(text: str) -> str:
    """
    Return what is wrong with `Hello.software`; nothing if all is well.
    """
    if len(text) > 200:
        return f"it has {len(text)} characters"
    if any(unicodedata.category(char) in {"Cc", "Cs", "Zl", "Zp"} for char in text):
        return "it has control characters"
    return ""


@dataclass(slots=True)
class _Posed:
    """
    One ask that was sent.
    """

    sample: Sample
    sent: float
    limit: float
    timed: str
    """Name of the check that its time belongs to."""
    answered: bool = False
    closed: bool = False
    """Decided without an answer; one that comes is late, and nobody's fault."""


@dataclass
class Ledger:
    """
    What one instance was asked, and what it answered.
    """

    notebook: Notebook
    stray: str = "hello.waits"
    """Name of the check that fails if an answer comes that nobody asked for."""
    times: list[float] = field(default_factory=list)
    """Seconds that each answer took."""
    _asks: dict[int, _Posed] = field(default_factory=dict)
    _strays: list[tuple[Answer | Code, float]] = field(default_factory=list)
    _previous: float = 0.0

    def asked(self, ask_id: int, sample: Sample, now: float, limit: float, timed: str) -> None:
        """
        An ask is sent, for the first time or again.
        """
        self._asks[ask_id] = _Posed(sample, now, limit, timed)

    def heard(self, answers: Iterable[tuple[int, Answer | Code]], now: float) -> None:
        """
        Answers have come.
        """
        for ask_id, said in answers:
            posed = self._asks.get(ask_id)
            if posed is None:
                self._strays.append((said, now))
                self.notebook.failed(
                    self.stray, f"an answer to ask {ask_id}, which it was never sent"
                )
            elif posed.answered:
                self.notebook.failed("ids.once", f"a second answer to ask {ask_id}")
            elif not posed.closed:
                self._judge(posed, said, now)
        self._previous = now

    def missing(self, ask_ids: Iterable[int]) -> list[int]:
        """
        Return which of *ask_ids* have no answer yet.
        """
        return [ask_id for ask_id in ask_ids if not self._asks[ask_id].answered]

    @property
    def has_stray(self) -> bool:
        """
        Whether an answer has come that nobody asked for.
        """
        return bool(self._strays)

    def adopt(self, ask_id: int) -> bool:
        """
        Take an answer with another id for that of the only open ask, if there is just one.
        """
        strays, self._strays = self._strays, []
        if len(strays) != 1:
            return False
        self._judge(self._asks[ask_id], *strays[0])
        return True

    def close(self, ask_ids: Iterable[int]) -> None:
        """
        Decide asks without an answer.
        """
        for ask_id in ask_ids:
            self._asks[ask_id].closed = True

    def forget_strays(self) -> None:
        """
        Begin another step: answers to nothing belong to the step before.
        """
        self._strays.clear()

    def _judge(self, posed: _Posed, said: Answer | Code, now: float) -> None:
        posed.answered = True
        took = now - max(posed.sent, min(self._previous, now))
        self.times.append(took)
        if took > posed.limit:
            self.notebook.failed(
                posed.timed, f"an answer took {took:.2f} s; the limit was {posed.limit:.2f} s"
            )
        sample = posed.sample
        self.notebook.judge(sample.check, fault_of(sample, said))
        if isinstance(said, Answer):
            came = challenge_fault(sample, said.challenges)
            if came:
                self.notebook.failed("reneges.challenges", came)
