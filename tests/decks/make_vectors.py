"""
Writes tests/vectors/decks.jsonl: questions from here, answers from decks.mjs.

    python tests/decks/make_vectors.py

The answers are those of the second implementation (Node, written from
docs/shuffle.md alone), so that the project's own code has something to agree with
that it did not make. The questions are the same in every run.
"""

from __future__ import annotations

import json
import pathlib
import random
import subprocess

DECKS = pathlib.Path(__file__).with_name("decks.mjs")
VECTORS = pathlib.Path(__file__).parents[1] / "vectors" / "decks.jsonl"
COUNT = 1000
SETS = ("anna/bert/{}", "round 2/a-b/{}", "a/b/c/d/{}", "äöü/{}", "ไพ่/{}", "")
HEADER = {
    "about": "decks derived as docs/shuffle.md says; deck: the card that is dealt first in front",
    "made_by": "tests/decks/make_vectors.py with tests/decks/decks.mjs (Node)",
}


def questions() -> list[dict[str, object]]:
    """
    Return all that is to be derived.
    """
    rng = random.Random(20240229)
    rows: list[dict[str, object]] = []
    for number in range(COUNT):
        # A fifth of the secrets come from seeds; early deals are the likeliest, but any may come.
        source = (
            {"seed": f"seed {number}"} if number % 5 == 0 else {"secret": rng.randbytes(32).hex()}
        )
        deal = rng.randint(1, 60) if number % 7 else rng.randint(1, 2**32 - 1)
        rows.append(
            {
                **source,
                "set": SETS[number % len(SETS)].format(rng.randint(1, 500)),
                "deal": deal,
                "cards": (24, 25, 48, 49)[number // 6 % 4],
                "disguise": rng.randrange(8),
            }
        )
    return rows


def answers(rows: list[dict[str, object]]) -> list[dict[str, str]]:
    """
    Return what Node derives from *rows*.

    Raises:
        FileNotFoundError: Node is not installed.
        CalledProcessError: The program failed.
    """
    text = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    done = subprocess.run(
        ["node", str(DECKS)], input=text, capture_output=True, check=True, text=True, timeout=60
    )
    return [json.loads(line) for line in done.stdout.splitlines()]


def main() -> None:
    """
    Write the file.
    """
    rows = questions()
    lines = [HEADER, *({**a, **b} for a, b in zip(rows, answers(rows), strict=True))]
    VECTORS.write_text("".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines))


if __name__ == "__main__":
    main()
