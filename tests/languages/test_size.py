"""
Sample bots stay small enough to be read in one sitting.
"""

from __future__ import annotations

import ast
import re

import pytest
from languages import BOTS, SAMPLES, SOURCES

MOST = 150
"""Lines of a bot, and of the conversation that takes it to a referee."""

COMMENTS = re.compile(r"/\*.*?\*/|//[^\n]*", re.DOTALL)


def size(text: str, language: str) -> int:
    """
    Count lines of code: neither empty nor comments alone.
    """
    if language == "python":
        text = ast.unparse(_undocumented(ast.parse(text)))
    else:
        text = COMMENTS.sub("", text)
    return sum(bool(line.strip()) for line in text.splitlines())


def _undocumented(tree: ast.Module) -> ast.Module:
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            first = node.body[0]
            if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant):
                node.body[:1] = [] if len(node.body) > 1 else [ast.Pass()]
    return tree


def test_what_is_counted() -> None:
    """
    Code, and nothing that explains it.
    """
    assert 2 == size("// a\n\nint x; // b\n/* c\n d */\n#include <y>\n", "cpp")
    assert 2 == size(
        '"""\nA.\n"""\n# b\n\ndef f():\n    """\n    C.\n    """\n    return 1\n', "python"
    )


def test_every_language_is_measured() -> None:
    """
    A new one too.
    """
    assert list(BOTS) == list(SOURCES)


@pytest.mark.parametrize("language", BOTS)
def test_a_bot_is_small(language: str) -> None:
    """
    What decides is one file, what converses is another; Python's is a library's and larger.
    """
    strategy, conversation = (
        size((SAMPLES / language / name).read_text(), language) for name in SOURCES[language]
    )
    assert 50 < strategy <= MOST
    if language != "python":
        assert 50 < conversation <= MOST
