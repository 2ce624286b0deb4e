"""
Runs one bot so that nothing of it outlives us or our parent. Linux only.

    python -I -S warden.py LOG LIMIT MEMORY COMMAND [ARGUMENT...]

A program of its own, with nothing but the standard library: it must start
quickly, stay small and keep working when the referee is gone.

How to think about it: our standard input is the lifeline. Its other end is held
by the parent alone, so it ends when the parent ends, however that happens
(`kill -9` included). Five things end the bot: the lifeline ends; SIGTERM, SIGINT
or SIGHUP; a byte on the lifeline, which is the gentle way (SIGTERM for all, a
second later the rest); more than MEMORY bytes resident in all its processes
together, unless MEMORY is 0; or the bot's own end. From then on everything that
descends from the bot is killed and reaped until no child is left: as a
"subreaper" we inherit whatever its parents leave behind, so double forks,
sessions of their own and shells change nothing.

The bot's standard input and output are `/dev/null`. Its standard error goes
through us into the file LOG, up to LIMIT bytes in all; what comes after that is
read and dropped, so that a talkative bot never waits. So is everything if LOG
cannot be opened, or is a link: a bot plays without a log rather than not at all.

Memory is what is resident, looked at a few times a second, and not an address
space (RLIMIT_AS): runtimes like the JVM reserve gigabytes that they never touch.
Pages that processes share count for each of them.

We end with the bot's exit code, with 128 + n if signal n ended it, with 126 or
127 if it could not be started, and with 2 if we were called wrongly.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import select
import signal
import sys
import time

GRACE = 1.0
"""Seconds from SIGTERM to SIGKILL when the parent asked for a gentle end."""

LIFELINE = 0
"""Our standard input."""

LOOK = 0.25
"""Seconds between two looks at the memory; a fifth of it once half of it is used."""

LONGEST_PAUSE = 5.0
"""Seconds between two looks where looking is slow, for all the processes that there are."""

TICK = 0.05
"""Seconds between two looks at the clock while the grace runs."""

HELD_UP = 0.1
"""A look at the clock that comes so many seconds late says that the machine stood still."""

FOREVER = float("inf")

_CHUNK = 1 << 16
_PR_SET_PDEATHSIG = 1
_PR_SET_CHILD_SUBREAPER = 36
_ENDING = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)


class Log:
    """
    A file that takes so many bytes and no more.
    """

    def __init__(self, path: str, limit: int) -> None:
        self._file = _opened(path)
        # An earlier start of the same bot may have used some of it.
        self._left = limit - os.fstat(self._file).st_size
        self._farewell = f"the rest was dropped: {limit} bytes are kept"

    def say(self, text: str) -> None:
        """
        Append a line of our own, also when there is no more room.
        """
        with contextlib.suppress(OSError):
            os.write(self._file, f"\n[{text}]\n".encode())

    def write(self, data: bytes) -> None:
        """
        Append *data* as far as there is room; say so once when there is no more.
        """
        if self._left <= 0:
            return
        kept = data[: self._left]
        self._left -= len(data)
        try:
            os.write(self._file, kept)
        except OSError:  # the disk is full: nobody to tell, and the bot must not wait
            self._left = 0
        if self._left < 0:
            self.say(self._farewell)


def _opened(path: str) -> int:
    """
    Open a log; return what drops everything if that is impossible.
    """
    # Through a link somebody else could have us write into any file that is ours.
    flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW
    try:
        # Whoever made room has perhaps removed the folder of this run too.
        os.makedirs(os.path.dirname(path), exist_ok=True)  # noqa: PTH103, PTH120  (as above)
        return os.open(path, flags, 0o600)
    except OSError as error:
        print(f"warden: {path}: {error.strerror}; the bot has no log", file=sys.stderr)  # noqa: T201
        return os.open(os.devnull, os.O_WRONLY)


class Warden:
    """
    One bot, its descendants, and the reasons to end them.
    """

    def __init__(self, log: Log, memory: int = 0) -> None:
        self._log = log
        self._memory = memory
        self._look_at = time.monotonic() if memory else FOREVER
        self._libc = ctypes.CDLL(None, use_errno=True)
        self._signalled = False
        self._childless = False
        self._bot = 0
        self._exit_code: int | None = None
        if self._libc.prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) != 0:
            raise OSError(ctypes.get_errno(), "cannot become a subreaper")
        # A signal's arrival is a byte in a pipe, so that one select sees everything.
        self._wake, wake_end = os.pipe()
        os.set_blocking(self._wake, False)
        os.set_blocking(wake_end, False)
        signal.set_wakeup_fd(wake_end, warn_on_full_buffer=False)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        for each in _ENDING:
            signal.signal(each, self._on_signal)

    def _on_signal(self, *_: object) -> None:
        self._signalled = True

    def run(self, command: list[str]) -> int:
        """
        Run *command* to its end, or to ours.

        Returns:
            Our exit code, see the top of this file.
        """
        self._errors, errors_end = os.pipe()
        os.set_blocking(self._errors, False)
        self._bot = self._start(command, errors_end)
        os.close(errors_end)
        try:
            self._watch()
        finally:  # should we ever stumble, nothing may survive that either
            self._end_all()
        while self._copy_errors():
            pass
        return self._exit_code if self._exit_code is not None else 128 + signal.SIGKILL

    def _watch(self) -> None:
        """
        Wait until it is time to kill, or until nobody is left.
        """
        watched = [LIFELINE, self._wake, self._errors]
        gentle_until = FOREVER
        now = time.monotonic()
        while not (self._childless or self._signalled):
            if self._exit_code is not None and gentle_until == FOREVER:
                return
            if now >= gentle_until or self._takes_too_much():
                return
            seconds = max(0.0, min(gentle_until, self._look_at) - now)
            if gentle_until != FOREVER:
                seconds = min(TICK, seconds)
            ready, _, _ = select.select(watched, [], [], None if seconds == FOREVER else seconds)
            before, now = now, time.monotonic()
            # The grace is the bot's: while nothing runs it stands still.
            late = now - before - seconds
            gentle_until += late if late > HELD_UP else 0.0
            if self._errors in ready and not self._copy_errors():
                watched.remove(self._errors)
            if LIFELINE in ready:
                if not os.read(LIFELINE, _CHUNK):
                    return
                if gentle_until == FOREVER:
                    gentle_until = now + GRACE
                    self._signal_all(signal.SIGTERM)
            if self._wake in ready:
                os.read(self._wake, _CHUNK)
                self._reap()

    def _takes_too_much(self) -> bool:
        """
        Look at the memory if it is time to; return whether more is used than is allowed.
        """
        if time.monotonic() < self._look_at:
            return False
        began = time.process_time()
        used = resident(os.getpid())
        spent = time.process_time() - began
        if used > self._memory:
            mega = 1 << 20
            allowed = self._memory // mega
            # Rounded up, since as much as is allowed is no reason.
            self._log.say(f"killed: {-(-used // mega)} MB of memory, {allowed} are allowed")
            return True
        # A hundredth of a processor, unless that would be too seldom. What counts is the time
        # that we worked: a look that waited for a processor is no reason to look away for long.
        pause = LOOK if 2 * used < self._memory else LOOK / 5
        self._look_at = time.monotonic() + min(max(pause, 100 * spent), LONGEST_PAUSE)
        return False

    def _end_all(self) -> None:
        """
        Kill and reap until no child is left.

        Again and again: somebody may have forked while we were looking.
        """
        pause = 0.001
        self._reap()
        while not self._childless:
            self._signal_all(signal.SIGKILL)
            ready, _, _ = select.select([self._wake], [], [], pause)
            if ready:
                os.read(self._wake, _CHUNK)
            self._reap()
            pause = min(2 * pause, 0.05)

    def _start(self, command: list[str], errors_end: int) -> int:
        """
        Fork and execute. There are no threads here, so a plain fork is safe.

        Returns:
            The bot's process id.
        """
        nothing = os.open(os.devnull, os.O_RDWR)
        parent = os.getpid()
        pid = os.fork()
        if pid:
            os.close(nothing)
            return pid
        code = 126
        try:
            signal.set_wakeup_fd(-1)
            # Ignored signals survive an exec, and a shell without job control ignores SIGINT.
            for each in (*_ENDING, signal.SIGCHLD, signal.SIGPIPE, signal.SIGXFSZ, signal.SIGQUIT):
                signal.signal(each, signal.SIG_DFL)
            signal.pthread_sigmask(signal.SIG_SETMASK, [])
            os.setsid()
            os.dup2(nothing, 0)
            os.dup2(nothing, 1)
            os.dup2(errors_end, 2)
            # Should somebody kill the warden itself, at least the bot goes with it.
            self._libc.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
            if os.getppid() == parent:
                os.execvp(command[0], command)  # noqa: S606  (no shell is wanted)
        except OSError as error:
            code = 127 if isinstance(error, FileNotFoundError) else 126
            os.write(2, f"warden: cannot start {command[0]!r}: {error.strerror}\n".encode())
        finally:
            os._exit(code)

    def _copy_errors(self) -> bool:
        """
        Copy what the bot has written to its standard error.

        Returns:
            Whether there may be more to come.
        """
        try:
            data = os.read(self._errors, _CHUNK)
        except BlockingIOError:
            # Nothing now. Once everybody is dead there is an end instead.
            return not self._childless
        self._log.write(data)
        return bool(data)

    def _reap(self) -> None:
        """
        Collect every child that has ended: the bot, and orphans that became ours.
        """
        while True:
            try:
                pid, status = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                self._childless = True
                return
            if pid == 0:
                return
            if pid == self._bot:
                code = os.waitstatus_to_exitcode(status)
                self._exit_code = code if code >= 0 else 128 - code

    def _signal_all(self, number: signal.Signals) -> None:
        """
        Send a signal to all descendants. SIGKILL goes to their process groups too.

        A group dies as one, also while a member of it forks, so a chain of
        processes that fork and exit cannot run away from us. No group of theirs
        has a stranger in it: the bot began a session, and groups do not cross
        sessions.
        """
        groups = set()
        for pid, group in descendants(os.getpid()):
            groups.add(group)
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(pid, number)
        if number == signal.SIGKILL:
            for group in groups - {os.getpgrp(), 0, 1}:
                with contextlib.suppress(ProcessLookupError, PermissionError):
                    os.killpg(group, number)


def descendants(ancestor: int) -> list[tuple[int, int]]:
    """
    List all processes below *ancestor*, as far as one look at /proc shows them.

    Returns:
        (process id, process group) of each; those that vanish meanwhile are left out.
    """
    children: dict[int, list[tuple[int, int]]] = {}
    for name in os.listdir("/proc"):  # noqa: PTH208  (pathlib is slow to load)
        if not name.isdecimal():
            continue
        try:
            with open(f"/proc/{name}/stat", "rb") as file:  # noqa: PTH123  (as above)
                text = file.read()
        except OSError:
            continue
        # pid (comm) state ppid pgrp ...; the name may hold spaces and parentheses itself.
        fields = text.rpartition(b")")[2].split(maxsplit=3)
        if len(fields) < 3:
            continue
        _, ppid, group = fields[:3]
        children.setdefault(int(ppid), []).append((int(name), int(group)))
    found = list(children.get(ancestor, ()))
    for pid, _ in found:  # grows while we go through it
        found += children.get(pid, ())
    return found


def resident(ancestor: int) -> int:
    """
    Return how many bytes of all processes below *ancestor* are resident.
    """
    pages = 0
    for pid in _below(ancestor):
        try:
            with open(f"/proc/{pid}/statm", "rb") as file:  # noqa: PTH123  (as above)
                pages += int(file.read().split()[1])
        except (OSError, IndexError):  # it has ended
            continue
    return pages * os.sysconf("SC_PAGE_SIZE")


def _below(ancestor: int) -> list[int]:
    """
    List all processes below *ancestor*, without going through those of the whole machine.
    """
    found = [ancestor]
    for pid in found:  # grows while we go through it
        try:
            for task in os.listdir(f"/proc/{pid}/task"):  # noqa: PTH208  (as above)
                with open(f"/proc/{pid}/task/{task}/children", "rb") as file:  # noqa: PTH123
                    found += map(int, file.read().split())
        except OSError:
            if pid == ancestor:  # a kernel that does not list children
                return [each for each, _ in descendants(ancestor)]
    return found[1:]


def main(arguments: list[str]) -> int:
    """
    Run the program; see the top of this file.

    Args:
        arguments: The command line without the program's own name.

    Returns:
        The exit code.
    """
    if sys.platform != "linux" or not os.path.exists("/proc/self/stat"):  # noqa: PTH110
        print("warden: local bots need Linux with /proc", file=sys.stderr)  # noqa: T201
        return 2
    if len(arguments) < 4 or not (arguments[1] + arguments[2]).isdecimal():
        print("usage: warden.py LOG LIMIT MEMORY COMMAND [ARGUMENT...]", file=sys.stderr)  # noqa: T201
        return 2
    path, limit, memory, *command = arguments
    try:
        return Warden(Log(path, int(limit)), int(memory)).run(command)
    except OSError as error:
        print(f"warden: {error}", file=sys.stderr)  # noqa: T201
        return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
