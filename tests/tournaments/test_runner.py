"""
The runner: so many games at once, each stored once, whatever they take.
"""

from __future__ import annotations

import io

import pytest
import trio

from referee.hall import FinishedGame
from referee.record import GameRecord
from tournaments.pairing import fixtures
from tournaments.progress import Progress
from tournaments.runner import Runner


@pytest.mark.parametrize("tables", [1, 2, 8])
async def test_never_more_games_at_once_than_tables(make_league, autojump_clock, tables):  # noqa: ARG001
    """
    But so many whenever there are fixtures left; and all of them are stored, once (cases M3).
    """
    scheduled = list(fixtures(make_league("bid", "a b c d", sets=5)))
    running, most, stored = set(), [], []

    async def play(fixture):
        running.add(fixture.id)
        most.append(len(running))
        await trio.sleep(1 + fixture.set_number * 3 % 7)
        running.remove(fixture.id)
        record = GameRecord(
            "bid", {}, fixture.set_id, fixture.sitting, 0, fixture.seats, tuple("1122")
        )
        return FinishedGame(0, record, (0, 0), (0,) * 4, (0,) * 4, ([],) * 4)

    def store(batch):
        stored.extend(played.fixture.id for played in batch)

    progress = Progress(io.StringIO(), len(scheduled), 0)
    await Runner(play, store, tables=tables, progress=progress).run(iter(scheduled))
    assert tables == max(most)
    assert sorted(fixture.id for fixture in scheduled) == sorted(stored)
    assert 60 == len(stored)
