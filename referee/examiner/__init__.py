"""
The conformance examiner: is a bot one that the protocol was written for?
"""

from referee.examiner.examine import Run, examine, local
from referee.examiner.report import Outcome, Report, Result, listing

__all__ = ["Outcome", "Report", "Result", "Run", "examine", "listing", "local"]
