"""
The `league` command. One module a command; `command` puts them together.
"""

from tournaments.cli.command import main

__all__ = ["main"]
