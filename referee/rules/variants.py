"""
The games and their variants: two lists, and nothing that depends on what is in them.

A further game is one file with its rules, its deal and its sheet, and its lines here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from referee.errors import ConfigError
from referee.rules.bid import BidDeal
from referee.rules.bid_sheet import bid_sheet
from referee.rules.buck import BuckDeal
from referee.rules.buck_sheet import buck_sheet
from referee.rules.options import BidRules, BuckRules, Rules

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from referee.rules.deal import Deal
    from referee.rules.points import Section


class GameType(NamedTuple):
    """
    A game that can be played here.
    """

    title: str
    """What people call it."""
    rules: type[Rules]
    deal: type[Deal]
    sheet: Callable[[Any], tuple[Section, ...]]
    """From such rules to their sheet."""


class Variant(NamedTuple):
    """
    A game with its options.
    """

    name: str
    rules: Rules
    about: str
    """What is different, in a few words."""

    @property
    def game(self) -> str:
        """
        Name of the game.
        """
        return self.rules.game


GAMES: Mapping[str, GameType] = {
    "bid": GameType("Bid Euchre", BidRules, BidDeal, bid_sheet),
    "buck": GameType("Buck Euchre", BuckRules, BuckDeal, buck_sheet),
}
"""Every game, by the name that scenarios and league files use."""


def _variant(name: str, about: str, **options: Any) -> tuple[str, Variant]:
    rules = GAMES[name.partition("/")[0]].rules.from_options(options)
    return name, Variant(name, rules, about)


VARIANTS: Mapping[str, Variant] = dict(
    (
        _variant("bid/standard", "teams of two, first to 32"),
        _variant("bid/stick-the-dealer", "no redeals by passing (B49)", stick_the_dealer=True),
        _variant("bid/ace-no-face", "such a hand may be claimed (B50)", ace_no_face=True),
        _variant("bid/joker", "25 cards, the Joker is the highest trump (B51)", joker=True),
        _variant("bid/double-deck", "48 cards, twelve tricks (B52)", double_deck=True),
        _variant("buck/standard", "four for themselves, from 25 to zero"),
    )
)
"""Every variant, by name."""


def find_variant(name: str) -> Variant:
    """
    Return the variant called *name*.

    Raises:
        ConfigError: There is none; the error lists the names.
    """
    if name not in VARIANTS:
        raise ConfigError(f"there is no variant {name!r}", hint=f"there are {', '.join(VARIANTS)}")
    return VARIANTS[name]
