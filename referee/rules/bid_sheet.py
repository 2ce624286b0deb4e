"""
The rule sheet of Bid Euchre.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from referee.rules.options import AskGiftRule, BothOverTarget, JokerDiscard, SetPenalty
from referee.rules.points import Point, Section, count, renege_points

if TYPE_CHECKING:
    from referee.rules.options import BidRules


def bid_sheet(rules: BidRules) -> tuple[Section, ...]:
    """
    Return the whole game as *rules* play it, in play order.
    """
    return (
        Section("The game", _game(rules)),
        Section("The deal", _deal(rules)),
        Section("The auction", _auction(rules)),
        Section("Trump and the exchange", _trump(rules)),
        Section("Play", _play(rules)),
        Section("Reneges", _reneges(rules)),
        Section("Score", _score(rules)),
        Section("The end", _end(rules)),
    )


def _game(rules: BidRules) -> tuple[Point, ...]:
    return (
        Point("Four players in two teams: North and South against East and West."),
        Point(f"The first team with {count(rules.target, 'point')} wins.", ("target",)),
    )


def _deal(rules: BidRules) -> tuple[Point, ...]:
    n = rules.tricks
    copies = "two of each card" if rules.double_deck else "one of each card"
    points = [
        Point(
            f"{48 if rules.double_deck else 24} cards, {copies}, nine to ace. The dealer deals "
            f"{n} to each, one at a time, beginning at the left.",
            ("double_deck",),
        )
    ]
    if rules.joker:
        when = (
            "before the auction"
            if rules.joker_discard is JokerDiscard.BEFORE_AUCTION
            else "directly after trump is named, whatever the contract"
        )
        points.append(
            Point(
                "There is a Joker too. The last card goes to the dealer, who holds one card too "
                f"many and discards one, any one, face down {when}.",
                ("joker", "joker_discard"),
            )
        )
    if rules.ace_no_face:
        points.append(
            Point(
                "Ace No Face: a player dealt an ace, no jack, queen or king, and no Joker may "
                "claim the hand, before anything else. Those who can are asked in turn from the "
                "dealer's left. The hand is shown and the deal passes to the left.",
                ("ace_no_face",),
            )
        )
    first = rules.first_dealer
    who = "is drawn with the cards" if first is None else f"is {first.name.capitalize()}"
    points.append(
        Point(f"The first dealer {who}; after each deal it is the next.", ("first_dealer",))
    )
    return tuple(points)


def _auction(rules: BidRules) -> tuple[Point, ...]:
    n = rules.tricks
    last = n if rules.plain_all_bid else n - 1
    if rules.min_bid < last:
        numbers = f"the numbers {rules.min_bid} to {last} (tricks of the team), then "
    elif rules.min_bid == last:
        numbers = f"the number {last} (tricks of the team), then "
    else:
        numbers = ""
    points = [
        Point(
            "From the dealer's left each player once bids higher than anybody before, or passes. "
            "Jumps are allowed, and so is bidding over one's partner."
        ),
        Point(
            f"The bids, rising: {numbers}an ask, then a moon. An ask and a moon are for all {n} "
            "tricks, alone: in an ask with a card of the partner's, in a moon without help.",
            ("min_bid", "plain_all_bid", "double_deck"),
        ),
    ]
    if not rules.moon_outbids_ask:
        points.append(
            Point(
                "An ask and a moon rank equal: neither is bid over the other.",
                ("moon_outbids_ask",),
            )
        )
    points.append(Point("The auction is over at once when no higher bid is left."))
    if rules.stick_the_dealer:
        points.append(
            Point(
                "Stick the dealer: after three passes the dealer must bid.", ("stick_the_dealer",)
            )
        )
    else:
        points.append(
            Point(
                "If all four pass there is no score, and the deal passes to the left.",
                ("stick_the_dealer",),
            )
        )
    return tuple(points)


def _trump(rules: BidRules) -> tuple[Point, ...]:
    highest = "Joker, " if rules.joker else ""
    gift = (
        "the highest trump held, or any card without a trump"
        if rules.ask_gift_rule is AskGiftRule.BEST_TRUMP
        else "any card"
    )
    return (
        Point("The highest bidder names one of the four suits as trump."),
        Point(
            f"Trump, from the top: {highest}jack of trump, jack of the other suit of its colour "
            "(which belongs to trump), ace, king, queen, ten, nine. Other suits: ace, king, "
            "queen, jack, ten, nine.",
            ("joker",),
        ),
        Point(
            "After an ask the bidder gives the partner a card, face down, and the partner, "
            f"without having seen it, gives {gift}. Both must give.",
            ("ask_gift_rule",),
        ),
        Point("After an ask or a moon the partner sits out."),
    )


def _play(rules: BidRules) -> tuple[Point, ...]:
    points = [
        Point("The bidder leads to the first trick, any card. The winner of a trick leads next."),
        Point("Follow the suit led if you can, else play any card."),
        Point("The highest trump takes the trick, else the highest card of the suit led."),
    ]
    if rules.double_deck:
        points.append(Point("Of two equal cards the first played is higher.", ("double_deck",)))
    points.append(Point("All tricks are played."))
    return tuple(points)


def _reneges(rules: BidRules) -> tuple[Point, ...]:
    return renege_points(
        rules.renege_mode,
        rules.renege_penalty,
        rules.false_challenge_penalty,
        to_whom="off the score of the team",
    )


def _score(rules: BidRules) -> tuple[Point, ...]:
    n = rules.tricks
    lost = f"{n} for an ask or a moon"
    if rules.set_penalty is SetPenalty.STAKE:
        lost = f"{rules.ask_made} for an ask, {rules.moon_made} for a moon"
    keeps = "and still scores its tricks" if rules.set_bidders_keep_tricks else "and no tricks"
    return (
        Point("A bid of a number is made with that many tricks of the team: a point a trick."),
        Point(f"An ask that is made: {rules.ask_made} points.", ("ask_made", "double_deck")),
        Point(f"A moon that is made: {rules.moon_made} points.", ("moon_made", "double_deck")),
        Point(
            f"A team that does not make its bid loses the bid ({lost}), {keeps}.",
            ("set_penalty", "set_bidders_keep_tricks", "double_deck"),
        ),
        Point("The other team always scores a point a trick. Scores may fall below zero."),
    )


def _end(rules: BidRules) -> tuple[Point, ...]:
    both = "the higher score wins; with equal scores another deal is played"
    if rules.both_over_target is BothOverTarget.BIDDERS_FIRST:
        both = "the bidding team wins, with equal scores too"
    points = [
        Point(
            f"After each scored deal: a team with {rules.target} or more wins. If both have, "
            f"{both}.",
            ("target", "both_over_target"),
        )
    ]
    limits = (
        ("max_consecutive_redeals", rules.max_consecutive_redeals, "redeal", " in a row"),
        ("max_hands", rules.max_hands, "scored deal", ""),
    )
    for name, limit, what, how in limits:
        text = f"There is no limit of {what}s{how}."
        if limit is not None:
            text = (
                f"After {count(limit, what)}{how} the higher score wins; equal scores are a draw."
            )
        points.append(Point(text, (name,)))
    return tuple(points)
