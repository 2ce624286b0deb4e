"""
What a command imports, since that is most of the time that a short one takes.
"""

from __future__ import annotations

import subprocess
import sys

import pytest

CODE = """\
import sys
from {program}.cli import main
try:
    main([{command!r}, "--help"])
except SystemExit:
    print(*(name for name in {names} if name in sys.modules))
"""


@pytest.mark.parametrize(
    ("program", "command", "names"),
    [
        ("tournaments", "standings", ["grpc", "trio", "alembic", "numpy", "tournaments.host"]),
        ("referee", "rules", ["grpc", "trio", "sqlalchemy", "google.protobuf"]),
    ],
)
def test_a_command_imports_only_what_it_needs(program, command, names) -> None:
    """
    Reading needs no server, and nobody needs the other commands.
    """
    code = CODE.format(program=program, command=command, names=names)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    *_, last = done.stdout.splitlines()
    assert "" == last


@pytest.mark.parametrize("program", ["tournaments", "referee"])
def test_ctrl_c_while_it_imports_is_no_traceback(program) -> None:
    """
    That is most of the time in which somebody changes their mind.
    """
    code = (
        f"from referee import usage; from {program}.cli import main\n"
        "def interrupted(_): raise KeyboardInterrupt\n"
        "usage.import_module = interrupted; main(['verify'])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (130, "", "") == (done.returncode, done.stdout, done.stderr)
