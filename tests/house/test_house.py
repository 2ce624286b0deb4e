"""
Habits of this house that no tool knows.
"""

from __future__ import annotations

import ast
import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = ("referee", "tournaments")
SOURCES = sorted(path for package in PACKAGES for path in (ROOT / package).rglob("*.py"))
MAKEFILE = (ROOT / "Makefile").read_text()
PUBLIC_TARGETS = re.search(r"^\.PHONY: (.*)$", MAKEFILE, re.MULTILINE)


def _name(path: Path) -> str:
    return str(path.relative_to(ROOT))


@pytest.mark.parametrize("path", [p for p in SOURCES if p.name == "__init__.py"], ids=_name)
def test_init_files_only_re_export(path: Path) -> None:
    """
    An `__init__.py` has a docstring, imports and `__all__`, and `__all__` names what it imports.
    """
    tree = ast.parse(path.read_text())
    imported: set[str] = set()
    exported: list[str] = []
    for place, node in enumerate(tree.body):
        if isinstance(node, ast.Import | ast.ImportFrom):
            if getattr(node, "module", None) != "__future__":
                imported |= {alias.asname or alias.name for alias in node.names}
        elif isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__":
            exported = ast.literal_eval(node.value)
        else:
            is_docstring = place == 0 and ast.get_docstring(tree)
            assert is_docstring, f"line {node.lineno} does something"
    assert sorted(imported) == sorted(exported)


@pytest.mark.parametrize("path", SOURCES, ids=_name)
def test_only_logs_configures_structlog(path: Path) -> None:
    """
    `structlog.configure` is called in referee/logs.py and nowhere else.
    """
    calls = [
        node.lineno
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Attribute | ast.Name)
        and ast.unparse(node).startswith("structlog.configure")
    ]
    assert (_name(path) == "referee/logs.py") == bool(calls), calls


@pytest.mark.parametrize("path", SOURCES, ids=_name)
def test_nothing_forks_beside_grpc(path: Path) -> None:
    """
    No `preexec_fn`, `os.fork` or `multiprocessing`; the warden, which is alone, may fork.
    """
    tree = ast.parse(path.read_text())
    found = {ast.unparse(node) for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
    found |= {node.arg or "" for node in ast.walk(tree) if isinstance(node, ast.keyword)}
    found |= {
        alias.name
        for node in ast.walk(tree)
        if isinstance(node, ast.Import | ast.ImportFrom)
        for alias in node.names
    }
    forks = found & {"os.fork", "os.forkpty", "preexec_fn", "multiprocessing"}
    assert ({"os.fork"} if _name(path) == "referee/warden.py" else set()) == forks


def _public_targets() -> list[str]:
    assert PUBLIC_TARGETS is not None
    return PUBLIC_TARGETS[1].split()


def test_every_target_has_a_help_line() -> None:
    """
    `make` and `make help` list every target with a line of explanation.
    """
    environment = {k: v for k, v in os.environ.items() if not k.startswith("MAKE")}
    listed = [
        subprocess.run(
            ["make", *arguments],
            cwd=ROOT,
            env=environment,
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for arguments in ([], ["-s", "help"])
    ]
    assert listed[0] == listed[1]
    lines = dict(re.findall(r"^  make (\S+) +(\S.*)$", listed[0], re.MULTILINE))
    assert set(_public_targets()) == set(lines)
    targets = re.findall(r"^([a-z][a-z-]*):", MAKEFILE, re.MULTILINE)
    assert sorted(targets) == sorted(_public_targets())


def test_targets_are_short() -> None:
    """
    A target is one or two lines; what needs more belongs into a program with tests.
    """
    for target in _public_targets():
        recipe = re.search(rf"^{target}:.*\n((?:\t.*\n)*)", MAKEFILE, re.MULTILINE)
        assert recipe is not None
        assert 1 <= len(recipe[1].splitlines()) <= 2, target


@pytest.mark.parametrize(
    "path", [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))], ids=_name
)
def test_documented_commands_exist(path: Path) -> None:
    """
    Every `make something` of the README and the docs is a target.
    """
    text = path.read_text()
    named = re.findall(r"`make(?: -s)? ([a-z-]+)", text)
    named += re.findall(r"^(?:\$ |    )?make(?: -s)? ([a-z-]+)", text, re.MULTILINE)
    assert set() == set(named) - set(_public_targets())


def test_constraints_cover_what_pyproject_names() -> None:
    """
    Everything that make installs has a version in constraints.txt.
    """
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    wanted = project["project"]["dependencies"] + [
        each for group in project["dependency-groups"].values() for each in group
    ]
    names = {
        _normal(re.split(r"[^A-Za-z0-9._-]", each)[0]) for each in wanted if isinstance(each, str)
    }
    pinned = {
        _normal(line.split("==")[0])
        for line in (ROOT / "constraints.txt").read_text().splitlines()
        if "==" in line
    }
    assert set() == names - pinned


def _normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


@pytest.mark.slow
def test_skips_fail_in_ci(tmp_path: Path) -> None:
    """
    With CI set a skipped test and a skipped file fail; an expected failure does not.
    """
    (tmp_path / "conftest.py").write_text((ROOT / "tests" / "conftest.py").read_text())
    (tmp_path / "test_one.py").write_text(
        "import pytest\n"
        "@pytest.mark.skip(reason='no java')\n"
        "def test_a(): pass\n"
        "@pytest.mark.xfail\n"
        "def test_b(): assert False\n"
        "@pytest.mark.skipif(True, reason='no rust')\n"
        "def test_c(): pass\n"
    )
    (tmp_path / "test_two.py").write_text("import pytest\npytest.importorskip('no_such_module')\n")
    command = ["pytest", "-q", "-p", "no:cacheprovider", "--rootdir", ".", "-c", "/dev/null"]
    without = {k: v for k, v in os.environ.items() if k != "CI"}
    for environment, expected in (
        (without, "3 skipped, 1 xfailed"),
        (without | {"CI": "true"}, "error"),
    ):
        done = subprocess.run(
            [sys.executable, "-m", *command, "--continue-on-collection-errors", "."],
            cwd=tmp_path,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
        assert expected in done.stdout
    assert "nothing may be skipped, but this was: Skipped: no java" in done.stdout
    assert "1 xfailed, 3 errors" in done.stdout


def test_helpers_of_tests_have_names_of_their_own():
    """
    Folders of tests put themselves on the path, so of two modules of one name one is not found.
    """
    names = [
        path.name
        for path in (ROOT / "tests").rglob("*.py")
        if not path.name.startswith("test_") and path.name != "conftest.py"
        if (path.parent / "conftest.py").exists()
    ]
    assert len(names) == len(set(names)), sorted(names)
