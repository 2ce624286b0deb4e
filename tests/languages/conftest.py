"""
Puts what is beside the tests, and the Python bots, where a test finds them.
"""

from __future__ import annotations

import pathlib
import sys

BOTS = pathlib.Path(__file__).parents[2] / "sample_bots" / "python"

sys.path[:0] = [str(BOTS), str(pathlib.Path(__file__).parent)]
