"""
The package as others get it: a clean copy builds, installs, and brings current protocol code.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import venv
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
GENERATED = ("*_pb2.py", "*_pb2.pyi", "*_pb2_grpc.py", "*_pb2_grpc.pyi")


def _run(*command: str | Path, cwd: Path) -> str:
    """
    Run a command that must succeed, without our own environment leaking into it.
    """
    clean = {k: v for k, v in os.environ.items() if not k.startswith(("PYTHON", "VIRTUAL_ENV"))}
    done = subprocess.run(command, cwd=cwd, env=clean, capture_output=True, text=True, check=False)
    assert 0 == done.returncode, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """
    A fresh virtual environment with the package, built from a copy of the tracked files.
    """
    folder = tmp_path_factory.mktemp("package")
    copy = folder / "clean copy"
    for name in _run("git", "ls-files", "-z", cwd=ROOT).split("\0"):
        if name and (ROOT / name).is_file():
            (copy / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, copy / name)
    assert [] == list(copy.rglob("*_pb2.py")), "generated code is not tracked"
    pip = [sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check"]
    pip += ["--retries", "10", "--timeout", "60"]  # a registry may have a bad minute
    _run(*pip, "wheel", "--no-deps", "--wheel-dir", str(folder / "wheels"), ".", cwd=copy)
    [wheel] = (folder / "wheels").glob("*.whl")
    venv.create(folder / "venv", with_pip=False)
    python = folder / "venv" / "bin" / "python"
    constraints = str(copy / "constraints.txt")
    _run(*pip, "--python", str(python), "install", "-c", constraints, str(wheel), cwd=folder)
    return python


def _package_of(python: Path) -> Path:
    """
    Where the installed protocol code is.
    """
    code = "import euchre.referee.v1.game_pb2 as m; print(m.__file__)"
    return Path(_run(python, "-c", code, cwd=python.parent).strip()).parent


@pytest.mark.slow
def test_a_clean_copy_installs(installed: Path) -> None:
    """
    All three import packages are there, and none comes from this tree.
    """
    code = "import referee, tournaments, euchre; print(referee.__file__, tournaments.__file__)"
    printed = _run(installed, "-c", code, cwd=installed.parent)
    assert str(ROOT) not in printed
    assert installed.parents[1] in _package_of(installed).parents


@pytest.mark.slow
def test_type_information_is_there(installed: Path) -> None:
    """
    Users of the protocol code get its types.
    """
    package = _package_of(installed)
    assert (package / "game_pb2.pyi").exists()
    assert (package.parents[1] / "py.typed").exists()


@pytest.mark.slow
def test_what_reports_are_made_of_is_there(installed: Path) -> None:
    """
    Templates, style and script come with the package.
    """
    code = "import tournaments.report as m; print(m.__file__)"
    fresh = Path(_run(installed, "-c", code, cwd=installed.parent).strip()).parent
    ours = ROOT / "tournaments" / "report"
    names = {str(path.relative_to(ours)) for path in ours.rglob("*.*") if path.suffix != ".pyc"}
    assert names <= {str(path.relative_to(fresh)) for path in fresh.rglob("*.*")}
    assert {"templates/index.html", "static/report.css", "static/game.js"} <= names


@pytest.mark.slow
def test_generated_code_is_current(installed: Path) -> None:
    """
    The protocol code in this tree equals what a fresh build generates.
    """
    fresh = _package_of(installed)
    ours = ROOT / "protos" / "euchre" / "referee" / "v1"
    assert _generated(fresh) == _generated(ours), "run `make protos`"


def _generated(folder: Path) -> dict[str, str]:
    return {path.name: path.read_text() for glob in GENERATED for path in folder.glob(glob)}


@pytest.mark.slow
@pytest.mark.parametrize("command", ["referee", "league"])
def test_commands_are_installed(installed: Path, command: str) -> None:
    """
    Both commands start from the installed package alone.
    """
    assert "usage" in _run(installed.parent / command, "--help", cwd=installed.parent).lower()
