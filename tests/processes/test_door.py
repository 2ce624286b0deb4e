"""
The door between trio and asyncio: results, exceptions, cancellation both ways, the end.
"""

from __future__ import annotations

import asyncio
import contextvars
import gc
import os
import signal
import threading
from typing import TYPE_CHECKING, NoReturn

import grpc
import grpc.aio
import pytest
import trio

from referee import door as doors
from referee.background import background
from referee.door import Door, DoorClosed, open_door

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterator

WHO: contextvars.ContextVar[str] = contextvars.ContextVar("WHO")


@pytest.fixture(autouse=True)
def _no_thread_left() -> Iterator[None]:
    """
    Whatever a test does, the asyncio thread is gone at its end.
    """
    yield
    assert [] == [thread for thread in threading.enumerate() if thread.name == "asyncio"]


async def _double(number: int) -> int:
    await asyncio.sleep(0)
    return 2 * number


async def _fail(text: str) -> NoReturn:
    await asyncio.sleep(0)
    raise ValueError(text)


async def _trio_double(number: int) -> int:
    await trio.lowlevel.checkpoint()
    return 2 * number


async def _trio_fail(text: str) -> NoReturn:
    await trio.lowlevel.checkpoint()
    raise ValueError(text)


class _Sleeper:
    """
    Sleeps for ever on the asyncio side, and notes how it ended.
    """

    def __init__(self) -> None:
        self.asleep = trio.Event()
        self.end = ""
        self._token = trio.lowlevel.current_trio_token()

    async def sleep(self) -> None:
        try:
            # Blocks this loop, so that nothing comes in before the wait below.
            trio.from_thread.run_sync(self.asleep.set, trio_token=self._token)
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            await asyncio.sleep(0.01)  # so that not waiting for the end would show
            self.end = "cancelled"
            raise


async def test_run_returns_the_result() -> None:
    """
    A call from trio returns what the asyncio function returned.
    """
    async with open_door() as door:
        assert 42 == await door.run(_double, 21)


async def test_run_raises_the_exception() -> None:
    """
    A call from trio raises what the asyncio function raised, itself.
    """
    async with open_door() as door:
        with pytest.raises(ValueError, match="over there"):
            await door.run(_fail, "over there")
        with pytest.raises(TypeError):
            await door.run(_double)  # type: ignore[arg-type]  # that is the test
        assert 2 == await door.run(_double, 1)


async def test_a_system_exit_over_there_is_the_callers() -> None:
    """
    `sys.exit` in a called function ends its caller, not the asyncio loop.
    """

    async def leave() -> NoReturn:
        raise SystemExit(3)

    async with open_door() as door:
        with pytest.raises(SystemExit):
            await door.run(leave)
        assert 2 == await door.run(_double, 1)


async def test_enter_returns_and_raises() -> None:
    """
    A call from asyncio has the result or the exception of the trio function.
    """

    async def over_there(door: Door) -> int:
        with pytest.raises(ValueError, match="in trio"):
            await door.enter(_trio_fail, "in trio")
        return await door.enter(_trio_double, 21)

    async with open_door() as door:
        assert 42 == await door.run(over_there, door)


async def test_crossings_may_be_nested() -> None:
    """
    A call from trio to asyncio to trio to asyncio works.
    """

    async def outer(door: Door, depth: int) -> int:
        return await door.enter(inner, door, depth)

    async def inner(door: Door, depth: int) -> int:
        return 1 + await door.run(outer, door, depth - 1) if depth else 0

    async with open_door() as door:
        assert 20 == await door.run(outer, door, 20)


async def test_context_variables_go_along() -> None:
    """
    What is bound to the context of a caller is there on the other side, both ways.
    """

    async def there(door: Door) -> tuple[str, str]:
        mine = WHO.get()
        WHO.set("asyncio")
        return mine, await door.enter(back)

    async def back() -> str:
        return WHO.get()

    WHO.set("trio")
    async with open_door() as door:
        assert ("trio", "asyncio") == await door.run(there, door)
    assert "trio" == WHO.get()


async def test_call_soon_keeps_the_order() -> None:
    """
    Plain calls run over there in the order in which they were made.
    """
    seen: list[tuple[int, str]] = []

    def note(number: int) -> None:
        seen.append((number, threading.current_thread().name))

    async with open_door() as door:
        for number in range(100):
            door.call_soon(note, number)
        await door.run(_double, 1)
    assert [(number, "asyncio") for number in range(100)] == seen


async def test_many_calls_at_once() -> None:
    """
    A thousand calls in both directions at the same time each get their own result.
    """
    got: dict[int, int] = {}

    async def there(door: Door, number: int) -> int:
        return await door.enter(_trio_double, number)

    async def call(door: Door, number: int) -> None:
        got[number] = await door.run(there, door, number)

    async with open_door() as door, trio.open_nursery() as nursery:
        for number in range(1000):
            nursery.start_soon(call, door, number)
    assert {number: 2 * number for number in range(1000)} == got


async def test_a_trio_cancellation_cancels_over_there_and_waits() -> None:
    """
    When the caller goes on, the asyncio function has ended.
    """
    async with open_door() as door:
        sleeper = _Sleeper()
        async with trio.open_nursery() as nursery:
            nursery.start_soon(door.run, sleeper.sleep)
            await sleeper.asleep.wait()
            nursery.cancel_scope.cancel()
        assert "cancelled" == sleeper.end


async def test_a_cancelled_caller_starts_nothing() -> None:
    """
    A call in a scope that is cancelled already does not reach the other side.
    """
    began = False

    async def begin() -> None:
        nonlocal began
        began = True

    async with open_door() as door:
        with trio.CancelScope() as scope:
            scope.cancel()
            await door.run(begin)
        await door.run(_double, 1)
    assert scope.cancelled_caught
    assert not began


async def test_a_result_that_came_before_the_cancellation_is_kept() -> None:
    """
    A function that finishes in spite of the cancellation has its result returned.
    """

    async def stubborn() -> str:
        try:
            trio.from_thread.run_sync(ready.set, trio_token=token)
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            return "done anyway"
        return ""

    ready = trio.Event()
    token = trio.lowlevel.current_trio_token()
    got: list[str] = []

    async def call(door: Door) -> None:
        got.append(await door.run(stubborn))

    async with open_door() as door, trio.open_nursery() as nursery:
        nursery.start_soon(call, door)
        await ready.wait()
        nursery.cancel_scope.cancel()
    assert ["done anyway"] == got


async def test_calls_cancelled_at_any_moment() -> None:
    """
    Three hundred calls, each cancelled at another moment: no hang, nothing runs on.
    """
    running = 0

    async def there(door: Door) -> None:
        nonlocal running
        running += 1
        try:
            await door.enter(trio.sleep, 0.002)
        finally:
            running -= 1

    async with open_door() as door:
        for step in range(300):
            with trio.move_on_after(step * 0.00002):
                await door.run(there, door)
        assert 0 == await door.run(_double, running)


async def test_an_asyncio_cancellation_cancels_in_trio_and_waits() -> None:
    """
    When the asyncio task has ended, the trio function has ended.
    """
    end: list[str] = []
    ready = trio.Event()

    async def in_trio() -> None:
        try:
            ready.set()
            await trio.sleep_forever()
        finally:
            with trio.CancelScope(shield=True):
                await trio.sleep(0.01)
            end.append("ended")

    async def cancel(task: asyncio.Task[None]) -> bool:
        task.cancel()
        await asyncio.wait([task])
        assert ["ended"] == end
        return task.cancelled()

    async def start(door: Door) -> asyncio.Task[None]:
        return asyncio.create_task(door.enter(in_trio))

    async with open_door() as door:
        task = await door.run(start, door)
        await ready.wait()
        assert await door.run(cancel, task)


async def test_asyncio_timeouts_work_around_enter() -> None:
    """
    `asyncio.timeout` around an entered function is a TimeoutError, after its end.
    """

    async def there(door: Door) -> str:
        try:
            async with asyncio.timeout(0.01):
                await door.enter(trio.sleep_forever)
        except TimeoutError:
            return "late"
        return "never"

    async with open_door() as door:
        assert "late" == await door.run(there, door)


async def test_cancelled_by_a_stranger_is_door_closed() -> None:
    """
    A task that somebody else cancels over there is no cancellation of trio's.
    """

    async def suicide() -> None:
        task = asyncio.current_task()
        assert task is not None
        task.cancel()
        await asyncio.sleep(0)

    async with open_door() as door:
        with pytest.raises(DoorClosed):
            await door.run(suicide)


async def test_the_end_cancels_what_is_in_flight() -> None:
    """
    Calls still open when the body ends get DoorClosed, and their tasks have ended.
    """
    ends: list[str] = []

    async def call(door: Door, sleeper: _Sleeper) -> None:
        try:
            await door.run(sleeper.sleep)
        except DoorClosed:
            ends.append(sleeper.end)

    async with trio.open_nursery() as nursery, open_door() as door:
        for _ in range(10):
            sleeper = _Sleeper()
            nursery.start_soon(call, door, sleeper)
            await sleeper.asleep.wait()
    assert ["cancelled"] * 10 == ends


async def test_the_end_tells_those_who_have_entered() -> None:
    """
    An asyncio task that waits for trio at the end gets DoorClosed or is cancelled; it ends.
    """
    ends: list[type[BaseException]] = []
    ready = trio.Event()

    async def wait() -> None:
        ready.set()
        await trio.sleep_forever()

    async def there(door: Door) -> None:
        try:
            await door.enter(wait)
        except BaseException as error:
            ends.append(type(error))
            raise

    async def start(door: Door) -> asyncio.Task[None]:
        return asyncio.create_task(there(door))

    async with open_door() as door:
        task = await door.run(start, door)
        await ready.wait()
    assert task.done()
    assert ends in ([DoorClosed], [asyncio.CancelledError])
    assert task.cancelled() or isinstance(task.exception(), DoorClosed)


async def test_entering_while_trio_ends_is_door_closed() -> None:
    """
    A call that comes while the door is closing is refused and does not hang.
    """
    ends: list[str] = []

    async def late(door: Door) -> None:
        try:
            await asyncio.Event().wait()
        finally:
            try:
                await door.enter(_trio_double, 1)
            except DoorClosed as error:
                ends.append(str(error))

    async def start(door: Door) -> asyncio.Task[None]:
        task = asyncio.create_task(late(door))
        await asyncio.sleep(0)
        return task

    async with open_door() as door:
        task = await door.run(start, door)
    assert task.done()
    assert ["the trio side is ending"] == ends


async def test_after_the_end_every_call_is_door_closed() -> None:
    """
    Nothing hangs and nothing is started on a door that is closed.
    """
    async with open_door() as door:
        pass
    with pytest.raises(DoorClosed):
        await door.run(_double, 1)
    with pytest.raises(DoorClosed):
        door.call_soon(print)
    with pytest.raises(DoorClosed):
        await trio.to_thread.run_sync(asyncio.run, door.enter(_trio_double, 1))


def test_after_trio_every_call_is_door_closed() -> None:
    """
    An asyncio task that outlived trio gets DoorClosed from `enter`.
    """

    async def main() -> Door:
        async with open_door() as door:
            return door

    door = trio.run(main)
    with pytest.raises(DoorClosed, match="the trio side has ended"):
        asyncio.run(door.enter(_trio_double, 1))


def test_two_runs_in_one_process() -> None:
    """
    A second trio run has a second door, also for grpc.aio.
    """

    async def echo(request: bytes, context: grpc.aio.ServicerContext[bytes, bytes]) -> bytes:
        del context
        return request

    async def serve_and_ask(path: str) -> bytes:
        server = grpc.aio.server()
        handler: grpc.RpcMethodHandler[bytes, bytes] = grpc.unary_unary_rpc_method_handler(echo)
        server.add_generic_rpc_handlers(
            (grpc.method_handlers_generic_handler("test.Echo", {"Say": handler}),)
        )
        server.add_insecure_port(path)
        await server.start()
        try:
            async with grpc.aio.insecure_channel(path) as channel:
                say: grpc.aio.UnaryUnaryMultiCallable[bytes, bytes]
                say = channel.unary_unary("/test.Echo/Say")
                return await say(b"hello")
        finally:
            await server.stop(None)

    async def main(path: str) -> bytes:
        async with open_door() as door:
            return await door.run(serve_and_ask, path)

    for number in range(2):
        path = f"unix-abstract:door-{os.getpid()}-{number}"
        assert b"hello" == trio.run(main, path)


@pytest.mark.parametrize("raised", [ValueError("mine"), KeyboardInterrupt(), SystemExit(1)])
async def test_an_exception_of_the_body_leaves_as_it_is(raised: BaseException) -> None:
    """
    Not wrapped in a group; tasks over there have ended.
    """
    with pytest.raises(type(raised)) as caught:  # noqa: PT012  (the block is the test)
        async with open_door() as door, background() as nursery:
            sleeper = _Sleeper()
            nursery.start_soon(door.run, sleeper.sleep)
            await sleeper.asleep.wait()
            raise raised
    assert raised is caught.value
    assert "cancelled" == sleeper.end


async def test_a_cancelled_body_closes_the_door() -> None:
    """
    A cancellation from outside goes through, and tasks over there have ended.
    """
    with trio.CancelScope() as scope:
        async with open_door() as door:
            sleeper = _Sleeper()
            async with trio.open_nursery() as nursery:
                nursery.start_soon(door.run, sleeper.sleep)
                await sleeper.asleep.wait()
                scope.cancel()
        pytest.fail("the cancellation was swallowed")
    assert scope.cancelled_caught
    assert "cancelled" == sleeper.end


def test_ctrl_c_while_a_call_is_open() -> None:
    """
    Ctrl-C during `run` cancels over there and leaves as KeyboardInterrupt.
    """
    ends: list[str] = []

    async def interrupt(event: trio.Event) -> None:
        await event.wait()
        signal.raise_signal(signal.SIGINT)

    async def main() -> None:
        async with open_door() as door, background() as nursery:
            sleeper = _Sleeper()
            nursery.start_soon(interrupt, sleeper.asleep)
            try:
                await door.run(sleeper.sleep)
            finally:
                ends.append(sleeper.end)

    previous = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with pytest.raises((KeyboardInterrupt, BaseExceptionGroup)) as caught:
            trio.run(main)
    finally:
        signal.signal(signal.SIGINT, previous)
    error: BaseException = caught.value
    while isinstance(error, BaseExceptionGroup):
        [error] = error.exceptions
    assert isinstance(error, KeyboardInterrupt)
    assert ["cancelled"] == ends


@pytest.mark.slow
async def test_a_task_that_refuses_to_end_is_left_after_a_bound(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """
    The end takes no longer than the patience, and the caller gets DoorClosed.
    """
    closed: list[bool] = []

    async def refuse() -> None:
        trio.from_thread.run_sync(ready.set, trio_token=token)
        while True:
            try:
                await asyncio.Event().wait()
            except asyncio.CancelledError:
                continue

    async def call(door: Door) -> None:
        try:
            await door.run(refuse)
        except DoorClosed:
            closed.append(True)

    ready = trio.Event()
    token = trio.lowlevel.current_trio_token()
    with trio.fail_after(60):
        async with trio.open_nursery() as nursery, open_door(patience=0.2) as door:
            nursery.start_soon(call, door)
            await ready.wait()
    assert [True] == closed
    assert "asyncio_tasks_left" in capsys.readouterr().out
    gc.collect()  # asyncio complains about the task here, and not at the end of pytest


@pytest.mark.slow
async def test_a_blocked_loop_is_left_after_a_bound(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """
    Somebody who blocks the asyncio thread cannot block the end of the program.
    """
    monkeypatch.setattr(doors, "MARGIN", 0.1)
    blocked = threading.Event()
    release = threading.Event()

    async def block() -> None:
        blocked.set()
        release.wait()

    closed: list[bool] = []

    async def call(door: Door, async_fn: Callable[[], Awaitable[None]]) -> None:
        try:
            await door.run(async_fn)
        except DoorClosed:
            closed.append(True)

    with trio.fail_after(60):
        async with trio.open_nursery() as nursery, open_door(patience=0.1) as door:
            nursery.start_soon(call, door, block)
            await trio.to_thread.run_sync(blocked.wait)
    assert [True] == closed
    assert "asyncio_thread_left" in capsys.readouterr().out
    release.set()
    await trio.to_thread.run_sync(door._thread.join, 60)


async def test_background_passes_on_what_its_tasks_raise() -> None:
    """
    A task's exception cancels the body and leaves in a group.
    """

    async def fail() -> NoReturn:
        raise ValueError("task")

    with pytest.raises(ExceptionGroup) as caught:  # noqa: PT012  (the block is the test)
        async with background() as nursery:
            nursery.start_soon(fail)
            await trio.sleep_forever()
    assert ["task"] == [str(error) for error in caught.value.exceptions]
