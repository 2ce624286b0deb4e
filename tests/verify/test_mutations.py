"""
No single change of an export goes unseen, wherever it is and whatever it is.
"""

from __future__ import annotations

import copy
import hashlib
import json
import random

import pytest

from referee.errors import RecordError
from referee.record import digest
from tournaments.verifying import verify_lines

pytestmark = pytest.mark.slow


def places(value, path=()):
    """
    Yield the path of every value in *value*, itself included.
    """
    yield path
    if isinstance(value, dict | list):
        items = value.items() if isinstance(value, dict) else enumerate(value)
        for key, inner in items:
            yield from places(inner, (*path, key))


def at(value, path):
    """
    Return what stands at *path*.
    """
    for key in path:
        value = value[key]
    return value


def another(rng, old):
    """
    Return another value, mostly of the same kind.
    """
    if rng.random() < 0.1:
        return rng.choice([None, True, 0, 1.5, "x", [], {}, [[]], -1, 10**30])
    if isinstance(old, bool):
        return not old
    if isinstance(old, int):
        return rng.choice([old + 1, old - 1, float(old), str(old), -old, bool(old)])
    if isinstance(old, float):
        return rng.choice([old + 1e-6, -old, int(old)])
    if isinstance(old, str):
        cut = rng.randrange(len(old) + 1)
        letter = chr(rng.choice([*range(32, 127), 0x301, 0xD800]))
        return rng.choice([old[:cut] + letter + old[cut:], old[:cut] + old[cut + 1 :], old[::-1]])
    return rng.choice([0, "x", None, True])


def mutate_value(rng, value):
    """
    Change one thing in *value*: a value, a key, or an item of a list.
    """
    path = rng.choice(list(places(value)))
    here = at(value, path)
    if isinstance(here, dict) and here and rng.random() < 0.5:
        if rng.random() < 0.5:
            del here[rng.choice(list(here))]
        else:
            here["more"] = rng.choice([None, 1, "x"])
    elif isinstance(here, list) and here and rng.random() < 0.7:
        place = rng.randrange(len(here))
        rng.choice(
            [
                lambda: here.pop(place),
                lambda: here.insert(place, copy.deepcopy(here[place])),
                lambda: here.append(copy.deepcopy(here[place])),
                here.reverse,
            ]
        )()
    elif path:
        at(value, path[:-1])[path[-1]] = another(rng, here)


def mutate_lines(rng, lines):
    """
    Drop, repeat, exchange or spoil one line.
    """
    place, other = rng.sample(range(len(lines)), 2)
    lines = list(lines)
    kind = rng.randrange(5)
    if kind == 0:
        del lines[place]
    elif kind == 1:
        lines.insert(other, lines[place])
    elif kind == 2:
        lines[place], lines[other] = lines[other], lines[place]
    elif kind == 3:
        lines[place] = lines[place][: rng.randrange(len(lines[place]))]
    else:
        lines.insert(place, "")
    return lines


def mutate(rng, lines):
    """
    Return an export in which one thing is changed.
    """
    if rng.random() < 0.1:
        return mutate_lines(rng, lines)
    # The header and the footer are two lines of many, and have most of the keys.
    place = rng.choice([0, len(lines) - 1, rng.randrange(len(lines)), rng.randrange(len(lines))])
    value = json.loads(lines[place])
    mutate_value(rng, value)
    return [*lines[:place], json.dumps(value), *lines[place + 1 :]]


def canonical(lines):
    """
    What *lines* say, whatever they look like.
    """
    said = []
    for line in lines:
        try:
            said.append(json.dumps(json.loads(line), sort_keys=True))
        except ValueError:
            said.append(line)
    return said


@pytest.mark.parametrize(
    ("game", "mode", "count"),
    [("bid", "challenge", 1200), ("bid", "reject", 400), ("buck", "stand", 600)],
)
def test_no_single_change_goes_unseen(play, game, mode, count):
    """
    2,200 changes of one thing each, in the header, the games and the footer: all refused.
    """
    rng = random.Random(f"{game} {mode}")
    lines = play(game, mode, sets=2, hands=2, seed="s", void=(1, 20)).lines()
    verify_lines(lines)
    honest = canonical(lines)
    seen = 0
    while seen < count:
        changed = mutate(rng, lines)
        if canonical(changed) == honest:
            continue
        seen += 1
        try:
            found = verify_lines(changed)
        except RecordError:
            continue
        pytest.fail(f"{found}: {[c for c, h in zip(changed, honest, strict=False) if c != h]}")


def reseal(lines):
    """
    Make all digests right again, as a forger would.
    """
    values = [json.loads(line) for line in lines]
    header, *games, footer = values
    hashed = hashlib.sha256()
    for game in games:
        seal(game["record"])
        hashed.update(bytes.fromhex(game["record"]["digest"]))
    footer["games_sha256"] = hashed.hexdigest()
    seal(header)
    seal(footer)
    return [json.dumps(value) for value in values]


def seal(value):
    """
    Give *value* the digest that it should have.
    """
    value.pop("digest", None)
    value["digest"] = digest(value)


FREE = {"started", "finished", "run", "instances"}
"""What follows from nothing, so that only a digest holds it."""


@pytest.mark.parametrize("game", ["bid", "buck"])
def test_digests_are_not_what_holds_a_run(play, game):
    """
    Who changes a value and makes all digests right again is found all the same.

    But for what no rule gives, and for answers: other answers are another game.
    """
    rng = random.Random(game)
    lines = play(game, "stand", sets=2, hands=2, rng=2, seed="s").lines()
    assert canonical(lines) == canonical(reseal(lines))
    seen = 0
    while seen < 300:
        place = rng.choice([0, len(lines) - 1, rng.randrange(len(lines))])
        value = json.loads(lines[place])
        path = rng.choice([each for each in places(value) if each])
        if FREE & set(path) or "answers" in path or "digest" in path[-1:]:
            continue
        at(value, path[:-1])[path[-1]] = new = another(rng, at(value, path))
        changed = [*lines[:place], json.dumps(value), *lines[place + 1 :]]
        if canonical(changed) == canonical(lines) or path == ("record",):
            continue
        changed = reseal(changed)
        if canonical(changed) == canonical(lines):
            continue
        seen += 1
        # Remarks in the league file and its other limits change no game.
        if path == ("text",) and isinstance(new, str):
            continue
        with pytest.raises(RecordError):
            verify_lines(changed)
