"""
What an export holds, and that it takes no more memory for a longer league.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import subprocess
from pathlib import Path

import pytest

from referee.record import digest
from tournaments.cli import main
from tournaments.exporting import export
from tournaments.pairing import fixtures

DOCS = Path(__file__).parents[2] / "docs" / "records.md"


def test_lines(play):
    """
    A header, the games in the order of the schedule, a footer.
    """
    played = play("bid", sets=3)
    header, *games, footer = [json.loads(line) for line in played.lines()]

    assert ("header", "footer") == (header["line"], footer["line"])
    assert [fixture.id for fixture in fixtures(played.league)] == [
        game["fixture"] for game in games
    ]
    assert (6, 0, 3) == (footer["games"], footer["void"], footer["sets"])
    assert bytes(range(32)).hex() == header["secret"]
    assert hashlib.sha256(bytes(range(32))).hexdigest() == header["commitment"]
    assert ["a", "b"] == [bot["id"] for bot in header["bots"]]
    assert played.league.fingerprint() == header["fingerprint"]
    digests = b"".join(bytes.fromhex(game["record"]["digest"]) for game in games)
    assert hashlib.sha256(digests).hexdigest() == footer["games_sha256"]


def test_every_record_is_the_one_that_is_stored(play):
    """
    `league show --json` prints the record of the store, and so does the export.
    """
    played = play("buck", "stand", sets=1)
    for line in played.lines()[1:-1]:
        game = json.loads(line)
        assert played.store.record(played.run, game["fixture"]) == game["record"]


def test_digests(play):
    """
    The digest of a header, a record or a footer is that of all its other keys.
    """
    header, *games, footer = [json.loads(line) for line in play("bid", sets=1).lines()]
    for value in (header, footer, *(game["record"] for game in games)):
        found = value.pop("digest")
        assert digest(value) == found


def test_standings_are_without_times(play):
    """
    They are the rows of `league standings --format json`, but for the one key with a time.
    """
    [*_, footer] = [json.loads(line) for line in play("buck", sets=1).lines()]
    rows = footer["standings"]

    assert {"a", "b", "c", "d"} == {row["bot"] for row in rows}
    assert "median_decision_ms" not in rows[0]
    assert {"margin", "points_for", "reneges_unpunished"} <= set(rows[0])


def test_it_streams(play):
    """
    The first line is there before the first game is read.
    """
    played = play("bid", sets=2)
    asked = []
    lines = export(played.store, played.run, lambda row, _: asked.append(row.fixture))

    assert "header" == next(lines)["line"]
    assert [] == asked
    assert "a:b/1a" == next(lines)["fixture"]
    assert ["a:b/1a"] == asked


def test_every_key_is_documented(play):
    """
    docs/records.md explains each key that an export has.
    """
    documented = set(re.findall(r"`([a-z_0-9]+)`", DOCS.read_text()))
    header, *games, footer = [
        json.loads(line) for line in play("bid", sets=6, hands=6, void=(0, 5)).lines()
    ]
    keys = {*header, *footer, *header["bots"][0], *footer["standings"][0]}
    for game in games:
        record = game["record"]
        keys |= {*game, *(game["result"] or ()), *record, *record["outcome"]}
        for deal in record["deals"]:
            keys |= {*deal, *(key for ruling in deal["rulings"] for key in ruling)}

    assert set() == keys - documented


def test_the_example_is_what_it_says(play):
    """
    The example of a game's line in the docs has the keys of a line.
    """
    example = re.search(r"^\{\"line\":\"game\".*$", DOCS.read_text(), re.MULTILINE)
    assert example is not None
    found = json.loads(example[0])
    [_, game, *_] = [json.loads(line) for line in play("bid", sets=1).lines()]

    assert list(game) == list(found)
    assert list(game["record"]) == list(found["record"])
    assert list(game["result"]) == list(found["result"])
    plain = {key: value for key, value in found["record"].items() if key != "digest"}
    assert digest(plain) == found["record"]["digest"]


def exported(played, path):
    """
    Export into a file, and return the exit code.
    """
    with pytest.raises(SystemExit) as ended:
        main(["export", "--store", played.url, "--output", str(path)])
    return ended.value.code


def test_a_file_is_there_whole_and_what_is_no_file_is_not_replaced(play, tmp_path, capsys):
    """
    A pipe and a device stay what they are, and a link goes on to point where it did.
    """
    played = play("bid", sets=1)
    whole = "".join(line + "\n" for line in played.lines())
    file, link, pipe = (tmp_path / name for name in ("games.jsonl", "link", "pipe"))
    assert 0 == exported(played, file)
    assert whole == file.read_text()
    file.write_text("old")
    link.symlink_to(file.name)
    assert 0 == exported(played, link)
    assert (True, whole) == (link.is_symlink(), file.read_text())
    os.mkfifo(pipe)
    with subprocess.Popen(["cat", pipe], stdout=subprocess.PIPE, text=True) as reader:
        assert 0 == exported(played, pipe)
        assert whole == reader.stdout.read()
    assert pipe.is_fifo()
    assert 2 == exported(played, tmp_path / "nowhere" / "games.jsonl")
    assert "cannot be written: No such file" in capsys.readouterr().err
    assert [] == list(tmp_path.glob("*.part"))
