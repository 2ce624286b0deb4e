"""
A run as pages of HTML that need no network and no server. The only door to Jinja.
"""

from tournaments.report.writing import GAMES, Written, write_report

__all__ = ["GAMES", "Written", "write_report"]
