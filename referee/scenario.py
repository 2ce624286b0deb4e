"""
Adjudicates one deal: a scenario in, an answer out (rules.md 7.4, 7.5 C-F).

A scenario is plain JSON, portable between programs and languages. It is checked
as a whole before its first action is applied; what is malformed gets no ruling
but an error that names the place.
"""

from __future__ import annotations

import json
from collections import Counter
from typing import TYPE_CHECKING, Any, NamedTuple

from referee.errors import ConfigError, NotationError, ScenarioError
from referee.notation import cards_text, parse_cards, parse_line
from referee.rules.deal import Status
from referee.rules.judge import Code, judge
from referee.rules.options import RenegeMode
from referee.rules.variants import GAMES
from referee.seats import BY_LETTER, SEATS, Seat

if TYPE_CHECKING:
    from collections.abc import Iterable

    from referee.cards import Card
    from referee.notation import Line
    from referee.rules.deal import Deal
    from referee.rules.judge import Ruling
    from referee.rules.options import Rules

_KEYS = frozenset({"game", "rules", "scores", "dealer", "deck", "hands", "turn_up", "actions"})
_MOST = 1_000_000


class _Scenario(NamedTuple):
    """
    A scenario that has been read.
    """

    deal: Deal
    scores: list[int]
    """Points by side before the deal."""
    lines: list[Line]


def adjudicate_text(text: str) -> dict[str, Any]:
    """
    Adjudicate a scenario given as JSON text.

    Raises:
        ScenarioError: It is no JSON, has a key twice, or is malformed.
    """
    try:
        scenario = json.loads(text, object_pairs_hook=_unique, parse_constant=_no_constant)
    except (ValueError, RecursionError) as error:
        raise ScenarioError("scenario", f"is no JSON: {error}") from None
    return adjudicate(scenario)


def adjudicate(scenario: object) -> dict[str, Any]:
    """
    Apply the actions of *scenario* exactly as answers from bots, and say how the deal stands.

    Args:
        scenario: Plain values as `json.loads` makes them.

    Returns:
        Plain values, fit for JSON.

    Raises:
        ScenarioError: It is malformed; the error names the place.
    """
    deal, scores, lines = _read(scenario)
    rulings = []
    for index, (seat, answer) in enumerate(lines):
        if seat is not deal.to_act:
            rulings.append({"index": index, "seat": seat.letter, "ruling": "out_of_turn"})
        else:
            rulings += [ruling_row(index, ruling) for ruling in judge(deal, answer)]
    return _answer(deal, scores, rulings)


def ruling_row(index: int, ruling: Ruling) -> dict[str, Any]:
    """
    Return *ruling* in the form of rules.md 7.5/46: only the keys of its kind.
    """
    code = ruling.code
    row: dict[str, Any] = {"index": index, "seat": ruling.seat.letter, "ruling": code.value}
    if ruling.card is not None:
        row["card"] = ruling.card.code
    if ruling.challenged is not None:
        row["challenged"] = ruling.challenged.letter
        row["trick"] = ruling.trick
    if code in _PRICED:
        row["penalty"] = ruling.penalty
    if ruling.substitute is not None:
        row["substitute"] = str(ruling.substitute)
    return row


_PRICED = frozenset({Code.RENEGE, Code.STOOD, Code.UPHELD, Code.FALSE_CHALLENGE})


# -- the answer ------------------------------------------------------------


def _answer(deal: Deal, before: list[int], rulings: list[dict[str, Any]]) -> dict[str, Any]:
    scores = [score + change for score, change in zip(before, deal.changes, strict=True)]
    status, winner, ending = _end(deal, scores)
    over = status in ("redeal", "scored")
    answer = {
        "status": status,
        "to_act": _question(deal),
        "hands": {seat.letter: cards_text(deal.hands[seat]) for seat in SEATS},
        "trump": deal.trump and deal.trump.letter,
        "contract": _contract(deal),
        "tricks": [
            {
                "leader": trick.leader.letter,
                "cards": [
                    f"{seat.letter} {card.code}"
                    for seat, card in zip(trick.seats, trick.cards, strict=True)
                ],
                "winner": None if trick.winner is None else trick.winner.letter,
            }
            for trick in deal.tricks
        ],
        "taken": _by_side(deal, deal.taken),
        "rulings": rulings,
        "change": _by_side(deal, deal.changes),
        "scores": _by_side(deal, scores),
        "winner": winner,
        "ending": ending,
        "next_dealer": deal.dealer.left.letter if over else None,
    }
    if deal.drops:
        answer["in"] = [seat.letter for seat in deal.participants]
    return answer


def _by_side(deal: Deal, numbers: Iterable[int]) -> dict[str, int]:
    return dict(zip(deal.side_names, numbers, strict=True))


def _end(deal: Deal, scores: list[int]) -> tuple[str, str | list[str] | None, str | None]:
    """
    The status, the winner or winners, and the ending.
    """
    if deal.status is Status.OPEN:
        return "awaiting", None, None
    if deal.status is Status.REDEAL:
        return "redeal", None, None
    verdict = deal.verdict(scores, range(len(scores)))
    if verdict is None:
        return "scored", None, None
    names = [deal.side_names[side] for side in verdict.winners]
    return "game_over", names[0] if len(names) == 1 else names, verdict.ending.value


def _question(deal: Deal) -> dict[str, Any] | None:
    if deal.to_act is None or deal.phase is None:
        return None
    return {
        "seat": deal.to_act.letter,
        "phase": deal.phase.value,
        "legal": [str(action) for action in deal.legal],
    }


def _contract(deal: Deal) -> dict[str, str] | None:
    if deal.contract is None:
        return None
    seat, bid = deal.contract
    if bid is None:
        return {"seat": seat.letter}
    return {"seat": seat.letter, "bid": str(bid).removeprefix("bid ")}


# -- reading ---------------------------------------------------------------


def _read(scenario: object) -> _Scenario:
    if not isinstance(scenario, dict):
        raise ScenarioError("scenario", "must be an object")
    for key in scenario:
        if key not in _KEYS:
            raise ScenarioError(str(key), "unknown key")
    game = scenario.get("game")
    if not isinstance(game, str) or game not in GAMES:
        raise ScenarioError("game", f"must be one of {', '.join(GAMES)}")
    rules = _rules(game, scenario.get("rules", {}))
    dealer = scenario.get("dealer")
    if not isinstance(dealer, str) or dealer not in BY_LETTER:
        raise ScenarioError("dealer", "must be one of N, E, S, W")
    return _Scenario(
        _deal(rules, BY_LETTER[dealer], scenario),
        _scores(rules, scenario.get("scores", {})),
        _lines(rules, scenario.get("actions", [])),
    )


def _rules(game: str, options: object) -> Rules:
    if not isinstance(options, dict):
        raise ScenarioError("rules", "must be an object")
    try:
        return GAMES[game].rules.from_options(options, none_word=False)
    except ConfigError as error:
        raise ScenarioError(error.key, error.why) from None


def _scores(rules: Rules, given: object) -> list[int]:
    if not isinstance(given, dict):
        raise ScenarioError("scores", "must be an object")
    deal = GAMES[rules.game].deal
    scores = deal.first_scores(rules)
    for name, score in given.items():
        place = f"scores.{name}"
        if name not in deal.side_names:
            raise ScenarioError(place, f"must be one of {', '.join(deal.side_names)}")
        if type(score) is not int or not -_MOST <= score <= _MOST:
            raise ScenarioError(place, f"must be a whole number from {-_MOST} to {_MOST}")
        scores[deal.side_names.index(name)] = score
    return scores


def _lines(rules: Rules, given: object) -> list[Line]:
    if not isinstance(given, list):
        raise ScenarioError("actions", "must be a list")
    challenges = rules.renege_mode is RenegeMode.CHALLENGE
    lines = []
    for index, line in enumerate(given):
        if not isinstance(line, str):
            raise ScenarioError(f"actions[{index}]", "must be a string")
        try:
            lines.append(parse_line(line, rules.game, challenges=challenges))
        except NotationError as error:
            raise ScenarioError(f"actions[{index}]", str(error)) from None
    return lines


def _deal(rules: Rules, dealer: Seat, scenario: dict[str, object]) -> Deal:
    kind = GAMES[rules.game].deal
    left = Counter(kind.deck(rules))
    if "deck" in scenario:
        for other in ("hands", "turn_up"):
            if other in scenario:
                raise ScenarioError(other, "cannot stand beside deck")
        size = left.total()
        deck = _take("deck", scenario["deck"], left, size)
        return kind(rules, dealer, deck)
    if "hands" not in scenario:
        raise ScenarioError("deck", "is missing, and so are hands")
    hands = _hands(scenario["hands"], kind.hand_sizes(rules, dealer), left)
    if not kind.turns_up:
        if "turn_up" in scenario:
            raise ScenarioError("turn_up", "no card is turned up in this game")
        return kind.from_hands(rules, dealer, hands, None)
    if "turn_up" not in scenario:
        raise ScenarioError("turn_up", "is missing")
    (turn_up,) = _take("turn_up", scenario["turn_up"], left, 1)
    return kind.from_hands(rules, dealer, hands, turn_up)


def _hands(given: object, sizes: list[int], left: Counter[Card]) -> list[list[Card]]:
    if not isinstance(given, dict):
        raise ScenarioError("hands", "must be an object")
    for letter in given:
        if letter not in BY_LETTER:
            raise ScenarioError(f"hands.{letter}", "unknown seat")
    hands = []
    for seat in SEATS:
        place = f"hands.{seat}"
        if seat.letter not in given:
            raise ScenarioError(place, "is missing")
        hands.append(_take(place, given[seat.letter], left, sizes[seat]))
    return hands


def _take(place: str, text: object, left: Counter[Card], size: int) -> list[Card]:
    """
    Read *size* cards, and take them from what is *left* of the deck.
    """
    if not isinstance(text, str):
        raise ScenarioError(place, "must be a string of cards")
    try:
        cards = parse_cards(text)
    except NotationError as error:
        raise ScenarioError(place, str(error)) from None
    if len(cards) != size:
        raise ScenarioError(place, f"must have {size} card{'s' * (size > 1)}, has {len(cards)}")
    for card in cards:
        if card not in left:
            raise ScenarioError(place, f"unknown card {card.code!r}")
        if left[card] == 0:
            raise ScenarioError(place, f"{card} is there too often")
        left[card] -= 1
    return cards


def _unique(pairs: list[tuple[str, object]]) -> dict[str, object]:
    """
    Make an object of JSON whose keys stand once (7.5/26).
    """
    made = dict(pairs)
    if len(made) != len(pairs):
        twice = next(key for key, count in Counter(key for key, _ in pairs).items() if count > 1)
        raise ValueError(f"the key {twice!r} stands twice")
    return made


def _no_constant(name: str) -> object:
    raise ValueError(f"{name} is no number")
