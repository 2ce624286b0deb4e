"""
The guard before all services: what may come in, and what may get out.
"""

from __future__ import annotations

import asyncio
import contextlib
import inspect
import secrets
from typing import TYPE_CHECKING, Any

import grpc
import grpc.aio
import structlog

from referee.refusals import Reason, Refusal, Refused
from referee.server.ends import UNREADABLE, refuse
from referee.server.limiter import peer_of
from referee.wire import decode

if TYPE_CHECKING:
    import logging
    from collections.abc import Awaitable, Callable

    from referee.server.core import RefereeServer
    from referee.server.ends import Context
    from referee.server.limiter import Limiter

REFEREE = "euchre.referee.v1.RefereeService"
TOURNAMENT = "euchre.referee.v1.TournamentService"

PLAY = f"/{REFEREE}/Play"
SUBMISSIONS = frozenset(f"/{TOURNAMENT}/{name}" for name in ("SubmitBot", "UploadBot"))
"""Calls that enter a bot."""

REFLECTION = "/grpc.reflection."

_STOPPED = "_ServerStoppedError"
"""What gRPC raises, by a name of its own, in a call that came in while the server stopped."""

_NAMES = {number: each.name for each in grpc.StatusCode for number in (each, each.value[0])}
"""Names of statuses, by what gRPC calls them: sometimes a member, sometimes its number."""


def is_news(record: logging.LogRecord) -> bool:
    """
    Whether something that gRPC wants to log is news: that a client has gone is none.

    It would write a traceback for each client that leaves before its answer, and who wants
    to fill a disk can do that as often as it may call.
    """
    kind = record.exc_info[0] if record.exc_info else None
    if kind is None or kind.__name__ != "ExecuteBatchError":
        return True
    structlog.get_logger("server").debug("write_failed", kind=kind.__name__)
    return False


class Guard(grpc.aio.ServerInterceptor):
    """
    Counts what comes in, and lets no text of an exception out: it could name cards.

    gRPC sends the text of what a handler raises to the client, and that of a
    request that cannot be parsed too. So single requests are parsed here, and whatever
    is raised is logged under an incident id, which is all that a client gets.
    """

    def __init__(self, server: RefereeServer, limiter: Limiter) -> None:
        self._server = server
        self._limiter = limiter

    async def intercept_service(
        self, continuation: Callable[..., Awaitable[Any]], details: grpc.HandlerCallDetails
    ) -> Any:
        """
        Wrap the handler of a call.
        """
        handler = await continuation(details)
        if handler is None:
            return None
        kinds = {
            (False, False): (handler.unary_unary, grpc.unary_unary_rpc_method_handler),
            (False, True): (handler.unary_stream, grpc.unary_stream_rpc_method_handler),
            (True, False): (handler.stream_unary, grpc.stream_unary_rpc_method_handler),
            (True, True): (handler.stream_stream, grpc.stream_stream_rpc_method_handler),
        }
        behavior, wrap = kinds[handler.request_streaming, handler.response_streaming]
        parse = handler.request_deserializer
        return wrap(
            self._counted(self._guarded(behavior, details.method, handler), details.method),
            request_deserializer=parse if handler.request_streaming else None,
            # A conversation writes bytes (referee.wire.frames).
            response_serializer=None if details.method == PLAY else handler.response_serializer,
        )

    def _counted(
        self, behavior: Callable[[Any, Context], Awaitable[Any]], method: str
    ) -> Callable[[Any, Context], Awaitable[Any]]:
        """
        Count how a call ends; `Play` counts its streams by itself.
        """
        if TOURNAMENT not in method:
            return behavior
        name = method.rpartition("/")[2]

        async def counted(request: Any, context: Context) -> Any:
            status = grpc.StatusCode.CANCELLED.name
            try:
                answer = await behavior(request, context)
                status = grpc.StatusCode.OK.name
            except grpc.aio.AbortError:
                status = _NAMES.get(context.code(), status)
                raise
            finally:
                self._server.counts.calls[name, status] += 1
            return answer

        return counted

    def _guarded(
        self, behavior: Callable[[Any, Context], Any], method: str, handler: Any
    ) -> Callable[[Any, Context], Awaitable[Any]]:
        parse = None if handler.request_streaming else handler.request_deserializer
        streams = handler.request_streaming or handler.response_streaming
        if inspect.isasyncgenfunction(behavior):
            behavior = _writing(behavior)

        async def guarded(request: Any, context: Context) -> Any:
            try:
                with self._place(method, peer_of(context.peer()), streams=streams):
                    if parse is not None:
                        request = parse(request)
                    if not method.startswith(REFLECTION):
                        return await behavior(request, context)
                    # Who looks around has no reason to stay.
                    with contextlib.suppress(TimeoutError):
                        async with asyncio.timeout(self._server.settings.reflection):
                            await behavior(request, context)
            except grpc.aio.AbortError:
                raise
            except Refused as refused:
                await refuse(context, refused.refusal)
            except decode.DecodeError:
                await UNREADABLE.say(context)
            except Exception as error:  # noqa: BLE001  (that is the point)
                if type(error).__name__ == _STOPPED:
                    raise asyncio.CancelledError from None
                incident = secrets.token_hex(4)
                structlog.get_logger("server").exception(
                    "incident", incident=incident, method=method
                )
                text = f"a fault of the referee, incident {incident}"
                await refuse(context, Refusal(Reason.INTERNAL_FAULT, text, incident=incident))

        return guarded

    def _place(
        self, method: str, peer: str, *, streams: bool
    ) -> contextlib.AbstractContextManager[None]:
        """
        Count a call; return the place that it takes while it lasts.

        Raises:
            Refused: There are too many, or it comes too late.
        """
        limiter, now = self._limiter, asyncio.get_running_loop().time()
        if method == PLAY:
            limiter.opening(peer, now)
            return contextlib.nullcontext()
        limiter.call(peer, now)
        if method in SUBMISSIONS:
            limiter.submission(peer, now)
            if self._server.draining:
                raise Refused(Reason.SHUTTING_DOWN, self._server.draining)
        return limiter.stream(peer) if streams else contextlib.nullcontext()


def _writing(generate: Callable[[Any, Context], Any]) -> Callable[[Any, Context], Awaitable[None]]:
    """
    Return a handler that writes what a generator yields.
    """

    async def write(request: Any, context: Context) -> None:
        async with contextlib.aclosing(generate(request, context)) as responses:
            async for response in responses:
                await context.write(response)

    return write
