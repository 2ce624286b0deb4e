"""
Receives the program of a bot, piece by piece.

One program at a time is built and examined, which may take all that this machine can
give; whoever comes meanwhile is told to come again. Packages may arrive side by side, a
few and each from another address, so that nobody keeps the others out by sending slowly.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import grpc.aio

from referee.errors import ConfigError
from referee.receiving import Receiving
from referee.refusals import Reason, Refused
from referee.server.ends import token_of
from referee.server.limiter import peer_of
from referee.wire import tournament

if TYPE_CHECKING:
    from referee.office import Office
    from referee.server.ends import Context

PIECE = 20.0
"""Seconds within which the next piece must come."""
WHOLE = 120.0
"""Seconds within which the whole package must come."""
ARRIVING = 4
"""Packages that may arrive at a time; each is held in memory."""
AGAIN = 30.0
"""Seconds after which whoever found us busy may try again."""


class Uploads:
    """
    The uploads of one server.
    """

    def __init__(self) -> None:
        self._busy = False
        self._arriving: set[str] = set()
        """Whence packages are coming."""

    async def receive(self, office: Office, context: Context) -> Any:
        """
        Serve one call.

        Returns:
            The response.

        Raises:
            ConfigError: What was sent cannot be used.
            Refused: Nothing is taken, or not now.
        """
        if office.upload_limit == 0:
            raise Refused(Reason.NOT_OFFERED, "no programs are taken here")
        if self._busy:
            raise _busy()
        token = token_of(context)
        package, invitation = await self._arrival(office, context, token)
        if self._busy:  # somebody else's has arrived before
            raise _busy()
        self._busy = True
        try:
            verdict = await office.upload(package, invitation, token)
            return tournament.write_verdict(verdict)
        finally:
            self._busy = False

    async def _arrival(self, office: Office, context: Context, token: str) -> tuple[bytes, str]:
        peer = peer_of(context.peer())
        if peer in self._arriving or len(self._arriving) >= ARRIVING:
            raise _busy()
        self._arriving.add(peer)
        try:
            # Who is refused need not have sent anything.
            if token:
                await office.check_upload("", token)
            await context.send_initial_metadata((tournament.go_on(office.upload_limit),))
            return await self._package(office, context, token)
        finally:
            self._arriving.discard(peer)

    async def _package(self, office: Office, context: Context, token: str) -> tuple[bytes, str]:
        try:
            async with asyncio.timeout(WHOLE):
                start = await _next(context)
                if not isinstance(start, tournament.UploadStart):
                    raise ConfigError("the header must come first", key="header")
                receiving = Receiving(start.size, start.sha256, office.upload_limit)
                if not token:
                    await office.check_upload(start.invitation, "")
                while (piece := await _next(context)) is not None:
                    if isinstance(piece, tournament.UploadStart):
                        raise ConfigError("the header came twice", key="header")
                    receiving.take(piece)
        except TimeoutError:
            raise Refused(Reason.SENDS_TOO_SLOWLY) from None
        return receiving.whole(), start.invitation


async def _next(context: Context) -> tournament.UploadStart | bytes | None:
    """
    Return what the next message holds; None at the end.
    """
    async with asyncio.timeout(PIECE):
        message = await context.read()
    return None if message is grpc.aio.EOF else tournament.read_upload(message)


def _busy() -> Refused:
    return Refused(Reason.TOO_MANY_SUBMISSIONS, "another program is being taken in", retry=AGAIN)
