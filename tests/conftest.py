"""
For all tests: in CI nothing is skipped.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Generator


def _refuse_to_skip(report: pytest.TestReport | pytest.CollectReport) -> None:
    """
    Turn a skip into a failure where CI is set; an expected failure is no skip.
    """
    if report.skipped and os.environ.get("CI") and not hasattr(report, "wasxfail"):
        reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else report.longrepr
        report.outcome = "failed"
        report.longrepr = f"in CI nothing may be skipped, but this was: {reason}"


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport() -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """
    Look at the report of each test.
    """
    report = yield
    _refuse_to_skip(report)
    return report


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report() -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    """
    Look at the report of each file.
    """
    report = yield
    _refuse_to_skip(report)
    return report
