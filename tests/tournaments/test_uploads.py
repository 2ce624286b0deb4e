"""
Programs that are kept: whose they are, and what happens when a disk is full.
"""

from __future__ import annotations

import errno
import os
import shutil
import types

import pytest
import trio
from structlog.testing import capture_logs

from referee.refusals import Reason, Refused
from tournaments.programs import Program
from tournaments.serving import Uploads
from tournaments.uploads import Ready, Workshop, discard


@pytest.fixture(name="workshop")
def _workshop(tmp_path):
    """
    Return a function that makes a workshop of somebody.
    """
    ground = tmp_path / "ground"
    ground.mkdir()

    def make(owner=""):
        on = types.SimpleNamespace(folder=ground, group=None)
        return Workshop(on, Uploads(disk_mb=1, package_mb=1), tmp_path / "kept", owner)

    return make


@pytest.fixture(name="ready")
def _ready(tmp_path):
    """
    A program that was made ready.
    """
    archive = tmp_path / "built.tar"
    archive.write_bytes(b"what a build has left")
    program = Program(name="Mine", command=("x",))
    return Ready(program=program, folder=tmp_path, archive=archive, said="")


def full(*_arguments, **_keys):
    """
    Do what everything does when a disk is full.
    """
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def test_nobody_shares_a_program_with_another_store(workshop, ready):
    """
    Or the one would remove what the other still runs; to keep it again changes nothing.
    """
    one, two = workshop("one"), workshop("two")
    places = [one.keep(ready, "mine"), one.keep(ready, "mine"), two.keep(ready, "mine")]
    assert places[0] == places[1] != places[2]
    discard(str(places[2]))
    discard(str(places[2]))
    assert [places[0]] == list(places[0].parent.iterdir())
    assert ready.archive.read_bytes() == places[0].read_bytes()


def test_a_full_disk_refuses_a_program_and_keeps_no_half_of_it(workshop, ready, monkeypatch):
    """
    It is no fault of the referee, so there is no incident, and a line in the log.
    """
    kept = workshop()
    copy = shutil.copyfile

    def half(source, target):
        copy(source, target)
        full()

    monkeypatch.setattr(shutil, "copyfile", half)
    with capture_logs() as logs, pytest.raises(Refused, match="no room") as caught:
        kept.keep(ready, "mine")
    assert Reason.LEAGUE_FULL is caught.value.refusal.reason
    assert ["no_room"] == [line["event"] for line in logs]
    assert [] == list((ready.folder / "kept").iterdir())


def test_a_disk_that_is_full_while_a_package_is_unpacked(workshop, monkeypatch):
    """
    Nothing is left of it either; another error of the system is none of this kind.
    """
    made = workshop()
    before = set((made.socket.parent.parent).iterdir())

    def broken(*_arguments):
        raise OSError(errno.EACCES, "no")

    async def scenario():
        monkeypatch.setattr("tournaments.uploads.unpack", full)
        with pytest.raises(Refused, match="no room"):
            await made.make_ready(b"package")
        monkeypatch.setattr("tournaments.uploads.unpack", broken)
        with pytest.raises(PermissionError):
            await made.make_ready(b"package")

    trio.run(scenario)
    assert before == set(made.socket.parent.parent.iterdir())


def test_nobody_is_refused_because_games_are_played_meanwhile(workshop, ready, monkeypatch):
    """
    The examiner has the patience that it has everywhere on a machine that is busy.
    """
    asked = []

    async def examine(run, **how):
        asked.append((how["games"], how["patience"]))
        return run

    async def scenario():
        assert await workshop().examine(ready, "bid", None)

    monkeypatch.setattr("tournaments.uploads.examine", examine)
    monkeypatch.setattr(Workshop, "cell", lambda *_: None)
    trio.run(scenario)
    assert [(("bid",), 5.0)] == asked


@pytest.mark.parametrize("short", ["ground", "kept"])
def test_programs_leave_room_to_the_store(workshop, tmp_path, monkeypatch, short):
    """
    Both disks are looked at, though the folder of kept programs may not be there yet.
    """
    made, seen = workshop(), []

    def usage(place):
        seen.append(place)
        little = place == (tmp_path / "ground" if short == "ground" else tmp_path)
        return types.SimpleNamespace(free=(133 if little else 200) * (1 << 20) - little)

    monkeypatch.setattr(shutil, "disk_usage", usage)
    with capture_logs() as logs, pytest.raises(Refused, match="no room"):
        made.check_room()
    assert [("no_room", 132, 133)] == [
        (line["event"], line["free_mb"], line["needed_mb"]) for line in logs
    ]
    assert seen == [tmp_path / "ground", tmp_path][: len(seen)]
