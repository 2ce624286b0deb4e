"""
The `referee` command. One module a command; `command` puts them together.
"""

from referee.cli.command import main

__all__ = ["main"]
