"""
A nursery for what serves a block of code and must not outlive it.
"""

from __future__ import annotations

from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

import trio

if TYPE_CHECKING:
    from collections.abc import AsyncIterator


@asynccontextmanager
@trio.lowlevel.enable_ki_protection
async def background() -> AsyncIterator[trio.Nursery]:
    """
    Open a nursery whose tasks are cancelled when the body ends, however it ends.

    An exception of the body leaves as it is. A plain nursery would wrap it in
    an exception group, and `except ConfigError` further up would miss it. What
    a task of the nursery raises cancels the body and leaves in a group.

    Yields:
        The nursery.
    """
    failure: BaseException | None = None
    try:
        async with trio.open_nursery() as nursery:
            try:
                yield nursery
            except (trio.Cancelled, BaseExceptionGroup):
                # Both may belong to this nursery's own scope: not to be carried past it.
                raise
            except BaseException as error:  # noqa: BLE001  (raised again below)
                failure = error
            finally:
                nursery.cancel_scope.cancel()
    finally:
        if failure is not None:
            raise failure
