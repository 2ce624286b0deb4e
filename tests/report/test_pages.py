"""
The pages, read without a browser.
"""

from __future__ import annotations

import re
import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING

import pytest

from referee.errors import ConfigError, RecordError
from tournaments.reading import standings_of
from tournaments.report import pages, write_report
from tournaments.report.charts import signed
from tournaments.standings import parts

if TYPE_CHECKING:
    from pathlib import Path

HOSTILE = {
    "a": "<script>alert(1)</script>",
    "b": "\"'><img src=x onerror=alert(1)>&amp;",
    "c": "\u202eabc\u2066",
    "d": "漢" * 64,
}


def all_pages(read, folder: Path) -> list:
    """
    Every page of a report.
    """
    return [read(path) for path in sorted(folder.rglob("*.html"))]


@pytest.mark.parametrize("game", ["bid", "buck"])
def test_every_link_leads_somewhere_and_every_page_is_linked(read, report, game: str) -> None:
    """
    Whoever follows links comes to every page, and never into nothing.
    """
    folder, written, played = report(game, sets=2)
    games = len(list(played.store.games(played.run)))
    assert (1, games, 0) == written
    linked = {folder / "index.html"}
    for page in all_pages(read, folder):
        for link in page.links:
            target = (page.path.parent / link).resolve()
            assert target.is_file(), f"{page.path}: {link}"
            linked.add(target)
    assert set(folder.rglob("*.html")) <= linked
    assert games == len(list((folder / "games").rglob("*.html")))


@pytest.mark.parametrize("game", ["bid", "buck"])
def test_pages_ask_for_nothing_from_outside(read, report, game: str) -> None:
    """
    A strict policy in every page, and nothing that it would have to forbid.
    """
    folder, _, _ = report(game, sets=1, names=HOSTILE)
    for page in all_pages(read, folder):
        policy = re.search(r'Content-Security-Policy" content="([^"]*)"', page.html)
        assert "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self' data:" == (
            policy and policy[1]
        )
        assert not re.search(r"(?<!\.)https?://", page.html)
        assert not {each for each in page.attributes if each.startswith("on") or each == "style"}
        assert "lang" in page.attributes
        assert {"title", "main", "h1"} <= set(page.tags)
    for static in ("report.css", "game.js"):
        assert "http" not in (folder / static).read_text()


@pytest.mark.parametrize("game", ["bid", "buck"])
def test_hostile_names_are_text(read, report, game: str) -> None:
    """
    Markup in a name is shown as it is, and what changes directions is spelt out.
    """
    folder, _, _ = report(game, sets=1, names=HOSTILE)
    for page in all_pages(read, folder):
        assert "img" not in page.tags
        assert "alert(1)</script>" not in page.html
        assert page.tags.count("script") == (2 if "games" in page.path.parts[-3:] else 0)
        assert HOSTILE["a"] in page.text
        assert not set("\u202e\u2066") & set(page.html)
    index = read(folder / "index.html")
    if game == "buck":
        assert r"\u202eabc\u2066" in index.text
        assert HOSTILE["d"] in index.text


def test_bots_of_one_name_are_told_apart(read, report) -> None:
    """
    Their ids stand behind the name; ids of others do not.
    """
    folder, _, _ = report("buck", sets=1, names={"a": "Twin", "b": "Twin"})
    text = read(folder / "index.html").text
    assert "Twin (a)" in text
    assert "Twin (b)" in text
    assert "(c)" not in text


def test_the_index_says_what_the_standings_say(read, report) -> None:
    """
    Numbers, tie marks and footnotes are those of `league standings`.
    """
    folder, _, played = report("bid", sets=4)
    table = standings_of(played.league, played.store, played.run)
    text = " ".join(read(folder / "index.html").text.split())
    for note in table.notes:
        assert note in text
    for row in table.rows:
        assert signed(row.margin, 2) in text
        assert f"{row.rating:.0f}" in text
        kinds = [row.faults_timeout, row.faults_unreadable, row.faults_illegal, row.faults_gone]
        assert 0 < row.faults == sum(kinds)
        line = [row.name, row.faults, *kinds, row.forfeits, row.reneges]
        assert " ".join(map(str, line)) in text
    assert "2 bots, 8 of 8 games, finished." in text


def test_the_index_has_the_progress_of_ratings(read, report) -> None:
    """
    As a chart, and as numbers that end with those of the table.
    """
    folder, _, played = report("bid", sets=6)
    table = standings_of(played.league, played.store, played.run)
    page = read(folder / "index.html")
    assert page.html.count("<polyline") == len(table.rows)
    assert "fitted anew at 6 points" in page.text
    [last] = re.findall(r"<tr><th scope=.row. class=.number.>6</th>(.*)</tr>", page.html)
    shown = re.findall(r"<td class=.number.>(\d+) <small>±(\d+)</small>", last)
    assert [(f"{row.rating:.0f}", f"{row.rating_error:.0f}") for row in table.rows] == shown


@pytest.mark.parametrize("game", ["bid", "buck"])
def test_the_index_has_the_seats_of_the_standings(read, report, game: str) -> None:
    """
    Margins and games won by seat, with those of all in the last line.
    """
    folder, _, played = report(game, sets=2)
    table = standings_of(played.league, played.store, played.run)
    [section] = re.findall(
        r'<h2 id="seats">.*?</section>', read(folder / "index.html").html, re.DOTALL
    )
    lines = [re.findall(r"<td[^>]*>([^<]+)</td>", line) for line in section.split("</tr>")]
    expected = [
        [text.replace("-", "\N{MINUS SIGN}") for cell in line for text in cell]
        for line in parts.by_seat(table)
    ]
    assert expected == [line for line in lines if line]


def test_faults_of_an_earlier_version_have_no_kind(read, report) -> None:
    """
    Their sum is shown under a head of its own, and said below.
    """
    folder, _, played = report("bid", sets=1)
    faults = sum(row.faults for row in standings_of(played.league, played.store, played.run).rows)
    with closing(sqlite3.connect(played.url.removeprefix("sqlite:///"))) as db, db:
        db.execute("UPDATE game SET result = json_remove(result, '$.fault_kinds')")
    write_report(played.store, played.run, folder)
    text = read(folder / "index.html").text
    assert "Unknown" in text
    assert f"{faults} faults of unknown kind" in text


def test_what_scrolls_is_no_landmark(read, report) -> None:
    """
    Who goes from landmark to landmark would have to pass every table.
    """
    folder, _, _ = report("bid", sets=1)
    for page in all_pages(read, folder):
        assert 'role="region"' not in page.html


# --- secrets -----------------------------------------------------------------------------


@pytest.mark.parametrize("rest", ["interrupted", "open"])
def test_hands_are_secret_until_the_set_is_complete(read, report, rest: str) -> None:
    """
    A game is shown only if no other game of its set is still to be played.
    """
    more = {"open": True} if rest == "open" else {}
    folder, written, played = report("buck", sets=4, skip=2, finish=False, **more)
    rows = list(played.store.games(played.run))
    sets = [row.set_id for row in rows]
    shown = {row.fixture for row in rows if sets.count(row.set_id) == 4}
    assert 0 < len(shown) < len(rows)
    assert (len(shown), len(rows) - len(shown)) == written[1:]
    found = {path.stem for path in (folder / "games").rglob("*.html")}
    assert {fixture.partition("/")[2] for fixture in shown} == found
    [match] = (folder / "matches").iterdir()
    assert "are not complete. Their hands are not shown" in read(match).text
    assert "The hands of a set are shown once all its games are played" in (
        read(folder / "index.html").text
    )
    assert played.run.secret.hex() not in read(folder / "index.html").text


def test_a_league_that_is_closed_has_no_secrets(read, report) -> None:
    """
    Nothing more is played of it, so whatever was played is shown, and so is the secret.
    """
    folder, written, played = report("buck", sets=4, skip=2, open=True)
    rows = list(played.store.games(played.run))
    assert (len(rows), 0) == written[1:]
    assert played.run.secret.hex() in read(folder / "index.html").text


def test_the_newest_games_have_pages(read, report) -> None:
    """
    `games` bounds how many; the index says how many have none.
    """
    folder, written, played = report("bid", sets=4, games=3)
    newest = [row.fixture for row in played.store.games(played.run)][-3:]
    assert (3, 5) == written[1:]
    found = {path.stem for path in (folder / "games").rglob("*.html")}
    assert {fixture.partition("/")[2] for fixture in newest} == found
    assert "5 have none" in read(folder / "index.html").text


def test_a_void_game_has_no_page(read, report) -> None:
    """
    What is left of it is no story.
    """
    folder, written, _ = report("bid", sets=2, void=(1, 5))
    assert (3, 1) == written[1:]
    [match] = (folder / "matches").iterdir()
    assert "void" in read(match).text


def test_nothing_is_played_yet(read, report) -> None:
    """
    A run without a game has a report too.
    """
    folder, written, _ = report("bid", sets=1, skip=2, finish=False)
    assert (0, 0, 0) == written
    assert "No game is stored yet" in read(folder / "index.html").text


def test_long_matches_and_lists_have_several_pages(read, report, monkeypatch) -> None:
    """
    They are cut into parts, which are linked.
    """
    monkeypatch.setattr("tournaments.report.writing._PART", 3)
    folder, _, _ = report("bid", sets=4, games=0)
    files = sorted(path.name for path in (folder / "matches").iterdir())
    assert ["a~b.html", "a~b~2.html", "a~b~3.html"] == files
    assert {"../matches/a~b.html", "../matches/a~b~3.html"} <= set(
        read(folder / "matches" / "a~b~2.html").links
    )


# --- folders -----------------------------------------------------------------------------


def test_only_a_report_is_replaced(report, tmp_path: Path) -> None:
    """
    A folder with something else in it is refused and stays as it is.
    """
    folder, _, played = report("bid", sets=1)
    (folder / "games" / "stale.html").write_text("stale")
    write_report(played.store, played.run, folder)
    assert not (folder / "games" / "stale.html").exists()
    other = tmp_path / "mine"
    other.mkdir()
    (other / "thesis.txt").write_text("precious")
    with pytest.raises(ConfigError, match="holds something that is no report"):
        write_report(played.store, played.run, other)
    assert ["thesis.txt"] == [path.name for path in other.iterdir()]
    with pytest.raises(ConfigError, match="is no folder"):
        write_report(played.store, played.run, other / "thesis.txt")


def test_a_report_is_there_whole_or_as_it_was(report, monkeypatch) -> None:
    """
    Where a record is damaged the old report stays, and nothing is left beside it.
    """
    folder, _, played = report("bid", sets=1)
    before = sorted(folder.rglob("*"))

    def fail(*_, **__):
        raise RecordError("damaged")

    monkeypatch.setattr("tournaments.report.writing.tell", fail)
    with pytest.raises(RecordError, match="damaged"):
        write_report(played.store, played.run, folder)
    assert before == sorted(folder.rglob("*"))
    assert [] == list(folder.parent.glob(".out-*"))


@pytest.mark.parametrize("fixture", ["../../etc/1a", "a:b/1e", "a/../1a", "a:b/1a\n", ""])
def test_ids_that_are_none_never_become_files(fixture: str) -> None:
    """
    A damaged store cannot make the report write elsewhere.
    """
    with pytest.raises(RecordError):
        pages.game_file(fixture)


def test_ids_have_files_of_their_own() -> None:
    """
    Partners and opponents stay different, and no system minds the names.
    """
    assert "games/a=b~c=d/3b.html" == pages.game_file("a+b:c+d/3b")
    assert "matches/a~b~2.html" == pages.match_file("a:b", 2)
