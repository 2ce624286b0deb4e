"""
Records: they replay to themselves, and no part of one can be changed unseen.
"""

from __future__ import annotations

import copy
import json
import random

import pytest

from referee.cards import CARDS
from referee.errors import RecordError
from referee.opening import open_table
from referee.replay import check, differences
from referee.rules.actions import Answer, Challenge, LastCall, Play
from referee.rules.deal import Phase
from referee.rules.judge import Code
from referee.rules.options import BidRules, BuckRules
from referee.seats import SEATS

SECRET = bytes(range(32))


def play(rng: random.Random, options: dict, *, buck: bool, disguise: int = 0) -> dict:
    """
    Play a game at random, with a wrong answer now and then; return its record.
    """
    rules = (BuckRules if buck else BidRules).from_options({"max_hands": 6, **options})
    table = open_table(
        rules, SECRET, f"set {rng.random()}", disguise=disguise, seats=("a", "b", "c", "d")
    )
    table.start()
    while (question := table.question) is not None:
        action = rng.choice(question.legal)
        chance = rng.random()
        if chance < 0.02:
            table.answer(rng.choice([Code.TIMEOUT, Code.UNREADABLE]))
        elif chance < 0.023:
            table.answer(Code.GONE, abandoned=rng.random() < 0.3)
        elif chance < 0.1 and question.phase is Phase.PLAY:
            challenges = (Challenge(rng.choice(SEATS), rng.randrange(4)),)
            table.answer(Answer(Play(rng.choice(CARDS)), challenges))
        elif chance < 0.03:
            table.answer(Answer(LastCall()))
        else:
            table.answer(Answer(action))
    return json.loads(json.dumps(table.record.to_json()))


def some_games(seed: int, count: int) -> list[dict]:
    """
    Records of both games in all modes.
    """
    rng = random.Random(seed)
    games = []
    for _ in range(count):
        buck = rng.random() < 0.4
        options = {"renege_mode": rng.choice(["reject", "stand", "challenge"])}
        if not buck:
            options |= {"joker": rng.random() < 0.3, "ace_no_face": rng.random() < 0.5}
        games.append(play(rng, options, buck=buck, disguise=0 if buck else rng.randrange(8)))
    return games


@pytest.mark.slow
def test_every_game_replays_to_itself() -> None:
    """
    200 games with reneges, challenges, faults and forfeits.
    """
    for record in some_games(1, 200):
        check(record, SECRET, faults_to_forfeit=3)


def leaves(value, path=()):
    """
    Yield the path of each value in *value* that holds no other.
    """
    if isinstance(value, dict | list) and value:
        items = value.items() if isinstance(value, dict) else enumerate(value)
        for key, inner in items:
            yield from leaves(inner, (*path, key))
    else:
        yield path


def mutate(rng: random.Random, record: dict) -> dict:
    """
    Change one value of *record*, to another of its kind where that can be.
    """
    path = rng.choice(list(leaves(record)))
    changed = copy.deepcopy(record)
    place = changed
    for key in path[:-1]:
        place = place[key]
    old = place[path[-1]]
    if isinstance(old, bool):
        new = not old
    elif isinstance(old, int):
        new = old + rng.choice([-1, 1])
    elif isinstance(old, str):
        new = rng.choice([old + "x", old.replace("E", "W").replace("9", "T"), ""])
    else:
        new = 1 if old is None else [7]
    place[path[-1]] = new
    return changed


@pytest.mark.slow
def test_no_single_change_goes_unseen() -> None:
    """
    1,500 mutations of one value each: every one is refused.
    """
    rng = random.Random(2)
    games = some_games(3, 30)
    seen = 0
    while seen < 1500:
        record = rng.choice(games)
        changed = mutate(rng, record)
        if changed == record:
            continue
        seen += 1
        with pytest.raises(RecordError):
            check(changed, SECRET, faults_to_forfeit=3)


def test_another_secret_gives_other_decks() -> None:
    """
    A record cannot be verified with a secret that is not the league's.
    """
    (record,) = some_games(4, 1)
    with pytest.raises(RecordError):
        check(record, bytes(32), faults_to_forfeit=3)


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"schema": 2}, "schema"),
        ({"game": "skat"}, "game"),
        ({"rules": {"target": 0}}, "target"),
        ({"sitting": True}, "sitting"),
        ({"disguise": 8}, "disguise"),
        ({"deals": []}, "end before"),
        ({"deals": 3}, "not a record"),
        ({"seats": [1, 2, 3, 4]}, "seats"),
    ],
)
def test_what_is_no_record_is_refused(change: dict, says: str) -> None:
    """
    The error says what is wrong.
    """
    (record,) = some_games(5, 1)
    with pytest.raises(RecordError, match=says):
        check({**record, **change}, SECRET, faults_to_forfeit=3)


def test_differences_name_the_place() -> None:
    """
    Places are paths; missing keys, lengths and types count.
    """
    stored = {"a": [1, {"b": True}], "c": 1}
    derived = {"a": [1, {"b": 1}, 2], "d": 1}

    assert [
        ("a[1].b", True, 1),
        ("a.length", 2, 3),
        ("c", 1, "nothing"),
        ("d", "nothing", 1),
    ] == list(differences(stored, derived))
