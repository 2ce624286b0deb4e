"""
Stores of earlier versions open, and all ways to the newest tables end at the same ones.
"""

from __future__ import annotations

import pytest
import sqlalchemy as sa
from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory

from referee.errors import StoreError
from tournaments.pairing import fixtures
from tournaments.standings import standings
from tournaments.store import Bot, NewGame, Store, versions
from tournaments.store.schema import HEAD, metadata
from tournaments.tally import Tally


@pytest.fixture
def url(backend, store_url):
    """
    A database that is not there yet.
    """
    return store_url(backend)


@pytest.fixture
def engine(url, tmp_path):
    """
    An engine for it, as Alembic would have one.
    """
    (tmp_path / "results").mkdir()
    made = sa.create_engine(url)
    yield made
    made.dispose()


def first_version(engine):
    """
    Make a store as the first version of this program wrote it, with a league in it.
    """
    with engine.begin() as connection:
        command.upgrade(versions.config_for(connection), "0001")
        connection.exec_driver_sql("DROP TABLE alembic_version")
        connection.exec_driver_sql("INSERT INTO store_schema VALUES (1)")
        connection.exec_driver_sql(
            "INSERT INTO run (number, league_id, fingerprint, text, secret, commitment, started) "
            "VALUES (1, 'test', 'f', 'text', '12', 'c', 'then')"
        )
        connection.exec_driver_sql(
            "INSERT INTO bot (run_id, bot_id, name, house, description, contact, software, games, "
            "submitted) VALUES (1, 'old', 'Old', TRUE, '', '', '', '[]', 'then')"
        )


def test_the_tables_are_what_the_migrations_make(engine, url):
    """
    `schema.py` and the migrations cannot drift apart.
    """
    Store.open(url).close()
    with engine.connect() as connection:
        context = MigrationContext.configure(connection, opts={"compare_type": True})
        found = compare_metadata(context, metadata)
        # Comments are for readers of `schema.py`.
        assert [] == [each for each in found if each[0][0] != "modify_comment"]
        assert HEAD == context.get_current_revision()


def test_the_newest_migration_is_the_head():
    """
    There is one line of them, and the program knows its end.
    """
    scripts = ScriptDirectory.from_config(versions.config_for())
    assert [HEAD] == scripts.get_heads()
    assert len(list(scripts.walk_revisions())) == int(HEAD)


def test_a_store_of_the_first_version_opens(engine, url):
    """
    With all that is in it, and once.
    """
    first_version(engine)
    for _ in range(2):
        with Store.open(url, create=False) as store:
            run = store.run(1, "test")
            assert ("text", "then", None) == (run.text, run.started, run.finished)
            assert [Bot(id="old", name="Old", house=True, submitted="then")] == store.bots(run)


def test_faults_of_an_older_store_have_no_kind(engine, url, make_league):
    """
    Their sum is in the standings, which say that it is all that is known.
    """
    league = make_league("bid", "a b", sets=1)
    first_version(engine)
    result = (
        '{"scores":[32,0],"winners":[0],"places":[1,2],"forfeits":[],"faults":[0,2,0,1],'
        '"reneges":[0,0,0,0],"instances":["1","1","2","2"],"times":[[],[],[],[]]}'
    )
    with engine.begin() as connection:
        connection.execute(
            sa.text(
                "INSERT INTO game (run_id, fixture, match_id, set_id, sitting, seats, ending, "
                "void, result, played) VALUES (1, 'a:b/1a', 'a:b', 'a:b/1', 0, 'a b a b', "
                "'target', FALSE, :result, 'then')"
            ),
            {"result": result},
        )
    with Store.open(url, create=False) as store:
        tally = Tally.of(league, store.games(store.run(1, "test")))
    table = standings(
        league, [("a", "A"), ("b", "B")], tally, run=1, commitment="c" * 64, seeded=False
    )
    assert {"a": (0, 0), "b": (3, 3)} == {
        row.bot: (row.faults, row.faults_unknown) for row in table.rows
    }
    assert any(note.startswith("3 faults of unknown kind") for note in table.notes)


def test_an_older_store_that_is_upgraded_can_be_played_into(engine, url, make_league, make_row):
    """
    Games and bots of today go in beside those of then.
    """
    first_version(engine)
    league = make_league("bid", "a b", sets=2)
    row = make_row(next(fixtures(league)), 32, 0)
    with Store.open(url) as store:
        old = store.run(1, "test")
        run = store.new_run(league, text="", secret=bytes(32), commitment="c" * 64)
        assert (1, 2) == (old.number, run.number)
        assert store.add_bot(run, Bot(id="new", name="N", house=False, revoked="x", program="p"))
        assert [True] == store.add_games(run, [NewGame(row, {})])
        assert [row] == list(store.games(run))
        assert ("x", "p") == (store.bots(run)[-1].revoked, store.bots(run)[-1].program)


def test_a_newer_store_is_refused(engine, url):
    """
    With both versions in the message, and nothing is changed.
    """
    Store.open(url).close()
    with engine.begin() as connection:
        connection.exec_driver_sql("UPDATE alembic_version SET version_num = '0099'")
    with pytest.raises(StoreError, match=f"version 0099 .*knows version {HEAD}"):
        Store.open(url)


def test_another_programs_database_is_refused(engine, url):
    """
    Even if Alembic keeps its version too.
    """
    with engine.begin() as connection:
        connection.exec_driver_sql("CREATE TABLE alembic_version (version_num VARCHAR(32))")
        connection.exec_driver_sql("INSERT INTO alembic_version VALUES ('0001')")
    with pytest.raises(StoreError, match="something else"):
        Store.open(url)
