"""
The bots of a run as they are stored, and whose token may change which.
"""

from __future__ import annotations

import hmac
from typing import TYPE_CHECKING, TypeVar

import trio

from referee.errors import ConfigError
from referee.refusals import Reason, Refused
from referee.server import token_hash
from tournaments import submissions

if TYPE_CHECKING:
    from collections.abc import Callable

    from referee.office import Submission
    from tournaments.store import Bot, Run, Store, Version

T = TypeVar("T")

_TOKEN = 43
"""Characters of a token."""


class Register:
    """
    Who is entered into a run. Everything that changes its bots goes through here.
    """

    def __init__(self, store: Store, run: Run, operator: str) -> None:
        """
        Open it.

        Args:
            store: Where the bots are kept.
            run: Whose.
            operator: Hash of the operator's token.
        """
        self._store = store
        self._run = run
        self._operator = operator
        self._entered: list[Bot] | None = None
        """The bots as they are stored; None if that is not known."""
        self._edits = 0
        """Changes of these."""

    async def bots(self) -> list[Bot]:
        """
        Return the bots in order of entry. Anybody may ask, so they are read once a change.
        """
        if self._entered is not None:
            return self._entered
        edits = self._edits
        bots = await trio.to_thread.run_sync(self._store.bots, self._run)
        if edits == self._edits:
            self._entered = bots
        return bots

    async def add(self, bot: Bot) -> bool:
        """
        Enter a bot; return False, and change nothing, if its id is taken.
        """
        return await self._change(self._store.add_bot, bot)

    async def renew(self, bot_id: str, version: Version) -> None:
        """
        Keep a new version of a bot for the next run.
        """
        await self._change(self._store.renew_bot, bot_id, version)

    async def rotate(self, bot_id: str, token_sha256: str) -> None:
        """
        Put another token in the place of that of a bot.
        """
        await self._change(self._store.rotate_token, bot_id, token_sha256)

    async def revoke(self, bot_id: str) -> None:
        """
        Write down that a bot is out.
        """
        await self._change(self._store.revoke_bot, bot_id)

    async def _change(self, change: Callable[..., T], *arguments: object) -> T:
        """
        Change the bots that are stored; what was read of them is not relied on.
        """
        try:
            return await trio.to_thread.run_sync(change, self._run, *arguments)
        finally:
            self._edits += 1
            self._entered = None

    # --- whose tokens --------------------------------------------------------------------

    async def knows(self, token: str) -> bool:
        """
        Whether *token* is the operator's, or the owner's of a bot that was not taken out.
        """
        digest = token_hash(token)
        if _same(digest, self._operator):
            return True
        bots = await self.bots()
        return any(_same(digest, bot.token_sha256) and bot.revoked is None for bot in bots)

    async def authorised(self, bot_id: str, token: str) -> Bot:
        """
        Return the bot with an id, if whoever shows *token* may change it.

        Who has no token learns nothing, and who has one of another bot does not either.
        """
        if not token:
            raise Refused(Reason.TOKEN_MISSING)
        digest = token_hash(token)
        bots = await self.bots()
        known = [bot for bot in bots if _same(digest, bot.token_sha256)]
        operator = _same(digest, self._operator)
        if not (known or operator):
            raise Refused(Reason.TOKEN_UNKNOWN)
        found = [bot for bot in bots if bot.id == bot_id]
        if not operator and (not found or found[0] not in known):
            raise Refused(Reason.NOT_YOUR_BOT)
        if not found:
            raise Refused(Reason.BOT_UNKNOWN)
        return found[0]

    async def uploaded_with(self, token: str) -> Bot:
        """
        Return the uploaded bot that a token is of.

        Raises:
            Refused: It is of none, or of a bot that gets no new version.
        """
        digest = token_hash(token)
        if _same(digest, self._operator):
            raise Refused(Reason.NOT_YOUR_BOT, "a new version is sent with the bot's own token")
        for bot in await self.bots():
            if _same(digest, bot.token_sha256):
                if bot.revoked is not None:
                    raise Refused(Reason.BOT_REVOKED, "the bot was taken out: no new version of it")
                if bot.program is None:
                    raise Refused(Reason.NOT_UPLOADED)
                return bot
        raise Refused(Reason.TOKEN_UNKNOWN)

    async def refuse_secrets(self, submission: Submission) -> None:
        """
        Refuse texts that hold a token of the league: they are shown and logged.
        """
        known = {self._operator, *(bot.token_sha256 for bot in await self.bots())}
        for key in submissions.TEXTS:
            text: str = getattr(submission, key)
            places = range(len(text) - _TOKEN + 1)
            if any(token_hash(text[at : at + _TOKEN]) in known for at in places):
                raise ConfigError("holds a token, which is a secret", key=key)


def _same(digest: str, kept: str | None) -> bool:
    return kept is not None and hmac.compare_digest(digest, kept)
