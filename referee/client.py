"""
Asks the tournament service of a referee from outside: submit a bot, list, standings.

Each function is one call with a deadline. What goes wrong becomes a `RemoteError`
that says what happened and what to do about it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import grpc
import grpc.aio
from euchre.referee.v1 import tournament_service_pb2, tournament_service_pb2_grpc

from referee.errors import RemoteError
from referee.wire import tournament

if TYPE_CHECKING:
    from collections.abc import AsyncIterable, AsyncIterator, Awaitable, Callable

    from referee.office import Admission, GameSummary, Listing, Report, Submission

_REFUSALS = frozenset(
    {
        grpc.StatusCode.INVALID_ARGUMENT,
        grpc.StatusCode.UNAUTHENTICATED,
        grpc.StatusCode.PERMISSION_DENIED,
        grpc.StatusCode.RESOURCE_EXHAUSTED,
    }
)
"""Statuses whose text says all that there is to say."""

DEADLINE = 10.0
"""Seconds that a call may take."""


async def submit(address: str, submission: Submission) -> Admission:
    """
    Enter a bot into the open league of the referee at *address*.

    Raises:
        RemoteError: It was not entered.
        ConfigError: It names a game that does not exist.
    """
    request = tournament.write_submission(submission)
    return tournament.read_admission(await _call(address, lambda stub: stub.SubmitBot, request))


async def list_bots(address: str) -> tuple[Listing, ...]:
    """
    Return the bots of the league at *address*, in order of entry.

    Raises:
        RemoteError: There is no answer.
    """
    request = tournament_service_pb2.ListBotsRequest()
    return tournament.read_listings(await _call(address, lambda stub: stub.ListBots, request))


async def standings(address: str) -> Report:
    """
    Return the standings of the league at *address*; `table` is what to show people.

    Raises:
        RemoteError: There is no answer.
    """
    request = tournament_service_pb2.GetStandingsRequest()
    return tournament.read_report(await _call(address, lambda stub: stub.GetStandings, request))


async def watch_standings(
    address: str, *, interval: float | None = None, token: str | None = None
) -> AsyncIterator[Report]:
    """
    Yield the standings of the league at *address*, now and whenever they have changed.

    Args:
        address: Where the referee listens.
        interval: Seconds between two of them at least; None: what the referee does by itself.
        token: Of a bot of the league, where only these may watch.

    Raises:
        RemoteError: There is no answer, or no more; the text says why.
    """
    request = tournament_service_pb2.WatchStandingsRequest(interval=interval)
    async for message in _stream(address, lambda stub: stub.WatchStandings, request, token):
        yield tournament.read_watched_standings(message)


async def watch_games(
    address: str, *, after: int | None = None, token: str | None = None
) -> AsyncIterator[GameSummary]:
    """
    Yield the games of the league at *address* as they are stored, each once, in order.

    Args:
        address: Where the referee listens.
        after: Number of the last game that is known already, 0 for none; None: only from now on.
        token: Of a bot of the league, where only these may watch.

    Raises:
        RemoteError: There is no answer, or no more; the text says why.
    """
    request = tournament_service_pb2.WatchGamesRequest(after_game=after)
    async for message in _stream(address, lambda stub: stub.WatchGames, request, token):
        yield tournament.read_game(message)


async def _stream(
    address: str,
    method: Callable[[Any], Callable[..., AsyncIterable[Any]]],
    request: Any,
    token: str | None,
) -> AsyncIterator[Any]:
    metadata = None if token is None else (("authorization", f"Bearer {token}"),)
    async with grpc.aio.insecure_channel(address) as channel:
        stub = tournament_service_pb2_grpc.TournamentServiceStub(channel)
        try:
            async for message in method(stub)(request, metadata=metadata):
                yield message
        except grpc.aio.AioRpcError as error:
            raise RemoteError(_explained(address, error)) from error


async def _call(
    address: str, method: Callable[[Any], Callable[..., Awaitable[Any]]], request: Any
) -> Any:
    async with grpc.aio.insecure_channel(address) as channel:
        stub = tournament_service_pb2_grpc.TournamentServiceStub(channel)
        try:
            return await method(stub)(request, timeout=DEADLINE)
        except grpc.aio.AioRpcError as error:
            raise RemoteError(_explained(address, error)) from error


def _explained(address: str, error: grpc.aio.AioRpcError) -> str:
    """
    Say what happened and what to do about it.
    """
    codes = grpc.StatusCode
    code, said = error.code(), error.details() or "no reason given"
    if code is codes.UNAVAILABLE:
        return (
            f"no referee answers at {address} ({said}); "
            "check the address, and that a league is being served there"
        )
    if code is codes.DEADLINE_EXCEEDED:
        return f"no answer from {address} within {DEADLINE:g} seconds; try again later"
    if code in _REFUSALS:
        return f"{address} refuses: {said}"
    if code is codes.FAILED_PRECONDITION:
        return f"{address} has no league to ask: {said}; ask whoever runs it to open one"
    if code is codes.UNIMPLEMENTED:
        return f"what answers at {address} is no referee of this version; check the address"
    return f"{address} could not do it: {code.name} {said}; tell whoever runs it, with these words"
