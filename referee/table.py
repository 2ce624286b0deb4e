"""
The table: one game in progress. Sans-IO.

How to think about it: a table is a question that changes, until there is an
outcome. `question` is what one seat must answer now; `answer` judges what came
(or a code for what did not), moves the game on and returns what is to be told.
Cards come from a function of the deal number, time is none of its business,
and whoever owns the table (the hall) knows which bot sits where.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from referee.record import DealRecord, Mark
from referee.rules.deal import Phase, Status
from referee.rules.judge import FAULTS, Code, Ruling, judge
from referee.rules.words import sentence
from referee.seats import SEATS
from referee.view import DealViews, public_ruling

if TYPE_CHECKING:
    from collections.abc import Callable

    from referee.cards import Card
    from referee.record import GameRecord
    from referee.rules.actions import Action, Answer
    from referee.rules.deal import Deal
    from referee.rules.game import Game, Outcome
    from referee.seats import Seat
    from referee.view import PublicRuling, SeatView


class Question(NamedTuple):
    """
    What one seat must answer now.
    """

    seat: Seat
    phase: Phase
    legal: tuple[Action, ...]
    """Never empty, in canonical order."""
    view: SeatView


class RulingTold(NamedTuple):
    """
    Tells of a ruling.
    """

    deal: int
    ruling: PublicRuling
    sentence: str
    """In words. The offender's names the refused card, the others' does not."""
    own: bool
    """Whether it is told to the seat that it is about."""


class DealOver(NamedTuple):
    """
    Tells that a deal is over.
    """

    deal: int
    redeal: bool
    taken: tuple[int, ...]
    changes: tuple[int, ...]
    scores: tuple[int, ...]
    claimed_hand: tuple[Card, ...]


class GameOver(NamedTuple):
    """
    Tells that the game is over.
    """

    outcome: Outcome
    winners: tuple[Seat, ...]
    scores: tuple[int, ...]
    won: bool
    """Whether the seat that is told is among the winners."""


Told = RulingTold | DealOver | GameOver
"""What a seat can be told."""

Tell = tuple["Seat", Told]
"""Who is told what."""


class Table:
    """
    One game in progress.
    """

    __slots__ = (
        "_deal",
        "_deck",
        "_faults_to_forfeit",
        "_log",
        "_make_views",
        "_views",
        "faults",
        "game",
        "question",
        "record",
        "reneges",
    )

    def __init__(
        self,
        game: Game,
        record: GameRecord,
        deck: Callable[[int], tuple[Card, ...]],
        *,
        faults_to_forfeit: int = 3,
        views: type[DealViews] = DealViews,
    ) -> None:
        """
        Open a table; `start` deals the first cards.

        Args:
            game: The game to play, with nothing dealt yet.
            record: Where to write down what happens.
            deck: From the number of a deal (from 1) to its shuffled deck.
            faults_to_forfeit: Faults of one bot in this game that forfeit it; 0 for never.
            views: Makes the views of a deal; `NoViews` where nobody looks at them.
        """
        self.game = game
        self.record = record
        self.question: Question | None = None
        """What is open now; None before the start and after the end."""
        self.faults = [0, 0, 0, 0]
        """Faults so far, by seat."""
        self.reneges = [0, 0, 0, 0]
        """Reneges that were ruled so far, by seat."""
        self._deck = deck
        self._make_views = views
        self._faults_to_forfeit = faults_to_forfeit
        self._deal: Deal
        self._views: DealViews
        self._log: DealRecord

    @property
    def outcome(self) -> Outcome | None:
        """
        How the game ended; None while it goes on.
        """
        return self.game.outcome

    @property
    def deal(self) -> Deal:
        """
        The deal in progress, or the last one.
        """
        return self._deal

    def start(self) -> None:
        """
        Deal the first cards and ask the first question.
        """
        self._next_deal()
        self._ask()

    def answer(self, answer: Answer | Code, *, abandoned: bool = False) -> list[Tell]:
        """
        Judge what came for the open question, and go on to the next.

        Args:
            answer: The answer, or why there is none: TIMEOUT, UNREADABLE or GONE.
            abandoned: With GONE: whether the other sides are all gone too. A forfeit that is
                due then ends the game without a winner, since nobody is there to win.

        Returns:
            What is to be told, in order.

        Raises:
            RuntimeError: No question is open.
        """
        question = self.question
        if question is None:
            raise RuntimeError("no question is open at this table")
        deal = self._deal
        log = self._log
        rulings = judge(deal, answer)
        log.entries.append((question.seat, Mark.ABANDONED if abandoned else answer))
        if not rulings and deal.to_act is not None:
            # The way of almost every answer; kept short, since it is walked once a card.
            seat = deal.to_act
            if not self.game.forfeited or seat not in self.game.forfeited_seats:
                self.question = Question(seat, deal.phase, deal.legal, self._views.seat(seat))  # type: ignore[arg-type]  # a seat on turn has a phase
                return []
        tells = self._rule(question, rulings) if rulings else []
        if self._faults_due(question.seat, rulings):
            self._forfeit(question.seat, abandoned, tells)
        self._advance(tells)
        return tells

    def void(self) -> None:
        """
        End the game for nobody: the referee itself failed.
        """
        self.question = None
        self.game.void()
        self.record.outcome = self.game.outcome

    def _next_deal(self) -> None:
        game = self.game
        scores = tuple(game.scores)
        self._deal = game.start_deal(self._deck(game.deals + 1))
        self._views = self._make_views(self._deal, game.deals, scores)
        self._log = DealRecord(self._deal.dealer)
        self.record.deals.append(self._log)

    def _ask(self) -> None:
        deal = self._deal
        seat, phase = deal.to_act, deal.phase
        if seat is None or phase is None:
            raise RuntimeError("an open deal has a seat on turn")
        self.question = Question(seat, phase, deal.legal, self._views.seat(seat))

    def _advance(self, tells: list[Tell]) -> None:
        """
        Go on until somebody must be asked or the game is over.
        """
        game = self.game
        while game.outcome is None:
            deal = self._deal
            if deal.status is not Status.OPEN:
                self._close_deal(tells)
                if game.outcome is None:
                    self._next_deal()
                continue
            seat = deal.to_act
            if seat is None:
                raise RuntimeError("an open deal has a seat on turn")
            if seat not in game.forfeited_seats:
                self._ask()
                return
            self._log.entries.append((seat, Mark.UNASKED))
            deal.apply(deal.fallback())
        self._close_game(tells)

    def _close_deal(self, tells: list[Tell]) -> None:
        deal, game = self._deal, self.game
        game.close(deal)
        log = self._log
        log.redeal = deal.status is Status.REDEAL
        log.irregular = sorted(deal.irregular)
        log.changes = tuple(deal.changes)
        log.scores = tuple(game.scores)
        over = DealOver(
            game.deals, log.redeal, tuple(deal.taken), log.changes, log.scores, deal.claimed_hand
        )
        tells.extend((seat, over) for seat in SEATS)

    def _close_game(self, tells: list[Tell]) -> None:
        self.question = None
        game = self.game
        outcome = game.outcome
        if outcome is None:
            raise RuntimeError("the game is not over")
        self.record.outcome = outcome
        # A deal that a forfeit cut short is never closed, and its reneges are marked all the same.
        self._log.irregular = sorted(self._deal.irregular)
        sides = game.sides
        winners = tuple(seat for seat in SEATS if game.side_of[seat] in outcome.winners)
        scores = tuple(game.scores)
        for side, seats in enumerate(sides):
            over = GameOver(outcome, winners, scores, side in outcome.winners)
            tells.extend((seat, over) for seat in seats)

    def _rule(self, question: Question, rulings: tuple[Ruling, ...]) -> list[Tell]:
        """
        Write rulings down and tell them.
        """
        tells: list[Tell] = []
        place = len(self._log.entries) - 1
        public = []
        for ruling in rulings:
            self._log.rulings.append((place, ruling))
            if ruling.code in FAULTS:
                self.faults[ruling.seat] += 1
            elif ruling.code in (Code.RENEGE, Code.STOOD):
                self.reneges[ruling.seat] += 1
            elif ruling.code is Code.UPHELD and ruling.challenged is not None:
                self.reneges[ruling.challenged] += 1
            shown = public_ruling(ruling)
            number = self.game.deals
            tells.append(
                (
                    question.seat,
                    RulingTold(
                        number, shown, sentence(ruling, question.phase, public=False), own=True
                    ),
                )
            )
            # That a seat was asked to claim says what it holds, so that stays with it.
            if question.phase is not Phase.CLAIM:
                public.append(shown)
                told = RulingTold(
                    number, shown, sentence(ruling, question.phase, public=True), own=False
                )
                tells.extend((seat, told) for seat in SEATS if seat is not question.seat)
        if public:
            self._views.add_rulings(tuple(public))
        return tells

    def _faults_due(self, seat: Seat, rulings: tuple[Ruling, ...]) -> bool:
        """
        Whether the bot of *seat* has used up its faults, in all its seats together.

        A side is one bot, but for leagues of changing partners: there nobody pays with its own
        chances for the faults of a partner that it did not choose.
        """
        bots = self.record.seats
        count = sum(self.faults[each] for each in SEATS if bots[each] == bots[seat])
        return (
            0 < self._faults_to_forfeit <= count
            and any(ruling.code in FAULTS for ruling in rulings)
            and seat not in self.game.forfeited_seats
        )

    def _forfeit(self, seat: Seat, abandoned: bool, tells: list[Tell]) -> None:
        """
        Forfeit the game for the side of *seat* (protocol.md 6).
        """
        game = self.game
        side = game.side_of[seat]
        sides = [side]
        if abandoned:
            sides += [s for s in range(len(game.sides)) if s != side and s not in game.forfeited]
        for each in sides:
            game.forfeit(each)
        self.record.forfeits += tuple(sides)
        ruling = Ruling(Code.FORFEIT, seat)
        self._log.rulings.append((len(self._log.entries) - 1, ruling))
        shown = public_ruling(ruling)
        for each_seat in SEATS:
            own = each_seat is seat
            words = sentence(ruling, None, public=not own)
            tells.append((each_seat, RulingTold(game.deals, shown, words, own=own)))
