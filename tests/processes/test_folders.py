"""
Private folders: ours alone, and gone in the end.
"""

from __future__ import annotations

import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from referee.errors import ConfigError
from referee.folders import private_folder


def test_a_private_folder_is_ours_and_goes() -> None:
    """
    Fresh, only for our user, short enough, and gone afterwards with what is in it.
    """
    with private_folder() as folder, private_folder() as other:
        assert folder != other
        assert 0o700 == stat.S_IMODE(folder.stat().st_mode)
        (folder / "referee.sock").touch()
    assert not folder.exists()
    assert not other.exists()


def test_a_private_folder_is_short(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """
    A long TMPDIR is given up for /tmp; a name too long for any folder is an error.
    """
    long = tmp_path / ("x" * 100)
    long.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(long))
    with private_folder() as folder:
        assert Path("/tmp") == folder.parent  # noqa: S108  (that is the test)
    with pytest.raises(ConfigError, match="TMPDIR"), private_folder(room=100):
        pass
    assert [] == list(long.iterdir())


def test_what_a_killed_referee_left_is_removed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """
    Its folder goes at the next start; folders in use, of others and without a lock stay.
    """
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    code = (
        "import sys, time\nfrom referee.folders import private_folder\n"
        "with private_folder() as folder:\n"
        "    (folder / 'referee.sock').touch()\n    print(folder, flush=True)\n"
        "    time.sleep(1000)\n"
    )
    env = {**os.environ, "TMPDIR": str(tmp_path)}
    folders, processes = [], []
    for _ in range(2):
        process = subprocess.Popen(
            [sys.executable, "-c", code], env=env, stdout=subprocess.PIPE, text=True
        )
        assert process.stdout is not None
        folders.append(Path(process.stdout.readline().strip()))
        processes.append(process)
    (tmp_path / "euchre-unlocked").mkdir(mode=0o700)
    (tmp_path / "euchre-open").mkdir(mode=0o755)
    (tmp_path / "euchre-open" / "lock").touch()
    (tmp_path / "euchre-link").symlink_to(tmp_path / "euchre-open")
    stay = {tmp_path / f"euchre-{name}" for name in ("unlocked", "open", "link")}
    try:
        processes[0].kill()
        processes[0].wait()
        assert all(folder.exists() for folder in folders)
        with private_folder() as mine:
            assert {mine, folders[1], *stay} == set(tmp_path.iterdir())
    finally:
        for process in processes:
            process.kill()
            process.wait()
            assert process.stdout is not None
            process.stdout.close()
    assert {folders[1], *stay} == set(tmp_path.iterdir())
