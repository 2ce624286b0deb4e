"""
Runs the real commands, with real bots, in a working folder of the test's own.
"""

from __future__ import annotations

import json
import os
import signal
import socket
import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path

import pytest
import sqlalchemy as sa

SAMPLES = Path(__file__).parents[2] / "sample_bots" / "python"

PATIENCE = 180
"""Seconds after which what a test waits for will not come any more."""

LIMITS = {"answer": 60.0, "grace": 60.0, "hello": 60.0}
"""Limits of a league that says nothing about them: on a busy machine nobody is late."""

HOLD = """
import os, trio
from tournaments.runner import Runner
real, begun = Runner._play_one, []
async def play_one(self, fixture, played):
    begun.append(fixture)
    while len(begun) > {games} and not os.path.exists("go"):
        await trio.sleep(0.01)
    await real(self, fixture, played)
Runner._play_one = play_one
"""
"""Put before a program, it ends no more than so many games until there is a file `go`.

Whatever is done to it meanwhile is done while it plays, however long that takes."""

BROKEN_TABLE = """
import tournaments.host as host
real = host.open_table
def open_table(rules, secret, set_id, **keys):
    if {which} and keys["sitting"] == 1:
        raise RuntimeError("a bug of ours")
    return real(rules, secret, set_id, **keys)
host.open_table = open_table
"""
"""Put before a program, it cannot open the tables of the second sittings of such sets."""


class Place:
    """
    A working folder, and what is done and seen in it.
    """

    PATIENCE = PATIENCE

    def __init__(self, path):
        self.path = path
        self.started = []
        self.kept = []
        # Children inherit it, so whoever is left behind can be told from all others.
        self.mark = f"LEAGUE_TEST={path}"

    # --- files -----------------------------------------------------------------------

    def league(
        self, *bots, name="small.toml", game="bid", sets=2, hands=2, rest="", limits=(), **keys
    ):
        """
        Write a league file; each of *bots* is (id, script) or (id, script, more TOML).
        """
        keys = {"id": "small", "game": game, "sets": sets, **keys}
        lines = ["[league]", *(f"{key} = {json.dumps(value)}" for key, value in keys.items())]
        lines += ["[rules]", f"max_hands = {hands}", rest, "[limits]"]
        lines += [f"{key} = {value}" for key, value in {**LIMITS, **dict(limits)}.items()]
        for bot, script, *more in bots:
            lines += ["[[bots]]", f'id = "{bot}"']
            if script is not None:
                lines.append(f"command = {json.dumps(['{python}', str(script)])}")
            lines += more
        path = self.path / name
        path.write_text("\n".join(lines) + "\n")
        return path

    def bot(self, name, body, head=""):
        """
        Write a bot that bids like the sample `first.py`, with *body*, methods of its class.
        """
        path = self.path / f"{name}.py"
        path.write_text(
            f"import os, sys, time, pathlib\nsys.path.insert(0, {str(SAMPLES)!r})\n{head}\n"
            f"from euchrebot import Bot, run\nclass Mine(Bot):\n"
            # Somebody has to bid, or no card is ever played.
            "    def auction(self, ask):\n        legal = ask.auction.legal_bids\n"
            f"        return 3 if 3 in legal else legal[0]\n{body}\nrun(Mine())\n"
        )
        return path

    def address(self):
        """
        Return an address of this machine at which nobody listens, or will but for this test.
        """
        # Bound and not listening: a server may still bind to it, and nobody is given it by
        # chance, as the port of a socket that was closed may be at any moment.
        keeper = socket.socket()
        self.kept.append(keeper)
        keeper.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        keeper.bind(("127.0.0.1", 0))
        return f"127.0.0.1:{keeper.getsockname()[1]}"

    def hold(self, games):
        """
        Return a patch with which a program ends no more than so many games until `go`.
        """
        return HOLD.format(games=games)

    @staticmethod
    def broken_table(which='set_id == "a:b/2"'):
        """
        Return what makes the second sitting of a set fail because of us.
        """
        return BROKEN_TABLE.format(which=which)

    def go(self):
        """
        Let go on what is held.
        """
        (self.path / "go").touch()

    # --- commands --------------------------------------------------------------------

    def command(self, arguments, program, patch):
        """
        Return the command line of one of our programs, with *patch* run before it.
        """
        module = {"league": "tournaments.cli", "referee": "referee.cli"}[program]
        if patch is None:
            return [sys.executable, "-m", module, *map(str, arguments)]
        # A fault of ours, put into the real program before it starts.
        code = f"{patch}\nfrom {module} import main\nmain()\n"
        return [sys.executable, "-c", code, *map(str, arguments)]

    def environment(self, more):
        """
        Return the environment of what is started: marked, and 80 columns wide.
        """
        key, _, value = self.mark.partition("=")
        return {**os.environ, "COLUMNS": "80", key: value, **(more or {})}

    def run(self, *arguments, program="league", patch=None, env=None, code=0):
        """
        Run a command to its end, which must be with exit code *code*.
        """
        try:
            done = subprocess.run(
                self.command(arguments, program, patch),
                cwd=self.path,
                env=self.environment(env),
                capture_output=True,
                text=True,
                timeout=2 * PATIENCE,
                check=False,
                stdin=subprocess.DEVNULL,
            )
        except subprocess.TimeoutExpired as late:
            pytest.fail(f"{late}\n{late.stdout}\n{late.stderr}")
        if done.returncode != code:
            # In full: an assertion would be cut to the first lines.
            said = f"{done.stdout}\n{done.stderr}"
            pytest.fail(f"{done.args[1:]} ended with {done.returncode}, not {code}:\n{said}")
        assert "Traceback" not in done.stderr or patch is not None
        return done

    def json(self, *arguments, **keys):
        """
        Run a command and return the standings that it prints, without times.
        """
        return without_times(json.loads(self.run(*arguments, "--format", "json", **keys).stdout))

    def start(self, *arguments, program="league", patch=None, env=None):
        """
        Start a command; what it prints goes to `.out` and `.err`.
        """
        return self._start(program, self.command(arguments, program, patch), env)

    def start_bot(self, script, address, token, instance="1"):
        """
        Start a bot as its owner would, outside of the referee.
        """
        env = {
            "EUCHRE_REFEREE": address,
            "EUCHRE_TOKEN": token,
            "EUCHRE_INSTANCE": instance,
        }
        return self._start("bot", [sys.executable, str(script)], env)

    def _start(self, name, command, env):
        number = len(self.started)
        files = [self.path / f"{name}-{number}.{end}" for end in ("out", "err")]
        with files[0].open("w") as out, files[1].open("w") as err:
            process = subprocess.Popen(
                command,
                cwd=self.path,
                env=self.environment(env),
                stdout=out,
                stderr=err,
                stdin=subprocess.DEVNULL,
            )
        process.out, process.err = files
        self.started.append(process)
        return process

    # --- what is seen ----------------------------------------------------------------

    def ask(self, query, store="results/small.db"):
        """
        Return the rows that a store, a file or a URL, answers; none while it has no such table.
        """
        if "://" in store:
            engine = sa.create_engine(store, poolclass=sa.NullPool)
            with closing(engine.raw_connection()) as db:
                try:
                    return db.cursor().execute(query).fetchall()
                except engine.dialect.loaded_dbapi.errors.UndefinedTable:
                    return []
        path = self.path / store
        if not path.exists():
            return []
        with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True, timeout=10)) as db:
            try:
                return db.execute(query).fetchall()
            except sqlite3.OperationalError:
                return []

    def stored(self, store="results/small.db"):
        """
        Return the fixtures that are stored, over all runs, in order of storing.
        """
        return [row[0] for row in self.ask("SELECT fixture FROM game ORDER BY id", store)]

    def processes(self):
        """
        Return the command lines of all that was started from this place and still runs.
        """
        found = []
        for entry in Path("/proc").iterdir():
            if not entry.name.isdigit():
                continue
            try:
                if self.mark.encode() in (entry / "environ").read_bytes().split(b"\0"):
                    found.append((entry / "cmdline").read_bytes().replace(b"\0", b" ").decode())
            except OSError:
                continue  # it has ended meanwhile, or is not ours to see
        return found

    def end_of(self, process):
        """
        Wait until *process* has ended, and return its exit code.
        """
        self.wait(lambda: process.poll() is not None, f"{process.args} ends")
        return process.returncode

    def wait(self, condition, what, every=0.01):
        """
        Wait until *condition* holds, which is given back.

        Args:
            condition: Is tried again and again.
            what: It means that.
            every: Seconds between two tries; more if a referee is asked, which counts calls.
        """
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            found = condition()
            if found:
                return found
            time.sleep(every)
        pytest.fail(f"waited in vain: {what}\nthese run: {self.processes()}")

    def tell(self):
        """
        Print what was started, how it ended and what it complained about: for failing tests.
        """
        for process in self.started:
            said = process.err.read_text(errors="replace")[-5000:]
            sys.stdout.write(f"{process.args[1:]} ended with {process.poll()}:\n{said}\n")

    def nobody_left(self):
        """
        Wait until nothing that was started here runs; fail if that does not come.
        """
        self.wait(lambda: not self.processes(), "everything has ended")


def without_times(standings):
    """
    Return standings without the only key that holds a time.
    """
    for row in standings["rows"]:
        del row["median_decision_ms"]
    return standings


@pytest.fixture
def place(tmp_path):
    """
    A fresh working folder; nothing that was started in it survives the test.
    """
    here = Place(tmp_path)
    yield here
    here.tell()
    for process in here.started:
        if process.poll() is None:
            process.send_signal(signal.SIGKILL)
        process.wait()
    here.nobody_left()
    for socket_ in here.kept:
        socket_.close()


@pytest.fixture
def address(place):
    """
    Where the referee of the test listens.
    """
    return place.address()


@pytest.fixture
def first():
    """
    The bot that does the first legal thing.
    """
    return SAMPLES / "first.py"


@pytest.fixture
def samples():
    """
    The folder of the sample bots.
    """
    return SAMPLES


@pytest.fixture
def last(place):
    """
    A bot that plays differently from `first.py`, so that results differ from zero.
    """
    return place.bot(
        "last",
        "    def play(self, ask):\n        return ask.play.legal_cards[-1]\n"
        "    def trump(self, ask):\n        return ask.trump.legal_suits[-1]\n",
    )
