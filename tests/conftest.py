"""
For all tests: in CI nothing is skipped; and a real PostgreSQL server for those that want one.
"""

from __future__ import annotations

import itertools
import logging
import os
import shutil
import subprocess
import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
import sqlalchemy as sa
import structlog
from hypothesis import HealthCheck, settings

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterator


# How long an example takes says nothing, on a machine that does other things too. And who has
# changed nothing should see nothing new: looking for what nobody has thought of takes
# `--hypothesis-profile=explore`.
settings.register_profile(
    "explore", settings.default, deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.register_profile("patient", settings.get_profile("explore"), derandomize=True)
settings.load_profile("patient")


def _refuse_to_skip(report: pytest.TestReport | pytest.CollectReport) -> None:
    """
    Turn a skip into a failure where CI is set; an expected failure is no skip.
    """
    if report.skipped and os.environ.get("CI") and not hasattr(report, "wasxfail"):
        reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else report.longrepr
        report.outcome = "failed"
        report.longrepr = f"in CI nothing may be skipped, but this was: {reason}"


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport() -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """
    Look at the report of each test.
    """
    report = yield
    _refuse_to_skip(report)
    return report


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report() -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    """
    Look at the report of each file.
    """
    report = yield
    _refuse_to_skip(report)
    return report


_SYSTEM_PATH = f"{os.environ.get('PATH', os.defpath)}:/usr/sbin"
"""Where programs are, also those of the system that an ordinary user has not on the PATH."""

_NEEDED = {
    "sandbox": (["bwrap"], "there is no bubblewrap (apt install bubblewrap)"),
    "pooler": (["pgbouncer"], "there is no PgBouncer (apt install pgbouncer)"),
    "browser": (
        ["chromium", "chromedriver"],
        "there is no Chromium with its driver (apt install chromium chromium-driver)",
    ),
}
"""By marker: the programs that its tests need, and what to say where they are not."""


def _missing() -> dict[str, str]:
    """
    The markers whose tests cannot run here, and why; in CI all must.
    """
    if os.environ.get("CI"):
        return {}
    return {
        marker: why
        for marker, (programs_, why) in _NEEDED.items()
        if not all(shutil.which(each, path=_SYSTEM_PATH) for each in programs_)
    }


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """
    Leave out the tests that need a program which is not here, unless this is CI.
    """
    missing = _missing()
    left_out = [item for item in items if any(map(item.get_closest_marker, missing))]
    if left_out:
        config.hook.pytest_deselected(items=left_out)
        items[:] = [item for item in items if item not in left_out]


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """
    Say why tests were left out.
    """
    for marker, why in _missing().items():
        terminalreporter.write_line(f"tests marked `{marker}` are left out: {why}")


@pytest.fixture(autouse=True)
def _logs_as_before() -> Iterator[None]:
    """
    The log of the next test does not go to where this one's went: that is closed by then.
    """
    root = logging.getLogger()
    handlers, level = root.handlers[:], root.level
    root.handlers.clear()  # basicConfig would close pytest's own
    yield
    root.handlers[:] = handlers
    root.setLevel(level)
    structlog.reset_defaults()
    structlog.contextvars.clear_contextvars()


# --- PostgreSQL ------------------------------------------------------------------------


def programs() -> Path | None:
    """
    The folder of `initdb` and `pg_ctl`; None where there is no server.
    """
    # Debian keeps them off the PATH; what stands there under these names may be a wrapper.
    for folder in (*sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True), None):
        found = shutil.which("initdb", path=None if folder is None else str(folder))
        if found is not None:
            return Path(found).parent
    return None


def backends() -> list[str]:
    """
    The databases that stores are tested on.
    """
    if programs() is not None:
        return ["sqlite", "postgresql"]
    if os.environ.get("CI"):
        raise RuntimeError("in CI the stores are tested on PostgreSQL too, and it is not installed")
    return ["sqlite"]


class Server:
    """
    A running server.
    """

    def __init__(self, bin_folder: Path, folder: Path) -> None:
        self._bin = bin_folder
        self.folder = folder
        self._numbers = itertools.count(1)
        # It refuses to run as root; Debian's package comes with a user for it.
        self.user = "postgres" if os.geteuid() == 0 else None

    def start(self) -> None:
        """
        Make its files and start it, on a unix socket alone.
        """
        if self.user is not None:
            shutil.chown(self.folder, self.user)
        self._run("initdb", "-D", "data", "-U", "test", "-A", "trust", "--no-sync", "-E", "UTF8")
        # Its own safety costs time, and nobody pulls the plug here.
        options = f"-k {self.folder} -c listen_addresses= -c fsync=off"
        self._run("pg_ctl", "-D", "data", "-w", "-l", "log", "-o", options, "start")

    def stop(self, how: str = "immediate") -> None:
        """
        Stop it; all its connections break.
        """
        self._run("pg_ctl", "-D", "data", "-w", "-m", how, "stop")

    def restart(self) -> None:
        """
        Stop it and start it again, as an administrator might.
        """
        self._run("pg_ctl", "-D", "data", "-w", "-m", "fast", "-l", "log", "restart")

    def fresh(self) -> str:
        """
        The URL of a new database.
        """
        name = f"store{next(self._numbers)}"
        engine = sa.create_engine(self.url("postgres"), isolation_level="AUTOCOMMIT")
        with engine.connect() as connection:
            connection.exec_driver_sql(f"CREATE DATABASE {name}")
        engine.dispose()
        return self.url(name)

    def url(self, name: str) -> str:
        """
        The URL of a database.
        """
        return f"postgresql+psycopg://test@/{name}?host={self.folder}"

    def demand_password(self, role: str) -> None:
        """
        Let a role in with its password only; all others come in without one.
        """
        rules = self.folder / "data" / "pg_hba.conf"
        rules.write_text(f"local all {role} scram-sha-256\n{rules.read_text()}")
        self._run("pg_ctl", "-D", "data", "reload")

    def _run(self, program: str, *arguments: str) -> None:
        subprocess.run(
            [self._bin / program, *arguments],
            cwd=self.folder,
            user=self.user,
            check=True,
            # The server keeps what it inherits; a pipe would never end.
            stdout=subprocess.DEVNULL,
            stdin=subprocess.DEVNULL,
            timeout=300,
        )


@contextmanager
def running() -> Iterator[Server]:
    """
    Run a server for the time of the body.
    """
    bin_folder = programs()
    assert bin_folder is not None, "there is no PostgreSQL here"
    # Not under pytest's folder: only our user may enter that, and a socket's path is short.
    folder = Path(tempfile.mkdtemp(prefix="euchre-test-pg-", dir="/tmp"))
    server = Server(bin_folder, folder)
    try:
        server.start()
        yield server
    finally:
        try:
            if (folder / "data" / "postmaster.pid").exists():
                server.stop()
        finally:
            shutil.rmtree(folder)


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """
    Run what asks for a `backend` on every database.

    Where there is no PostgreSQL there are tests for SQLite alone; CI refuses that.
    """
    if "backend" in metafunc.fixturenames:
        metafunc.parametrize("backend", backends())


@pytest.fixture(scope="session", name="backends")
def _backends() -> list[str]:
    """
    The databases that there are.
    """
    return backends()


@pytest.fixture(scope="session")
def postgresql() -> Iterator[Server]:
    """
    A PostgreSQL server.
    """
    with running() as server:
        yield server


@pytest.fixture(scope="session")
def pgbouncer() -> str:
    """
    The program PgBouncer.
    """
    found = shutil.which("pgbouncer", path=_SYSTEM_PATH)
    assert found is not None
    return found


@pytest.fixture
def store_url(request: pytest.FixtureRequest, tmp_path: Path) -> Callable[[str], str]:
    """
    Makes the URL of a store that is not there yet, by the name of its database.
    """

    def make(backend: str) -> str:
        if backend == "sqlite":
            return f"sqlite:///{tmp_path}/results/test.db"
        server: Server = request.getfixturevalue("postgresql")
        return server.fresh()

    return make
