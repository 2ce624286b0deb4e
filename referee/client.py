"""
Asks the tournament service of a referee from outside: submit a bot, list, standings.

Each function is one call with a deadline. What goes wrong becomes a `RemoteError`
that says what happened and what to do about it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import grpc
import grpc.aio
from euchre.referee.v1 import tournament_service_pb2, tournament_service_pb2_grpc

from referee.errors import ConfigError, RemoteError
from referee.packing import PIECE
from referee.refusals import Reason
from referee.wire import tournament
from referee.wire.status import DETAILS, read_refusal

if TYPE_CHECKING:
    from collections.abc import AsyncIterable, AsyncIterator, Awaitable, Callable
    from pathlib import Path

    from referee.office import Admission, GameSummary, Listing, Report, Submission, Verdict
    from referee.refusals import Refusal

DEADLINE = 10.0
"""Seconds that a call may take."""

UPLOAD_DEADLINE = 900.0
"""The same for a program, which is built and examined meanwhile."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Tls:
    """
    How the referee is made to prove who it is, and who calls proves it too.
    """

    ca: Path | None = None
    """Whose signature the referee must show, in PEM; None: one of those known to gRPC."""
    certificate: Path | None = None
    """Our own chain, in PEM, for a referee that asks for one."""
    key: Path | None = None

    def credentials(self) -> grpc.ChannelCredentials:
        """
        Return what gRPC wants.

        Raises:
            ConfigError: A file cannot be read.
        """
        if (self.certificate is None) != (self.key is None):
            raise ConfigError("needs both a certificate and its key", key="--client-cert")
        return grpc.ssl_channel_credentials(
            root_certificates=_pem(self.ca, "--ca"),
            private_key=_pem(self.key, "--client-key"),
            certificate_chain=_pem(self.certificate, "--client-cert"),
        )


async def submit(address: str, submission: Submission, *, tls: Tls | None = None) -> Admission:
    """
    Enter a bot into the open league of the referee at *address*.

    Raises:
        RemoteError: It was not entered.
        ConfigError: It names a game that does not exist.
    """
    request = tournament.write_submission(submission)
    answer = await _call(address, lambda stub: stub.SubmitBot, request, tls=tls)
    return tournament.read_admission(answer)


async def upload(
    address: str,
    package: bytes,
    invitation: str = "",
    *,
    token: str = "",
    tls: Tls | None = None,
) -> Verdict:
    """
    Send the packed program of a bot to the open league at *address*; wait for the verdict.

    Args:
        address: Where the referee is.
        package: As `referee.packing` makes it.
        invitation: The code, where the league asks for one.
        token: Of the bot that this is a new version of; empty: it is another bot.
        tls: How to call; None: in the clear.

    Raises:
        RemoteError: It was not taken in.
    """
    async with _channel(address, tls) as channel:
        stub: Any = tournament_service_pb2_grpc.TournamentServiceStub(channel)
        try:
            call = stub.UploadBot(timeout=UPLOAD_DEADLINE, metadata=_authorization(token))
            # A refusal that comes while something is being written is lost: gRPC says INTERNAL
            # then. So we wait until we may write, or until the call is over.
            limit = tournament.read_go_on(await call.initial_metadata() or ())
            if limit is not None and len(package) > limit:
                call.cancel()
                raise RemoteError(
                    f"{address} takes programs of at most {limit} bytes, and this one has "
                    f"{len(package)}"
                )
            if limit is not None:
                for message in tournament.write_upload(package, PIECE, invitation):
                    await call.write(message)
                await call.done_writing()
            return tournament.read_verdict(await call)
        except grpc.aio.AioRpcError as error:
            raise RemoteError(_explained(address, error, tls, UPLOAD_DEADLINE)) from error


async def rotate(address: str, bot_id: str, token: str, *, tls: Tls | None = None) -> str:
    """
    Give a bot a new token, and return it.

    Args:
        address: Where the referee is.
        bot_id: Which bot.
        token: Its token as it is, or the operator's.
        tls: How to call; None: in the clear.

    Raises:
        RemoteError: It has no new token.
    """
    request = tournament_service_pb2.RotateTokenRequest(bot_id=bot_id)
    answer = await _call(address, lambda stub: stub.RotateToken, request, token=token, tls=tls)
    new: str = answer.token
    return new


async def revoke(address: str, bot_id: str, token: str, *, tls: Tls | None = None) -> None:
    """
    Take a bot out of its league.

    Args:
        address: Where the referee is.
        bot_id: Which bot.
        token: Its token, or the operator's.
        tls: How to call; None: in the clear.

    Raises:
        RemoteError: It is not out.
    """
    request = tournament_service_pb2.RevokeBotRequest(bot_id=bot_id)
    await _call(address, lambda stub: stub.RevokeBot, request, token=token, tls=tls)


async def list_bots(address: str, *, tls: Tls | None = None) -> tuple[Listing, ...]:
    """
    Return the bots of the league at *address*, in order of entry.

    Raises:
        RemoteError: There is no answer.
    """
    request = tournament_service_pb2.ListBotsRequest()
    answer = await _call(address, lambda stub: stub.ListBots, request, tls=tls)
    return tournament.read_listings(answer)


async def standings(address: str, *, tls: Tls | None = None) -> Report:
    """
    Return the standings of the league at *address*; `table` is what to show people.

    Raises:
        RemoteError: There is no answer.
    """
    request = tournament_service_pb2.GetStandingsRequest()
    answer = await _call(address, lambda stub: stub.GetStandings, request, tls=tls)
    return tournament.read_report(answer)


async def watch_standings(
    address: str, *, interval: float | None = None, token: str | None = None, tls: Tls | None = None
) -> AsyncIterator[Report]:
    """
    Yield the standings of the league at *address*, now and whenever they have changed.

    Args:
        address: Where the referee listens.
        interval: Seconds between two of them at least; None: what the referee does by itself.
        token: Of a bot of the league, where only these may watch.
        tls: How to call; None: in the clear.

    Raises:
        RemoteError: There is no answer, or no more; the text says why.
    """
    request = tournament_service_pb2.WatchStandingsRequest(interval=interval)
    async for message in _stream(address, lambda stub: stub.WatchStandings, request, token, tls):
        yield tournament.read_watched_standings(message)


async def watch_games(
    address: str, *, after: int | None = None, token: str | None = None, tls: Tls | None = None
) -> AsyncIterator[GameSummary]:
    """
    Yield the games of the league at *address* as they are stored, each once, in order.

    Args:
        address: Where the referee listens.
        after: Number of the last game that is known already, 0 for none; None: only from now on.
        token: Of a bot of the league, where only these may watch.
        tls: How to call; None: in the clear.

    Raises:
        RemoteError: There is no answer, or no more; the text says why.
    """
    request = tournament_service_pb2.WatchGamesRequest(after_game=after)
    async for message in _stream(address, lambda stub: stub.WatchGames, request, token, tls):
        yield tournament.read_game(message)


async def _stream(
    address: str,
    method: Callable[[Any], Callable[..., AsyncIterable[Any]]],
    request: Any,
    token: str | None,
    tls: Tls | None,
) -> AsyncIterator[Any]:
    metadata = _authorization(token or "")
    async with _channel(address, tls) as channel:
        stub = tournament_service_pb2_grpc.TournamentServiceStub(channel)
        try:
            async for message in method(stub)(request, metadata=metadata):
                yield message
        except grpc.aio.AioRpcError as error:
            raise RemoteError(_explained(address, error, tls)) from error


async def _call(
    address: str,
    method: Callable[[Any], Callable[..., Awaitable[Any]]],
    request: Any,
    *,
    tls: Tls | None,
    token: str = "",
) -> Any:
    metadata = _authorization(token)
    async with _channel(address, tls) as channel:
        stub = tournament_service_pb2_grpc.TournamentServiceStub(channel)
        try:
            return await method(stub)(request, timeout=DEADLINE, metadata=metadata)
        except grpc.aio.AioRpcError as error:
            raise RemoteError(_explained(address, error, tls, DEADLINE)) from error


def _authorization(token: str) -> tuple[tuple[str, str], ...]:
    """
    Return the metadata that show a token; none if it is empty.
    """
    return (("authorization", f"Bearer {token}"),) if token else ()


def _channel(address: str, tls: Tls | None) -> grpc.aio.Channel:
    if tls is None:
        return grpc.aio.insecure_channel(address)
    return grpc.aio.secure_channel(address, tls.credentials())


def _pem(path: Path | None, key: str) -> bytes | None:
    if path is None:
        return None
    try:
        content = path.read_bytes()
    except OSError as error:
        raise ConfigError(f"cannot be read: {error.strerror}", path=str(path), key=key) from None
    if b"-----BEGIN " not in content:
        raise ConfigError("is not PEM", path=str(path), key=key)
    return content


def _explained(
    address: str, error: grpc.aio.AioRpcError, tls: Tls | None, deadline: float = DEADLINE
) -> str:
    """
    Say what happened and what to do about it.
    """
    codes = grpc.StatusCode
    code, said = error.code(), error.details() or "no reason given"
    for key, value in error.trailing_metadata() or ():
        refusal = read_refusal(value) if key == DETAILS and isinstance(value, bytes) else None
        if refusal is not None:
            return _advised(address, refusal)
    if code is codes.UNAVAILABLE:
        return _unreachable(address, said, tls)
    if code is codes.DEADLINE_EXCEEDED:
        return f"no answer from {address} within {deadline:g} seconds; try again later"
    if code in (codes.INVALID_ARGUMENT, codes.RESOURCE_EXHAUSTED):
        return f"{address} refuses: {said}"
    if code is codes.UNIMPLEMENTED:
        return f"what answers at {address} is no referee of this version; check the address"
    return f"{address} could not do it: {code.name} {said}; tell whoever runs it, with these words"


def _unreachable(address: str, said: str, tls: Tls | None) -> str:
    if "CERTIFICATE_VERIFY_FAILED" in said:
        # A file that signed another certificate is no better than none.
        return (
            f"{address} shows a certificate that is not trusted here ({said}); ask whoever runs it "
            "for the one that signed it, and name that with --ca FILE"
        )
    if "Hostname Verification" in said:
        return (
            f"{address} shows a certificate for another name ({said}); call it by one that stands "
            "in its certificate"
        )
    if tls is None:
        how = "in the clear; a referee with TLS needs --tls"
    elif tls.certificate is None:
        how = "with TLS; one that wants to know its clients needs --client-cert and --client-key"
    else:
        how = "with TLS and a client certificate, which must be one that it trusts"
    return (
        f"no referee answers at {address} ({said}); check the address, and that a league is "
        f"being served there (this was {how})"
    )


_ADVICE = {
    Reason.TOKEN_MISSING: "name a file with --token-file",
    Reason.TOKEN_UNKNOWN: "check the file of --token-file",
    Reason.INVITATION_MISSING: "ask whoever runs it for a code, and give it with --invitation",
    Reason.INVITATION_UNKNOWN: "ask whoever runs it for another code",
    Reason.BOT_UNKNOWN: "`referee bots list` shows the ids",
    Reason.LEAGUE_MISSING: "ask whoever runs it to open one",
    Reason.INTERNAL_FAULT: "tell whoever runs it, with these words",
}
"""What to do about a refusal, where its text does not say it."""


def _advised(address: str, refusal: Refusal) -> str:
    """
    Return a refusal as a sentence, with all that its details add.
    """
    fields = [f"{field}: {why}" for field, why in refusal.fields]
    said = f"{address} refuses: {'; '.join(fields) or refusal.text}"
    if refusal.retry is not None:
        return f"{said}; try again in {max(1, round(refusal.retry))} s"
    advice = _ADVICE.get(refusal.reason)
    return f"{said}; {advice}" if advice else said
