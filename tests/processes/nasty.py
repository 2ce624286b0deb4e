"""
A bot that plays no cards but makes trouble: `nasty.py KIND`.

It appends a line to the file READY as soon as its trouble is under way.
"""

from __future__ import annotations

import json
import mmap
import os
import signal
import sys
import time
from functools import partial
from pathlib import Path

FOREVER = 1000.0


def _ready() -> None:
    with Path(os.environ["READY"]).open("a", encoding="utf-8") as file:
        file.write(f"{os.getpid()}\n")


def _sleep() -> None:
    _ready()
    time.sleep(FOREVER)


def _ignore_all() -> None:
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    _sleep()


def _double_fork(then: str = "sleep") -> None:
    """
    Become a daemon: the grandchild lives in a session of its own.
    """
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            signal.signal(signal.SIGTERM, signal.SIG_IGN)
            _sleep()
        os._exit(0)
    os.wait()
    if then == "sleep":
        time.sleep(FOREVER)


def _chain() -> None:
    """
    Fork and exit for ever, in the hope that nobody can keep up.
    """
    _ready()
    while os.fork() == 0:
        pass
    os._exit(0)


def _crash() -> None:
    _ready()
    sys.exit(3)


def _abort() -> None:
    _ready()
    os.kill(os.getpid(), signal.SIGKILL)


def _stop() -> None:
    _ready()
    os.kill(os.getpid(), signal.SIGSTOP)


def _shell() -> None:
    """
    Become a shell with children in the background, and in a shell below it.
    """
    script = "sleep 1000 & (sleep 1000; true) & echo >> $READY; wait"
    os.execvp("sh", ["sh", "-c", script])  # noqa: S606  (a shell it is)


def _chain_and_sleep() -> None:
    if os.fork() == 0:
        _chain()
    time.sleep(FOREVER)


def _go_gently() -> None:
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(5))
    _sleep()


def _go_when_told() -> None:
    """
    Say that SIGTERM has come, and end once a file is there.
    """
    signal.signal(signal.SIGTERM, lambda *_: _ready())
    _ready()
    while not Path(os.environ["READY"] + ".go").exists():
        time.sleep(0.01)
    sys.exit(5)


def _flood() -> None:
    for _ in range(50):
        os.write(2, b"x" * 1_000_000)
    _ready()


def _eat() -> None:
    """
    Take more and more memory, and use it; so much as to be seen, and no more.
    """
    eaten = []
    while len(eaten) < 64:
        eaten.append(bytearray(b"x") * (4 << 20))
        # Slowly enough for a warden that gets little of a processor.
        time.sleep(0.05)
    time.sleep(FOREVER)


def _eat_together() -> None:
    """
    Take 16 MB in each of nine processes; a tenth says that they have.
    """
    full, said = os.pipe()
    for _ in range(8):
        if os.fork() == 0:
            eaten = bytearray(b"x") * (16 << 20)
            os.write(said, b"x")
            time.sleep(FOREVER)
            del eaten
    eaten = bytearray(b"x") * (16 << 20)
    if os.fork() == 0:
        for _ in range(8):
            os.read(full, 1)
        _sleep()
    time.sleep(FOREVER)
    del eaten


def _reserve() -> None:
    """
    Reserve address space and use none of it.
    """
    space = mmap.mmap(-1, 8 << 30)
    _sleep()
    space.close()


def _show() -> None:
    """
    Write what we were given to standard error, and something to standard output.
    """
    sys.stdout.write("on standard output\n")
    given = {
        "env": {k: v for k, v in os.environ.items() if k.startswith("EUCHRE_")},
        "files": [file for file in range(200) if _is_open(file)],
        "cwd": str(Path.cwd()),
        "stdin": sys.stdin.read(),
        "python": sys.executable,
    }
    sys.stderr.write(json.dumps(given))
    _ready()


def _is_open(file: int) -> bool:
    try:
        os.fstat(file)
    except OSError:
        return False
    return True


KINDS = {
    "sleep": _sleep,
    "ignore": _ignore_all,
    "daemon": _double_fork,
    "daemon-and-leave": partial(_double_fork, then="leave"),
    "crash": _crash,
    "abort": _abort,
    "shell": _shell,
    "chain": _chain_and_sleep,
    "gentle": _go_gently,
    "hesitant": _go_when_told,
    "stopped": _stop,
    "flood": _flood,
    "eat": _eat,
    "eat-together": _eat_together,
    "reserve": _reserve,
    "show": _show,
}

KINDS[sys.argv[1]]()
