"""
What is done with instances beside the first, and how instances part.

Everything here needs one instance only: a `Talk` knows its process, its notebook and
how long to wait.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from referee.examiner.stage import ABORTED, REFUSED
from referee.examiner.talk import Gone

if TYPE_CHECKING:
    from referee.examiner.talk import Talk
    from referee.wire.hearing import HelloHeard


async def partner(two: Talk, first: HelloHeard) -> bool:
    """
    Let the second instance in; return whether it came.
    """
    try:
        hello = await two.meet(two.pace.start)
    except Gone as gone:
        if two.running is None:
            two.notebook.skipped(("instances.two", "instances.both"), "no second one dialled in")
        else:
            two.notebook.failed("instances.two", str(gone))
            two.notebook.skipped(("instances.both",), "not reached: there is no second instance")
        return False
    same = (hello.instance or "1") == (first.instance or "1")
    two.notebook.judge("instances.two", "both give Hello.instance the same value" if same else "")
    await two.welcome()
    two.ledger.stray = "ids.known"
    return True


async def replaced(talk: Talk) -> None:
    """
    Examine a long name, and what becomes of a bot that was replaced.
    """
    name = "reconnect.aborted"
    try:
        hello = await talk.meet(talk.pace.start)
    except Gone as gone:
        talk.notebook.failed("hello.long_instance", str(gone))
        talk.notebook.skipped((name,), "not reached: it did not come")
        return
    talk.notebook.judge("hello.long_instance", talk.instance_fault(hello))
    await talk.welcome()
    calls = talk.guest.calls
    await talk.cut(ABORTED)
    await _stays_away(talk, name, calls)


async def refused(talk: Talk) -> None:
    """
    See what a bot does that is refused.
    """
    name = "reconnect.refused"
    running = talk.running
    deadline = asyncio.get_running_loop().time() + talk.pace.start
    while not talk.guest.calls:
        if (running and running.ended.done()) or asyncio.get_running_loop().time() > deadline:
            talk.notebook.skipped((name,), "not reached: it did not come")
            return
        await asyncio.sleep(0.02)
    await _stays_away(talk, name, 1)


async def _stays_away(talk: Talk, name: str, calls: int) -> None:
    """
    See that it opens no more streams than *calls* for a while.
    """
    await _wait_for_end(talk, talk.pace.away)
    more = talk.guest.calls - calls
    talk.notebook.judge(name, f"it dialled in again, {more} times in a second" if more else "")
    talk.guest.refusal = REFUSED
    if talk.running is not None:
        await talk.running.dismiss()


async def _wait_for_end(talk: Talk, seconds: float) -> int | None:
    if talk.running is None:
        await asyncio.sleep(seconds)
        return None
    await asyncio.wait([talk.running.ended], timeout=seconds)
    return talk.exit_code


async def farewell(one: Talk) -> None:
    """
    Say farewell to an instance, and see it go.
    """
    names = ("ending.farewell", "ending.code", "ending.no_more")
    if one.exit_code is not None or not one.connected:
        return
    try:
        await one.farewell("the examination is over")
    except Gone as gone:
        one.notebook.failed("ending.stays", str(gone))
        return
    calls = one.guest.calls
    code = await _wait_for_end(one, one.pace.away if one.running is None else one.pace.end)
    more = one.guest.calls - calls
    one.notebook.judge("ending.no_more", "it dialled in once more" if more else "")
    if one.running is None:
        one.notebook.skipped(names, "somebody else started it")
        return
    if code is None:
        one.notebook.failed("ending.farewell", f"it still ran {one.pace.end:g} s later")
        one.notebook.skipped(names, "not reached: it did not end")
        await one.running.dismiss()
        return
    one.notebook.passed("ending.farewell")
    one.notebook.judge("ending.code", f"it is {code}" if code else "")


async def sigterm(two: Talk, *, connected: bool) -> None:
    """
    Ask an instance to end by SIGTERM, and see it go.
    """
    name = "ending.sigterm"
    if two.running is None:
        two.notebook.skipped((name,), "somebody else started it")
        if connected:
            await two.farewell("the examination is over")
        return
    if not connected or two.exit_code is not None:
        two.notebook.skipped((name,), "not reached: there is no second instance")
        return
    await two.running.dismiss()
    # Whose second that was is known to the warden alone: here it can be over before it is there.
    code = await _wait_for_end(two, two.pace.killed)
    two.notebook.judge(name, "it had to be killed" if code in (None, 128 + 9) else "")
    await two.cut()
