"""
What a seat can do: one small class a verb of rules.md 7.3.

Equal actions are one object (`Play(card) is Play(card)`), so legality is a
matter of identity and a table of thousands of games holds a hundred actions.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, NamedTuple, Self, final

if TYPE_CHECKING:
    from referee.cards import Card, Suit
    from referee.seats import Seat


class Action:
    """
    Base of all actions; compare with `is`.
    """

    __slots__ = ()
    verb: ClassVar[str]
    """The verb of rules.md 7.3."""
    _known: ClassVar[dict[object, Action]] = {}

    def __new__(cls) -> Self:
        """
        Return the one action of this class.
        """
        return cls._one(cls)

    @classmethod
    def _one(cls, key: object) -> Self:
        known = Action._known.get(key)
        if known is None:
            known = Action._known[key] = object.__new__(cls)
        return known  # type: ignore[return-value]  # the key starts with the class

    def __str__(self) -> str:
        """
        The action in text notation, without its seat.
        """
        return self.verb

    def __repr__(self) -> str:
        return f"<{self}>"

    def __reduce__(self) -> tuple[object, ...]:
        return (type(self), ())


class _WithCard(Action):
    __slots__ = ("card",)
    card: Card

    def __new__(cls, card: Card) -> Self:
        """
        Return the one action of this class with *card*.
        """
        action = cls._one((cls, card))
        action.card = card
        return action

    def __str__(self) -> str:
        return f"{self.verb} {self.card.code}"

    def __reduce__(self) -> tuple[object, ...]:
        return (type(self), (self.card,))


class _WithSuit(Action):
    __slots__ = ("suit",)
    suit: Suit

    def __new__(cls, suit: Suit) -> Self:
        """
        Return the one action of this class with *suit*.
        """
        action = cls._one((cls, suit))
        action.suit = suit
        return action

    def __str__(self) -> str:
        return f"{self.verb} {self.suit.letter}"

    def __reduce__(self) -> tuple[object, ...]:
        return (type(self), (self.suit,))


@final
class Claim(Action):
    """
    Claim an Ace No Face hand.
    """

    __slots__ = ()
    verb = "claim"


@final
class Decline(Action):
    """
    Do not claim it.
    """

    __slots__ = ()
    verb = "decline"


@final
class Discard(_WithCard):
    """
    Discard a card face down: the dealer, in both games.
    """

    __slots__ = ()
    verb = "discard"


@final
class Pass(Action):
    """
    Pass, in the auction and in the calling rounds.
    """

    __slots__ = ()
    verb = "pass"


@final
class Bid(Action):
    """
    Bid a number of tricks.
    """

    __slots__ = ("number",)
    verb = "bid"
    number: int

    def __new__(cls, number: int) -> Self:
        """
        Return the one bid of *number* tricks.
        """
        action = cls._one((cls, number))
        action.number = number
        return action

    def __str__(self) -> str:
        return f"bid {self.number}"

    def __reduce__(self) -> tuple[object, ...]:
        return (type(self), (self.number,))


@final
class BidAsk(Action):
    """
    Bid all tricks alone, with the partner's best trump.
    """

    __slots__ = ()
    verb = "ask"


@final
class BidMoon(Action):
    """
    Bid all tricks alone, without help.
    """

    __slots__ = ()
    verb = "moon"


@final
class NameTrump(_WithSuit):
    """
    Name trump, as the bidder of Bid Euchre.
    """

    __slots__ = ()
    verb = "trump"


@final
class Give(_WithCard):
    """
    Give a card in an ask exchange, either way.
    """

    __slots__ = ()
    verb = "give"


@final
class Play(_WithCard):
    """
    Play a card to a trick.
    """

    __slots__ = ()
    verb = "play"


@final
class Order(Action):
    """
    Order the turned card up.
    """

    __slots__ = ()
    verb = "order"


@final
class NameSuit(_WithSuit):
    """
    Name trump in the second round of Buck Euchre.
    """

    __slots__ = ()
    verb = "name"


@final
class Stay(Action):
    """
    Stay in the deal.
    """

    __slots__ = ()
    verb = "stay"


@final
class Drop(Action):
    """
    Drop out of the deal.
    """

    __slots__ = ()
    verb = "drop"


@final
class LastCall(Action):
    """
    Answer the last call.
    """

    __slots__ = ()
    verb = "call"


class Challenge(NamedTuple):
    """
    The claim that a seat reneged in a trick (rules.md 7.2).
    """

    seat: Seat
    """Whose play is challenged."""
    trick: int
    """In which trick of this deal, from 1."""


class Answer(NamedTuple):
    """
    What a seat answered: an action, with challenges beside it.
    """

    action: Action
    challenges: tuple[Challenge, ...] = ()
