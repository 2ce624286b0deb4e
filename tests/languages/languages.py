"""
The sample bots that share one strategy: one line for each language.
"""

from __future__ import annotations

import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).parents[2]
SAMPLES = ROOT / "sample_bots"

BOTS: dict[str, list[str]] = {
    "python": [sys.executable, str(SAMPLES / "python" / "simple.py")],
    "go": [str(SAMPLES / "go" / "bot")],
    "rust": [str(SAMPLES / "rust" / "bot")],
    "typescript": [str(SAMPLES / "typescript" / "bot")],
    "java": [str(SAMPLES / "java" / "bot")],
    "cpp": [str(SAMPLES / "cpp" / "bot")],
}
"""By language: the command that starts its bot."""


SOURCES: dict[str, tuple[str, str]] = {
    "python": ("simple.py", "euchrebot/client.py"),
    "go": ("strategy.go", "main.go"),
    "rust": ("src/strategy.rs", "src/main.rs"),
    "typescript": ("src/strategy.ts", "src/main.ts"),
    "java": ("src/main/java/euchre/bot/Strategy.java", "src/main/java/euchre/bot/Main.java"),
    "cpp": ("src/strategy.cpp", "src/main.cpp"),
}
"""By language: where its bot thinks, and where it converses."""


def built() -> dict[str, list[str]]:
    """
    Return the bots that can be started: with EUCHRE_ALL_BOTS set, as in CI, all of them.
    """
    everything = bool(os.environ.get("EUCHRE_ALL_BOTS"))
    return {
        language: command
        for language, command in BOTS.items()
        if everything or pathlib.Path(command[-1]).exists()
    }


def answers(command: list[str], frame: bytes) -> bytes:
    """
    Return what a bot writes about a frame, which both are serialised messages.
    """
    done = subprocess.run(
        [*command, "--frame"], input=frame, capture_output=True, timeout=300, check=False
    )
    assert (0, b"") == (done.returncode, done.stderr)
    return done.stdout
