"""
The services as gRPC knows them. What goes wrong in them is the guard's business.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from euchre.referee.v1 import referee_service_pb2_grpc, tournament_service_pb2_grpc
from grpc_health.v1 import health, health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha import reflection

from referee.errors import ConfigError
from referee.refusals import Reason, Refused
from referee.server.ends import token_of
from referee.server.guard import REFEREE, TOURNAMENT
from referee.wire import tournament

if TYPE_CHECKING:
    import grpc.aio

    from referee.server.core import RefereeServer
    from referee.server.ends import Context


async def offer(referee: RefereeServer, server: grpc.aio.Server) -> health.aio.HealthServicer:
    """
    Offer all services, also those of health and reflection; return the one of health.
    """
    referee_service_pb2_grpc.add_RefereeServiceServicer_to_server(Referee(referee), server)
    tournament_service_pb2_grpc.add_TournamentServiceServicer_to_server(Tournament(referee), server)
    checks = health.aio.HealthServicer()
    health_pb2_grpc.add_HealthServicer_to_server(checks, server)
    for name in ("", REFEREE, TOURNAMENT):
        await checks.set(name, health_pb2.HealthCheckResponse.SERVING)
    reflection.enable_server_reflection(
        (REFEREE, TOURNAMENT, health.SERVICE_NAME, reflection.SERVICE_NAME), server
    )
    return checks


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
        del context
        submission = tournament.read_submission(request)
        try:
            return tournament.write_admission(await self._server.office.submit(submission))
        except ConfigError as error:
            raise _invalid(error) from None

    async def UploadBot(self, request_iterator: object, context: Context) -> Any:  # noqa: N802
        """
        Take in the program of a bot.
        """
        del request_iterator
        try:
            return await self._server.uploads.receive(self._server.office, context)
        except ConfigError as error:
            raise _invalid(error) from None

    async def RotateToken(self, request: Any, context: Context) -> Any:  # noqa: N802
        """
        Give a bot a new token.
        """
        token = await self._server.office.rotate(request.bot_id, token_of(context))
        return tournament.write_token(token)

    async def RevokeBot(self, request: Any, context: Context) -> Any:  # noqa: N802
        """
        Take a bot out.
        """
        await self._server.office.revoke(request.bot_id, token_of(context))
        return tournament.write_revoked()

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
        del request, context
        return tournament.write_listings(await self._server.office.bots())

    async def GetStandings(self, request: Any, context: Context) -> Any:  # noqa: N802
        """
        Return the standings.
        """
        del request, context
        return self._server.reports.write(await self._server.office.standings())


def _invalid(error: ConfigError) -> Refused:
    """
    Return the refusal of a submission in which something is wrong.
    """
    why = error.why + (f" ({error.hint})" if error.hint else "")
    return Refused(
        Reason.REQUEST_INVALID, str(error), fields=((error.key, why),) if error.key else ()
    )
