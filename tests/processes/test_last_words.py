"""
Of all that a program wrote before it ended, the one line that says why.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import pytest

from referee import warded
from referee.warded import LAST_LINE, last_line

if TYPE_CHECKING:
    from pathlib import Path

_PYTHON = """\
Traceback (most recent call last):
  File "/bot/d.py", line 1, in <module>
    raise ValueError("no such card: 26")
ValueError: no such card: 26
"""

_NODE = """\
/bot/d.js:1
throw new TypeError("no such card: 26")
^

TypeError: no such card: 26
    at Object.<anonymous> (/bot/d.js:1:7)
    at node:internal/main/run_main_module:28:49 {
  code: 'BAD_CARD'
}

Node.js v20.20.2
"""

_JAVA = """\
Exception in thread "main" java.lang.IllegalStateException: cannot play
\tat D.f(D.java:1)
\tat D.main(D.java:1)
Caused by: java.lang.IllegalArgumentException: no such card: 26
\tat D.card(D.java:3)
\t... 2 more
"""

_GO = """\
panic: runtime error: invalid memory address or nil pointer dereference
[signal SIGSEGV: segmentation violation code=0x1 addr=0x0 pc=0x46e2d9]

goroutine 1 [running]:
main.(*bot).play(0xc000012345, {0x1, 0x2})
\t/bot/d.go:2 +0x9
main.main()
\t/bot/d.go:9 +0x1d
created by main.start in goroutine 1
\t/bot/d.go:12 +0x1d
exit status 2
"""

_RUST = """\

thread 'main' (2034) panicked at d.rs:1:54:
index out of bounds: the len is 0 but the index is 3
stack backtrace:
   0: __rustc::rust_begin_unwind
             at /rustc/library/std/src/panicking.rs:689:5
note: Some details are omitted, run with `RUST_BACKTRACE=full` for a verbose backtrace.
"""

_CPP = """\
terminate called after throwing an instance of 'std::runtime_error'
  what():  no such card: 26
"""


@pytest.mark.parametrize(
    ("written", "why"),
    [
        pytest.param(_PYTHON, "ValueError: no such card: 26", id="python"),
        pytest.param(_NODE, "TypeError: no such card: 26", id="node"),
        pytest.param(
            _JAVA, "Caused by: java.lang.IllegalArgumentException: no such card: 26", id="java"
        ),
        pytest.param(
            _GO,
            "panic: runtime error: invalid memory address or nil pointer dereference",
            id="go",
        ),
        pytest.param(_RUST, "index out of bounds: the len is 0 but the index is 3", id="rust"),
        pytest.param(_CPP, "what():  no such card: 26", id="c++"),
        pytest.param("no referee at unix:/x\n", "no referee at unix:/x", id="a line"),
        pytest.param("first\nlast (of all)\n\n", "last (of all)", id="the last of two"),
        pytest.param("  indented\n", "indented", id="one that looks like a frame"),
        pytest.param("}\n  }\n", "}", id="nothing but a trace"),
        pytest.param("", "", id="nothing"),
        pytest.param("x" * 1000, "x" * LAST_LINE, id="without end"),
    ],
)
def test_the_line_that_says_why(tmp_path: Path, written: str, why: str) -> None:
    """
    It is the error, not the stack trace that languages write below it.
    """
    log = tmp_path / "log"
    log.write_text(written)
    assert why == last_line(log)


def test_a_trace_of_any_length(tmp_path: Path) -> None:
    """
    What stands above one that is longer than what is looked at is not found.

    That is no failure; nor is a log that is not there.
    """
    log = tmp_path / "log"
    log.write_text("Error: deep\n" + "\tat D.f(D.java:1)\n" * 100)
    assert last_line(log) == "Error: deep"
    log.write_text("Error: too deep\n" + "\tat D.f(D.java:1)\n" * 10_000)
    assert last_line(log) == "at D.f(D.java:1)"
    assert not last_line(tmp_path / "missing")


@pytest.mark.parametrize(("first", "second"), [("(", ")"), ("a", "("), ("}", ")"), (" ", "\t")])
def test_nobody_can_make_us_look_for_long(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, first: str, second: str
) -> None:
    """
    A line that is nearly a frame, in as many ways as possible, is looked at like any other.
    """
    # So long that trying each with each would take minutes, and to go through it once no time.
    monkeypatch.setattr(warded, "_LOOKED_AT", 1 << 17)
    log = tmp_path / "log"
    log.write_text(f"x\n{first * 60_000}{second * 60_000}x")
    began = time.thread_time()
    last_line(log)
    assert time.thread_time() - began < 3.0


def test_no_part_of_a_secret_is_left(tmp_path: Path) -> None:
    """
    A token on the edge of what is repeated is left out like any other.
    """
    log = tmp_path / "log"
    log.write_text("x" * (LAST_LINE - 5) + "a-token-that-is-secret y\n")
    assert last_line(log, "a-token-that-is-secret") == "x" * (LAST_LINE - 5) + "... y"
