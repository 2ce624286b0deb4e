"""
The pages, read without a browser.
"""

from __future__ import annotations

import re
from html.parser import HTMLParser
from types import SimpleNamespace
from typing import TYPE_CHECKING

import pytest

from referee.errors import ConfigError, RecordError
from tournaments.reading import standings_of
from tournaments.report import pages, write_report
from tournaments.report.charts import LINES, Course, axis, course, number, signed

if TYPE_CHECKING:
    from pathlib import Path

HOSTILE = {
    "a": "<script>alert(1)</script>",
    "b": "\"'><img src=x onerror=alert(1)>&amp;",
    "c": "\u202eabc\u2066",
    "d": "漢" * 64,
}


class Page(HTMLParser):
    """
    What a test wants to know of a page.
    """

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.path = path
        self.links: list[str] = []
        self.tags: list[str] = []
        self.attributes: set[str] = set()
        self.text = ""
        self.html = path.read_text(encoding="utf-8")
        self.feed(self.html)

    def handle_starttag(self, tag, attrs):
        """
        Note a tag and what it links to.
        """
        self.tags.append(tag)
        for key, value in attrs:
            self.attributes.add(key)
            if key in ("href", "src") and not value.startswith(("#", "data:")):
                self.links.append(value)

    def handle_data(self, data):
        """
        Note text.
        """
        self.text += data


def all_pages(folder: Path) -> list[Page]:
    """
    Every page of a report.
    """
    return [Page(path) for path in sorted(folder.rglob("*.html"))]


@pytest.mark.parametrize("game", ["bid", "buck"])
def test_every_link_leads_somewhere_and_every_page_is_linked(report, game: str) -> None:
    """
    Whoever follows links comes to every page, and never into nothing.
    """
    folder, written, played = report(game, sets=2)
    games = len(list(played.store.games(played.run)))
    assert (1, games, 0) == written
    linked = {folder / "index.html"}
    for page in all_pages(folder):
        for link in page.links:
            target = (page.path.parent / link).resolve()
            assert target.is_file(), f"{page.path}: {link}"
            linked.add(target)
    assert set(folder.rglob("*.html")) <= linked
    assert games == len(list((folder / "games").rglob("*.html")))


@pytest.mark.parametrize("game", ["bid", "buck"])
def test_pages_ask_for_nothing_from_outside(report, game: str) -> None:
    """
    A strict policy in every page, and nothing that it would have to forbid.
    """
    folder, _, _ = report(game, sets=1, names=HOSTILE)
    for page in all_pages(folder):
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
def test_hostile_names_are_text(report, game: str) -> None:
    """
    Markup in a name is shown as it is, and what changes directions is spelt out.
    """
    folder, _, _ = report(game, sets=1, names=HOSTILE)
    for page in all_pages(folder):
        assert "img" not in page.tags
        assert "alert(1)</script>" not in page.html
        assert page.tags.count("script") == (2 if "games" in page.path.parts[-3:] else 0)
        assert HOSTILE["a"] in page.text
        assert not set("\u202e\u2066") & set(page.html)
    index = Page(folder / "index.html")
    if game == "buck":
        assert r"\u202eabc\u2066" in index.text
        assert HOSTILE["d"] in index.text


def test_bots_of_one_name_are_told_apart(report) -> None:
    """
    Their ids stand behind the name; ids of others do not.
    """
    folder, _, _ = report("buck", sets=1, names={"a": "Twin", "b": "Twin"})
    text = Page(folder / "index.html").text
    assert "Twin (a)" in text
    assert "Twin (b)" in text
    assert "(c)" not in text


def test_the_index_says_what_the_standings_say(report) -> None:
    """
    Numbers, tie marks and footnotes are those of `league standings`.
    """
    folder, _, played = report("bid", sets=4)
    table = standings_of(played.league, played.store, played.run)
    text = " ".join(Page(folder / "index.html").text.split())
    for note in table.notes:
        assert note in text
    for row in table.rows:
        assert signed(row.margin, 2) in text
        assert f"{row.rating:.0f}" in text
    assert "2 bots, 8 of 8 games, finished." in text


# --- secrets -----------------------------------------------------------------------------


@pytest.mark.parametrize("rest", ["interrupted", "open"])
def test_hands_are_secret_until_the_set_is_complete(report, rest: str) -> None:
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
    assert "are not complete. Their hands are not shown" in Page(match).text
    assert "The hands of a set are shown once all its games are played" in (
        Page(folder / "index.html").text
    )
    assert played.run.secret.hex() not in Page(folder / "index.html").text


def test_a_league_that_is_closed_has_no_secrets(report) -> None:
    """
    Nothing more is played of it, so whatever was played is shown, and so is the secret.
    """
    folder, written, played = report("buck", sets=4, skip=2, open=True)
    rows = list(played.store.games(played.run))
    assert (len(rows), 0) == written[1:]
    assert played.run.secret.hex() in Page(folder / "index.html").text


def test_the_newest_games_have_pages(report) -> None:
    """
    `games` bounds how many; the index says how many have none.
    """
    folder, written, played = report("bid", sets=4, games=3)
    newest = [row.fixture for row in played.store.games(played.run)][-3:]
    assert (3, 5) == written[1:]
    found = {path.stem for path in (folder / "games").rglob("*.html")}
    assert {fixture.partition("/")[2] for fixture in newest} == found
    assert "5 have none" in Page(folder / "index.html").text


def test_a_void_game_has_no_page(report) -> None:
    """
    What is left of it is no story.
    """
    folder, written, _ = report("bid", sets=2, void=(1, 5))
    assert (3, 1) == written[1:]
    [match] = (folder / "matches").iterdir()
    assert "void" in Page(match).text


def test_nothing_is_played_yet(report) -> None:
    """
    A run without a game has a report too.
    """
    folder, written, _ = report("bid", sets=1, skip=2, finish=False)
    assert (0, 0, 0) == written
    assert "No game is stored yet" in Page(folder / "index.html").text


def test_long_matches_and_lists_have_several_pages(report, monkeypatch) -> None:
    """
    They are cut into parts, which are linked.
    """
    monkeypatch.setattr("tournaments.report.writing._PART", 3)
    folder, _, _ = report("bid", sets=4, games=0)
    files = sorted(path.name for path in (folder / "matches").iterdir())
    assert ["a~b.html", "a~b~2.html", "a~b~3.html"] == files
    assert {"../matches/a~b.html", "../matches/a~b~3.html"} <= set(
        Page(folder / "matches" / "a~b~2.html").links
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
    assert not folder.with_name("out.part").exists()


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


# --- charts ------------------------------------------------------------------------------


def test_axes_have_round_numbers() -> None:
    """
    They hold all values, from a tick to a tick.
    """
    scale = axis(-7.3, 41.0)
    assert (-10, 50) == (scale.low, scale.high)
    assert ["\N{MINUS SIGN}10", "0", "+10", "+20", "+30", "+40", "+50"] == [
        t.text for t in scale.ticks
    ]
    assert (0.0, 100.0) == (scale.ticks[0].place, scale.ticks[-1].place)
    assert ["\N{MINUS SIGN}0.2", "0.0", "+0.2"] == [t.text for t in axis(-0.2, 0.2, 3).ticks]
    assert axis(0, 0).low < 0 < axis(0, 0).high
    assert ("\N{MINUS SIGN}1.5", "0.0", "3") == (number(-1.5, 1), number(-0.01, 1), number(3))


def test_a_course_stays_small_and_keeps_its_end(make_tally) -> None:
    """
    However many sets there are, a few hundred moments are kept, evenly spaced.
    """
    found = Course()
    for sets in range(1, 5001):
        found.look(make_tally(sets))
    found.close(make_tally(5000))
    assert 100 <= len(found.moments) <= 201
    assert 5000 == found.moments[-1][0]
    gaps = {b[0] - a[0] for a, b in zip(found.moments[:-1], found.moments[1:-1], strict=False)}
    assert 1 == len(gaps)


def test_a_course_shows_the_first_few(make_tally) -> None:
    """
    More lines than `LINES` cannot be told apart; one moment is no course.
    """
    bots = [f"b{n}" for n in range(12)]
    found = Course()
    found.look(make_tally(1, bots))
    assert course(found, bots) is None
    found.look(make_tally(2, bots))
    across, _, lines = course(found, bots)
    assert bots[:LINES] == [line.bot for line in lines]
    assert ["0", "1", "2"] == [tick.text for tick in across.ticks]


@pytest.fixture
def make_tally():
    """
    Makes the little of a tally that a course looks at.
    """

    def make(sets, bots=("a", "b")):
        totals = [n - len(bots) / 2 for n in range(len(bots))]
        match = SimpleNamespace(bots=tuple(bots), sets=sets, totals=totals)
        return SimpleNamespace(sets=sets, unit=2, matches={"m": match})

    return make
