"""
Runs the benchmarks several times and reports medians: a table, and JSON.

Each `bench_*.py` beside this file has a `measure(seconds)` that returns numbers by
name. They run in turn, again and again, so that a machine whose speed drifts
drifts for all of them. Ratios come from one run each.

    python tests/bench/report.py [--runs 5] [--seconds 1.5] [--only rules]
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import os
import platform
import statistics
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from tabulate import tabulate

if TYPE_CHECKING:
    from types import ModuleType

FOLDER = Path(__file__).parent
OUTPUT = Path("results") / "bench.json"


def main() -> None:
    """
    Measure, print a table on standard output, and write the JSON.
    """
    parser = argparse.ArgumentParser(description="Medians of several runs of the benchmarks.")
    parser.add_argument("--runs", type=int, default=5, help="default 5")
    parser.add_argument("--seconds", type=float, default=1.5, help="a measurement; default 1.5")
    parser.add_argument("--only", action="append", help="rules, wire, verify ...; default all")
    options = parser.parse_args()
    modules = _modules(options.only)
    samples: dict[str, dict[str, list[float]]] = {name: {} for name in modules}
    for run in range(options.runs):
        for name, module in modules.items():
            if run and getattr(module, "ONCE", False):
                continue
            print(f"run {run + 1} of {options.runs}: {name}", file=sys.stderr)  # noqa: T201
            for key, value in module.measure(options.seconds).items():
                samples[name].setdefault(key, []).append(value)
    rows = [
        (name, key, statistics.median(values), min(values), max(values))
        for name, keys in samples.items()
        for key, values in keys.items()
    ]
    heads = ["bench", "what", "median", "least", "most"]
    print(tabulate(rows, headers=heads, floatfmt=",.2f"))  # noqa: T201
    OUTPUT.parent.mkdir(exist_ok=True)
    OUTPUT.write_text(
        json.dumps(
            {
                "python": platform.python_version(),
                "machine": platform.machine(),
                "cores": os.cpu_count(),
                "runs": options.runs,
                "seconds": options.seconds,
                "results": [dict(zip(heads, row, strict=True)) for row in rows],
            },
            indent=2,
        )
        + "\n"
    )


def _modules(only: list[str] | None) -> dict[str, ModuleType]:
    found = {}
    for path in sorted(FOLDER.glob("bench_*.py")):
        name = path.stem.removeprefix("bench_")
        if only and name not in only:
            continue
        spec = importlib.util.spec_from_file_location(path.stem, path)
        if spec is None or spec.loader is None:
            raise ImportError(path)
        module = importlib.util.module_from_spec(spec)
        # A module that defines named tuples must be findable under its name.
        sys.modules[path.stem] = module
        spec.loader.exec_module(module)
        found[name] = module
    return found


if __name__ == "__main__":
    main()
