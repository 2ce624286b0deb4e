"""
The store in SQLite: what can be wrong with a file.
"""

from __future__ import annotations

import contextlib
import os
import sqlite3
import stat
import subprocess
import sys
from itertools import islice

import pytest
import sqlalchemy as sa
from alembic import command

from referee.errors import ConfigError, StoreError
from tournaments.pairing import fixtures
from tournaments.store import NewGame, Store, versions


@pytest.fixture
def url(tmp_path):
    """
    A store that is not there yet, in a folder that is not there yet.
    """
    return f"sqlite:///{tmp_path}/results/test.db"


def test_what_is_no_store_is_refused_with_its_name(tmp_path, url):
    """
    Missing, text, another program's, empty, newer, a folder, and a damaged record.
    """
    with pytest.raises(StoreError, match=r"no store at sqlite:///.*test\.db"):
        Store.open(url, create=False)
    assert not Store.exists(url)

    text = tmp_path / "text.db"
    text.write_text("not a database at all " * 100)
    with pytest.raises(StoreError, match=r"text\.db: file is not a database"):
        Store.open(f"sqlite:///{text}")

    other = tmp_path / "other.db"
    connection = sqlite3.connect(other)
    connection.execute("CREATE TABLE songs (title)")
    connection.close()
    with pytest.raises(StoreError, match="something else"):
        Store.open(f"sqlite:///{other}")

    empty = tmp_path / "empty.db"
    empty.touch()
    with pytest.raises(StoreError, match="is empty"):
        Store.open(f"sqlite:///{empty}", create=False)
    Store.open(f"sqlite:///{empty}").close()

    connection = sqlite3.connect(empty)
    connection.execute("UPDATE alembic_version SET version_num = '99'")
    connection.commit()
    connection.close()
    with pytest.raises(StoreError, match="version 99"):
        Store.open(f"sqlite:///{empty}")

    with pytest.raises(StoreError, match="unable to open"):
        Store.open(f"sqlite:///{tmp_path}")
    with pytest.raises(StoreError, match="cannot make"):
        Store.open(f"sqlite:///{text}/sub/x.db")


def test_a_damaged_record_is_an_error_of_the_store(url, tmp_path, league, make_row):
    """
    And is named; the game itself still counts.
    """
    fixture = next(fixtures(league))
    with Store.open(url) as store:
        run = store.new_run(league, text="", secret=bytes(32), commitment="c" * 64)
        store.add_games(run, [NewGame(make_row(fixture, 1, 0), {})])
        connection = sqlite3.connect(tmp_path / "results" / "test.db")
        connection.execute("UPDATE game SET record = x'00'")
        connection.commit()
        connection.close()
        with pytest.raises(StoreError, match=f"record of {fixture.id}"):
            store.record(run, fixture.id)
        assert 1 == len(list(store.games(run)))


def test_a_locked_database_is_an_error_in_the_end(url, league, monkeypatch, tmp_path):
    """
    Not a hang and not a traceback.
    """
    monkeypatch.setattr("tournaments.store.database._BUSY_SECONDS", 0)
    with Store.open(url) as store:
        run = store.new_run(league, text="", secret=bytes(32), commitment="c" * 64)
        connection = sqlite3.connect(tmp_path / "results" / "test.db")
        connection.execute("BEGIN EXCLUSIVE")
        with pytest.raises(StoreError, match="locked"):
            store.finish(run)
        connection.close()


def test_a_damaged_result_names_its_game(tmp_path, make_league, make_row):
    """
    One of wrong kinds is found when it is read; one from before watching was counted is none.
    """
    file = tmp_path / "damaged.db"
    league = make_league("bid", "a b")
    first, second, *_ = fixtures(league)
    rows = [make_row(first, 32, 4), make_row(second, 32, 8)]
    with Store.open(f"sqlite:///{file}") as store:
        run = store.new_run(league, text="", secret=bytes(32), commitment="c" * 64)
        store.add_games(run, [NewGame(row, None) for row in rows])
        with sqlite3.connect(file) as connection:
            for key in ("unpunished", "challenges_right", "challenges_wrong"):
                connection.execute("UPDATE game SET result = json_remove(result, ?)", [f"$.{key}"])
        connection.close()
        assert rows == list(store.games(run))
        with sqlite3.connect(file) as connection:
            connection.execute("UPDATE game SET result = json_set(result, '$.faults', 'x')")
        connection.close()
        with pytest.raises(StoreError, match=r"result of a:b/1a is damaged: .*faults"):
            store.game(run, first.id)


def test_a_link_to_a_store_has_the_same_lock(url, tmp_path):
    """
    Or two referees would play into one store.
    """
    link = tmp_path / "link.db"
    link.symlink_to("results/test.db")
    with Store.open(url) as one, Store.open(f"sqlite:///{link}") as two:
        other = two.lock("x")
        with one.lock("x"), pytest.raises(StoreError, match="is playing into"):
            other.__enter__()


def test_a_lock_that_is_a_link_is_not_written_through(url, tmp_path):
    """
    Whoever may write into the folder could have us empty any file of ours.
    """
    precious = tmp_path / "precious"
    precious.write_text("precious")
    with Store.open(url) as store:
        (tmp_path / "results" / "test.db.lock").symlink_to(precious)
        with pytest.raises(StoreError, match=r"test\.db\.lock: it is a link; remove it"):
            store.lock("x").__enter__()
    assert "precious" == precious.read_text()


def test_a_uri_of_sqlite_is_refused(tmp_path):
    """
    The lock would lie somewhere else than the file.
    """
    for url in (
        "sqlite:///file:x.db?uri=true",
        f"sqlite:///file:{tmp_path}/x.db",
        "sqlite:///x?uri=1",
    ):
        with pytest.raises(ConfigError, match="URI"):
            Store.open(url)


def test_a_url_that_the_driver_does_not_like_is_an_error_of_ours():
    """
    Not a traceback.
    """
    with pytest.raises(ConfigError, match="cannot use sqlite"):
        Store.open("sqlite:///a.db?timeout=soon")
    with pytest.raises(StoreError, match="too long"):
        Store.open(f"sqlite:///{'a' * 300}.db")


def test_a_store_that_is_gone_takes_no_games(url, league, make_row, tmp_path):
    """
    Removed, or replaced by another; SQLite itself would write on into the old one.
    """
    file = tmp_path / "results" / "test.db"
    games = [NewGame(make_row(fixture, 1, 0), {}) for fixture in islice(fixtures(league), 2)]
    with Store.open(url) as store:
        run = store.new_run(league, text="", secret=bytes(32), commitment="c" * 64)
        with store.lock(league.id):
            assert [True] == store.add_games(run, games[:1])
            content = file.read_bytes()
            file.unlink()
            with pytest.raises(StoreError, match="removed or replaced"):
                store.add_games(run, games[1:])
            file.write_bytes(content)
            with pytest.raises(StoreError, match="removed or replaced"):
                store.add_games(run, games[1:])


def test_the_games_of_a_run_are_not_sorted(url, make_league, begin):
    """
    They are found in their order; sorting a large run takes as long as reading it.
    """
    asked = []

    def note(_connection, _cursor, statement, parameters, *_):
        asked.append((statement, parameters))

    with Store.open(url) as store:
        run = begin(store, make_league("bid", "a b", sets=1))
        sa.event.listen(sa.Engine, "before_cursor_execute", note)
        try:
            assert [] == list(store.games(run))
        finally:
            sa.event.remove(sa.Engine, "before_cursor_execute", note)
    [(statement, parameters)] = asked
    connection = sqlite3.connect(url.removeprefix("sqlite:///"))
    plan = connection.execute(f"EXPLAIN QUERY PLAN {statement}", parameters).fetchall()
    connection.close()
    assert ["SEARCH game USING INDEX game_in_order (run_id=?)"] == [row[-1] for row in plan]


def test_what_is_only_looked_at_is_not_changed(tmp_path):
    """
    Somebody else's database stays in the mode that it is in.
    """
    file = tmp_path / "songs.db"
    with contextlib.closing(sqlite3.connect(file)) as connection:
        connection.execute("CREATE TABLE songs (title)")
    before = file.read_bytes()
    for create in (False, True):
        with pytest.raises(StoreError, match="something else"):
            Store.open(f"sqlite:///{file}", create=create)
    assert before == file.read_bytes()


OPENING = """
import sys
from tournaments.store import Store
input()
for number in range(5):
    Store.open(f"sqlite:///{sys.argv[1]}/{number}/test.db").close()
"""


def test_many_who_make_a_store_at_once_make_one(tmp_path):
    """
    Each finds the tables that one of them has made.
    """
    children = [
        subprocess.Popen(
            [sys.executable, "-c", OPENING, tmp_path],
            stdin=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for _ in range(3)
    ]
    for child in children:
        child.stdin.write("\n")
        child.stdin.flush()
    assert [(0, "")] * 3 == [(child.wait(60), child.communicate()[1]) for child in children]


def test_who_opens_a_new_store_waits_for_who_writes_it(url, tmp_path, monkeypatch):
    """
    Its log is made once nobody writes without one; SQLite itself would refuse that at once.
    """
    Store.open(url).close()
    file = tmp_path / "results" / "test.db"
    pauses = []
    with contextlib.closing(sqlite3.connect(file, isolation_level=None)) as other:
        other.execute("PRAGMA journal_mode = DELETE")
        other.execute("BEGIN IMMEDIATE")

        def sleep(seconds):
            pauses.append(seconds)
            other.execute("COMMIT")

        monkeypatch.setattr("tournaments.store.database.time.sleep", sleep)
        Store.open(url).close()
    assert 1 == len(pauses)
    with contextlib.closing(sqlite3.connect(file)) as other:
        assert [("wal",)] == other.execute("PRAGMA journal_mode").fetchall()


def test_who_writes_for_ever_is_not_waited_for(url, tmp_path, monkeypatch):
    """
    Then it is said in a line.
    """
    Store.open(url).close()
    monkeypatch.setattr("tournaments.store.database._BUSY_SECONDS", 0)
    file = tmp_path / "results" / "test.db"
    with contextlib.closing(sqlite3.connect(file, isolation_level=None)) as other:
        other.execute("PRAGMA journal_mode = DELETE")
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(StoreError, match="database is locked"):
            Store.open(url)


def test_an_upgrade_that_is_killed_has_not_begun(tmp_path):
    """
    Half of the new tables would fit neither program.
    """
    file = tmp_path / "test.db"
    url = f"sqlite:///{file}"
    engine = sa.create_engine(url)
    with engine.begin() as connection:
        command.upgrade(versions.config_for(connection), "0001")
    killed = (
        "import os, sqlalchemy as sa\n"
        "from tournaments.store import Store, versions\n"
        "real = versions._upgrade\n"
        "def upgrade(*arguments):\n    real(*arguments)\n    os._exit(9)\n"
        f"versions._upgrade = upgrade\nStore.open({url!r})\n"
    )
    assert 9 == subprocess.run([sys.executable, "-c", killed], check=False).returncode
    columns = {each["name"] for each in sa.inspect(engine).get_columns("bot")}
    assert "revoked" not in columns
    Store.open(url).close()
    columns = {each["name"] for each in sa.inspect(engine).get_columns("bot")}
    assert "revoked" in columns
    engine.dispose()


@pytest.mark.sandbox
@pytest.mark.parametrize("left", ["nothing", "its log", "its log alone"])
def test_a_file_system_that_cannot_be_written_can_be_read(url, tmp_path, league, make_row, left):
    """
    Also what a killed referee has left in the log; nobody can be told the truth without it.
    """
    fixture = next(fixtures(league))
    with Store.open(url) as store:
        run = store.new_run(league, text="", secret=bytes(32), commitment="c" * 64)
    file = tmp_path / "results" / "test.db"
    kept = sqlite3.connect(file)  # whoever closes last moves the log into the file
    if left != "nothing":
        kept.execute("SELECT * FROM run").fetchall()
    else:
        kept.close()
    with Store.open(url) as store:
        store.add_games(run, [NewGame(make_row(fixture, 32, 4), {})])
    if left == "its log alone":
        file.with_name("test.db-shm").unlink()
    read = (
        "import sys\nfrom tournaments.store import Store\nfrom referee.errors import StoreError\n"
        "try:\n"
        "    with Store.open(sys.argv[1], create=False) as store:\n"
        "        print([row.fixture for row in store.games(store.latest_run())])\n"
        "        with store.lock('test'): print('locked')\n"
        "except StoreError as error:\n    print(error)\n"
    )
    bwrap = ["bwrap", "--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc"]
    done = subprocess.run(
        [*bwrap, sys.executable, "-c", read, url], capture_output=True, text=True, check=True
    )
    kept.close()
    *games, last = done.stdout.splitlines()
    if left == "its log alone":
        assert [] == games
        assert "unable to open" in last
        assert "test.db-wal" in last
    else:
        assert [f"['{fixture.id}']"] == games
        assert "Read-only file system" in last


def test_a_store_is_for_its_owner_alone(url, tmp_path, league):
    """
    Whoever reads it knows the decks that are still to come.
    """
    before = os.umask(0)
    try:
        with Store.open(url) as store, store.lock(league.id):
            store.new_run(league, text="", secret=bytes(32), commitment="")
            modes = {
                file.name: stat.S_IMODE(file.stat().st_mode) & 0o077
                for file in (tmp_path / "results").iterdir()
            }
    finally:
        os.umask(before)

    assert 0 == modes["test.db"] == modes["test.db-wal"] == modes["test.db-shm"]
