"""
What the tournament service asks of a league: the shapes of submissions, lists and standings.

The server answers bots; who is entered and how they stand is the league's
business. Whoever runs a league hands the server an `Office`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, Protocol

from referee.refusals import Reason, Refused


@dataclass(frozen=True, slots=True)
class Submission:
    """
    A bot that somebody wants to enter. Everything in it comes from outside.
    """

    name: str
    games: tuple[str, ...]
    """Names of the games that it plays; empty for all."""
    description: str
    contact: str
    software: str
    invitation: str = ""
    """The code of an invitation."""


@dataclass(frozen=True, slots=True)
class Admission:
    """
    A bot that was entered.
    """

    bot_id: str
    token: str
    """A secret; it is shown this once."""


@dataclass(frozen=True, slots=True)
class Checked:
    """
    How one check of an uploaded program went.
    """

    name: str
    outcome: Literal["passed", "failed", "skipped"]
    expected: str
    came: str = ""


@dataclass(frozen=True, slots=True)
class Verdict:
    """
    What came of an upload.
    """

    accepted: bool
    report: str
    """For people: how it was built, and how it was checked."""
    checks: tuple[Checked, ...] = ()
    admission: Admission | None = None
    """Its id and its owner's token, if it was accepted; a new version has the token it had."""
    from_next_run: bool = False
    """Whether it is a new version of a bot, which plays from the next run on."""


@dataclass(frozen=True, slots=True)
class Listing:
    """
    A bot of the league, as anybody may see it.
    """

    bot_id: str
    name: str
    description: str
    software: str
    games: tuple[str, ...]
    connected: int
    """Instances that are connected now."""
    played: int
    """Games of it that count so far."""
    revoked: bool = False
    """Whether it was taken out."""


@dataclass(frozen=True, slots=True)
class Row:
    """
    One bot in the standings; the fields are those of `StandingsRow` in the protocol.
    """

    rank: int
    bot_id: str
    name: str
    games: int
    won: int
    drawn: int
    lost: int
    margin: float
    margin_error: float | None
    points_for: float
    points_against: float
    reneges: int
    faults: int
    forfeits: int
    median_decision_ms: float | None
    mean_place: float | None
    reneges_tried: int = 0
    reneges_unpunished: int = 0
    challenges_right: int = 0
    challenges_wrong: int = 0
    rating: float | None = None
    rating_error: float | None = None
    tie: str | None = None
    superiority: float | None = None
    sets: int = 0
    faults_timeout: int = 0
    faults_unreadable: int = 0
    faults_illegal: int = 0
    faults_gone: int = 0


@dataclass(frozen=True, slots=True)
class Report:
    """
    The standings as they are now.
    """

    league: str
    game: str
    rows: tuple[Row, ...]
    table: str
    """The same as plain text."""
    played: int
    scheduled: int


@dataclass(frozen=True, slots=True)
class GameSummary:
    """
    How a stored game ended; the fields are those of `GameSummary` in the protocol.
    """

    game: int
    """Its number in the store; grows."""
    set_id: str
    sitting: int
    bot_ids: tuple[str, ...]
    """N, E, S, W."""
    names: tuple[str, ...]
    scores: tuple[int, ...]
    """By side."""
    winners: tuple[int, ...]
    """Sides."""
    reneges: tuple[int, ...]
    """By seat."""
    faults: tuple[int, ...]
    """By seat."""
    ending: str


class Office(Protocol):
    """
    What the tournament service calls, in the asyncio thread.
    """

    async def submit(self, submission: Submission) -> Admission:
        """
        Enter a bot.

        Raises:
            ConfigError: A field of it is not accepted; the text says why and may be shown.
            Refused: It is not accepted for another reason.
        """
        ...

    async def rotate(self, bot_id: str, token: str) -> str:
        """
        Give a bot a new token, and return it; the old one is void at once.

        Args:
            bot_id: Which bot.
            token: What the caller shows: the bot's token, or the operator's.

        Raises:
            Refused: There is no such bot, or the caller may not.
        """
        ...

    async def revoke(self, bot_id: str, token: str) -> None:
        """
        Take a bot out: its streams end, and it plays no more. What it has played stays.

        Args:
            bot_id: Which bot.
            token: What the caller shows: the bot's token, or the operator's.

        Raises:
            Refused: There is no such bot, or the caller may not.
        """
        ...

    async def knows(self, token: str) -> bool:
        """
        Whether *token* is the operator's, or the owner's of a bot that was not taken out.
        """
        ...

    @property
    def upload_limit(self) -> int:
        """
        Bytes that the package of a program may have; 0 if no programs are taken.
        """
        ...

    async def check_upload(self, invitation: str, token: str) -> None:
        """
        Refuse who may not send a program, before anything is sent.

        Args:
            invitation: The code that the caller shows; empty for none.
            token: The token of the bot that gets a new version; empty for another bot.

        Raises:
            Refused: The code or the token is not valid, or nobody is let in.
        """
        ...

    async def upload(self, package: bytes, invitation: str, token: str) -> Verdict:
        """
        Build a program, examine it, and enter it if it is in order.

        With a token it is a new version of the bot whose token that is, for the next run.

        Raises:
            ConfigError: The package is not accepted; the text says why and may be shown.
            Refused: As `check_upload`; much may have changed while it was sent and built.
        """
        ...

    async def bots(self) -> tuple[Listing, ...]:
        """
        List the bots, in order of entry.
        """
        ...

    async def standings(self) -> Report:
        """
        Return the standings, which may be a moment old.
        """
        ...

    async def newest_standings(self) -> Report:
        """
        Return standings that hold all that was stored before the call.

        It may take a moment: they are made once a second at most, whoever asks.
        """
        ...

    async def last_game(self) -> int:
        """
        Return the number of the newest game that is stored, 0 without any.
        """
        ...

    async def games_after(self, game: int, most: int) -> tuple[GameSummary, ...]:
        """
        Return the games whose numbers are greater than *game*, in order, *most* of them at most.
        """
        ...


class NoOffice:
    """
    The office of a referee that runs no league for others.
    """

    async def submit(self, submission: Submission) -> Admission:
        """
        Refuse: there is no open league here.
        """
        del submission
        raise Closed

    async def rotate(self, bot_id: str, token: str) -> str:
        """
        Refuse: there is no league here.
        """
        del bot_id, token
        raise Closed

    async def revoke(self, bot_id: str, token: str) -> None:
        """
        Refuse: there is no league here.
        """
        del bot_id, token
        raise Closed

    async def knows(self, token: str) -> bool:
        """
        Know nobody.
        """
        del token
        return False

    @property
    def upload_limit(self) -> int:
        """
        Take nothing.
        """
        return 0

    async def check_upload(self, invitation: str, token: str) -> None:
        """
        Refuse: there is no open league here.
        """
        del invitation, token
        raise Closed

    async def upload(self, package: bytes, invitation: str, token: str) -> Verdict:
        """
        Refuse: there is no open league here.
        """
        del package, invitation, token
        raise Closed

    async def bots(self) -> tuple[Listing, ...]:
        """
        Refuse: there is no league here.
        """
        raise Closed

    async def standings(self) -> Report:
        """
        Refuse: there is no league here.
        """
        raise Closed

    async def newest_standings(self) -> Report:
        """
        Refuse: there is no league here.
        """
        raise Closed

    async def last_game(self) -> int:
        """
        Refuse: there is no league here.
        """
        raise Closed

    async def games_after(self, game: int, most: int) -> tuple[GameSummary, ...]:
        """
        Refuse: there is no league here.
        """
        del game, most
        raise Closed


class Closed(Refused):
    """
    There is no league to ask about.
    """

    def __init__(self) -> None:
        super().__init__(Reason.LEAGUE_MISSING)
