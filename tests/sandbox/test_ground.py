"""
What sandboxes stand on: what is missing is said, and nothing is left behind.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from referee.errors import ConfigError
from referee.sandbox import ground as made
from referee.sandbox import open_ground
from referee.sandbox.filter import filter_for

HOLD = """
import signal
from referee.sandbox import open_ground
with open_ground() as ground:
    print(ground.folder, flush=True)
    signal.pause()
"""


@pytest.fixture
def _place_of_our_own(monkeypatch):
    """
    Another referee on this machine would sweep as well.
    """
    # Not pytest's: the user of sandboxes may not enter that.
    with tempfile.TemporaryDirectory() as place:
        Path(place).chmod(0o755)
        monkeypatch.setenv("TMPDIR", place)
        monkeypatch.setattr("tempfile.tempdir", place)
        yield


@pytest.mark.sandbox
@pytest.mark.usefixtures("_place_of_our_own")
def test_nothing_is_left():
    """
    Its folder goes with it; that of a referee which was killed goes with the next.
    """
    with open_ground() as ground:
        folder = ground.folder
        assert folder.is_dir()
    assert not folder.exists()

    with subprocess.Popen(
        [sys.executable, "-c", HOLD], stdout=subprocess.PIPE, text=True
    ) as process:
        folder = Path(process.stdout.readline().strip())
        with open_ground():
            assert folder.is_dir(), "that of a referee which lives stays"
        process.send_signal(signal.SIGKILL)
    assert folder.is_dir()
    with open_ground():
        assert not folder.exists()


def refused(**changes):
    """
    Return why there can be no sandboxes.
    """
    with pytest.raises(ConfigError) as caught, open_ground(**changes):
        pass
    return str(caught.value)


def test_what_is_missing_is_said(monkeypatch):
    """
    With what to do about it.
    """
    there = made._program
    monkeypatch.setattr(made, "_program", lambda name: None if name == "bwrap" else there(name))
    assert "apt install bubblewrap" in refused()
    monkeypatch.setattr(made, "_program", lambda name: None if name == "prlimit" else "/bin/true")
    assert "apt install util-linux" in refused()


@pytest.mark.sandbox
def test_a_bubblewrap_that_does_not_work_is_noticed_at_once(monkeypatch):
    """
    Its own words are shown.
    """
    there = made._program
    monkeypatch.setattr(
        made, "_program", lambda name: "/bin/false" if name == "bwrap" else there(name)
    )
    assert "no sandbox can be built: exit 1 (bubblewrap 0.8 or newer" in refused()


def test_programs_never_run_as_root(monkeypatch):
    """
    Whatever the file says.
    """
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    monkeypatch.setattr(made, "_program", lambda _: "/bin/true")
    assert "uploads.user: must not be root" in refused(user="root")
    assert "there is no user 'nobody-at-all' here" in refused(user="nobody-at-all")


def test_the_filter_of_system_calls():
    """
    One instruction of eight bytes after the other; unknown machines have none.
    """
    for machine in ("x86_64", "aarch64"):
        assert 0 == len(filter_for(machine)) % 8
    assert filter_for("x86_64") != filter_for("aarch64")
    assert filter_for("riscv64") is None
