"""
`python -m tournaments.cli`.
"""

from tournaments.cli import main

main()
