"""The threads for what leaves the event loop: they delay no process's end, and work is done without them, too."""

from __future__ import annotations

import asyncio
import gc
import subprocess
import sys
import threading
import warnings
import weakref

import pytest

from mockserver.web.server.threads import Threads

_ENDS_AT_WORK = """
import asyncio, threading
from mockserver.web.server.threads import Threads

async def main():
    begun, never = threading.Event(), threading.Event()
    threads = Threads()
    work = asyncio.wrap_future(threads.submit(lambda: (begun.set(), never.wait()), waits=False))
    while not begun.is_set():
        await asyncio.sleep(0)
    work.cancel()
    threads.close()

asyncio.run(main())
print("ended")
"""


@pytest.fixture
def threads():
    found = Threads()
    yield found
    found.close()


def run_long(threads, work):
    """A future of the event loop for long work."""
    return asyncio.wrap_future(threads.submit(work, waits=False))


def test_a_process_ends_although_a_thread_works_for_ever():
    run = subprocess.run([sys.executable, "-c", _ENDS_AT_WORK], capture_output=True, text=True, timeout=60, check=True)

    assert run.stdout == "ended\n"


def test_two_pieces_of_work_are_done_at_once_and_the_third_in_its_turn(threads):
    both, order = threading.Barrier(2, timeout=20), []

    async def main():
        pairs = (run_long(threads, lambda: order.append(both.wait())) for _ in range(2))
        await asyncio.gather(*pairs, run_long(threads, lambda: order.append("third")))

    asyncio.run(main())

    assert set(order) == {0, 1, "third"}
    assert order[0] != "third"


def test_an_error_of_the_work_is_raised_where_the_result_is_awaited(threads):
    async def main():
        with pytest.raises(ZeroDivisionError):
            await run_long(threads, lambda: 1 // 0)
        return await run_long(threads, lambda: 7)

    assert asyncio.run(main()) == 7


def test_where_no_thread_can_be_started_the_work_is_done_at_once(threads, monkeypatch):
    def start(_):
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(threading.Thread, "start", start)

    assert asyncio.run(threads.run_waiting(threading.current_thread)) is threading.current_thread()


def test_work_that_has_not_begun_when_the_threads_are_closed_is_cancelled(threads):
    begun, go = threading.Semaphore(0), threading.Event()

    async def main():
        busy = [run_long(threads, lambda: (begun.release(), go.wait())) for _ in range(2)]
        await asyncio.sleep(0)
        begun.acquire(timeout=20), begun.acquire(timeout=20)
        late = run_long(threads, lambda: "done")
        await asyncio.sleep(0)
        threads.close()
        go.set()
        await asyncio.gather(*busy)
        with pytest.raises(asyncio.CancelledError):
            await late

    asyncio.run(main())


class Knot:
    """An object that refers to itself, as an error and its frames do, and that is large."""

    def __init__(self):
        self.itself = self
        self.rows = [[] for _ in range(100_000)]


@pytest.fixture
def without_garbage():
    """Collects what other tests have left, whose warnings are not about this one."""
    with warnings.catch_warnings(action="ignore"):
        gc.collect()


@pytest.mark.usefixtures("without_garbage")
def test_garbage_in_circles_is_freed_before_long(threads):
    held = weakref.WeakSet()

    def leave_garbage():
        held.add(Knot())

    async def main():
        for _ in range(12):
            await run_long(threads, leave_garbage)

    asyncio.run(main())

    assert len(held) < 12
