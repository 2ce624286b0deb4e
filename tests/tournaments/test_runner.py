"""
The runner: so many games at once, each stored once, whatever they take.
"""

from __future__ import annotations

import io
import threading

import pytest
import trio
import trio.testing

from referee.hall import FinishedGame
from referee.record import GameRecord
from tournaments.pairing import fixtures
from tournaments.progress import Progress
from tournaments.runner import Runner


def finished(fixture):
    """
    A game in which nothing happened.
    """
    record = GameRecord("bid", {}, fixture.set_id, fixture.sitting, 0, fixture.seats, tuple("1122"))
    return FinishedGame(0, record, (0, 0), (0,) * 4, (0,) * 4, ([],) * 4)


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
        return finished(fixture)

    def store(batch):
        stored.extend(played.fixture.id for played in batch)

    progress = Progress(io.StringIO(), len(scheduled), 0)
    await Runner(play, store, tables=tables, progress=progress).run(iter(scheduled))
    assert tables == max(most)
    assert sorted(fixture.id for fixture in scheduled) == sorted(stored)
    assert 60 == len(stored)


async def test_games_do_not_pile_up_while_the_store_stalls(make_league):
    """
    What is over and not stored yet is bounded; nothing of it is lost.
    """
    scheduled = list(fixtures(make_league("bid", "a b", sets=1000)))
    begun, stored, free = [], [], threading.Event()

    async def play(fixture):
        begun.append(fixture.id)
        await trio.lowlevel.checkpoint()
        return finished(fixture)

    def store(batch):
        free.wait(60)
        stored.extend(played.fixture.id for played in batch)

    runner = Runner(play, store, tables=4, progress=Progress(io.StringIO(), len(scheduled), 0))
    async with trio.open_nursery() as nursery:
        nursery.start_soon(runner.run, iter(scheduled))
        await trio.testing.wait_all_tasks_blocked(0.01)
        piled = len(begun)
        free.set()
    # A batch in the hands of the store, one that waits for it, and those at the tables.
    assert 4 < piled <= 4 + 2 * 256
    assert sorted(fixture.id for fixture in scheduled) == sorted(stored)
