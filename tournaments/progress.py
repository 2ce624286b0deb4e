"""
One line that says how far a run is. It appears on a terminal only.

Elsewhere, in a file or a pipe, only what must be said is (`say`); the log has the rest.
"""

from __future__ import annotations

import shutil
import time
from collections import Counter
from typing import TYPE_CHECKING, TextIO

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

_EVERY = 0.1
"""Seconds between two drawings."""

_LEAST_BAR = 5
"""Columns of the shortest bar; where there is no room for it the line has none."""


class Progress:
    """
    Games done and to go, rate, time left, faults so far.
    """

    def __init__(
        self,
        stream: TextIO,
        total: int | None,
        done: int = 0,
        *,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """
        Draw on *stream*, if that is a terminal.

        Args:
            stream: Usually standard error.
            total: Games in all; None where nobody can know (an open league).
            done: Games that were stored before this start.
            clock: Seconds, for the rate.
        """
        self._stream = stream
        self._live = stream.isatty()
        self._total = total
        self._before = done
        self._done = done
        self._faults: Counter[str] = Counter()
        self._clock = clock
        self._began = clock()
        self._drawn = 0.0

    def begin(self) -> None:
        """
        Start the clock: the first game begins now, and waiting for bots is no playing.
        """
        self._began = self._clock()
        if self._live:
            self._draw()

    def add(self, games: int, faults: Mapping[str, int]) -> None:
        """
        Count games that are stored, and the faults in them by kind.
        """
        self._done += games
        self._faults.update(faults)
        if self._live and self._clock() - self._drawn >= _EVERY:
            self._draw()

    def spare(self) -> None:
        """
        Count a game that need not be played.
        """
        if self._total is not None:
            self._total -= 1

    def say(self, text: str) -> None:
        """
        Say something once, on a line of its own; also where no progress is drawn.
        """
        clear = "\r\x1b[K" if self._live else ""
        self._stream.write(f"{clear}{text}\n")
        self._stream.flush()

    def close(self) -> None:
        """
        Draw a last time and leave the line.
        """
        if self._live:
            self._draw()
            self._stream.write("\n")
            self._stream.flush()

    def line(self) -> str:
        """
        Return the line as it is now.
        """
        spent = self._clock() - self._began
        rate = (self._done - self._before) / spent if spent > 0 else 0.0
        parts = [f"{self._done}/{self._total}" if self._total is not None else str(self._done)]
        parts[0] += " games"
        if rate:
            parts.append(f"{rate:.1f}/s")
        if rate and self._total is not None and self._done < self._total:
            parts.append(f"{_minutes((self._total - self._done) / rate)} left")
        faults = self._faults.total()
        kinds = ", ".join(f"{count} {kind}" for kind, count in self._faults.most_common() if count)
        parts.append(f"{faults} fault" + ("" if faults == 1 else "s") + (kinds and f": {kinds}"))
        return "  ".join(parts)

    def _draw(self) -> None:
        self._drawn = self._clock()
        width = shutil.get_terminal_size().columns - 1
        line, bar = self.line(), ""
        size = min(20, width - len(line) - 4)
        if self._total and size >= _LEAST_BAR:
            filled = size * self._done // self._total
            bar = "[" + "#" * filled + "." * (size - filled) + "]  "
        # \r goes back to the start of the line, ESC [ K clears the rest of it.
        self._stream.write("\r" + (bar + line)[:width] + "\x1b[K")
        self._stream.flush()


def _minutes(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"
