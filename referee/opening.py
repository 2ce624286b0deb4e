"""
Opens a table from what a fixture says: rules, seating, and the key of its set.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from referee.record import GameRecord
from referee.rules.game import Game, deck_for
from referee.shuffle import disguised, first_dealer, key_of_set, shuffled
from referee.table import Table
from referee.view import DealViews

if TYPE_CHECKING:
    from referee.cards import Card
    from referee.rules.options import Rules


def open_table(
    rules: Rules,
    secret: bytes,
    set_id: str,
    *,
    sitting: int = 0,
    disguise: int = 0,
    seats: tuple[str, ...] = ("n", "e", "s", "w"),
    instances: tuple[str, ...] = ("1", "1", "1", "1"),
    faults_to_forfeit: int = 3,
    views: type[DealViews] = DealViews,
) -> Table:
    """
    Return a table that is ready to start.

    Args:
        rules: Of the game.
        secret: Of the league; with *set_id* it gives every deck (docs/shuffle.md).
        set_id: The set. All its sittings get the same decks and the same first dealer.
        sitting: Which sitting of the set, from 0.
        disguise: Which suits its decks wear, 0 to 7.
        seats: Ids of the bots, N, E, S, W.
        instances: Their instances, N, E, S, W.
        faults_to_forfeit: Faults of one bot that forfeit the game; 0 for never.
        views: Makes the views of its deals.
    """
    key = key_of_set(secret, set_id)
    cards = deck_for(rules)

    def deck(deal: int) -> tuple[Card, ...]:
        dealt = shuffled(cards, key, deal)
        return disguised(dealt, disguise) if disguise else dealt

    dealer = rules.first_dealer if rules.first_dealer is not None else first_dealer(key)
    record = GameRecord(
        game=rules.game,
        rules=rules.options(every=True),
        set_id=set_id,
        sitting=sitting,
        disguise=disguise,
        seats=seats,
        instances=instances,
    )
    return Table(
        Game(rules, dealer), record, deck, faults_to_forfeit=faults_to_forfeit, views=views
    )
