"""
Who may enter a bot: anybody, whoever has an invitation, or nobody.
"""

from __future__ import annotations

import hashlib
import hmac
from typing import TYPE_CHECKING

import structlog

from referee.errors import ConfigError
from referee.refusals import Reason, Refused

if TYPE_CHECKING:
    from pathlib import Path

    from tournaments.serving import Submissions


class Admissions:
    """
    The door of an open league.
    """

    def __init__(self, how: Submissions) -> None:
        """
        Read the invitations, if there are any.

        Raises:
            ConfigError: They cannot be read, or there are none.
        """
        self._how = how
        self._codes: list[bytes] = []
        if how.mode == "invitation" and how.invitations is not None:
            self._codes = _codes(how.invitations)

    def check(self, invitation: str) -> None:
        """
        Let somebody in who shows this code. Reads a file.

        Codes are for any number of bots, until their line is taken out of the file:
        it is read each time.

        Raises:
            Refused: The code is not valid, or nobody is let in.
        """
        if self._how.mode == "closed":
            raise Refused(Reason.SUBMISSION_CLOSED)
        if self._how.mode == "open":
            return
        if not invitation:
            raise Refused(Reason.INVITATION_MISSING)
        if self._how.invitations is not None:
            try:
                self._codes = _codes(self._how.invitations)
            except ConfigError as error:
                # Whoever edits it right now should not shut the others out.
                structlog.get_logger("admissions").error("invitations_unread", why=str(error))
        shown = _digest(invitation)
        # All are compared, each in constant time: the time says nothing of any code.
        if not sum(hmac.compare_digest(shown, code) for code in self._codes):
            raise Refused(Reason.INVITATION_UNKNOWN)


def _codes(path: Path) -> list[bytes]:
    """
    Return the digests of the codes in a file.
    """
    key = "submission.invitations"
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise ConfigError(f"cannot be read: {error.strerror}", path=str(path), key=key) from None
    except UnicodeDecodeError:
        raise ConfigError("is not UTF-8", path=str(path), key=key) from None
    codes = [code for line in text.splitlines() if (code := line.partition("#")[0].strip())]
    if not codes:
        raise ConfigError("holds no code", path=str(path), key=key, hint="one a line")
    return [_digest(code) for code in codes]


def _digest(code: str) -> bytes:
    return hashlib.sha256(code.strip().encode("utf-8", "surrogatepass")).digest()
