"""
What programs in a sandbox try, and what happens: the table in docs/sandbox.md.

    python tests/sandbox/test_attempts.py      writes what has happened into the table
"""

from __future__ import annotations

import contextlib
import importlib.util
import os
import socket
import sys
import tempfile
from pathlib import Path

import pytest
import trio

from referee.sandbox import Limits

ATTEMPTS = Path(__file__).with_name("attempts.py")
DOCUMENT = Path(__file__).parents[2] / "docs" / "sandbox.md"
BEGIN, END = "<!-- attempts: begin -->\n", "<!-- attempts: end -->\n"

_spec = importlib.util.spec_from_file_location("attempts", ATTEMPTS)
attempts = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(attempts)

STAYS = f"1000.{os.getpid()}"
"""How long what is left behind would sleep: so that it is known from all else that sleeps."""

pytestmark = pytest.mark.sandbox


def documented():
    """
    Return the outcome of each attempt that the document has, by what is tried.
    """
    table = DOCUMENT.read_text().partition(BEGIN)[2].partition(END)[0]
    rows = [line.strip("| ").split(" | ") for line in table.splitlines()[2:]]
    return dict(rows)


def tried(name):
    """
    Return what is tried, in the words of the document.
    """
    return attempts.TRIES[name].__doc__.strip().removesuffix(".")


class Surroundings:
    """
    What there is on the host to be reached, read and killed.
    """

    def __init__(self, yard):
        self.yard = yard
        self.stack = contextlib.ExitStack()
        self.program = yard.program(ATTEMPTS)
        self.other = yard.program(bot_py="secret = 1\n")
        self.run_folder = Path(tempfile.mkdtemp(prefix="referee-"))
        self.socket = self.run_folder / "referee.sock"
        secrets = yard.folder / "results"
        (secrets / "tokens").mkdir(parents=True)
        self.store, self.token = secrets / "open.db", secrets / "tokens" / "bold.token"
        for file in (self.store, self.token):
            file.write_text("secret")
        self.name = f"euchre-{yard.folder.name}"
        listener = self.stack.enter_context(socket.create_server(("127.0.0.1", 0)))
        self.port = listener.getsockname()[1]
        for path in (str(self.socket), f"\0{self.name}"):
            unix = self.stack.enter_context(socket.socket(socket.AF_UNIX))
            unix.bind(path)
            unix.listen()
        if yard.ground.user is not None:
            os.chown(self.run_folder, yard.ground.user, -1)
            os.chown(self.socket, yard.ground.user, -1)

    def places(self, name):
        """
        Return the arguments of an attempt.
        """
        return {
            "read-the-store": (self.store, self.token, self.run_folder),
            "read-another-program": (self.other,),
            "read-out-of-the-folder": (self.store,),
            "read-the-partners-temporary-files": ("note",),
            "reach-the-referees-port": (self.port,),
            "reach-an-abstract-socket": (self.name,),
            "stay-behind": (STAYS,),
        }.get(name, ())

    async def outcome(self, name):
        """
        Try it beside a partner, and return what happened in one line.
        """
        yard = self.yard
        # Pages that processes share count for each, and many processes are no matter of memory.
        memory = (128 if name == "take-memory-without-end" else 2048) << 20
        limits = Limits(memory=memory, disk=16 << 20)
        cell = yard.cell(self.program, socket=self.socket, limits=limits)
        dismissed = trio.Event()
        partner = []

        async def be_the_partner():
            script = "touch /tmp/note /dev/shm/note; echo there >&2; exec sleep 1000"
            # Nothing comes back while it lives.
            partner.append(await yard.run(cell, ["sh", "-c", script], name="partner"))

        async with trio.open_nursery() as nursery:
            if name in ("read-the-partners-temporary-files", "signal-everybody"):
                nursery.start_soon(be_the_partner)
                log = yard.folder / "partner.log"
                with trio.fail_after(60):
                    while not (log.exists() and "there" in log.read_text()):  # noqa: ASYNC110  (a file)
                        await trio.sleep(0.01)
            command = ["{python}", "attempts.py", name, *map(str, self.places(name))]
            code, said = await yard.run(cell, command, name=name, dismissed=dismissed)
            assert partner == [], f"the partner has died: {partner}"
            nursery.cancel_scope.cancel()
        lines = [line for line in said.splitlines() if line]
        if code not in (0, 137):
            return f"exit {code}: {said}"
        return "killed" if code == 137 else lines[-1]


@pytest.fixture
def surroundings(yard):
    """
    A host with something to steal.
    """
    made = Surroundings(yard)
    with made.stack:
        yield made


@pytest.mark.parametrize("name", attempts.TRIES)
async def test_what_happens_is_what_the_document_says(name, surroundings):
    """
    Each attempt ends as the table says.
    """
    assert documented().get(tried(name)) == await surroundings.outcome(name)


def test_the_document_lists_all_attempts_and_no_other():
    """
    Nothing is left out of the table.
    """
    assert list(documented()) == [tried(name) for name in attempts.TRIES]


def test_no_process_is_left():
    """
    What an attempt has left behind is gone.
    """
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        with contextlib.suppress(OSError):
            assert path.read_bytes() != f"sleep\0{STAYS}\0".encode()


def _write() -> None:
    """
    Write the table of the document from what happens now.
    """
    sys.path.insert(0, str(ATTEMPTS.parents[2]))
    conftest = importlib.util.spec_from_file_location("conf", ATTEMPTS.with_name("conftest.py"))
    tools = importlib.util.module_from_spec(conftest)
    conftest.loader.exec_module(tools)
    with tools.open_ground() as ground, tempfile.TemporaryDirectory() as folder:
        made = Surroundings(tools.Yard(ground, Path(folder)))
        rows = [
            "| Tried | What happens |\n|---|---|\n",
            *(f"| {tried(name)} | {trio.run(made.outcome, name)} |\n" for name in attempts.TRIES),
        ]
    text = DOCUMENT.read_text()
    before, after = text.partition(BEGIN)[0], text.partition(END)[2]
    DOCUMENT.write_text("".join((before, BEGIN, *rows, END, after)))


if __name__ == "__main__":
    _write()
