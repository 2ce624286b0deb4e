"""
What a league answers to the tournament service: submissions, bots, standings.
"""

from __future__ import annotations

import functools
import secrets
from typing import TYPE_CHECKING

import structlog
import trio

from referee.office import Admission, Checked, Listing, Verdict
from referee.refusals import Reason, Refused
from referee.rules.variants import GAMES
from referee.server import token_hash
from tournaments import submissions
from tournaments.board import Board
from tournaments.register import Register
from tournaments.store import Bot, Version
from tournaments.uploads import BuildFailed, discard

if TYPE_CHECKING:
    from referee.door import Door
    from referee.office import GameSummary, Report, Submission
    from tournaments.admissions import Admissions
    from tournaments.host import Host
    from tournaments.store import Store
    from tournaments.uploads import Ready, Workshop

MAX_BOTS = 1000
"""Bots that one league takes, the house bots and those that were taken out included."""

OPERATOR = "operator"
"""Whose token may rotate and revoke every bot; no bot has this id."""


class LeagueOffice:
    """
    The office of an open league. Its methods are called in the asyncio thread.
    """

    def __init__(
        self,
        host: Host,
        door: Door,
        store: Store,
        *,
        admissions: Admissions,
        operator: str,
    ) -> None:
        """
        Open it.

        Args:
            host: Where the league is played.
            door: The way to it.
            store: What is known of it.
            admissions: Who may enter a bot.
            operator: Hash of the operator's token.
        """
        self._host = host
        self._door = door
        self._store = store
        self._register = Register(store, host.run, operator)
        self._admissions = admissions
        self._changes = trio.Lock()
        self._board = Board(host, store)

    async def submit(self, submission: Submission) -> Admission:
        """
        Enter a bot.
        """
        return await self._door.enter(self._submit, submission)

    @property
    def upload_limit(self) -> int:
        """
        Bytes that the package of a program may have; 0 if no programs are taken.
        """
        workshop = self._host.workshop
        return 0 if workshop is None else workshop.most

    async def check_upload(self, invitation: str, token: str) -> None:
        """
        Refuse who may not send a program.
        """
        await self._door.enter(self._check_upload, invitation, token)

    async def upload(self, package: bytes, invitation: str, token: str) -> Verdict:
        """
        Build a program, examine it, and enter it if it is in order.
        """
        return await self._door.enter(self._upload, package, invitation, token)

    async def rotate(self, bot_id: str, token: str) -> str:
        """
        Give a bot a new token.
        """
        return await self._door.enter(self._rotate, bot_id, token)

    async def revoke(self, bot_id: str, token: str) -> None:
        """
        Take a bot out.
        """
        await self._door.enter(self._revoke, bot_id, token)

    async def knows(self, token: str) -> bool:
        """
        Whether *token* is the operator's, or the owner's of a bot that was not taken out.
        """
        return await self._door.enter(self._register.knows, token)

    async def bots(self) -> tuple[Listing, ...]:
        """
        List the bots.
        """
        return await self._door.enter(self._bots)

    async def standings(self) -> Report:
        """
        Return the standings.
        """
        return await self._door.enter(self._board.standings)

    async def newest_standings(self) -> Report:
        """
        Return standings that hold all that was stored before the call.
        """
        return await self._door.enter(self._board.newest)

    async def last_game(self) -> int:
        """
        Return the number of the newest game.
        """
        return await self._door.enter(self._board.last_game)

    async def games_after(self, game: int, most: int) -> tuple[GameSummary, ...]:
        """
        Return games whose numbers are greater than *game*.
        """
        return await self._door.enter(self._board.games_after, game, most)

    # --- on the trio side ----------------------------------------------------------------

    async def _submit(self, submission: Submission) -> Admission:
        host = self._host
        await trio.to_thread.run_sync(self._admissions.check, submission.invitation)
        self._check(submission)
        token = secrets.token_urlsafe(32)
        async with self._changes:
            self._check(submission)
            bot_id = await self._enter(submission, token_hash(token))
            host.admit(bot_id, submission.name, token_hash(token))
        structlog.get_logger("office").info("bot_submitted", bot=bot_id, name=submission.name)
        return Admission(bot_id, token)

    def _check(self, submission: Submission, *, another: bool = True) -> None:
        """
        Refuse what cannot be entered, as *another* bot or in the place of one.
        """
        submissions.check(submission, self._host.league.game)
        if another and len(self._host.names) >= MAX_BOTS:
            raise Refused(Reason.LEAGUE_FULL, f"the league is full: it has {MAX_BOTS} bots")

    async def _check_upload(self, invitation: str, token: str) -> None:
        if token:
            # Who is in the league may renew his bot, also where nobody new is taken.
            await self._register.uploaded_with(token)
        else:
            await trio.to_thread.run_sync(self._admissions.check, invitation)
            await self._check_programs()
        if self._host.workshop is not None:
            self._host.workshop.check_room()

    async def _check_programs(self) -> None:
        """
        Refuse another program where as many are run as may be.
        """
        workshop = self._host.workshop
        bots = await self._register.bots()
        here = sum(bot.program is not None and bot.revoked is None for bot in bots)
        if workshop is not None and here >= workshop.most_bots:
            raise Refused(
                Reason.LEAGUE_FULL,
                f"the programs of {here} bots are run here, and of no more at a time",
            )

    async def _upload(self, package: bytes, invitation: str, token: str) -> Verdict:
        host, workshop = self._host, self._host.workshop
        if workshop is None:
            raise Refused(Reason.NOT_OFFERED, "no programs are taken here")
        await self._check_upload(invitation, token)
        log = structlog.get_logger("office")
        try:
            ready = await workshop.make_ready(package)
        except BuildFailed as error:
            return Verdict(accepted=False, report=str(error))
        plays = False
        try:
            submission = ready.program.submission()
            self._check(submission, another=not token)
            ready.program.instances_in(host.league)
            found = await workshop.examine(ready, host.league.game, self._door)
            report = f"{ready.said}\n\n{found.text()}"
            checks = tuple(
                Checked(each.name, each.outcome.value, each.expected, each.came)
                for each in found.checks
            )
            if not found.passed:
                log.info("upload_refused", name=submission.name)
                return Verdict(accepted=False, report=report, checks=checks)
            async with self._changes:
                if token:
                    bot_id, fresh = await self._renew(token, submission, ready, workshop), ""
                else:
                    self._check(submission)
                    await self._check_programs()
                    fresh = secrets.token_urlsafe(32)
                    bot_id = await self._enter(submission, token_hash(fresh), ready)
                    host.launch_program(bot_id, submission.name, ready)
                    plays = True
        finally:
            if not plays:
                workshop.drop(ready.folder)
        if token:
            log.info("bot_renewed", bot=bot_id, name=submission.name)
        else:
            log.info("bot_uploaded", bot=bot_id, name=submission.name)
        return Verdict(
            accepted=True,
            report=report,
            checks=checks,
            admission=Admission(bot_id, fresh),
            from_next_run=bool(token),
        )

    async def _renew(
        self, token: str, submission: Submission, ready: Ready, workshop: Workshop
    ) -> str:
        """
        Keep a new version of a bot for the next run; return the bot's id.

        In this run it plays as it was, since its standings would be of neither.
        """
        bot = await self._register.uploaded_with(token)
        await self._register.refuse_secrets(submission)
        program = str(await trio.to_thread.run_sync(workshop.keep, ready, bot.id))
        version = Version(**submissions.kept(submission), program=program)
        await self._register.renew(bot.id, version)
        before = bot.waiting
        # Or whoever sends a program a minute would fill the disk.
        if before is not None and before.program != program:
            run_once = await trio.to_thread.run_sync(self._store.runs_program, before.program)
            if not run_once:
                discard(before.program)
        return bot.id

    async def _enter(
        self, submission: Submission, token_sha256: str, ready: Ready | None = None
    ) -> str:
        """
        Store a bot under an id that nobody has, and its program if it has one; return the id.
        """
        await self._register.refuse_secrets(submission)
        workshop = self._host.workshop
        base = submissions.id_for(submission.name)
        for number in range(1, MAX_BOTS + 2):
            bot_id = base if number == 1 else f"{base}-{number}"
            if bot_id == OPERATOR or bot_id in self._host.names:
                continue
            program = None
            if ready is not None and workshop is not None:
                keep = functools.partial(workshop.keep, ready, bot_id)
                program = str(await trio.to_thread.run_sync(keep))
            bot = Bot(
                id=bot_id,
                house=False,
                token_sha256=token_sha256,
                program=program,
                **submissions.kept(submission),
            )
            if await self._register.add(bot):
                break
        return bot_id

    async def _rotate(self, bot_id: str, token: str) -> str:
        host = self._host
        async with self._changes:
            bot = await self._register.authorised(bot_id, token)
            if bot.revoked is not None:
                raise Refused(Reason.BOT_REVOKED)
            if bot.house:
                raise Refused(Reason.HOUSE_BOT)
            fresh = secrets.token_urlsafe(32)
            digest = token_hash(fresh)
            await self._register.rotate(bot_id, digest)
            if bot.program is None:  # programs that we run have tokens of their own
                host.admit(bot_id, bot.name, digest)
        structlog.get_logger("office").info("token_rotated", bot=bot_id)
        return fresh

    async def _revoke(self, bot_id: str, token: str) -> None:
        host = self._host
        async with self._changes:
            bot = await self._register.authorised(bot_id, token)
            if bot.revoked is not None and bot_id in host.out:
                return
            if bot.revoked is None:
                await self._register.revoke(bot_id)
            # Also if it was stored before, and that was not heard of.
            host.expel(bot_id)
            await host.remove_program(bot)
        self._board.forget()
        structlog.get_logger("office").info("bot_revoked", bot=bot_id)

    async def _bots(self) -> tuple[Listing, ...]:
        report = await self._board.standings()
        played = {row.bot_id: row.games for row in report.rows}
        bots = await self._register.bots()
        return tuple(
            Listing(
                bot_id=bot.id,
                name=bot.name,
                description=bot.description,
                software=bot.software,
                games=tuple(bot.games or GAMES),
                connected=len(self._host.present(bot.id)),
                played=played.get(bot.id, 0),
                revoked=bot.revoked is not None,
            )
            for bot in bots
        )
