"""
How calls and streams end, and the one place where a client is told.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import grpc.aio
import structlog
from grpc_status import rpc_status

from referee.refusals import Reason, Refusal
from referee.server.clocks import attend_only
from referee.wire import encode
from referee.wire.session import OutOfOrder
from referee.wire.status import write_refusal

if TYPE_CHECKING:
    from referee.wire import decode

Context = Any  # grpc.aio.ServicerContext; its stubs are generic in ways that help nobody here


_HEAR_OUT = 1.0
"""Seconds that somebody who is refused gets to finish a first message."""

_FAREWELL = 1.0
"""Seconds that a bot gets to take the last message."""

_MOST_HEARD_OUT = 64
"""How many get them at a time; the others are refused at once."""


@dataclass(frozen=True, slots=True)
class End:
    """
    How a stream ends.
    """

    text: str
    refusal: Refusal | None = None
    """What the bot is told as a status; None: that all is well."""
    polite: bool = False
    """Whether a Farewell comes first."""

    @classmethod
    def refused(cls, reason: Reason, text: str = "", retry: float | None = None) -> End:
        """
        The end of a stream that cannot go on.
        """
        text = text or reason.meaning
        return cls(text, Refusal(reason, text, retry=retry))

    @classmethod
    def bad_field(cls, field: str, why: str) -> End:
        """
        The end of a call with a field that cannot be accepted.
        """
        text = f"{field}: {why}"
        return cls(text, Refusal(Reason.REQUEST_INVALID, text, ((field, why),)))

    @classmethod
    def of(cls, fault: decode.MessageFault | OutOfOrder) -> End:
        """
        The end that a message of the bot has brought about.
        """
        if isinstance(fault, OutOfOrder):
            return cls.refused(Reason.OUT_OF_ORDER, str(fault))
        return cls(
            str(fault),
            Refusal(Reason.MESSAGE_INVALID, str(fault), ((fault.field, fault.why),)),
        )

    @classmethod
    def farewell(cls, reason: str) -> End:
        """
        The end that the referee wants.
        """
        return cls(reason, polite=True)

    async def say(self, context: Context) -> None:
        """
        End the stream.
        """
        if self.polite:
            message = encode.farewell(self.text).SerializeToString()
            await attend_only(context.write(message), _FAREWELL)
        elif self.refusal is not None:
            await refuse(context, self.refusal)


UNSAID = End("")
GOODBYE = End("goodbye")
REPLACED = End.refused(Reason.STREAM_REPLACED)
ROTATED = End.refused(Reason.TOKEN_ROTATED)
REVOKED = End.refused(Reason.TOKEN_REVOKED)
UNREADABLE = End.refused(Reason.MESSAGE_UNREADABLE)
SLOW = End.refused(Reason.READS_TOO_SLOWLY, retry=1.0)
FAST = End.refused(Reason.TOO_MANY_MESSAGES, retry=1.0)
FULL = End.refused(Reason.REFEREE_FULL, retry=5.0)
CROWDED_ADDRESS = End.refused(
    Reason.TOO_MANY_STREAMS, "too many streams of bots are open from this address", retry=5.0
)
CROWDED = End.refused(Reason.TOO_MANY_INSTANCES, retry=5.0)
TOKENLESS = End.refused(Reason.TOKEN_MISSING)
STRANGER = End.refused(Reason.TOKEN_UNKNOWN)
NO_HELLO = End.refused(Reason.HELLO_MISSING, "no Hello came in time")
ENDED_EARLY = End.refused(Reason.HELLO_MISSING, "the stream ended without a Hello")


class Hearing:
    """
    Lets clients that are not wanted finish their first message, a few at a time.

    A status that crosses a message on its way can reach the client as another one:
    gRPC for Python makes INTERNAL of it now and then, and then the client comes back.
    """

    def __init__(self) -> None:
        self.count = 0
        """How many are heard now."""

    async def out(self, context: Context) -> None:
        """
        Hear one out, for a moment.
        """
        if self.count >= _MOST_HEARD_OUT:
            return
        self.count += 1
        try:
            # Whatever comes of it: the client is not wanted.
            await attend_only(context.read(), _HEAR_OUT)
        finally:
            self.count -= 1


async def refuse(context: Context, refusal: Refusal) -> None:
    """
    End a call with a status and its details, if there is still somebody to tell.

    Raises:
        AbortError: It was told; gRPC wants it to pass.
    """
    try:
        await context.abort_with_status(rpc_status.to_status(write_refusal(refusal)))
    except grpc.aio.AbortError:
        raise
    except Exception:  # noqa: BLE001  (gRPC's own kinds are private)
        # The client has gone; that is no incident.
        structlog.get_logger("server").debug("gone_before_the_end", reason=refusal.reason.name)


def token_of(context: Context) -> str:
    """
    Return the token that a call shows; empty if it shows none.
    """
    for key, value in context.invocation_metadata() or ():
        if key == "authorization" and isinstance(value, str):
            scheme, _, token = value.partition(" ")
            if scheme.lower() == "bearer":
                return token.strip()
    return ""
