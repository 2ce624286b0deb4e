"""
Who may connect: the bots of the league, by what they show.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from referee.server.ends import REVOKED, ROTATED, STRANGER, TOKENLESS, End
from referee.server.settings import token_hash

if TYPE_CHECKING:
    from referee.server.settings import Bot


class Tokens:
    """
    The tokens of all bots. Only their hashes are known.
    """

    def __init__(self) -> None:
        self._bots: dict[str, Bot] = {}
        self._by_hash: dict[str, Bot] = {}
        self._dismissed: set[str] = set()
        """Hashes of those that bots had when they were dismissed."""

    def admit(self, bot: Bot) -> bool:
        """
        Let a bot connect with its token; return whether it had another, which is void now.
        """
        old = self._bots.get(bot.bot_id)
        if old is not None:
            del self._by_hash[old.token_sha256]
        self._bots[bot.bot_id] = bot
        self._by_hash[bot.token_sha256] = bot
        return old is not None

    def dismiss(self, bot_id: str) -> bool:
        """
        Let a bot connect no more; return whether it could until now.
        """
        bot = self._bots.pop(bot_id, None)
        if bot is None:
            return False
        del self._by_hash[bot.token_sha256]
        self._dismissed.add(bot.token_sha256)
        return True

    def whose(self, token: str) -> Bot | End:
        """
        Return the bot whose token a call shows; or why there is none.
        """
        if not token:
            return TOKENLESS
        # Hashes are looked up, so the time it takes says nothing of a token.
        digest = token_hash(token)
        return self._by_hash.get(digest, REVOKED if digest in self._dismissed else STRANGER)

    def refusal(self, bot: Bot) -> End | None:
        """
        Return why a bot that was let in may no longer stay; None if it may.
        """
        if self._by_hash.get(bot.token_sha256) is bot:
            return None
        return ROTATED if bot.bot_id in self._bots else REVOKED
