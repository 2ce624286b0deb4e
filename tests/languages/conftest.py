"""
Puts what these tests use where they find it: the Python bots, and the referee that obeys.
"""

from __future__ import annotations

import pathlib
import sys

HERE = pathlib.Path(__file__).parent

sys.path[:0] = [
    str(HERE.parents[1] / "sample_bots" / "python"),
    str(HERE.parent / "sample_bots"),
    str(HERE.parent),
    str(HERE),
]
