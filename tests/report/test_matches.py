"""
The pages of matches: how sure their results are, and which games are worth a look.
"""

from __future__ import annotations

import html
import json
import re

import pytest

from tournaments.faults import NO_FAULTS, FaultKinds
from tournaments.reading import standings_of
from tournaments.reneges import Watch
from tournaments.report import matches
from tournaments.report.charts import chance, signed
from tournaments.tally import Tally


@pytest.mark.parametrize("game", ["bid", "buck"])
def test_a_match_says_how_sure_it_is(read, report, game: str) -> None:
    """
    Where a league is one match, its numbers are those of the standings.
    """
    folder, _, played = report(game, sets=4)
    table = standings_of(played.league, played.store, played.run)
    [match] = (folder / "matches").iterdir()
    [section] = re.findall(r'<h2 id="sums">.*?</section>', read(match).html, re.DOTALL)
    lines = [re.findall(r"<td[^>]*>([^<]*)</td>", line)[:3] for line in section.split("</tr>")]
    assert [
        [
            signed(row.margin, 2),
            f"{row.margin_error:.2f}",
            "" if row.superiority is None else chance(row.superiority),
        ]
        for row in table.rows
    ] == [line for line in lines if line]


def test_partners_are_compared_with_their_opponents(read, report) -> None:
    """
    Whoever sits on one side has the same margin, and is not compared with itself.
    """
    folder, _, played = report("bid", sets=3, format="individual")
    rows = [row for row in played.store.games(played.run) if row.match_id == "a+b:c+d"]
    lines = matches.bot_lines(played.league, "a+b:c+d", Tally.of(played.league, rows))
    assert {"a", "b"} in ({line.bot for line in lines[:2]}, {line.bot for line in lines[2:]})
    assert lines[0].superiority == lines[1].superiority > 0.5
    assert [None, None] == [line.superiority for line in lines[2:]]
    assert "that is no partner of it" in read(folder / "matches" / "a=b~c=d.html").text


def test_games_are_marked_for_what_happened_in_them(read, report) -> None:
    """
    Reneges, challenges, faults, forfeits and void games, by seat, in the match and in the list.
    """
    folder, _, played = report("bid", sets=8, void=(1, 5))
    rows = list(played.store.games(played.run))
    page = read(folder / "matches" / "a~b.html")
    happened = {
        "renege": [any(row.reneges) or any(row.watch.unpunished) for row in rows],
        "challenge": [any(row.watch.right) or any(row.watch.wrong) for row in rows],
        "fault": [any(row.faults) for row in rows],
        "forfeit": [bool(row.forfeits) for row in rows],
        "void": [row.void for row in rows],
    }
    index = read(folder / "index.html").text
    css = (folder / "report.css").read_text()
    for kind, games in happened.items():
        assert 0 < sum(games), "the bots do everything wrong"
        assert sum(games) == len(re.findall(rf"<tr class=\"[^\"]* has-{kind}\b", page.html)), kind
        assert f'id="show-{kind}"' in page.html
        assert f":has(#show-{kind}:checked) .games tbody tr:not(.has-{kind})" in css
        assert f"{matches.MARKS[kind]} {sum(games)}" in index
    assert set(matches.MARKS) - {"beyond"} == set(happened)


def test_marks_name_seats_and_kinds_of_faults(play) -> None:
    """
    How often each seat did what; of an old game only that there were faults is known.
    """
    played = play("bid", sets=1)
    row = next(iter(played.store.games(played.run)))._replace(
        reneges=(0, 0, 2, 0),
        faults=(1, 0, 0, 3),
        fault_kinds=FaultKinds(timeout=(1, 0, 0, 1), illegal=(0, 0, 0, 2)),
        watch=Watch(right=(0, 1, 0, 0)),
        forfeits=(1,),
    )

    def marks(row):
        return [mark.text for mark in matches.game_line(played.league, row, page=True).marks]

    assert marks(row) == [
        "renege S\N{MULTIPLICATION SIGN}2",
        "challenge right E",
        "timeout N W",
        "illegal W\N{MULTIPLICATION SIGN}2",
        "forfeit EW",
    ]
    assert "fault N W\N{MULTIPLICATION SIGN}3" in marks(row._replace(fault_kinds=NO_FAULTS))


def test_a_match_says_how_a_test_has_decided_it(read, report) -> None:
    """
    When, which way, and which games do not count.
    """
    folder, _, played = report("bid", sets=12, stop={"low": -30.0, "high": 30.0, "min_sets": 5})
    tally = Tally.of(played.league, played.store.games(played.run))
    assert tally.matches["a:b"].stopped == (11, False)
    page = read(folder / "matches" / "a~b.html")
    text = " ".join(page.text.split())
    assert "Decided after set 11 of 12." in text
    assert (
        "the margin of Bot a is \N{MINUS SIGN}30.0 points a game or less, "
        "rather than +30.0 or more."
    ) in text
    assert "2 games that were played beyond it are kept and not counted." in text
    assert page.html.count("has-beyond") == tally.beyond == 2
    assert "decided" in read(folder / "index.html").text


def test_a_match_says_that_no_test_has_decided_it(read, report) -> None:
    """
    What was asked, and how many sets gave no answer.
    """
    folder, _, _ = report("bid", sets=6, stop={"low": -0.5, "high": 0.5, "min_sets": 5})
    text = " ".join(read(folder / "matches" / "a~b.html").text.split())
    assert "Not decided." in text
    assert "has found no answer in 6 sets of 6" in text
    assert "not counted" not in text


def test_a_game_leads_to_its_rulings(read, report) -> None:
    """
    Each is told where it happened; what nobody saw too.
    """
    folder, _, _ = report("bid", sets=3)
    silent = 0
    for path in (folder / "games").rglob("*.html"):
        page = read(path)
        [told] = re.findall(r'id="story">(.*?)</script>', page.html)
        deals = json.loads(told)["deals"]
        expected = sum(len(step.get("r", ())) for deal in deals for step in deal["steps"])
        found = re.findall(r'<a href="#(\d+)\.(\d+)">[^<]*</a>: ([^<]*)</li>', page.html)
        stood = [text for *_, text in found if text.endswith("which stands.")]
        assert expected == len(found) - len(stood)
        silent += len(stood)
        for deal, step, text in found:
            there = deals[int(deal) - 1]["steps"][int(step) - 1]
            assert html.unescape(text) in there.get("r", ()) or "renege" in there["t"]
    assert silent
