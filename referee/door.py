"""
The one crossing between trio and the asyncio thread of grpc.aio.

trio owns the program; asyncio lives in a thread of its own, because grpc knows
nothing else. A call crosses with `Door.run` (from trio) or `Door.enter` (from
asyncio) and is one call to both sides: it returns what was returned, raises what
was raised, and a cancellation on the caller's side is a cancellation on the
other side, whose end is waited for. So a crossing is never left running.

How to think about the end: first trio's half (`closed` is set, entered functions
are cancelled and end), then asyncio's (all tasks are cancelled and get
`patience` seconds), then the thread. All state that says what is open or closed
is touched by the trio thread only; the other thread sends it messages with
`TrioToken.run_sync_soon`, as trio sends them with `call_soon_threadsafe`.
"""

from __future__ import annotations

import asyncio
import contextlib
import contextvars
import threading
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any, TypeVar, TypeVarTuple, Unpack

import outcome
import structlog
import trio

from referee.background import background
from referee.errors import RefereeError

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable

T = TypeVar("T")
Ts = TypeVarTuple("Ts")

PATIENCE = 5.0
"""Seconds that asyncio tasks get to end after they were cancelled at the end."""

MARGIN = 5.0
"""Seconds more until their thread is given up too: it has its own end to see to."""

log: structlog.stdlib.BoundLogger = structlog.get_logger()


class DoorClosed(RefereeError):  # noqa: N818  (a state, not a mistake)
    """
    The other side is gone or going: nothing is run there any more.
    """


class Door:
    """
    Calls between trio and one asyncio loop. Made by `open_door`.
    """

    def __init__(self, nursery: trio.Nursery, patience: float) -> None:
        self._nursery = nursery
        self._patience = patience
        self._token = trio.lowlevel.current_trio_token()
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._live, name="asyncio", daemon=True)
        self._over = trio.Event()
        self._closed = False
        self._waiting: set[_Waiting] = set()
        self._stop = asyncio.Event()

    async def run(self, async_fn: Callable[[Unpack[Ts]], Awaitable[T]], /, *args: *Ts) -> T:
        """
        Run an asyncio function over there, from trio, and wait for its end.

        A cancellation here cancels it there. What it then still returns or
        raises is returned or raised here. Context variables go along.

        Args:
            async_fn: A coroutine function of the asyncio side.
            args: Its arguments.

        Returns:
            What it returns.

        Raises:
            DoorClosed: The door is closed or was closed meanwhile, or the call
                was cancelled by somebody on the asyncio side.
            BaseException: What it raises.
        """
        await trio.lowlevel.checkpoint_if_cancelled()
        if self._closed:
            raise DoorClosed("the asyncio side has ended")
        waiting = _Waiting(trio.lowlevel.current_task())

        async def carry() -> outcome.Outcome[T]:
            # Captured here, since asyncio would end its loop for a SystemExit.
            return await outcome.acapture(async_fn, *args)

        def start() -> None:
            # Keeping the task in `waiting` also keeps asyncio from losing it.
            waiting.task = task = self._loop.create_task(carry())
            task.add_done_callback(end)

        def end(task: asyncio.Task[outcome.Outcome[T]]) -> None:
            # Cancelled here means: before it has begun.
            result = outcome.Error(asyncio.CancelledError()) if task.cancelled() else task.result()
            with contextlib.suppress(trio.RunFinishedError):
                self._token.run_sync_soon(self._wake, waiting, result)

        def abort(raise_cancel: Callable[[], Any]) -> trio.lowlevel.Abort:
            waiting.raise_cancel = raise_cancel
            with contextlib.suppress(RuntimeError):  # the loop is closed: `_wake` is under way
                self._loop.call_soon_threadsafe(waiting.cancel)
            return trio.lowlevel.Abort.FAILED

        self.call_soon(start)
        self._waiting.add(waiting)
        try:
            result: T = await trio.lowlevel.wait_task_rescheduled(abort)
        except asyncio.CancelledError:
            if waiting.raise_cancel is not None:
                waiting.raise_cancel()
            raise DoorClosed("the call was cancelled on the asyncio side") from None
        return result

    async def enter(self, async_fn: Callable[[Unpack[Ts]], Awaitable[T]], /, *args: *Ts) -> T:
        """
        Run a trio function over there, from an asyncio task, and wait for its end.

        A cancellation here cancels it there; it is waited for all the same.
        Context variables go along.

        Args:
            async_fn: An async function of the trio side.
            args: Its arguments.

        Returns:
            What it returns.

        Raises:
            DoorClosed: trio is ending or has ended; the function was not run,
                or not to its end.
            BaseException: What it raises.
        """
        call = _Entered(asyncio.get_running_loop(), async_fn, args)
        context = contextvars.copy_context()
        self._tell_trio(self._admit, call, context)
        cancelled: asyncio.CancelledError | None = None
        while not call.answer.done():
            try:
                await asyncio.wait([call.answer])
            except asyncio.CancelledError as error:
                cancelled = error
                self._tell_trio(call.scope.cancel)
        result = call.answer.result()
        if cancelled is not None and not isinstance(result, outcome.Error):
            raise cancelled  # asyncio's rule: a cancellation is never swallowed
        value: T = result.unwrap()
        return value

    def call_soon(self, fn: Callable[[Unpack[Ts]], object], /, *args: *Ts) -> None:
        """
        Have a plain function called soon by the asyncio loop; from any thread.

        Calls run in the order in which one thread makes them. What *fn* raises
        is logged over there.

        Raises:
            DoorClosed: The asyncio side has ended.
        """
        try:
            self._loop.call_soon_threadsafe(fn, *args)
        except RuntimeError:
            raise DoorClosed("the asyncio side has ended") from None

    # The asyncio thread.

    def _live(self) -> None:
        """
        Be the asyncio thread: run the loop until told to stop, then end it.
        """
        try:
            with contextlib.closing(self._loop):
                self._loop.run_until_complete(self._until_stopped())
                self._loop.run_until_complete(self._loop.shutdown_asyncgens())
        finally:
            with contextlib.suppress(trio.RunFinishedError):
                self._token.run_sync_soon(self._ended)

    async def _until_stopped(self) -> None:
        """
        Let the loop run until the end; then cancel what still runs, and wait for it.

        A task is cancelled once only: a second time would break its clean-up.
        Tasks that the clean-up itself starts are found by looking again.
        """
        await self._stop.wait()
        deadline = self._loop.time() + self._patience
        seen: set[asyncio.Task[Any]] = set()
        me = asyncio.current_task()
        while left := {task for task in asyncio.all_tasks() if task is not me}:
            for task in left - seen:
                task.cancel()
            seen |= left
            seconds = deadline - self._loop.time()
            if seconds <= 0:
                names = sorted(task.get_name() for task in left)
                log.error("asyncio_tasks_left", tasks=names, patience=self._patience)
                return
            await asyncio.wait(left, timeout=seconds, return_when=asyncio.FIRST_COMPLETED)

    def _tell_trio(self, fn: Callable[[Unpack[Ts]], object], /, *args: *Ts) -> None:
        """
        Have *fn* called in the trio thread.

        Raises:
            DoorClosed: There is no trio any more.
        """
        try:
            self._token.run_sync_soon(fn, *args)
        except trio.RunFinishedError:
            raise DoorClosed("the trio side has ended") from None

    # The trio thread.

    def _wake(self, waiting: _Waiting, result: outcome.Outcome[Any]) -> None:
        """
        Hand a caller of `run` its result, unless it has been sent away already.
        """
        if waiting in self._waiting:
            self._waiting.remove(waiting)
            trio.lowlevel.reschedule(waiting.caller, result)

    def _admit(self, call: _Entered, context: contextvars.Context) -> None:
        """
        Start what was entered, or say that it is too late.
        """
        if self._closed:
            call.reply(outcome.Error(DoorClosed("the trio side is ending")))
        else:
            context.run(self._nursery.start_soon, call.serve)

    def _ended(self) -> None:
        """
        The asyncio thread is at its end: nobody may wait for it any longer.
        """
        self._closed = True
        for waiting in list(self._waiting):
            self._wake(waiting, outcome.Error(DoorClosed("the asyncio side has ended")))
        self._over.set()

    @trio.lowlevel.enable_ki_protection
    async def _close(self) -> None:
        """
        End the asyncio side. Bounded, and not to be cancelled.
        """
        with contextlib.suppress(RuntimeError):  # it has ended by itself
            self._loop.call_soon_threadsafe(self._stop.set)
        with trio.CancelScope(shield=True):
            with trio.move_on_after(self._patience + MARGIN):
                await self._over.wait()
            if self._over.is_set():
                self._thread.join()
                return
        # Something over there blocks its loop. The thread is a daemon, so that
        # the program can end; whoever waits for an answer is told now.
        log.error("asyncio_thread_left", patience=self._patience)
        self._ended()


@asynccontextmanager
@trio.lowlevel.enable_ki_protection
async def open_door(patience: float = PATIENCE) -> AsyncIterator[Door]:
    """
    Start the asyncio thread, and end it when the body ends.

    At the end all asyncio tasks are cancelled and waited for, the thread is
    joined and the loop is closed, also after an exception, a cancellation or
    Ctrl-C. Whoever needs a gentler end (a server that says farewell) does that
    inside the body. An exception of the body leaves as it is.

    Args:
        patience: Seconds that asyncio tasks get to end after they were
            cancelled. Tasks that need longer are left behind and logged.

    Yields:
        The door.
    """
    door: Door | None = None
    try:
        async with background() as nursery:
            door = Door(nursery, patience)
            door._thread.start()  # noqa: SLF001  (made and ended here only)
            try:
                yield door
            finally:
                door._closed = True  # noqa: SLF001
    finally:
        if door is not None:
            await door._close()  # noqa: SLF001


class _Waiting:
    """
    A trio task that waits for the asyncio task it has asked for.
    """

    def __init__(self, caller: trio.lowlevel.Task) -> None:
        self.caller = caller
        self.task: asyncio.Task[Any] | None = None
        """Set and read in the asyncio thread only."""
        self.raise_cancel: Callable[[], Any] | None = None
        """Raises trio's own Cancelled, once trio has cancelled the caller."""

    def cancel(self) -> None:
        """
        Cancel the asyncio task. Called in that thread, after the task was started.
        """
        if self.task is not None:
            self.task.cancel()


class _Entered:
    """
    A trio function that an asyncio task has asked for.
    """

    def __init__(
        self,
        loop: asyncio.AbstractEventLoop,
        async_fn: Callable[..., Awaitable[Any]],
        args: tuple[Any, ...],
    ) -> None:
        self._loop = loop
        self._async_fn = async_fn
        self._args = args
        self.answer: asyncio.Future[outcome.Outcome[Any]] = loop.create_future()
        """Touched in the asyncio thread only."""
        self.scope = trio.CancelScope()

    async def serve(self) -> None:
        """
        Run the function in the trio thread and send its result back.
        """
        result: outcome.Outcome[Any] = outcome.Error(DoorClosed("the trio side is ending"))
        try:
            with self.scope:
                result = outcome.Value(await self._async_fn(*self._args))
            if self.scope.cancelled_caught:
                result = outcome.Error(asyncio.CancelledError())
        except Exception as error:  # noqa: BLE001  (it belongs to the caller over there)
            result = outcome.Error(error)
        finally:
            # Cancelled and KeyboardInterrupt go on through the nursery, and are
            # "the trio side is ending" to asyncio.
            self.reply(result)

    def reply(self, result: outcome.Outcome[Any]) -> None:
        """
        Send *result* to the asyncio side.
        """
        with contextlib.suppress(RuntimeError):  # that side is gone, and its caller with it
            self._loop.call_soon_threadsafe(self._settle, result)

    def _settle(self, result: outcome.Outcome[Any]) -> None:
        if not self.answer.done():
            self.answer.set_result(result)
