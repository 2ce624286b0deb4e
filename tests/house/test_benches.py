"""
The benchmarks import what is there; running them takes minutes.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

BENCH = Path(__file__).parents[1] / "bench"


@pytest.mark.parametrize("name", sorted(path.stem for path in BENCH.glob("*.py")))
def test_a_benchmark_imports_what_is_there(name) -> None:
    """
    Nothing else would notice what was renamed.
    """
    subprocess.run([sys.executable, "-c", f"import {name}"], cwd=BENCH, check=True)
