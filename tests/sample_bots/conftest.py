"""
Puts the sample bots, and a referee for them, where a test finds them.
"""

from __future__ import annotations

import pathlib
import shutil
import sys
import tempfile
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator

BOTS = pathlib.Path(__file__).parents[2] / "sample_bots" / "python"

sys.path[:0] = [str(BOTS), str(pathlib.Path(__file__).parent)]


@pytest.fixture
def folder() -> Iterator[pathlib.Path]:
    """
    A folder whose path is short enough for a socket.
    """
    path = pathlib.Path(tempfile.mkdtemp(prefix="bot-"))
    yield path
    shutil.rmtree(path)
