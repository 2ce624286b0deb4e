"""
Standings: the order, the numbers, the footnotes, and four formats.
"""

from __future__ import annotations

import csv
import io
import json
import random
import re
from itertools import starmap

import pytest
import wcwidth

from referee.errors import ConfigError
from referee.rules.options import BidRules, BuckRules
from tournaments.pairing import count, fixtures
from tournaments.ratings import student_t
from tournaments.standings import FORMATS, Row, render, standings
from tournaments.standings.parts import labels
from tournaments.tally import Tally

NAMES = [
    "Plain",
    "日本語の名前がとても長い" * 5,
    "\u05e9\u05dc\u05d5\u05dd \u05e2\u05d5\u05dc\u05dd",
    "👩‍👩‍👧‍👦👍🏽🏴",
    "e\u0301" * 32,
    "x" * 64,
    "a|b <b>*c*</b> [d](http://e) `f` @g",
    '=HYPERLINK("x"),2',
    "Same",
    "Same",
    "esc\x1b[2J\x9b1m\u202eb\u2028c",
]


def of(league, rows, bots=None, **more):
    """
    The standings of these games.
    """
    facts = {"run": 1, "commitment": "c" * 64, "seeded": False} | more
    bots = bots or [(each.id, each.name) for each in league.entrants]
    return standings(league, bots, Tally.of(league, rows), **facts)


def played(league, make_row, seed=1, names=None):
    """
    Made-up games of a whole league.
    """
    source = random.Random(seed)
    rows = []
    for each in fixtures(league, names):
        scores = (source.randrange(-60, 60) for _ in range(league.players))
        times = tuple((source.randrange(20), source.randrange(1, 50)) for _ in range(4))
        rows.append(make_row(each, *scores, times=times))
    return rows


def test_bid_by_hand(make_league, make_row):
    """
    Three bots, one set each pair: a beats b 22 and 12, b beats c 2 and 4, c beats a 10 and 0.

    Margins a set: a 17 and -5, mean 6; b -17 and 3, mean -7; c -3 and 5, mean 1.
    """
    league = make_league("bid", "a b c", sets=1)
    scores = [(32, 10), (20, 32), (30, 40), (5, 5), (32, 30), (28, 32)]
    rows = list(starmap(make_row, ((f, *s) for f, s in zip(fixtures(league), scores, strict=True))))
    table = of(league, rows, scheduled=count(league))
    expected = [
        {
            "rank": 1,
            "bot": "a",
            "name": "A",
            "games": 4,
            "won": 2,
            "drawn": 1,
            "lost": 1,
            "points_for": (32 + 32 + 30 + 5) / 4,
            "points_against": (10 + 20 + 40 + 5) / 4,
            "margin": 6.0,
            "margin_error": round(student_t(1) * 11, 6),
            "sets": 2,
            "tie": "a",
            "mean_place": None,
            "reneges": 0,
            "faults": 0,
            "forfeits": 0,
            "median_decision_ms": None,
        },
        {"rank": 2, "bot": "c", "won": 1, "drawn": 1, "lost": 2, "margin": 1.0},
        {"rank": 3, "bot": "b", "won": 2, "drawn": 0, "lost": 2, "margin": -7.0},
    ]
    for want, row in zip(expected, json.loads(render(table, "json"))["rows"], strict=True):
        assert want == {key: row[key] for key in want}


def test_plain_table_by_hand(make_league, make_row):
    """
    What a terminal shows.
    """
    league = make_league("bid", "a b", sets=2)
    one, two, three, four = fixtures(league)
    rows = [
        make_row(one, 32, 10, times=((14, 3), (), (14, 3), ())),
        make_row(two, 32, 20, reneges=(1, 0, 0, 0), faults=(0, 2, 0, 1)),
        make_row(three, 33, -4),
        make_row(four, 32, 8),
    ]
    text = render(of(league, rows, run=3, scheduled=4))
    assert [
        "Test - Bid Euchre, run 3, 4 of 4 games",
        "",
        "# = bot games W D L  for agst       margin ren flt ff ms",
        "--------------------------------------------------------",
        "1 a A       4 2 0 2 23.2 17.5 +5.75 ± 9.53   0   3  0  2",
        "2 a B       4 2 0 2 17.5 23.2 -5.75 ± 9.53   1   0  0  -",
        "",
    ] == text.splitlines()[:7]
    assert (
        "\n\n"
        "bot sets     rating better than the next\n"
        "----------------------------------------\n"
        "A      2 1676 ± 309               95.9 %\n"
        "B      2 1324 ± 309                    -\n\n"
    ) in text
    assert (
        "\n\n"
        "bot    NS   won    EW won\n"
        "-------------------------\n"
        "A   +29.5 100 % -18.0 0 %\n"
        "B   +18.0 100 % -29.5 0 %\n"
        "all +23.8 100 % -23.8 0 %\n\n"
    ) in text


def test_buck_by_hand(make_league, make_row):
    """
    Fewest points are best: rank, mean score and mean place say so (buckEuchre got it wrong).
    """
    league = make_league("buck", "a b c d", sets=2)
    points = {"a": 18, "b": 0, "c": 12, "d": 6}
    rows = [make_row(each, *(points[bot] for bot in each.seats)) for each in fixtures(league)]
    value = json.loads(render(of(league, rows), "json"))
    assert [("b", 12.0, 1.0, 0.0, 12.0), ("d", 4.0, 2.0, 6.0, 10.0)] == [
        (r["bot"], r["margin"], r["mean_place"], r["points_for"], r["points_against"])
        for r in value["rows"][:2]
    ]
    assert [8, 0, 0, 0] == [row["won"] for row in value["rows"]]
    assert {0.0} == {row["margin_error"] for row in value["rows"]}
    assert " score others place " in render(of(league, rows))


def test_the_order_is_the_rule_that_is_printed(make_league, make_row):
    """
    Equal margins go by games won, then by points; who is equal in all shares a rank.
    """
    league = make_league("bid", "a b c d", sets=1)
    scores = {
        "a:b": ((10, 0), (10, 0)),  # each wins one by ten
        "c:d": ((20, 10), (20, 10)),  # the same, with more points
        "a:c": ((5, 5), (5, 5)),
        "b:d": ((5, 5), (5, 5)),
        "a:d": ((5, 5), (5, 5)),
        "b:c": ((5, 5), (5, 5)),
    }
    rows = [make_row(f, *scores[f.match_id][f.sitting]) for f in fixtures(league)]
    ranked = [(row.rank, row.bot) for row in of(league, rows).rows]
    assert [(1, "c"), (1, "d"), (3, "a"), (3, "b")] == ranked
    swapped = [(each.id, each.name) for each in league.entrants[::-1]]
    again = [(row.rank, row.bot) for row in of(league, rows, swapped).rows]
    assert [(1, "d"), (1, "c"), (3, "b"), (3, "a")] == again
    assert "then by points for" in of(league, rows).notes[0]
    scores["a:c"] = ((6, 4), (6, 4))  # c wins one with no margin, a the other: still equal
    scores["b:d"] = ((9, 5), (9, 5))
    scores["a:d"] = ((7, 5), (6, 5))  # a better by half a point
    rows = [make_row(f, *scores[f.match_id][f.sitting]) for f in fixtures(league)]
    assert ["a", "b", "c", "d"] == sorted(row.bot for row in of(league, rows).rows)
    assert "a" == of(league, rows).rows[0].bot

    league = make_league("bid", "b a c", sets=1)
    scores = {
        "a:b": ((5, 5), (5, 5)),
        "a:c": ((1, 0), (0, 1)),  # a wins both by one
        "b:c": ((20, 18), (18, 18)),  # b one by two: the same margin, fewer wins, more points
    }
    rows = [make_row(f, *scores[f.match_id][f.sitting]) for f in fixtures(league)]
    assert [(1, "a"), (2, "b"), (3, "c")] == [(r.rank, r.bot) for r in of(league, rows).rows]


def test_the_order_is_the_rule_that_is_printed_for_buck(make_league, make_row):
    """
    Equal margins and equally many wins go by mean place, the smaller the better.
    """
    league = make_league("buck", "a b c d", sets=1)
    points = [
        {"c": 0, "a": 5, "b": 7, "d": 20},  # second and third
        {"c": 0, "b": 5, "d": 6, "a": 7},  # fourth and second
        {"c": 0, "a": 5, "b": 5, "d": 20},
        {"c": 0, "a": 5, "b": 5, "d": 20},
    ]
    rows = [make_row(f, *(points[f.sitting][bot] for bot in f.seats)) for f in fixtures(league)]
    table = of(league, rows)
    assert [(1, "c"), (2, "b"), (3, "a"), (4, "d")] == [(r.rank, r.bot) for r in table.rows]
    assert table.rows[1].margin == table.rows[2].margin
    assert "then by mean place" in table.notes[0]


def test_ties_ratings_and_pairs(make_league, make_row):
    """
    A beats b and c always and by much, these two take turns: what each key says of that.
    """
    league = make_league("bid", "a b c", sets=4)
    rows = []
    for each in fixtures(league):
        a = each.seats.index("a") % 2 if "a" in each.seats else each.set_number % 2
        lost = (each.set_number * 7 + each.sitting) % 5
        rows.append(make_row(each, *((32, lost) if a == 0 else (lost, 32))))
    value = json.loads(render(of(league, rows), "json"))
    first, *others = value["rows"]
    assert ["a", "b", "b"] == [row["tie"] for row in value["rows"]]
    assert ["a", "b", "c"] == sorted(row["bot"] for row in value["rows"])
    assert first["superiority"] > 0.999
    assert 0.1 < others[0]["superiority"] < 0.9
    assert others[1]["superiority"] is None
    assert 1500 == pytest.approx(sum(row["rating"] for row in value["rows"]) / 3, abs=0.1)
    assert first["rating"] - first["rating_error"] > others[0]["rating"]

    pairs = {(pair["bot"], pair["other"]): pair for pair in value["pairs"]}
    assert [("a", "b"), ("a", "c"), ("b", "c")] == list(pairs)
    pair = pairs["a", "b"]
    assert (4, 4, 0, 0, None) == tuple(
        pair[key] for key in ("sets", "won", "level", "lost", "stopped")
    )
    sets = [(32 - (7 * n) % 5 + 32 - (7 * n + 1) % 5) / 2 for n in (1, 2, 3, 4)]
    assert sum(sets) / 4 == pair["margin"]
    error = student_t(3) * (sum((x - sum(sets) / 4) ** 2 for x in sets) / 3 / 4) ** 0.5
    assert round(error, 6) == pair["margin_error"]
    close = pairs["b", "c"]
    assert (4, 1) == (close["sets"], close["won"])
    assert 4 == close["won"] + close["level"] + close["lost"]


def test_a_pair_in_buck_is_compared_by_its_own_points(make_league, make_row):
    """
    Between two bots the margin is the difference of their scores, whatever the others had.
    """
    league = make_league("buck", "a b c d e", sets=2)
    points = {"a": 0, "b": 6, "c": 12, "d": 18, "e": 24}
    rows = [make_row(each, *(points[bot] for bot in each.seats)) for each in fixtures(league)]
    pairs = {(p.bot, p.other): p for p in of(league, rows).pairs}
    assert 10 == len(pairs)
    assert all(points[two] - points[one] == pair.margin for (one, two), pair in pairs.items())
    assert {6} == {pair.sets for pair in pairs.values()}  # three fours have both, two sets each


def test_bots_without_games_come_last(make_league, make_row):
    """
    They are there, with nothing that could be taken for a result.
    """
    league = make_league("bid", "a b c", sets=1)
    one, two, *_ = (each for each in fixtures(league) if each.match_id == "b:c")
    rows = [make_row(one, 32, 0), make_row(two, 0, 32)]
    table = of(league, rows)
    assert ["b", "c", "a"] == [row.bot for row in table.rows]
    for form in FORMATS:
        assert "nan" not in render(table, form).casefold()
    last = json.loads(render(table, "json"))["rows"][-1]
    assert (None, None, 0) == (last["margin"], last["points_for"], last["games"])
    assert 3 == len(of(league, []).rows)
    assert [1, 1, 1] == [row.rank for row in of(league, []).rows]


@pytest.mark.parametrize(("game", "bots"), [("bid", "a b c"), ("buck", "a b c d e")])
def test_the_order_of_games_does_not_show(make_league, make_row, game, bots):
    """
    Shuffled rows give the same text to the byte, in every format.
    """
    league = make_league(game, bots, sets=8)
    rows = played(league, make_row)
    expected = [render(of(league, rows), form) for form in FORMATS]
    source = random.Random(2)
    for _ in range(5):
        source.shuffle(rows)
        assert expected == [render(of(league, rows), form) for form in FORMATS]


def test_times_stand_under_one_key(make_league, make_row):
    """
    Other decision times change `median_decision_ms` and nothing else; so does another run.
    """
    league = make_league("bid", "a b c", sets=3)
    rows = played(league, make_row)
    slow = [row._replace(times=((30, 9),) * 4) for row in rows]
    values = [
        json.loads(render(of(league, rows, run=1), "json")),
        json.loads(render(of(league, slow, run=2), "json")),
    ]
    assert values[0] != values[1]
    for value in values:
        for row in value["rows"]:
            del row["median_decision_ms"]
    assert values[0] == values[1]


@pytest.mark.parametrize("game", ["bid", "buck"])
def test_names_break_no_table(make_league, make_row, game):
    """
    Wide, combining, right-to-left, long and hostile names leave every column in its place.
    """
    ids = [f"b{number}" for number in range(len(NAMES))]
    league = make_league(game, " ".join(ids), sets=1)
    rows = played(league, make_row)
    table = of(league, rows, list(zip(ids, NAMES, strict=True)))

    plain = render(table)
    lines = plain.splitlines()
    body = lines[2 : 4 + len(ids)]
    assert {wcwidth.wcswidth(body[1])} == {wcwidth.wcswidth(line) for line in body}
    assert all(0 <= wcwidth.wcswidth(line) <= 80 for line in lines)
    assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2028]", plain)
    assert "Same (b8)" in plain
    assert "Same (b9)" in plain

    github = render(table, "github")
    tables = [part.splitlines() for part in github.split("\n\n") if part.startswith("|")]
    assert [len(ids) + 2, len(ids) + 2, len(ids) + 3] == list(map(len, tables))
    for each in tables:
        assert 1 == len({re.sub(r"\\.", "", line).count("|") for line in each})
    assert "<b>" not in github
    assert "http://" not in github

    text = render(table, "csv")
    assert text.endswith("\r\n")
    cells = list(csv.reader(io.StringIO(text, newline="")))
    assert 1 + len(ids) == len(cells)
    by_bot = {line[1]: line[2] for line in cells[1:]}
    assert NAMES[1] == by_bot["b1"]
    assert by_bot["b7"] == f"'{NAMES[7]}"
    assert "\\x1b" in by_bot["b10"]

    paper = render(table, "latex")
    set_ = [line for line in paper.splitlines() if not line.startswith("%")]
    ends = r"\\"
    widths = {
        re.sub(r"\\\\$|\\[&%$#_{}]", "", line).count("&") for line in set_ if line.endswith(ends)
    }
    assert len(widths) == 3  # what came of it, how sure it is, and the cross table
    paragraphs = re.findall(
        r"(?m)^\n(?:%.*\n)?\\noindent\\begin{tabular}[^\0]*?\\end{tabular}\n$", paper
    )
    assert len(paragraphs) == 3, "tables in one line would run off the page"
    assert "use LuaLaTeX or XeLaTeX" in paper
    bare = re.sub(r"\\[&%$#_{}]", "", "\n".join(set_))
    assert bare.count("{") == bare.count("}")
    assert not set("^~#%\x1b\u202e\u2028") & set(bare)
    assert r"\textbar{}b \textless{}b\textgreater{}" in paper
    assert all(line.isascii() for line in paper.splitlines() if line.startswith("%"))

    raw = render(table, "json")
    assert raw.isascii()
    assert dict(zip(ids, NAMES, strict=True)) == {
        row["bot"]: row["name"] for row in json.loads(raw)["rows"]
    }


def test_big_leagues_fit_into_80_columns(make_league, make_row):
    """
    Thousands of games, reneges and slow bots, and names still have room.
    """
    league = make_league("bid", "a b", sets=2)
    rows = [
        row._replace(reneges=(999, 0, 0, 0), faults=(99, 0, 0, 0), times=((38, 9),) * 4)
        for row in played(league, make_row) * 600
    ]
    names = [("a", "A name of thirty characters..."), ("b", "B")]
    text = render(of(league, rows, names))
    assert max(map(len, text.splitlines())) <= 80
    wide = render(of(league, rows, names), width=120)
    assert names[0][1] in wide


def test_alike_names_without_room_give_way_to_ids(make_league, make_row):
    """
    Half an id tells nobody apart.
    """
    league = make_league("bid", "bold bold2 simple", sets=2)
    names = [("bold", "Bold"), ("bold2", "Bold"), ("simple", "Simple")]
    table = of(league, played(league, make_row), names)
    found = dict(zip((row.bot for row in table.rows), labels(table, 9), strict=True))
    assert found == {"bold": "B… (bold)", "bold2": "bold2", "simple": "Simple"}
    assert "Bold (bold2)" in labels(table, 12)


def test_footnotes(make_league, make_row):
    """
    All that a reader must know to believe the table.
    """
    league = make_league("bid", "a b", sets=3, rules=BidRules(joker=True, max_hands=None))
    scheduled = list(fixtures(league))
    rows = [make_row(each, 32, 0) for each in scheduled[:4]]
    rows[0] = make_row(scheduled[0], 32, 0, forfeits=(1,), ending="forfeit")
    rows[1] = make_row(scheduled[1], 7, 7, ending="adjudicated")
    rows[3] = make_row(scheduled[3], 0, 0, ending="void", winners=())
    text = "\n".join(of(league, rows, seeded=True, scheduled=6, secret=b"\xab" * 32).notes)
    for words in (
        "Decks predictable",
        "Commitment to the decks (SHA-256 of their secret): cccc",
        "now that all are played: abab",
        "differ from the default: joker = true, max_hands = none",
        "4 of 6 games played so far",
        "1 game forfeited",
        "1 game ended by the number of deals",
        "1 game void",
        "1 set incomplete: its games",
        "the second wears other suits",
    ):
        assert words in text
    value = json.loads(render(of(league, rows), "json"))
    assert {"joker": True, "max_hands": None} == value["rules"]
    assert {"id": "test", "name": "Test"} == value["league"]


def test_footnotes_say_what_mirroring_left_open(make_league, make_row):
    """
    Shared instances, decks that were met again, and leagues without mirroring.
    """
    league = make_league("bid", "a b", sets=1)
    rows = [make_row(each, 1, 0, instances=("1",) * 4) for each in fixtures(league)]
    notes = "\n".join(of(league, rows).notes)
    assert "2 games with both seats of a team on one instance" in notes
    assert "1 set of 1 in which an instance sat in more than one sitting" in notes
    assert "in other suits" in notes
    plain = make_league("bid", "a b", mirrored=False)
    assert "Not mirrored" in "\n".join(of(plain, []).notes)
    assert "Decks predictable" not in "\n".join(of(plain, []).notes)
    buck = make_league("buck", "a b c d", rules=BuckRules())
    assert "A set is 4 games" in "\n".join(of(buck, []).notes)


def test_formats(make_league):
    """
    CSV has the keys of JSON, keys are sorted, and there are no others.
    """
    table = of(make_league("bid", "a b"), [])
    value = json.loads(render(table, "json"))
    assert list(value) == sorted(value)
    header = render(table, "csv").splitlines()[0].split(",")
    assert set(header) == set(value["rows"][0]) == set(Row.__slots__)
    with pytest.raises(ConfigError, match="plain, github, latex, csv, json"):
        render(table, "html")


def hostile(make_league, make_row, game):
    """
    Standings of bots with the names above.
    """
    ids = [f"b{number}" for number in range(len(NAMES))]
    league = make_league(game, " ".join(ids), sets=1)
    rows = [
        row._replace(reneges=(9, 0, 0, 0), faults=(99, 0, 0, 0)) for row in played(league, make_row)
    ]
    return of(league, rows, list(zip(ids, NAMES, strict=True)))


@pytest.mark.parametrize("width", [40, 50, 60, 80, 120, 200])
@pytest.mark.parametrize("game", ["bid", "buck"])
def test_no_line_is_wider_than_the_terminal(make_league, make_row, game, width):
    """
    Every table in it is aligned, whatever had to go.
    """
    lines = render(hostile(make_league, make_row, game), width=width).splitlines()
    assert all(0 <= wcwidth.wcswidth(line) <= width for line in lines)
    rules = [place for place, line in enumerate(lines) if line and not line.strip("-")]
    assert len(rules) >= 4
    for place in rules:
        end = lines.index("", place)
        wide = wcwidth.wcswidth(lines[place])
        assert {wide} == {wcwidth.wcswidth(line) for line in lines[place - 1 : end]}


def test_columns_go_in_a_fixed_order(make_league, make_row):
    """
    Narrow tables keep what matters, and say that there is more.
    """
    table = hostile(make_league, make_row, "bid")
    heads = {}
    for width in range(40, 100):
        lines = render(table, width=width).splitlines()
        heads[width] = lines[lines.index("") + 1].split()
    for width in range(40, 99):
        assert set(heads[width]) <= set(heads[width + 1])
    assert "# = bot games W D L for agst margin ren flt ff ms" == " ".join(heads[99])
    assert "more columns on a wider terminal" not in render(table, width=99)
    assert {"#", "bot", "margin"} <= set(heads[40])
    assert "ms" not in heads[60]
    assert " more columns on a wider terminal" in " ".join(render(table, width=50).split())


def test_only_what_is_shown_is_explained(make_league, make_row):
    """
    Of a column for which there is no room it is said that it is missing, not what it means.
    """
    table = hostile(make_league, make_row, "bid")
    wide = " ".join(render(table, width=100).split())
    assert "better than the next: likelihood" in wide
    narrow = " ".join(render(table, width=40).split())
    assert "better than the next" not in narrow
    assert "the mean is 1500. 1 more column on a wider terminal." in narrow


def test_cross_table_by_hand(make_league, make_row):
    """
    Three bots, each against each, as the row sees it; blocks where it does not fit.
    """
    league = make_league("bid", "a b c", sets=1)
    scores = [(32, 10), (20, 32), (30, 40), (5, 5), (32, 30), (28, 32)]
    rows = list(starmap(make_row, ((f, *s) for f, s in zip(fixtures(league), scores, strict=True))))
    text = render(of(league, rows))
    assert (
        "\n\n"
        "# bot     1    2     3\n"
        "----------------------\n"
        "1 A       * -5.0 +17.0\n"
        "2 C    +5.0    *  -3.0\n"
        "3 B   -17.0 +3.0     *\n"
    ) in text
    assert "by its place: margin, from 1 set each." in " ".join(text.split())
    assert "\n1 A       *\n" in render(of(league, rows), width=20)
    assert "| 2 | C | +5.0 |" in re.sub(" +", " ", render(of(league, rows), "github"))
    some = of(league, rows[:4])
    assert "\n1 A       * -5.0     -\n" not in render(some)  # B and C are at places of their own
    assert " - " in render(some)


def test_a_cross_table_that_nobody_reads_is_left_out(make_league, make_row):
    """
    Only JSON has those of very many bots; its keys are the same.
    """
    ids = " ".join(f"b{number}" for number in range(41))
    league = make_league("bid", ids, sets=1)
    table = of(league, played(league, make_row))
    assert "is in --format json" in render(table)
    value = json.loads(render(table, "json"))
    assert 41 * 40 // 2 == len(value["pairs"])
    assert 2 * 41 == len(value["seats"])
    assert ["bot", "drawn", "games", "lost", "margin", "seat", "won"] == sorted(value["seats"][0])


def test_seats_by_hand(make_league, make_row):
    """
    Each bot of Buck has four seats; what north wins by is luck when all are alike.
    """
    league = make_league("buck", "a b c d", sets=1)
    rows = [make_row(each, 0, 6, 6, 6) for each in fixtures(league)]
    table = of(league, rows)
    seats = [each for each in table.seats if each.bot == "a"]
    assert [("N", 1, 6.0), ("E", 0, -2.0), ("S", 0, -2.0), ("W", 0, -2.0)] == [
        (each.seat, each.won, each.margin) for each in seats
    ]
    assert "all +6.0 100 % -2.0 0 % -2.0 0 % -2.0 0 %" in re.sub(" +", " ", render(table))
    assert "won" not in render(table, width=40).partition("  N ")[2].splitlines()[0]
