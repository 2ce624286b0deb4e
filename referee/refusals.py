"""
Why a call or a stream is refused: a word for programs, and a sentence for people.

The words are those of `google.rpc.ErrorInfo.reason` in the domain `DOMAIN`. They are
part of the protocol: one may be added, none changes its meaning. docs/protocol.md
lists them, and a test compares.
"""

from __future__ import annotations

import enum
from dataclasses import dataclass

from referee.errors import RefereeError

DOMAIN = "euchre.referee.v1"
"""Where the reasons mean what they mean here."""


class Reason(enum.Enum):
    """
    A reason: its gRPC status, and what it means.
    """

    TOKEN_MISSING = (
        "UNAUTHENTICATED",
        "no token: `authorization: Bearer TOKEN` is missing",
    )
    TOKEN_UNKNOWN = ("UNAUTHENTICATED", "the token is nobody's, or no longer valid")
    TOKEN_ROTATED = ("UNAUTHENTICATED", "the bot has a new token, and this one is void")
    TOKEN_REVOKED = ("UNAUTHENTICATED", "the bot was taken out of the league")
    NOT_YOUR_BOT = ("PERMISSION_DENIED", "the token is neither the bot's nor the operator's")
    WATCHING_CLOSED = ("PERMISSION_DENIED", "nobody may watch this league")
    INVITATION_MISSING = ("PERMISSION_DENIED", "bots are entered by invitation only")
    INVITATION_UNKNOWN = ("PERMISSION_DENIED", "the invitation code is not valid here")
    BOT_UNKNOWN = ("NOT_FOUND", "there is no such bot in the league")
    BOT_REVOKED = ("FAILED_PRECONDITION", "the bot was taken out, and gets no new token")
    NOT_UPLOADED = ("FAILED_PRECONDITION", "the bot connects by itself; its program is not sent")
    HOUSE_BOT = ("FAILED_PRECONDITION", "the league file names the bot; its token is kept there")
    REQUEST_INVALID = ("INVALID_ARGUMENT", "a field of the request cannot be accepted")
    SUBMISSION_CLOSED = ("FAILED_PRECONDITION", "the league takes no bots from outside")
    LEAGUE_FULL = ("RESOURCE_EXHAUSTED", "the league has as many bots as it can take")
    LEAGUE_MISSING = ("FAILED_PRECONDITION", "this referee hosts no open league")
    MESSAGE_UNREADABLE = ("INVALID_ARGUMENT", "a message that cannot be parsed")
    MESSAGE_INVALID = ("INVALID_ARGUMENT", "a message that breaks the protocol")
    HELLO_MISSING = ("INVALID_ARGUMENT", "no Hello came, or not in time")
    OUT_OF_ORDER = ("FAILED_PRECONDITION", "a message that may not come at this point")
    GAME_NOT_PLAYED = ("FAILED_PRECONDITION", "none of the bot's games is played here")
    STREAM_REPLACED = ("ABORTED", "a newer stream of this instance took over")
    READS_TOO_SLOWLY = ("RESOURCE_EXHAUSTED", "the bot does not read what it is sent")
    SENDS_TOO_SLOWLY = ("DEADLINE_EXCEEDED", "the package of a program did not come in time")
    TOO_MANY_MESSAGES = ("RESOURCE_EXHAUSTED", "too many messages a second")
    TOO_MANY_CALLS = ("RESOURCE_EXHAUSTED", "too many calls from one address")
    TOO_MANY_SUBMISSIONS = ("RESOURCE_EXHAUSTED", "too many submissions")
    TOO_MANY_STREAMS = ("RESOURCE_EXHAUSTED", "too many streams are open")
    TOO_MANY_INSTANCES = ("RESOURCE_EXHAUSTED", "too many instances of this bot")
    REFEREE_FULL = ("RESOURCE_EXHAUSTED", "the referee is full")
    SHUTTING_DOWN = ("UNAVAILABLE", "the referee shuts down, or begins nothing new")
    NOT_OFFERED = ("UNIMPLEMENTED", "this referee does not offer it")
    INTERNAL_FAULT = ("INTERNAL", "a fault of the referee; `incident` names it in its log")

    @property
    def status(self) -> str:
        """
        Name of its gRPC status.
        """
        return self.value[0]

    @property
    def meaning(self) -> str:
        """
        What it means.
        """
        return self.value[1]


@dataclass(frozen=True, slots=True)
class Refusal:
    """
    One refusal, as it is told.
    """

    reason: Reason
    text: str
    """The sentence for people."""
    fields: tuple[tuple[str, str], ...] = ()
    """Fields of the request that are wrong, and what is wrong with each."""
    retry: float | None = None
    """Seconds after which it may be tried again; None: that would not help."""
    incident: str = ""
    """With `INTERNAL_FAULT`: its id in the log."""


class Refused(RefereeError):  # noqa: N818  (what happened, not a mistake of ours)
    """
    Something that was asked for is refused; the text may be shown to whoever asked.
    """

    def __init__(
        self,
        reason: Reason,
        text: str = "",
        *,
        fields: tuple[tuple[str, str], ...] = (),
        retry: float | None = None,
    ) -> None:
        super().__init__(text or reason.meaning)
        self.refusal = Refusal(reason, text or reason.meaning, fields, retry)
