"""
Standings as text: tables of rows in several formats.

The keys of JSON and the columns of CSV are explained in `tournaments.ranking`.
"""

from tournaments.ranking import Row, Standings, standings
from tournaments.standings.rendering import FORMATS, render

__all__ = ["FORMATS", "Row", "Standings", "render", "standings"]
