"""
Plays the leagues of the gallery, each once, two at a time.
"""

from __future__ import annotations

import json
import os
import shutil
import sys
import tempfile
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tournaments.exporting import export
from tournaments.store import Store
from tournaments.verifying import verify_store

if TYPE_CHECKING:
    import subprocess

HERE = Path(__file__).parent
SAMPLES = HERE.parents[1] / "sample_bots" / "python"
sys.path[:0] = [str(HERE), str(HERE.parent)]

from bounded import bounded  # noqa: E402
from catalogue import BYSTANDERS, GROUPS, LIMITS, Offender, offenders  # noqa: E402

PATIENCE = 480
"""Seconds after which a league has not ended, which it must whatever bots do."""


class League:
    """
    One league that was played, and all that it has left behind.
    """

    def __init__(self, group: str, guests: list[Offender]) -> None:
        # Short, since a socket will be below it.
        self.folder = Path(tempfile.mkdtemp(prefix="gallery-"))
        self.group = group
        (self.folder / "tmp").mkdir()
        (self.folder / "league.toml").write_text(_league(GROUPS[group], guests))
        done = self._run()
        self.left = self._left()
        self.code, self.stderr = done.returncode, done.stderr
        self.games: dict[str, dict[str, object]] = {}
        """As they are exported, by fixture."""
        self.verified = 0
        """How many of them follow from their answers and the secret."""
        if done.returncode == 0:
            with Store.open(f"sqlite:///{self.folder}/results/gallery.db") as store:
                run = store.run(1)
                _, *games, _ = export(store, run)
                self.verified = verify_store(store, run).games
            self.games = {game["fixture"]: game for game in games}

    def _run(self) -> subprocess.CompletedProcess[str]:
        return bounded(
            *("-m", "tournaments.cli", "run", "league.toml", "--log-level=info"),
            seconds=PATIENCE,
            cwd=self.folder,
            env={**os.environ, "GALLERY": str(self.folder), "TMPDIR": str(self.folder / "tmp")},
        )

    def _left(self) -> list[str]:
        """
        What is left: processes that were started here, and files where none should be.
        """
        found = [str(path) for path in (self.folder / "tmp").iterdir()]
        mark = f"GALLERY={self.folder}".encode()
        for path in Path("/proc").glob("[0-9]*/environ"):
            try:
                if mark in path.read_bytes().split(b"\0"):
                    found.append((path.parent / "cmdline").read_bytes().decode())
            except OSError:
                continue  # it has ended meanwhile, or is not ours to see
        return found

    def events(self, name: str, bot: str) -> list[dict[str, object]]:
        """
        Return the log events of a name that are about a bot.
        """
        lines = [line for line in self.stderr.splitlines() if line.startswith("{")]
        events = [json.loads(line) for line in lines]
        return [each for each in events if (each["event"], each.get("bot")) == (name, bot)]

    def log(self, bot: str) -> str:
        """
        Return what a bot has printed to standard error.
        """
        path = self.folder / "results" / "logs" / "gallery-1" / f"{bot}-1.log"
        return path.read_bytes().decode(errors="replace")

    def about(self, bot: str) -> str:
        """
        Return what our log and its own say of a bot, for a test that fails.
        """
        ours = [line for line in self.stderr.splitlines() if f'"{bot}"' in line]
        return "\n".join([*ours, f"its own, in {self.group}:", self.log(bot)[-2000:]])

    def played(self, *bots: str) -> list[dict[str, object]]:
        """
        Return the games of a match, as they are exported.
        """
        prefix = ":".join(sorted(bots)) + "/"
        return [game for fixture, game in self.games.items() if fixture.startswith(prefix)]

    def close(self) -> None:
        """
        Remove its folder.
        """
        shutil.rmtree(self.folder)


def _league(group, guests: list[Offender]) -> str:
    bots = [(bot, [str(SAMPLES / script)]) for bot, script in BYSTANDERS.items()]
    bots += [(guest.id, [str(HERE / "offend.py"), guest.id]) for guest in guests]
    lines = [
        *("[league]", 'id = "gallery"', 'game = "bid"', "sets = 1", 'seed = "gallery"'),
        *("tables = 200", "shared_instances = true", f'transport = "{group.transport}"'),
        *("[rules]", "max_hands = 2"),
        *(f"{key} = {json.dumps(value)}" for key, value in group.rules.items()),
        "[limits]",
        *(f"{key} = {value}" for key, value in {**LIMITS, **group.limits}.items()),
    ]
    for bot, command in bots:
        lines += ["[[bots]]", f'id = "{bot}"', "instances = 1"]
        lines.append(f"command = {json.dumps(['{python}', *command])}")
    return "\n".join(lines) + "\n"


class Gallery:
    """
    The leagues of the gallery, played in the background as soon as it opens.
    """

    def __init__(self, groups: list[str]) -> None:
        self._pool = ThreadPoolExecutor(2)
        self._leagues: dict[str, Future[League]] = {
            # Longest first; it does hardly anything but wait.
            group: self._pool.submit(League, group, offenders(group))
            for group in sorted(groups, key=lambda each: (each != "silence", each))
        }
        self._without: dict[str, Future[League]] = {}
        for group in self._leagues:
            rules = json.dumps(GROUPS[group].rules)
            if rules not in self._without:
                self._without[rules] = self._pool.submit(League, group, [])

    def league(self, group: str) -> League:
        """
        Return the league of a group.
        """
        return self._leagues[group].result()

    def without(self, group: str) -> League:
        """
        Return a league by the same rules, of the bystanders alone.
        """
        return self._without[json.dumps(GROUPS[group].rules)].result()

    def close(self) -> None:
        """
        Remove what it has made.
        """
        self._pool.shutdown()
        for future in (*self._leagues.values(), *self._without.values()):
            if future.exception() is None:
                future.result().close()


@pytest.fixture(scope="session")
def gallery(request: pytest.FixtureRequest):
    """
    The gallery, as far as somebody wants to see it.
    """
    wanted = {"silence"}
    for item in request.session.items:
        callspec = getattr(item, "callspec", None)
        for value in callspec.params.values() if callspec else ():
            if isinstance(value, Offender):
                wanted.add(value.group)
            elif isinstance(value, str) and value in GROUPS:
                wanted.add(value)
    opened = Gallery(sorted(wanted))
    yield opened
    opened.close()
