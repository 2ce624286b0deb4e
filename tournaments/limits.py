"""
What a bot is allowed, and how patient the referee is. Pure.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import Any

from referee import hall
from referee.errors import ConfigError

_RANGES = {
    "answer": (0.01, 3600.0),
    "hello": (0.1, 3600.0),
    "grace": (0.0, 3600.0),
    "max_asks": (1, 4096),
    "max_instances": (1, 1024),
    "faults_to_forfeit": (0, 1_000_000),
    "restarts": (0, 1000),
    "memory_mb": (0, 1 << 20),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """
    What a bot is allowed, and how patient the referee is. Times in seconds.
    """

    answer: float = 2.0
    """Thinking time for one answer."""
    hello: float = 20.0
    """From the opening of a stream, or the start of a program, to its Hello."""
    grace: float = 10.0
    """Absence after a lost connection that costs nothing."""
    max_asks: int = 64
    """Open asks at a time, whatever an instance wants."""
    max_instances: int = 64
    """Instances of one bot."""
    faults_to_forfeit: int = 3
    """Faults of a bot in one game that forfeit it; 0 for never."""
    restarts: int = 3
    """Times that a launched program which died is started again."""
    memory_mb: int = 2048
    """Megabytes that an instance of a launched program, with all that it starts, may have
    resident; 0 for any number."""

    def __post_init__(self) -> None:
        for name, (low, high) in _RANGES.items():
            value = getattr(self, name)
            if not low <= value <= high:
                raise ConfigError(
                    f"must be from {low:g} to {high:g}, not {value:g}", key=f"limits.{name}"
                )

    def for_hall(self) -> hall.Limits:
        """
        Return the part that the hall keeps.
        """
        return hall.Limits(answer=self.answer, grace=self.grace, max_asks=self.max_asks)

    def shape(self) -> dict[str, Any]:
        """
        Return what of it shapes results; one that came later counts where it is not the default.
        """
        shape = dataclasses.asdict(self)
        if self.memory_mb == Limits().memory_mb:
            del shape["memory_mb"]
        return shape
