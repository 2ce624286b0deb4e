"""
Puts the sample bots where a program beside them would find them.
"""

from __future__ import annotations

import pathlib
import sys

BOTS = pathlib.Path(__file__).parents[2] / "sample_bots" / "python"

sys.path.insert(0, str(BOTS))
