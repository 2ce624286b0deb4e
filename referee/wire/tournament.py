"""
Messages of the tournament service.
"""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from euchre.referee.v1 import rules_pb2, tournament_service_pb2

from referee.errors import ConfigError
from referee.office import (
    Admission,
    Checked,
    GameSummary,
    Listing,
    Report,
    Row,
    Submission,
    Verdict,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_GAMES = {"bid": rules_pb2.GAME_BID, "buck": rules_pb2.GAME_BUCK}
_NAMES = {number: name for name, number in _GAMES.items()}


class UploadStart(NamedTuple):
    """
    How an upload begins.
    """

    size: int
    sha256: str
    invitation: str


_OPTIONAL = (
    *("margin_error", "median_decision_ms", "mean_place"),
    *("rating", "rating_error", "tie", "superiority"),
)


def read_submission(message: tournament_service_pb2.SubmitBotRequest) -> Submission:
    """
    Return what is submitted; unknown games are left to whoever checks it as `?`.
    """
    return Submission(
        name=message.name,
        games=tuple(_NAMES.get(number, "?") for number in message.games),
        description=message.description,
        contact=message.contact,
        software=message.software,
        invitation=message.invitation,
    )


def write_submission(submission: Submission) -> tournament_service_pb2.SubmitBotRequest:
    """
    Return the message of a submission.

    Raises:
        ConfigError: It names a game that does not exist.
    """
    for name in submission.games:
        if name not in _GAMES:
            raise ConfigError(
                f"there is no game {name!r}", key="games", hint=f"one of {', '.join(_GAMES)}"
            )
    return tournament_service_pb2.SubmitBotRequest(
        name=submission.name,
        games=[_GAMES[name] for name in submission.games],
        description=submission.description,
        contact=submission.contact,
        software=submission.software,
        invitation=submission.invitation,
    )


def write_admission(admission: Admission) -> tournament_service_pb2.SubmitBotResponse:
    """
    Return the message of an admission.
    """
    return tournament_service_pb2.SubmitBotResponse(bot_id=admission.bot_id, token=admission.token)


def read_admission(message: tournament_service_pb2.SubmitBotResponse) -> Admission:
    """
    Return what came of a submission.
    """
    return Admission(bot_id=message.bot_id, token=message.token)


def write_token(token: str) -> tournament_service_pb2.RotateTokenResponse:
    """
    Return the message of a new token.
    """
    return tournament_service_pb2.RotateTokenResponse(token=token)


def write_revoked() -> tournament_service_pb2.RevokeBotResponse:
    """
    Return the message that a bot is out.
    """
    return tournament_service_pb2.RevokeBotResponse()


_LIMIT = "euchre-upload-limit"

_OUTCOMES = {
    "passed": tournament_service_pb2.CHECK_OUTCOME_PASSED,
    "failed": tournament_service_pb2.CHECK_OUTCOME_FAILED,
    "skipped": tournament_service_pb2.CHECK_OUTCOME_SKIPPED,
}
_OUTCOME_NAMES = {number: name for name, number in _OUTCOMES.items()}


def go_on(limit: int) -> tuple[str, str]:
    """
    Return the initial metadata that says that a package may come, of so many bytes.
    """
    return _LIMIT, str(limit)


def read_go_on(metadata: Iterable[tuple[str, str | bytes]]) -> int | None:
    """
    Return how many bytes may come; None if nothing may.
    """
    for key, value in metadata:
        if key == _LIMIT and isinstance(value, str) and value.isdecimal():
            return int(value)
    return None


def write_upload(
    package: bytes, piece: int, invitation: str
) -> Iterator[tournament_service_pb2.UploadBotRequest]:
    """
    Yield the messages that send a package, in pieces of so many bytes.
    """
    header = tournament_service_pb2.UploadHeader(
        size=len(package), sha256=hashlib.sha256(package).hexdigest(), invitation=invitation
    )
    yield tournament_service_pb2.UploadBotRequest(header=header)
    for start in range(0, len(package), piece):
        yield tournament_service_pb2.UploadBotRequest(piece=package[start : start + piece])


def read_upload(message: tournament_service_pb2.UploadBotRequest) -> UploadStart | bytes:
    """
    Return what one message of an upload holds: its beginning, or a piece of the package.
    """
    if message.WhichOneof("part") != "header":
        return message.piece
    header = message.header
    return UploadStart(header.size, header.sha256, header.invitation)


def write_verdict(verdict: Verdict) -> tournament_service_pb2.UploadBotResponse:
    """
    Return the message of what came of an upload.
    """
    admission = verdict.admission
    return tournament_service_pb2.UploadBotResponse(
        accepted=verdict.accepted,
        bot_id="" if admission is None else admission.bot_id,
        token="" if admission is None else admission.token,
        report=verdict.report,
        checks=[
            tournament_service_pb2.Check(
                name=each.name,
                outcome=_OUTCOMES[each.outcome],
                expected=each.expected,
                came=each.came,
            )
            for each in verdict.checks
        ],
        from_next_run=verdict.from_next_run,
    )


def read_verdict(message: tournament_service_pb2.UploadBotResponse) -> Verdict:
    """
    Return what came of an upload.
    """
    return Verdict(
        accepted=message.accepted,
        report=message.report,
        checks=tuple(
            Checked(
                each.name,
                cast("Any", _OUTCOME_NAMES.get(each.outcome, "skipped")),
                each.expected,
                each.came,
            )
            for each in message.checks
        ),
        admission=Admission(message.bot_id, message.token) if message.accepted else None,
        from_next_run=message.from_next_run,
    )


def write_listings(listings: Iterable[Listing]) -> tournament_service_pb2.ListBotsResponse:
    """
    Return the message of a list of bots.
    """
    return tournament_service_pb2.ListBotsResponse(
        bots=[
            tournament_service_pb2.BotEntry(
                bot_id=each.bot_id,
                name=each.name,
                description=each.description,
                software=each.software,
                games=[_GAMES[name] for name in each.games],
                connected_instances=each.connected,
                games_played=each.played,
                revoked=each.revoked,
            )
            for each in listings
        ]
    )


def read_listings(message: tournament_service_pb2.ListBotsResponse) -> tuple[Listing, ...]:
    """
    Return a list of bots.
    """
    return tuple(
        Listing(
            bot_id=each.bot_id,
            name=each.name,
            description=each.description,
            software=each.software,
            games=tuple(_NAMES.get(number, "?") for number in each.games),
            connected=each.connected_instances,
            played=each.games_played,
            revoked=each.revoked,
        )
        for each in message.bots
    )


def write_report(report: Report) -> tournament_service_pb2.GetStandingsResponse:
    """
    Return the message of the standings.
    """
    return tournament_service_pb2.GetStandingsResponse(
        league=report.league,
        game=_GAMES[report.game],
        rows=[_row(row) for row in report.rows],
        table=report.table,
        games_played=report.played,
        games_scheduled=report.scheduled,
    )


def read_report(message: tournament_service_pb2.GetStandingsResponse) -> Report:
    """
    Return the standings.
    """
    return Report(
        league=message.league,
        game=_NAMES.get(message.game, "?"),
        rows=tuple(_read_row(row) for row in message.rows),
        table=message.table,
        played=message.games_played,
        scheduled=message.games_scheduled,
    )


class ReportWriter:
    """
    Writes standings, each once: those of a thousand bots take longer than a move.
    """

    def __init__(self) -> None:
        self._report: Report | None = None
        self._message = tournament_service_pb2.GetStandingsResponse()

    def write(self, report: Report) -> tournament_service_pb2.GetStandingsResponse:
        """
        Return the message of the standings; who gets it must not change it.
        """
        if report is not self._report:
            self._report, self._message = report, write_report(report)
        return self._message

    def write_watched(self, report: Report) -> tournament_service_pb2.WatchStandingsResponse:
        """
        Return the message of the standings for one who watches.
        """
        return tournament_service_pb2.WatchStandingsResponse(standings=self.write(report))


def read_watched_standings(message: tournament_service_pb2.WatchStandingsResponse) -> Report:
    """
    Return the standings.
    """
    return read_report(message.standings)


def write_game(game: GameSummary) -> tournament_service_pb2.WatchGamesResponse:
    """
    Return the message of a game that was stored.
    """
    message = tournament_service_pb2.GameSummary(
        **{name: getattr(game, name) for name in GameSummary.__dataclass_fields__}
    )
    return tournament_service_pb2.WatchGamesResponse(game=message)


def read_game(message: tournament_service_pb2.WatchGamesResponse) -> GameSummary:
    """
    Return a game that was stored.
    """
    values: dict[str, Any] = {
        name: getattr(message.game, name) for name in GameSummary.__dataclass_fields__
    }
    for name, value in values.items():
        if not isinstance(value, int | str):
            values[name] = tuple(value)
    return GameSummary(**values)


def _read_row(message: tournament_service_pb2.StandingsRow) -> Row:
    values = {name: getattr(message, name) for name in Row.__dataclass_fields__}
    for name in _OPTIONAL:
        if not message.HasField(name):  # type: ignore[arg-type]  # the stubs want literals
            values[name] = None
    return Row(**values)


def _row(row: Row) -> tournament_service_pb2.StandingsRow:
    message = tournament_service_pb2.StandingsRow()
    for name in Row.__dataclass_fields__:
        value = getattr(row, name)
        if value is not None:
            setattr(message, name, value)
    return message
