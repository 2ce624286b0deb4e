"""
The warden: nothing of a bot outlives it, whatever the bot does and however the end comes.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
import trio
import trio.lowlevel

from referee import warden

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .conftest import Zoo

HERE = Path(__file__).parent
NASTY = str(HERE / "nasty.py")
_CHANGED = (
    "import os, runpy, sys, time; main = runpy.run_path(sys.argv[1])['main']; "
    "ours = main.__globals__; {}; sys.exit(main(sys.argv[2:]))"
)
PATIENT = "ours['GRACE'] = 1000.0"
"""It never ends its grace, as it does not have to on any machine."""
HELD_UP = (
    f"{PATIENT}; there = os.environ['READY'] + '.held-up'; ours['time'] = type('time', (), {{"
    "'process_time': time.process_time,"
    "'monotonic': lambda: time.monotonic() + 2000.0 * os.path.exists(there)})"
)
"""The same, and the machine stands still for longer than that when a file appears."""
STARVED = "look = ours['resident']; ours['resident'] = lambda pid: (time.sleep(0.7), look(pid))[1]"
"""It does not get a processor while it looks at the memory."""
KINDS = ("sleep", "ignore", "daemon", "shell", "stopped", "chain")
pytestmark = pytest.mark.slow


class _Warden:
    """
    A warden with a nasty bot, whose lifeline is in our hands.
    """

    def __init__(
        self, zoo: Zoo, *command: str, limit: int = 1000, memory: int = 0, change: str = ""
    ) -> None:
        self._zoo = zoo
        self.log = zoo.folder / "bot.log"
        self.process = subprocess.Popen(
            [
                *(sys.executable, "-I", "-S", *(("-c", _CHANGED.format(change)) if change else ())),
                warden.__file__,
                *(str(self.log), str(limit), str(memory), *command),
            ],
            stdin=subprocess.PIPE,
            env={**os.environ, **zoo.env},
            start_new_session=True,
        )

    async def wait(self) -> int:
        """
        Its exit code.
        """
        with self._zoo.patience("the warden has ended"):
            await trio.to_thread.run_sync(self.process.wait, abandon_on_cancel=True)
        return self.process.returncode

    def cut(self) -> None:
        """
        Cut the lifeline.
        """
        assert self.process.stdin is not None
        self.process.stdin.close()

    def ask(self) -> None:
        """
        Ask for a gentle end.
        """
        assert self.process.stdin is not None
        self.process.stdin.write(b"\n")
        self.process.stdin.flush()


@pytest.fixture
def wardens() -> Iterator[list[_Warden]]:
    """
    Wardens whose lifelines are cut at the end.
    """
    kept: list[_Warden] = []
    yield kept
    for each in kept:
        each.cut()
        each.process.wait(60)


@pytest.mark.parametrize("kind", KINDS)
async def test_nothing_is_left_when_the_lifeline_is_cut(
    zoo: Zoo, wardens: list[_Warden], kind: str
) -> None:
    """
    All that descends from the bot has gone when the warden has gone.
    """
    wardens.append(it := _Warden(zoo, sys.executable, NASTY, kind))
    await zoo.wait_ready(1)
    assert len(zoo.alive()) >= 2
    it.cut()
    assert 137 == await it.wait()
    assert [] == zoo.alive()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
async def test_a_signal_ends_it_all(
    zoo: Zoo, wardens: list[_Warden], number: signal.Signals
) -> None:
    """
    A warden that is told to end takes everything with it.
    """
    wardens.append(it := _Warden(zoo, sys.executable, NASTY, "daemon"))
    await zoo.wait_ready(1)
    it.process.send_signal(number)
    assert 137 == await it.wait()
    assert [] == zoo.alive()


async def test_nothing_is_left_when_the_bot_ends(zoo: Zoo, wardens: list[_Warden]) -> None:
    """
    A daemon that the bot has left behind goes with the bot; the exit code is the bot's.
    """
    wardens.append(it := _Warden(zoo, sys.executable, NASTY, "daemon-and-leave"))
    assert 0 == await it.wait()
    assert 1 == zoo.started()
    assert [] == zoo.alive()


@pytest.mark.parametrize(("kind", "code"), [("crash", 3), ("abort", 137)])
async def test_the_exit_code_is_the_bots(
    zoo: Zoo, wardens: list[_Warden], kind: str, code: int
) -> None:
    """
    The code it ended with, or 128 and the signal that ended it.
    """
    wardens.append(it := _Warden(zoo, sys.executable, NASTY, kind))
    assert code == await it.wait()


async def test_a_gentle_end_lets_the_bot_end_by_itself(zoo: Zoo, wardens: list[_Warden]) -> None:
    """
    After a byte on the lifeline comes SIGTERM, and the bot's own exit code.
    """
    wardens.append(it := _Warden(zoo, sys.executable, NASTY, "gentle", change=PATIENT))
    await zoo.wait_ready(1)
    it.ask()
    assert 5 == await it.wait()
    assert [] == zoo.alive()


async def test_a_gentle_end_is_an_end(zoo: Zoo, wardens: list[_Warden]) -> None:
    """
    Who ignores SIGTERM is killed a second later.
    """
    wardens.append(it := _Warden(zoo, sys.executable, NASTY, "ignore"))
    await zoo.wait_ready(1)
    before = trio.current_time()
    it.ask()
    assert 137 == await it.wait()
    assert warden.GRACE <= trio.current_time() - before
    assert [] == zoo.alive()


async def test_the_grace_stands_still_with_the_machine(zoo: Zoo, wardens: list[_Warden]) -> None:
    """
    Time in which nothing could run is not taken from the bot.
    """
    wardens.append(it := _Warden(zoo, sys.executable, NASTY, "hesitant", change=HELD_UP))
    await zoo.wait_ready(1)
    it.ask()
    await zoo.wait_ready(2)
    (zoo.folder / "ready.held-up").touch()
    await trio.sleep(3 * warden.TICK)
    (zoo.folder / "ready.go").touch()
    assert 5 == await it.wait()


async def test_a_cut_ends_a_gentle_end(zoo: Zoo, wardens: list[_Warden]) -> None:
    """
    A lifeline that ends during the grace ends the grace.
    """
    wardens.append(it := _Warden(zoo, sys.executable, NASTY, "ignore", change=PATIENT))
    await zoo.wait_ready(1)
    it.ask()
    it.cut()
    assert 137 == await it.wait()


async def test_a_killed_warden_takes_the_bot_with_it(zoo: Zoo, wardens: list[_Warden]) -> None:
    """
    Even `kill -9` of the warden does not leave the bot running.
    """
    wardens.append(it := _Warden(zoo, sys.executable, NASTY, "sleep"))
    await zoo.wait_ready(1)
    it.process.kill()
    await it.wait()
    await zoo.wait_empty()


async def test_a_program_that_is_not_there(zoo: Zoo, wardens: list[_Warden]) -> None:
    """
    127 for what is missing, 126 for what is no program; the reason is in the log.
    """
    wardens.append(it := _Warden(zoo, "no-such-program"))
    assert 127 == await it.wait()
    assert "warden: cannot start 'no-such-program': No such file" in it.log.read_text()
    wardens.append(it := _Warden(zoo, str(zoo.folder)))
    assert 126 == await it.wait()


async def test_a_flood_neither_blocks_nor_fills_the_disk(zoo: Zoo, wardens: list[_Warden]) -> None:
    """
    50 MB of standard error are read to the end; the file stops at its limit and says so.
    """
    wardens.append(it := _Warden(zoo, sys.executable, NASTY, "flood", limit=1 << 20))
    assert 0 == await it.wait()
    assert 1 == zoo.started()
    text = it.log.read_bytes()
    assert b"x" * (1 << 20) + b"\n[the rest was dropped: 1048576 bytes are kept]\n" == text
    wardens.append(it := _Warden(zoo, sys.executable, NASTY, "crash", limit=1 << 20))
    await it.wait()
    assert text == it.log.read_bytes(), "a second start finds the file full"


@pytest.mark.parametrize("fate", ["link", "folder", "loop"])
async def test_a_log_that_cannot_be_written_costs_a_bot_nothing(
    zoo: Zoo, wardens: list[_Warden], capfd: pytest.CaptureFixture[str], fate: str
) -> None:
    """
    It runs without one; above all nothing is written where a link leads.
    """
    log, precious = zoo.folder / "bot.log", zoo.folder / "precious"
    precious.write_text("precious")
    if fate == "folder":
        log.mkdir()
    else:
        log.symlink_to(precious if fate == "link" else log)
    wardens.append(it := _Warden(zoo, "sh", "-c", "echo oh >&2; exit 7"))
    assert 7 == await it.wait()
    assert "precious" == precious.read_text()
    said = capfd.readouterr().err
    assert f"warden: {log}: " in said
    assert "the bot has no log" in said


async def test_a_folder_of_logs_that_was_removed_is_made_again(
    zoo: Zoo, wardens: list[_Warden]
) -> None:
    """
    Somebody has made room, and bots that start later have something to say.
    """
    zoo.folder /= "logs"
    wardens.append(it := _Warden(zoo, "sh", "-c", "echo oh >&2"))
    assert 0 == await it.wait()
    assert "oh\n" == it.log.read_text()


@pytest.mark.parametrize("kind", ["eat", "eat-together"])
async def test_who_takes_too_much_memory_is_killed(
    zoo: Zoo, wardens: list[_Warden], kind: str
) -> None:
    """
    One process that grows, or many that are small: what is resident in all of them counts.
    """
    memory = 100 << 20
    wardens.append(it := _Warden(zoo, sys.executable, NASTY, kind, memory=memory))
    assert 128 + signal.SIGKILL == await it.wait()
    assert [] == zoo.alive()
    text = it.log.read_text()
    assert " MB of memory, 100 are allowed]" in text
    assert 100 < int(text.split("killed: ")[1].split()[0]) < 400, text


async def test_a_look_that_had_to_wait_is_soon_followed_by_the_next(
    zoo: Zoo, wardens: list[_Warden]
) -> None:
    """
    What a look costs is the time that it worked: a busy machine is no licence to take memory.
    """
    memory = 100 << 20
    wardens.append(it := _Warden(zoo, sys.executable, NASTY, "eat", memory=memory, change=STARVED))
    assert 128 + signal.SIGKILL == await it.wait()
    assert " MB of memory, 100 are allowed]" in it.log.read_text()


@pytest.mark.parametrize("kind", ["reserve", "eat-together"])
async def test_memory_that_is_not_used_or_not_limited_is_free(
    zoo: Zoo, wardens: list[_Warden], kind: str
) -> None:
    """
    Gigabytes of address space are no memory; and 0 allows any number of bytes.
    """
    memory = 0 if kind == "eat-together" else 100 << 20
    wardens.append(it := _Warden(zoo, sys.executable, NASTY, kind, memory=memory))
    await zoo.wait_ready(1)
    await trio.sleep(3 * warden.LOOK)
    assert it.process.poll() is None
    assert "" == it.log.read_text()


async def test_a_look_at_memory_sees_all_that_descend(
    zoo: Zoo, monkeypatch: pytest.MonkeyPatch
) -> None:
    """
    With and without a kernel that lists the children of a process.
    """
    with subprocess.Popen(  # noqa: ASYNC220  (it starts quickly)
        [sys.executable, NASTY, "eat-together"], env={**os.environ, **zoo.env}
    ) as eater:
        await zoo.wait_ready(1)
        # Not below us: what other tests keep for a session runs there too.
        listed = set(warden._below(eater.pid))
        used = warden.resident(eater.pid)
        monkeypatch.setattr(warden.os, "listdir", _no_tasks(os.listdir))
        scanned = set(warden._below(eater.pid))
        for pid in (eater.pid, *scanned):
            os.kill(pid, signal.SIGKILL)
        assert listed == scanned
        assert 9 == len(listed)
        assert 8 * (16 << 20) < used < 9 * (64 << 20)


def _no_tasks(listdir):
    def refuse(path):
        if path.endswith("/task"):
            raise FileNotFoundError(path)
        return listdir(path)

    return refuse


async def test_last_words_are_kept(zoo: Zoo, wardens: list[_Warden]) -> None:
    """
    What a bot writes right before its end is in the log.
    """
    wardens.append(it := _Warden(zoo, "sh", "-c", "echo famous last words >&2; exit 1"))
    assert 1 == await it.wait()
    assert "famous last words\n" == it.log.read_text()


async def test_twenty_at_once(zoo: Zoo, wardens: list[_Warden]) -> None:
    """
    Twenty wardens start together and end together.
    """
    wardens += (_Warden(zoo, sys.executable, NASTY, "daemon") for _ in range(20))
    await zoo.wait_ready(20)
    for each in wardens:
        each.cut()
    for each in wardens:
        await each.wait()
    assert [] == zoo.alive()


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
async def test_nothing_outlives_a_killed_referee(zoo: Zoo, number: signal.Signals) -> None:
    """
    `kill -9` of the referee ends every bot and all that they have started.
    """
    referee = subprocess.Popen(  # noqa: ASYNC220  (it starts quickly)
        [sys.executable, str(HERE / "stand_in.py"), str(zoo.folder), *KINDS],
        env={**os.environ, **zoo.env},
    )
    await zoo.wait_ready(len(KINDS))
    assert len(zoo.alive()) > 2 * len(KINDS)
    referee.send_signal(number)
    assert -number == await trio.to_thread.run_sync(referee.wait)
    await zoo.wait_empty()


async def test_wrong_calls_are_refused(zoo: Zoo) -> None:
    """
    Exit code 2 and the usage.
    """
    del zoo
    done = await trio.run_process(
        [sys.executable, "-I", "-S", warden.__file__, "log"], capture_stderr=True, check=False
    )
    assert 2 == done.returncode
    assert b"usage: warden.py LOG LIMIT MEMORY COMMAND" in done.stderr


async def test_it_needs_linux(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """
    Elsewhere it says so and starts nothing.
    """
    monkeypatch.setattr(sys, "platform", "plan9")
    assert 2 == warden.main(["log", "10", "0", "true"])
    assert "need Linux" in capsys.readouterr().err


async def test_what_vanishes_meanwhile_is_left_out() -> None:
    """
    A look at /proc while processes come and go does not fail.
    """
    churn = "i=0; while [ $i -lt 300 ]; do /bin/true & i=$((i+1)); done; wait"
    async with trio.open_nursery() as nursery:
        nursery.start_soon(trio.run_process, ["sh", "-c", churn])
        for _ in range(50):
            assert isinstance(warden.descendants(os.getpid()), list)
            await trio.lowlevel.checkpoint()
