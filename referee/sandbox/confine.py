"""
Gives up what a program of a stranger must not have, then becomes it. Linux only.

    python -I -S confine.py USER GROUP NICE LIMIT=NUMBER... [open=FILE] -- COMMAND [ARGUMENT...]

USER and GROUP are numbers, or `-` to stay who we are. Each LIMIT is the name of a
resource of `resource`, in small letters without `rlimit_`. FILE is opened, as number 9,
while we still may. A program of its own, since
between fork and exec a process beside gRPC may do nothing of the kind.
"""

from __future__ import annotations

import os
import resource
import sys

_OPENED = 9


def main(arguments: list[str]) -> int:
    """
    Confine ourselves and execute the command; see the top of this file.

    Returns:
        The exit code, if there is anything left to exit: 126 or 127 as a shell has it.
    """
    dashes = arguments.index("--")
    user, group, nice, *limits = arguments[:dashes]
    command = arguments[dashes + 1 :]
    for limit in limits:
        name, _, number = limit.partition("=")
        if name == "open":
            os.dup2(os.open(number, os.O_RDONLY), _OPENED)
            os.set_inheritable(_OPENED, True)
            continue
        kind = getattr(resource, f"RLIMIT_{name.upper()}")
        _, hard = resource.getrlimit(kind)
        most = int(number) if hard == resource.RLIM_INFINITY else min(int(number), hard)
        resource.setrlimit(kind, (most, most))
    os.nice(int(nice))
    if user != "-":
        os.setgroups([])
        os.setresgid(int(group), int(group), int(group))
        os.setresuid(int(user), int(user), int(user))
    os.umask(0o022)
    try:
        os.execvp(command[0], command)  # noqa: S606  (no shell is wanted)
    except OSError as error:
        os.write(2, f"confine: cannot start {command[0]!r}: {error.strerror}\n".encode())
        return 127 if isinstance(error, FileNotFoundError) else 126


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
