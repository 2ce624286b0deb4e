"""
Receives the program of a bot, piece by piece.

One upload at a time, from its first byte to the verdict: a build may take all that this
machine can give, and whoever comes meanwhile is told to come again.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import grpc.aio

from referee.errors import ConfigError
from referee.packing import Receiving
from referee.refusals import Reason, Refused
from referee.wire import tournament

if TYPE_CHECKING:
    from referee.office import Office
    from referee.server.ends import Context

PIECE = 20.0
"""Seconds within which the next piece must come."""
WHOLE = 120.0
"""Seconds within which the whole package must come."""
AGAIN = 30.0
"""Seconds after which whoever found us busy may try again."""


class Uploads:
    """
    The uploads of one server.
    """

    def __init__(self) -> None:
        self._busy = False

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
            raise Refused(
                Reason.TOO_MANY_SUBMISSIONS, "another program is being taken in", retry=AGAIN
            )
        self._busy = True
        try:
            # Who is refused need not have sent anything.
            await context.send_initial_metadata((tournament.go_on(office.upload_limit),))
            package, invitation = await self._package(office.upload_limit, context)
            return tournament.write_verdict(await office.upload(package, invitation))
        finally:
            self._busy = False

    async def _package(self, most: int, context: Context) -> tuple[bytes, str]:
        try:
            async with asyncio.timeout(WHOLE):
                start = await _next(context)
                if not isinstance(start, tournament.UploadStart):
                    raise ConfigError("the header must come first", key="header")
                receiving = Receiving(start.size, start.sha256, most)
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
