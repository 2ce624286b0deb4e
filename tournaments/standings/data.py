"""
Standings for programs: CSV and JSON.
"""

from __future__ import annotations

import csv
import io
import json
from dataclasses import asdict, fields
from typing import TYPE_CHECKING

from referee.escaping import escaped
from tournaments.cells import spreadsheet
from tournaments.ranking import Row

if TYPE_CHECKING:
    from tournaments.ranking import Standings


def as_csv(table: Standings) -> str:
    """
    Return RFC 4180, with names that no spreadsheet takes for formulas.

    Only names are foreign text; all the rest is numbers, ids and tie marks.
    """
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\r\n")
    names = [each.name for each in fields(Row)]
    writer.writerow(names)
    for row in table.rows:
        values = asdict(row)
        values["name"] = spreadsheet(escaped(row.name))
        writer.writerow(["" if values[name] is None else values[name] for name in names])
    return out.getvalue()


def as_json(table: Standings) -> str:
    """
    Return all of it, the cross table as `pairs` and the luck of seats as `seats`.
    """
    value = {
        "league": {"id": table.league_id, "name": table.league_name},
        "game": table.game,
        "rules": table.rules,
        "run": {
            "commitment": table.commitment,
            "seeded": table.seeded,
            "secret": table.secret,
            "games": table.games,
            "scheduled": table.scheduled,
        },
        "rows": [asdict(row) for row in table.rows],
        "pairs": [asdict(pair) for pair in table.pairs],
        "seats": [asdict(seat) for seat in table.seats],
        "notes": list(table.notes),
    }
    # Pure ASCII: no name can act on a terminal, and every reader gets it back whole.
    return json.dumps(value, indent=2, sort_keys=True, allow_nan=False) + "\n"
