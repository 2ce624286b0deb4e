"""
The vectors notice every small mistake that a bot in another language could make.
"""

from __future__ import annotations

import pytest
import strategy_vectors

SOURCE = (strategy_vectors.VECTORS.parents[2] / "sample_bots" / "python" / "simple.py").read_text()
MISTAKES = {
    "no left bower": ("card == JOKER or left", "card == JOKER"),
    "no Joker among trumps": ("card == JOKER or left", "left"),
    "a weak Joker": ("return 29", "return 20"),
    "bowers the wrong way round": ("28 if", "26.5 if"),
    "the lowest of equals is the last": ("return min(cards,", "return min(cards[::-1],"),
    "the best suit of equals is the last": ("return max(suits,", "return max(suits[::-1],"),
    "worthless aces": ("else 6 for", "else 5 for"),
    "worthy kings": ("if each >= 6)", "if each >= 5)"),
    "cheaper trumps": ("each - 18", "each - 19"),
    "not a discard of the lowest": ("lowest(ask.joker_discard", "highest(ask.joker_discard"),
    "not the lowest for the partner": ("lowest(ask.ask_give", "highest(ask.ask_give"),
    "not the highest for the bidder": ("highest(ask.ask_gift", "lowest(ask.ask_gift"),
    "another discard of the dealer": ("lowest(ask.dealer_discard", "highest(ask.dealer_discard"),
    "never claims": ("return True", "return False"),
    "asks for less": ("BID_ASK: 7 *", "BID_ASK: 6 *"),
    "asks for more": ("BID_ASK: 7 * size", "BID_ASK: 7 * size + 1"),
    "shoots for less": ("BID_MOON: 8 *", "BID_MOON: 7 *"),
    "shoots for more": ("BID_MOON: 8 *", "BID_MOON: 9 *"),
    "bids more": ("- 2 * size", "- 2 * size - 1"),
    "bids less": ("- 2 * size", "- 2 * size + 1"),
    "counts six cards": ("size = len(hand)", "size = 6"),
    "bids the least": ("said = bid\n", "said = bid\n                break\n"),
    "leads the lowest": (
        "return highest(legal, trump)\n        trick",
        "return lowest(legal, trump)\n        trick",
    ),
    "always leads": ("or public.tricks[-1].winner", "or True"),
    "ties go to the last": (
        "reach.index(max(reach))",
        "len(reach) - 1 - reach[::-1].index(max(reach))",
    ),
    "beats equal cards": ("> reach[top]]", ">= reach[top]]"),
    "takes from the partner": ("if public.contract.bid and", "if False and"),
    "has partners in Buck": ("if public.contract.bid and", "if"),
    "wins dearly": ("return lowest(winners or legal", "return highest(winners or legal"),
    "discards cannot lose": ("in (led, trump) else 0", "in (led, trump) else power(card, trump)"),
    "orders on less": ("turn_up)) >= ORDER", "turn_up)) >= ORDER - 1"),
    "orders on more": ("turn_up)) >= ORDER", "turn_up)) > ORDER"),
    "names on less": ("named) >= ORDER", "named) >= ORDER - 1"),
    "names on more": ("named) >= ORDER", "named) > ORDER"),
    "drops alone": ("len(public.participants) > 1 and ", ""),
    "drops on more": ("public.trump) < STAY", "public.trump) <= STAY"),
    "drops on less": ("public.trump) < STAY", "public.trump) < STAY - 2"),
}


VECTORS = strategy_vectors.read()


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_is_noticed(mistake: str) -> None:
    """
    With one line of the strategy changed, some answer differs.
    """
    right, wrong = MISTAKES[mistake]
    assert 1 == SOURCE.count(right)
    names: dict[str, object] = {"__name__": "mutant"}
    exec(SOURCE.replace(right, wrong), names)  # noqa: S102  (our own source, with one change)
    bot = names["Simple"]()  # type: ignore[operator]
    assert any(said != strategy_vectors.answered(ask, bot) for _, ask, said in VECTORS)
