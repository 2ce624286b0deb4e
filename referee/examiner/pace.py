"""
What the examiner knows of a bot beside its stream: how long to wait, and its process.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    import asyncio
    from collections.abc import Awaitable, Callable


@dataclass(frozen=True, slots=True)
class Pace:
    """
    How long the examiner waits, in seconds.
    """

    start: float = 20.0
    """For a process to say Hello."""
    answer: float = 2.0
    """The thinking time for an answer."""
    short: float = 0.5
    """The same, where little time is left."""
    silent: float = 4.0
    """For an answer that is too late, so as to say how late."""
    grace: float = 10.0
    """For a bot that was cut off."""
    end: float = 5.0
    """For a process to end after a Farewell."""
    crash: float = 0.5
    """For the exit code of a process whose stream broke off."""
    quiet: float = 0.2
    """Before it is believed that nothing comes."""
    away: float = 1.0
    """Before it is believed that nobody comes back."""
    killed: float = 20.0
    """For a process to end after SIGTERM, or to be killed: the warden does that a second later."""

    @classmethod
    def patient(cls, factor: float) -> Pace:
        """
        Return a pace that is *factor* times as patient; what proves an absence stays.
        """
        usual = cls()
        return cls(
            start=usual.start * factor,
            answer=usual.answer * factor,
            short=usual.short * factor,
            silent=usual.silent * factor,
            grace=usual.grace * factor,
            end=usual.end * factor,
            crash=usual.crash * factor,
            killed=usual.killed * factor,
        )


class Running(NamedTuple):
    """
    A process that was started for the examination.
    """

    ended: asyncio.Future[int]
    """Its exit code, once it has ended."""
    dismiss: Callable[[], Awaitable[None]]
    """Asks it to end: SIGTERM."""
    said: Callable[[], str] = str
    """Returns the last line of its standard error."""
