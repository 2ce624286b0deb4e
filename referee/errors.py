"""
Every error of this project; its type says whose fault it is.

    RefereeError
    ├─ RuleViolation    an action that is not legal here; nothing has changed
    ├─ NotationError    text that is not in the notation of rules.md 7.3
    ├─ ScenarioError    a scenario that is malformed (rules.md 7.4), with the place
    ├─ ConfigError      a league file, an option or a command line is wrong
    ├─ RecordError      a stored game does not replay
    ├─ StoreError       the store cannot be read or written
    └─ RemoteError      another referee was asked and did not do it

What a bot does wrong is no exception: it is a ruling (architecture, decision
7). Anything else that is raised is a bug of ours.
"""

from __future__ import annotations


class RefereeError(Exception):
    """
    Base of every error that this project raises on purpose.
    """


class RuleViolation(RefereeError):  # noqa: N818  (the term of the field)
    """
    An action that the rules do not allow here. Nothing has changed.
    """


class NotationError(RefereeError):
    """
    Text that is not in the notation of rules.md 7.3.
    """


class ScenarioError(RefereeError):
    """
    A scenario that never gets a ruling, because it is malformed.
    """

    def __init__(self, place: str, why: str) -> None:
        super().__init__(f"{place}: {why}")
        self.place = place
        """The faulty place: `deck`, `hands.N`, `rules.min_bid`, `actions[3]`."""
        self.why = why
        """What is wrong there."""


class ConfigError(RefereeError):
    """
    A configuration that cannot be used: the user's mistake, exit code 2.
    """

    def __init__(self, why: str, *, path: str = "", key: str = "", hint: str = "") -> None:
        where = " ".join(filter(None, [f"{path}:" if path else "", f"{key}:" if key else ""]))
        super().__init__(f"{where} {why}".strip() + (f" ({hint})" if hint else ""))
        self.why = why
        """What is wrong."""
        self.path = path
        """The file it stands in, if there is one."""
        self.key = key
        """The key in that file or the name of the option, if there is one."""
        self.hint = hint
        """What to do about it."""


class RecordError(RefereeError):
    """
    A stored game that does not replay to what was stored.
    """


class StoreError(RefereeError):
    """
    The store cannot be read or written.
    """


class RemoteError(RefereeError):
    """
    Another referee was asked and did not do it; says why, and what to do.
    """
