"""
Reneges that were caught or not, and challenges that were right or wrong, in the standings.
"""

from __future__ import annotations

import csv
import io
import json

from referee.notation import parse_line
from referee.opening import open_table
from referee.record import DealRecord, GameRecord
from referee.rules.actions import Answer, LastCall, Play
from referee.rules.deal import Phase
from referee.rules.judge import Code, Ruling
from referee.rules.options import BidRules, RenegeMode
from referee.seats import Seat
from tournaments.pairing import fixtures
from tournaments.reneges import Watch, watch_of
from tournaments.standings import render, standings
from tournaments.store.rows import NewGame, game_columns, game_of
from tournaments.tally import Tally

N, E, S, W = Seat
CHALLENGE = BidRules(renege_mode=RenegeMode.CHALLENGE)


def record(mode: str, *deals: DealRecord) -> GameRecord:
    """
    A game of these deals.
    """
    rules = {"renege_mode": mode}
    return GameRecord("bid", rules, "s", 0, 0, tuple("abab"), tuple("1122"), list(deals))


def ruled(code: Code, seat: Seat, challenged: Seat | None = None, trick: int = 0):
    """
    A ruling as a record holds it.
    """
    return (0, Ruling(code, seat, 2, challenged=challenged, trick=trick))


def test_challenge_mode_by_hand() -> None:
    """
    Two deals. N reneges three times and E once: N's first is upheld for E, E's for S.

    E challenges W's partner in vain twice, once void. In the second deal the same seat and
    trick as in the first is nobody's business. W's card that it did not hold was refused.
    """
    first = DealRecord(
        N,
        rulings=[
            ruled(Code.UPHELD, E, N, 1),
            ruled(Code.FALSE_CHALLENGE, E, S, 2),
            ruled(Code.VOID_CHALLENGE, E, S, 2),
            ruled(Code.UPHELD, S, E, 3),
            ruled(Code.RENEGE, W),
        ],
        irregular=[(N, 1), (N, 4), (E, 3)],
    )
    second = DealRecord(E, rulings=[ruled(Code.FALSE_CHALLENGE, E, N, 2)], irregular=[(N, 1)])

    assert Watch((2, 0, 0, 0), (0, 1, 1, 0), (0, 2, 0, 0)) == watch_of(
        record("challenge", first, second)
    )


def test_other_modes_punish_all() -> None:
    """
    What is refused, or stands for a penalty, is never unpunished.
    """
    stood = DealRecord(N, rulings=[ruled(Code.STOOD, N)], irregular=[(N, 1)])

    assert Watch() == watch_of(record("stand", stood))
    assert Watch() == watch_of(record("reject", DealRecord(N, rulings=[ruled(Code.RENEGE, N)])))


def renege_at(table, seat: Seat) -> None:
    """
    Play legally until *seat* can play a card that it may not, and let it.
    """
    while True:
        question = table.question
        held = [Play(card) for card in question.view.hand]
        illegal = [play for play in held if play not in question.legal]
        if question.seat is seat and question.phase is Phase.PLAY and illegal:
            table.answer(Answer(illegal[0], ()))
            return
        table.answer(Answer(question.legal[-1], ()))


def test_a_game_that_a_forfeit_cuts_short() -> None:
    """
    An unseen renege of the deal in which the game ends is marked in the record all the same.
    """
    table = open_table(CHALLENGE, bytes(32), "s", faults_to_forfeit=1)
    table.start()
    renege_at(table, W)
    table.answer(Code.TIMEOUT)

    assert table.outcome is not None
    assert 1 == watch_of(table.record).unpunished[W]


def test_a_whole_deal() -> None:
    """
    A renege, and a last call in which one opponent is right and another wrong.
    """
    table = open_table(CHALLENGE, bytes(32), "s")
    table.start()
    renege_at(table, W)
    log = table.record.deals[-1]
    ((_, trick),) = table.deal.irregular
    while table.record.deals[-1] is log:
        question = table.question
        said = Answer(question.legal[-1], ())
        if question.phase is Phase.LAST_CALL:
            # N is right, S repeats it (void), and E, the partner, accuses an honest seat.
            said = {
                N: parse_line(f"N call challenge W {trick}", "bid", challenges=True).answer,
                E: parse_line("E call challenge N 1", "bid", challenges=True).answer,
            }.get(question.seat, Answer(LastCall(), ()))
        table.answer(said)

    assert Watch((0, 0, 0, 0), (1, 0, 0, 0), (0, 1, 0, 0)) == watch_of(table.record)
    assert [0, 0, 0, 1] == table.reneges


def test_the_store_keeps_it(make_league, make_row) -> None:
    """
    It comes back from the columns; a row that was stored without it reads as zeros.
    """
    (fixture, *_) = fixtures(make_league())
    watch = Watch((1, 2, 3, 4), (5, 6, 7, 8), (9, 10, 11, 12))
    row = make_row(fixture, 32, 10, reneges=(1, 0, 0, 0), watch=watch)
    columns = game_columns(1, NewGame(row, None), "now")
    names = ("fixture", "match_id", "set_id", "sitting", "seats", "ending")

    assert row == game_of(*(columns[name] for name in names), columns["result"])
    result = json.loads(columns["result"])
    for key in ("unpunished", "challenges_right", "challenges_wrong"):
        del result[key]
    older = game_of(*(columns[name] for name in names), json.dumps(result))
    assert row._replace(watch=Watch()) == older


def table_of(league, make_row):
    """
    Standings of one set. a: N and S, then E and W.

    a tried 3 + 1 + 2, of which 1 + 1 were caught; its challenges were 2 right, 1 wrong.
    """
    first, second = fixtures(league)
    rows = [
        make_row(
            first,
            32,
            10,
            reneges=(1, 0, 0, 0),
            watch=Watch((2, 0, 1, 0), (0, 1, 0, 0), (0, 0, 1, 0)),
        ),
        make_row(
            second,
            32,
            20,
            reneges=(0, 1, 0, 0),
            watch=Watch((0, 0, 0, 1), (0, 2, 0, 0), (3, 0, 0, 0)),
        ),
    ]
    bots = [(each.id, each.name) for each in league.entrants]
    tally = Tally.of(league, rows)
    halves = Tally.of(league, rows[:1]) + Tally.of(league, rows[1:])
    assert tally.bots == halves.bots
    return standings(league, bots, tally, run=1, commitment="c" * 64, seeded=False)


KEYS = (
    "bot",
    "reneges_tried",
    "reneges",
    "reneges_unpunished",
    "challenges_right",
    "challenges_wrong",
)


def test_every_format_shows_it(make_league, make_row) -> None:
    """
    JSON, CSV and GitHub tables always.
    """
    table = table_of(make_league("bid", "a b", sets=1), make_row)
    expected = [("a", 6, 2, 4, 2, 1), ("b", 0, 0, 0, 1, 3)]

    rows = json.loads(render(table, "json"))["rows"]
    assert expected == sorted(tuple(row[key] for key in KEYS) for row in rows)
    lines = csv.DictReader(io.StringIO(render(table, "csv"), newline=""))
    assert [tuple(map(str, each)) for each in expected] == sorted(
        tuple(line[key] for key in KEYS) for line in lines
    )
    github = [line.split("|") for line in render(table, "github").split("\n\n")[1].splitlines()]
    head, _, *body = ([cell.strip() for cell in line] for line in github)
    place = head.index("reneges tried")
    assert ["reneges tried", "unpunished", "challenges right", "wrong", ""] == head[place:]
    assert {"A": ["6", "4", "2", "1", ""], "B": ["0", "0", "1", "3", ""]} == {
        line[3]: line[place:] for line in body
    }
    assert "tried" not in render(table)


def test_the_plain_table_in_challenge_mode(make_league, make_row) -> None:
    """
    A table of its own, within 80 columns also for names of eight and large numbers.
    """
    league = make_league("bid", "a b", sets=1, rules=CHALLENGE)
    lines = render(table_of(league, make_row)).splitlines()
    place = next(number for number, line in enumerate(lines) if line.startswith("bot reneges"))

    assert [
        "bot reneges tried caught unpunished challenges right wrong",
        "----------------------------------------------------------",
        "A               6      2          4                2     1",
        "B               0      0          0                1     3",
        "",
        "Reneges caught were penalised; unpunished ones stood, and nobody challenged them",
        "  rightly. Challenges right were upheld, wrong ones false; void ones are not",
        "  counted.",
    ] == lines[place : place + 8]

    rows = [
        make_row(each, 32, 10, watch=Watch((99_999,) * 4, (99_999,) * 4, (9_999,) * 4))
        for each in fixtures(league)
    ]
    bots = [("a", "Eightabc"), ("b", "Eightdef" * 4)]
    tally = Tally.of(league, rows)
    text = render(standings(league, bots, tally, run=1, commitment="c" * 64, seeded=False))
    assert max(map(len, text.splitlines())) <= 80
    assert 4 == text.count("Eightabc")
