"""
Which system calls a program in a sandbox does not get: a filter for seccomp. Pure.

Namespaces and limits leave two kinds of holes that this closes: memory that belongs to no
process (so nobody who looks at processes sees it), and large parts of the kernel that no
bot needs and that faults have been found in again and again. Everything else is allowed.
What is not fails with "operation not permitted", as if a capability were missing.
"""

from __future__ import annotations

import errno
import struct

_CALLS = {
    # Memory of no process.
    "shmget": (29, 194),
    "msgget": (68, 186),
    "semget": (64, 190),
    "memfd_create": (319, 279),
    "memfd_secret": (447, 447),
    # Parts of the kernel that no bot needs.
    "add_key": (248, 217),
    "bpf": (321, 280),
    "io_uring_enter": (426, 426),
    "io_uring_register": (427, 427),
    "io_uring_setup": (425, 425),
    "keyctl": (250, 219),
    "perf_event_open": (298, 241),
    "ptrace": (101, 117),
    "request_key": (249, 218),
    "syslog": (103, 116),
    "userfaultfd": (323, 282),
}
"""By name: its number on x86-64 and on 64-bit Arm."""

_MACHINES = {"x86_64": (0xC000003E, 0), "aarch64": (0xC00000B7, 1)}
"""What the kernel calls a machine, and which number of a call is its."""

_LOAD, _EQUAL, _AT_LEAST, _RETURN = 0x20, 0x15, 0x35, 0x06
_ALLOW, _REFUSE = 0x7FFF0000, 0x00050000
_NUMBER, _ARCH = 0, 4
_X32 = 0x40000000
"""Calls of x86-64 with this bit are another set with other numbers."""


def filter_for(machine: str) -> bytes | None:
    """
    Return the filter for a machine as `os.uname` names it; None if its calls are not known.
    """
    if machine not in _MACHINES:
        return None
    arch, which = _MACHINES[machine]
    numbers = sorted(numbers[which] for numbers in _CALLS.values())
    lines = [
        (_LOAD, 0, 0, _ARCH),
        (_EQUAL, 1, 0, arch),
        (_RETURN, 0, 0, _REFUSE | errno.ENOSYS),  # programs for another machine
        (_LOAD, 0, 0, _NUMBER),
        (_AT_LEAST, 0, 1, _X32),
        (_RETURN, 0, 0, _REFUSE | errno.ENOSYS),
    ]
    for number in numbers:
        lines += [(_EQUAL, 0, 1, number), (_RETURN, 0, 0, _REFUSE | errno.EPERM)]
    lines.append((_RETURN, 0, 0, _ALLOW))
    return b"".join(struct.pack("=HBBI", *line) for line in lines)
