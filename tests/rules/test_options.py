"""
Options: defaults, ranges, and strict reading.
"""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

import pytest

from referee.errors import ConfigError
from referee.rules.options import BidRules, BothAtZero, BuckRules, RenegeMode, Rules, SetMode
from referee.rules.sheet import rule_sheet
from referee.rules.variants import GAMES, VARIANTS, find_variant
from referee.seats import Seat

BID_DEFAULTS = {
    "target": 32,
    "min_bid": 3,
    "moon_outbids_ask": True,
    "plain_all_bid": False,
    "ask_gift_rule": "best_trump",
    "ask_made": 12,
    "moon_made": 24,
    "set_penalty": "bid",
    "set_bidders_keep_tricks": False,
    "both_over_target": "higher_score",
    "renege_penalty": 2,
    "renege_mode": "reject",
    "false_challenge_penalty": 2,
    "stick_the_dealer": False,
    "ace_no_face": False,
    "joker": False,
    "joker_discard": "before_auction",
    "double_deck": False,
    "first_dealer": None,
    "max_consecutive_redeals": 100,
    "max_hands": 500,
}
BUCK_DEFAULTS = {
    "start_score": 25,
    "club_dealer_picks_up": False,
    "allow_turned_down_suit": False,
    "no_trump_drop_allowed": True,
    "caller_may_drop": False,
    "set_mode": "flat",
    "sweep_requires_opponent": True,
    "both_at_zero": "lowest_then_extra_hand",
    "renege_penalty": 2,
    "renege_mode": "reject",
    "false_challenge_penalty": 2,
    "first_dealer": None,
    "max_hands": 500,
}
OTHER: dict[type[Rules], dict[str, Any]] = {
    BidRules: {
        "target": 1,
        "min_bid": 6,
        "moon_outbids_ask": False,
        "plain_all_bid": True,
        "ask_gift_rule": "free",
        "ask_made": 0,
        "moon_made": 1_000_000,
        "set_penalty": "stake",
        "set_bidders_keep_tricks": True,
        "both_over_target": "bidders_first",
        "renege_penalty": 0,
        "renege_mode": "stand",
        "false_challenge_penalty": 0,
        "stick_the_dealer": True,
        "ace_no_face": True,
        "joker": True,
        "joker_discard": "after_trump",
        "double_deck": True,
        "first_dealer": "W",
        "max_consecutive_redeals": None,
        "max_hands": 1,
    },
    BuckRules: {
        "start_score": 1,
        "club_dealer_picks_up": True,
        "allow_turned_down_suit": True,
        "no_trump_drop_allowed": False,
        "caller_may_drop": True,
        "set_mode": "additive-stack",
        "sweep_requires_opponent": False,
        "both_at_zero": "shared",
        "renege_penalty": 0,
        "renege_mode": "challenge",
        "false_challenge_penalty": 1,
        "first_dealer": "N",
        "max_hands": None,
    },
}


@pytest.mark.parametrize(
    ("rules", "defaults"), [(BidRules, BID_DEFAULTS), (BuckRules, BUCK_DEFAULTS)]
)
def test_defaults(rules: type[Rules], defaults: dict[str, Any]) -> None:
    """
    Every option of 7.1 is there, in that order, with the default of 2.1 and 3.1.
    """
    assert list(defaults.items()) == list(rules().options(every=True).items())
    assert {} == rules().options()
    assert rules() == rules.from_options({}) == rules.from_options(defaults)


@pytest.mark.parametrize("rules", OTHER)
def test_round_trip(rules: type[Rules]) -> None:
    """
    Options come back as they were read, each alone and all together.
    """
    other = OTHER[rules]
    assert set(rules().options(every=True)) == set(other)

    for name, value in other.items():
        assert {name: value} == rules.from_options({name: value}).options()
    assert other == rules.from_options(other).options()
    assert hash(rules.from_options(other)) == hash(rules.from_options(other))


@pytest.mark.parametrize("rules", OTHER)
def test_the_sheet_marks_what_differs(rules: type[Rules]) -> None:
    """
    Whatever differs is listed, marked, and 80 columns wide; by default nothing is marked.
    """
    plain = rule_sheet(rules())
    assert "*" not in plain
    assert "All have their defaults." in plain
    for options in ({name: value} for name, value in OTHER[rules].items()):
        sheet = rule_sheet(rules.from_options(options))
        (name,) = options
        assert re.search(rf"^ \* {name} = .* \(default .*\)$", sheet, re.MULTILINE)
        assert max(map(len, sheet.splitlines())) <= 80
        if name not in ("joker_discard", "false_challenge_penalty"):  # no effect when alone
            marked = sheet.partition("Options\n")[0]
            assert re.search(r"^ \* ", marked, re.MULTILINE), name
            assert marked != plain.partition("Options\n")[0], name
    everything = rule_sheet(rules.from_options(OTHER[rules]))
    assert max(map(len, everything.splitlines())) <= 80


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"min_bid": 4}, "rising: the numbers 4 to 5 (tricks of the team), then an ask"),
        ({"min_bid": 5}, "rising: the number 5 (tricks of the team), then an ask"),
        ({"min_bid": 6}, "rising: an ask, then a moon"),
        ({"min_bid": 6, "plain_all_bid": True}, "rising: the number 6 (tricks"),
    ],
)
def test_the_sheet_says_what_can_be_bid(options: dict[str, Any], words: str) -> None:
    """
    However many numbers there are.
    """
    assert words in " ".join(rule_sheet(BidRules.from_options(options)).replace("*", "").split())


def test_stakes_go_by_the_deck() -> None:
    """
    Left out, `ask_made` and `moon_made` are 2n and 4n (7.5/12).
    """
    rules = BidRules.from_options({"double_deck": True})

    assert (24, 48, 12) == (rules.ask_made, rules.moon_made, rules.tricks)
    assert {"double_deck": True} == rules.options()
    assert {"double_deck": True, "ask_made": 12} == BidRules(
        double_deck=True, ask_made=12
    ).options()


def test_toml() -> None:
    """
    TOML has no null, so "none" stands for it (7.5/10).
    """
    options = tomllib.loads('max_hands = "none"\nfirst_dealer = "none"\ntarget = 15')

    assert {"target": 15, "max_hands": None} == BidRules.from_options(options).options()


BAD: list[tuple[type[Rules], str, Any]] = [
    *((BidRules, "target", value) for value in (0, -1, 1_000_001, 1.5, "32", None, True, "none")),
    *((BidRules, "min_bid", value) for value in (0, 7, 13, None)),
    *((BidRules, "ask_made", value) for value in (-1, None, "none")),
    *((BidRules, "renege_penalty", value) for value in (-1, None)),
    *((BidRules, "max_hands", value) for value in (0, True, "all", 1.0)),
    *((BidRules, "max_consecutive_redeals", value) for value in (0, False)),
    *((BidRules, "renege_mode", value) for value in ("forfeit_hand", "Reject", None, 1, ["stand"])),
    *((BidRules, "joker", value) for value in (1, "true", None)),
    *((BidRules, "first_dealer", value) for value in ("n", 0, "NS", True)),
    *((BidRules, name, None) for name in ("start_score", "auction", "Target", "bidding_starts")),
    *((BuckRules, name, True) for name in ("joker", "target", "all_dropped")),
    (BuckRules, "max_consecutive_redeals", 100),
    (BuckRules, "start_score", 0),
    (BuckRules, "set_mode", "additive_stack"),
    (BuckRules, "both_at_zero", "lowest"),
]  # fmt: skip


@pytest.mark.parametrize(("rules", "name", "value"), BAD)
def test_bad_options(rules: type[Rules], name: str, value: Any) -> None:
    """
    An unknown option, a bad value and an impossible combination are refused by name.
    """
    with pytest.raises(ConfigError) as caught:
        rules.from_options({name: value})
    assert f"rules.{name}" == caught.value.key

    with pytest.raises(ConfigError) as caught:
        rules.from_options({name: value}, path="league.toml", place="tables[2].rules")
    assert ("league.toml", f"tables[2].rules.{name}") == (caught.value.path, caught.value.key)
    assert str(caught.value).startswith(f"league.toml: tables[2].rules.{name}: ")


@pytest.mark.parametrize(
    "values",
    [
        {"set_penalty": "stake"},
        {"target": True},
        {"target": "32"},
        {"joker": 1},
        {"first_dealer": 2},
        {"min_bid": 7},
        {"target": 0},
        {"max_hands": 0},
    ],
)
def test_bad_values_in_code(values: dict[str, Any]) -> None:
    """
    Rules made in code are checked like rules that are read.
    """
    with pytest.raises(ConfigError) as caught:
        BidRules(**values)

    assert f"rules.{next(iter(values))}" == caught.value.key


def test_min_bid_goes_with_the_deck() -> None:
    """
    Bids of 7 to 12 need the double deck.
    """
    assert 12 == BidRules(min_bid=12, double_deck=True).min_bid


def test_what_has_no_effect_is_accepted() -> None:
    """
    An option without effect beside another is no error (7.5/13).
    """
    BidRules.from_options({"joker_discard": "after_trump", "false_challenge_penalty": 9})


def test_names_of_values() -> None:
    """
    Choices have the words of the rules as values.
    """
    assert ["reject", "stand", "challenge"] == list(RenegeMode)
    assert ["flat", "additive", "additive-stack"] == list(SetMode)
    assert ["lowest_then_extra_hand", "caller_first", "seat_order", "shared"] == list(BothAtZero)


def test_the_protocol_has_every_option() -> None:
    """
    The messages of rules.proto have a field for each option, in the same order.
    """
    proto = (Path(__file__).parents[2] / "protos/euchre/referee/v1/rules.proto").read_text()
    for name, game in GAMES.items():
        message = proto.partition(f"message {name.capitalize()}Rules {{")[2].partition("}")[0]
        fields = re.findall(r"^  (?:optional )?\w+ (\w+) = \d+;", message, re.MULTILINE)
        assert list(game.rules().options(every=True)) == fields


def test_variants() -> None:
    """
    There is a standard variant of each game and one of each alternative of the articles.
    """
    assert [
        "bid/standard", "bid/stick-the-dealer", "bid/ace-no-face", "bid/joker", "bid/double-deck",
        "buck/standard",
    ] == list(VARIANTS)  # fmt: skip
    for name, variant in VARIANTS.items():
        assert variant is find_variant(name)
        assert (name, name.partition("/")[0]) == (variant.name, variant.game)
        assert name.endswith("standard") == (variant.rules.options() == {})


def test_an_unknown_variant() -> None:
    """
    An unknown name is an error that lists the names.
    """
    with pytest.raises(ConfigError, match=r"bid/standard.*buck/standard"):
        find_variant("bid/hasenpfeffer")


def test_seats_are_read_as_letters() -> None:
    """
    `first_dealer` is N, E, S or W.
    """
    assert Seat.SOUTH is BuckRules.from_options({"first_dealer": "S"}).first_dealer
