"""
The services as gRPC knows them, and the guard that stands before them.
"""

from __future__ import annotations

import secrets
from typing import TYPE_CHECKING, Any

import grpc
import grpc.aio
import structlog
from euchre.referee.v1 import referee_service_pb2_grpc, tournament_service_pb2_grpc

from referee.errors import ConfigError
from referee.office import Closed
from referee.server.conversation import UNREADABLE, Context, abort
from referee.wire import decode, tournament

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from referee.server.core import RefereeServer

REFEREE = "euchre.referee.v1.RefereeService"
TOURNAMENT = "euchre.referee.v1.TournamentService"


class Referee(referee_service_pb2_grpc.RefereeServiceServicer):
    """
    Hosts games.
    """

    def __init__(self, server: RefereeServer) -> None:
        self._server = server

    async def Play(  # type: ignore[override]  # noqa: N802  (stubs know generators only; gRPC's name)
        self, request_iterator: object, context: Context
    ) -> None:
        """
        Serve one stream.
        """
        del request_iterator
        await self._server.converse(context)


class Tournament(tournament_service_pb2_grpc.TournamentServiceServicer):
    """
    Asks the office of the league.
    """

    def __init__(self, server: RefereeServer) -> None:
        self._server = server

    async def SubmitBot(self, request: Any, context: Context) -> Any:  # noqa: N802
        """
        Enter a bot.
        """
        submission = tournament.read_submission(request)
        try:
            return tournament.write_admission(await self._server.office.submit(submission))
        except ConfigError as error:
            await context.abort(grpc.StatusCode.INVALID_ARGUMENT, str(error))
        except Closed as error:
            await context.abort(grpc.StatusCode.FAILED_PRECONDITION, str(error))

    async def UploadBot(self, request: Any, context: Context) -> Any:  # noqa: N802
        """
        Not offered yet.
        """
        del request
        await context.abort(grpc.StatusCode.UNIMPLEMENTED, "not offered by this referee")

    async def RotateToken(self, request: Any, context: Context) -> Any:  # noqa: N802
        """
        Not offered yet.
        """
        del request
        await context.abort(grpc.StatusCode.UNIMPLEMENTED, "not offered by this referee")

    async def RevokeBot(self, request: Any, context: Context) -> Any:  # noqa: N802
        """
        Not offered yet.
        """
        del request
        await context.abort(grpc.StatusCode.UNIMPLEMENTED, "not offered by this referee")

    async def WatchStandings(self, request: Any, context: Context) -> None:  # type: ignore[override]  # noqa: N802
        """
        Send the standings now and whenever they have changed.
        """
        await self._server.watchers.standings(request, context)

    async def WatchGames(self, request: Any, context: Context) -> None:  # type: ignore[override]  # noqa: N802
        """
        Send games as they are stored.
        """
        await self._server.watchers.games(request, context)

    async def ListBots(self, request: Any, context: Context) -> Any:  # noqa: N802
        """
        List the bots.
        """
        del request
        try:
            return tournament.write_listings(await self._server.office.bots())
        except Closed as error:
            await context.abort(grpc.StatusCode.FAILED_PRECONDITION, str(error))

    async def GetStandings(self, request: Any, context: Context) -> Any:  # noqa: N802
        """
        Return the standings.
        """
        del request
        try:
            return tournament.write_report(await self._server.office.standings())
        except Closed as error:
            await context.abort(grpc.StatusCode.FAILED_PRECONDITION, str(error))


CHANGES = frozenset(f"/{TOURNAMENT}/{name}" for name in ("SubmitBot", "UploadBot"))
"""Calls that nobody wants to hear any more while the referee drains."""


class Guard(grpc.aio.ServerInterceptor):
    """
    Lets no text of an exception out: it could name cards.

    gRPC sends the text of what a handler raises to the client, and that of a
    request that cannot be parsed too. So requests are parsed here, and whatever
    is raised is logged under an incident id, which is all that a client gets.
    """

    def __init__(self, server: RefereeServer) -> None:
        self._server = server

    async def intercept_service(
        self, continuation: Callable[..., Awaitable[Any]], details: grpc.HandlerCallDetails
    ) -> Any:
        """
        Wrap the handler of a call.
        """
        handler = await continuation(details)
        if handler is None:
            return None
        if self._server.draining and details.method in CHANGES:
            return _refused(handler, self._server.draining)
        if handler.unary_unary is not None:
            return grpc.unary_unary_rpc_method_handler(
                _guarded(handler.unary_unary, details, handler.request_deserializer),
                request_deserializer=None,
                response_serializer=handler.response_serializer,
            )
        if handler.unary_stream is not None and TOURNAMENT in details.method:
            return grpc.unary_stream_rpc_method_handler(
                _guarded(handler.unary_stream, details, handler.request_deserializer),
                request_deserializer=None,
                response_serializer=handler.response_serializer,
            )
        if handler.stream_stream is not None and REFEREE in details.method:
            return grpc.stream_stream_rpc_method_handler(
                _guarded(handler.stream_stream, details, None),
                request_deserializer=handler.request_deserializer,
                # A conversation writes bytes (referee.wire.frames).
                response_serializer=None,
            )
        return handler


def _refused(handler: Any, why: str) -> Any:
    """
    Return a handler of the same kind that takes nothing on any more.
    """

    async def refuse(request: Any, context: Context) -> None:
        del request
        await abort(context, grpc.StatusCode.UNAVAILABLE, why)

    if handler.stream_unary is not None:
        return grpc.stream_unary_rpc_method_handler(refuse)
    return grpc.unary_unary_rpc_method_handler(refuse)


def _guarded(
    behavior: Callable[[Any, Context], Awaitable[Any]],
    details: grpc.HandlerCallDetails,
    parse: Callable[[bytes], Any] | None,
) -> Callable[[Any, Context], Awaitable[Any]]:
    async def guarded(request: Any, context: Context) -> Any:
        try:
            if parse is not None:
                request = parse(request)
            return await behavior(request, context)
        except grpc.aio.AbortError:
            raise
        except decode.DecodeError:
            await context.abort(UNREADABLE.code, UNREADABLE.text)
        except Exception:  # noqa: BLE001  (that is the point)
            incident = secrets.token_hex(4)
            structlog.get_logger("server").exception(
                "incident", incident=incident, method=details.method
            )
            await abort(
                context, grpc.StatusCode.INTERNAL, f"a fault of the referee, incident {incident}"
            )

    return guarded
