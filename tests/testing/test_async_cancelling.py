"""A call that is cancelled ends at once: its thread, its connection, and what the server does for it."""

import asyncio
import gc
import os
import random
import signal
import subprocess
import sys
import threading
import time

import anyio
import pytest

from mockserver import AsyncMockServer
from mockserver.testing import client as client_module
from mockserver.testing import loops
from mockserver.testing.loops import Cancellation

pytestmark = pytest.mark.anyio
#: In seconds: far above the milliseconds that a call takes to end, and far below those that it would wait.
SOON = 10


class Calls:
    """The calls that threads of this process make."""

    def __init__(self):
        self.number, self.begun, self.most, self.change = 0, 0, 0, threading.Condition()

    def count(self, by):
        with self.change:
            self.number, self.begun = self.number + by, self.begun + max(by, 0)
            self.most = max(self.most, self.number)
            self.change.notify_all()

    def wait_for(self, number):
        with self.change:
            return self.change.wait_for(lambda: self.number == number, SOON)


@pytest.fixture
def under_way(monkeypatch):
    """The calls that are under way; at the end of the test there are none."""
    calls, answered = Calls(), client_module._answered  # noqa: SLF001  # the one place that a test can watch

    def counted(*arguments):
        calls.count(1)
        try:
            return answered(*arguments)
        finally:
            calls.count(-1)

    monkeypatch.setattr(client_module, "_answered", counted)
    yield calls
    assert calls.wait_for(0)


def turns_and_running(server):
    """How often a server was stopped, and whether it runs: that of a start that was cancelled has no address."""
    local = server.blocking._local  # noqa: SLF001  # nothing else tells it
    return local.turn, local.is_running


def waiting(server):
    """How many requests wait on the server for something to happen."""
    text = server.client.call("GET", "/_mock/metrics").text
    return sum(float(line.split()[1]) for line in text.splitlines() if line.startswith("mockserver_watchers "))


def assert_waiting(server, number):
    """Wait until so many requests wait on the server."""
    deadline = time.monotonic() + SOON
    while waiting(server) != number:
        assert time.monotonic() < deadline


async def test_a_cancelled_wait_ends_at_once_here_and_on_the_server(blocking, async_workspace, under_way):
    began = time.monotonic()
    async with anyio.create_task_group() as tasks:
        for _ in range(50):
            tasks.start_soon(lambda: async_workspace.mailbox.latest(to="nobody@acme.test", wait=30))
        assert await anyio.to_thread.run_sync(under_way.wait_for, 50)
        tasks.cancel_scope.cancel()

    assert await anyio.to_thread.run_sync(under_way.wait_for, 0)
    await anyio.to_thread.run_sync(assert_waiting, blocking, 0)
    assert time.monotonic() < began + SOON


async def test_a_cancelled_scope_and_a_timeout_end_calls(async_workspace, under_way):
    with anyio.CancelScope() as scope:
        scope.cancel()
        await anyio.lowlevel.checkpoint_if_cancelled()
        await async_workspace.mailbox.clear()
    assert under_way.begun == 0

    with pytest.raises(TimeoutError), anyio.fail_after(0.05):
        await async_workspace.mailbox.latest(to="nobody@acme.test", wait=30)
    assert await anyio.to_thread.run_sync(under_way.wait_for, 0)


@pytest.mark.parametrize("seed", range(5))
async def test_answers_go_to_the_calls_that_they_are_of_however_many_are_cancelled(async_workspace, under_way, seed):
    chance = random.Random(seed)
    answered = []

    async def ask(number):
        with anyio.move_on_after(chance.choice([0, 0.001, 0.005, 0.02, SOON])):
            found = await async_workspace.stubs.add("GET", f"/v3/notes/{number}", {"status": 204})
            answered.append((f"/v3/notes/{number}", found.path))

    async with anyio.create_task_group() as tasks:
        for number in range(100):
            tasks.start_soon(ask, number)

    assert answered
    assert [pair for pair in answered if pair[0] != pair[1]] == []
    assert await async_workspace.clock.frozen


async def test_a_workspace_is_dropped_where_its_block_is_cancelled(blocking):
    async with await AsyncMockServer.connect(blocking.url) as server:
        with anyio.CancelScope() as scope:
            async with await server.workspace() as workspace:
                scope.cancel()
                await anyio.lowlevel.checkpoint()

        names = set()
        with anyio.fail_after(SOON):
            while workspace.name in (names := {row.name for row in await server.workspaces()}):
                await anyio.lowlevel.checkpoint()
        assert "default" in names


async def test_a_server_stops_where_its_block_is_cancelled():
    with anyio.CancelScope() as scope:
        async with AsyncMockServer() as server:
            scope.cancel()
            await anyio.lowlevel.checkpoint()

    with anyio.fail_after(SOON):
        while turns_and_running(server)[1]:
            await anyio.lowlevel.checkpoint()


async def test_a_start_that_is_cancelled_leaves_no_server_behind():
    server = AsyncMockServer()
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(server.start)
        await anyio.lowlevel.checkpoint()
        await anyio.lowlevel.checkpoint()
        tasks.cancel_scope.cancel()

    with anyio.fail_after(SOON):
        while turns_and_running(server) != (1, False):
            await anyio.lowlevel.checkpoint()


async def test_calls_beyond_the_most_at_once_wait_for_their_turn(async_workspace, under_way, monkeypatch):
    monkeypatch.setattr(loops, "THREADS", 2)

    async with anyio.create_task_group() as tasks:
        for _ in range(6):
            tasks.start_soon(lambda: async_workspace.deliveries.all(wait=0.05))

    assert under_way.most == 2


def test_a_cancellation_after_the_answer_leaves_the_connection_to_the_next_call(blocking):
    client, cancellation = client_module.Client(blocking.url), Cancellation()
    cancellation.run(lambda: client.call("GET", "/_mock/livez"))
    kept = client._idle[0].sock  # noqa: SLF001  # no call shows it: one that meets a dead connection makes another
    kept.setblocking(False)

    cancellation.cancel()

    with pytest.raises(BlockingIOError):
        kept.recv(1)


def test_a_call_that_is_cancelled_before_it_connects_is_not_made(blocking):
    cancellation = Cancellation()
    cancellation.cancel()

    with pytest.raises(loops.CalledOffError):
        cancellation.run(lambda: client_module.Client(blocking.url).call("GET", "/_mock/livez"))


# ---------------------------------------------------------------------- loops, processes and signals


def test_loops_one_after_the_other_use_the_same_workspace(blocking):
    with blocking.workspace() as found:
        workspace = found.asynchronous

        async def advance():
            await workspace.clock.advance(hours=1)
            return await workspace.clock.now

        moments = [asyncio.run(advance()), asyncio.run(advance()), anyio.run(advance, backend="trio")]

    assert moments == sorted(set(moments))


def test_the_answer_to_a_call_whose_loop_was_closed_meanwhile_is_dropped(blocking, under_way, ask, caplog):
    with blocking.workspace() as workspace:
        loop = asyncio.new_event_loop()
        task = loop.create_task(workspace.asynchronous.mailbox.latest(to="new@acme.test", wait=30))
        loop.run_until_complete(asyncio.sleep(0))
        assert under_way.wait_for(1)
        loop.close()

        ask(workspace, "POST", "/senders", json={"name": "News", "email": "new@acme.test"})
        for thread in [thread for thread in threading.enumerate() if thread.name == "mockserver call"]:
            thread.join(SOON)
        del task
        gc.collect()

    assert [record.message.splitlines()[0] for record in caplog.records] == ["Task was destroyed but it is pending!"]


_INTERRUPTED = """
import {library}
from mockserver import MockServer

async def wait():
    await MockServer.connect("{url}").workspace().asynchronous.mailbox.latest(to="nobody@acme.test", wait=30)

{library}.run({wait})
"""


@pytest.mark.parametrize(("library", "wait"), [("asyncio", "wait()"), ("trio", "wait")])
def test_a_program_that_is_interrupted_while_it_waits_ends_at_once(blocking, library, wait):
    code = _INTERRUPTED.format(library=library, wait=wait, url=blocking.url)
    assert_waiting(blocking, 0)
    with subprocess.Popen([sys.executable, "-W", "error", "-c", code], stderr=subprocess.PIPE) as program:
        assert_waiting(blocking, 1)
        program.send_signal(signal.SIGINT)
        _, errors = program.communicate(timeout=SOON)

    assert errors.decode().splitlines()[-1] == "KeyboardInterrupt"
    assert "Warning" not in errors.decode()


_FORKED = """
import asyncio, os, threading
from mockserver import MockServer

workspace = MockServer.connect("{url}").workspace().asynchronous

async def ask(start):
    for number in range(start, start + 50):
        paths = [f"/v3/notes/{{number}}-{{turn}}" for turn in range(3)]
        stubs = await asyncio.gather(*(workspace.stubs.add("GET", path, {{"status": 204}}) for path in paths))
        assert [stub.path for stub in stubs] == paths

asyncio.run(ask(0))
# A thread that has told its answer may still be on its way out, and newer Pythons warn of a fork beside it.
for thread in set(threading.enumerate()) - {{threading.main_thread()}}:
    thread.join()
child = os.fork()
asyncio.run(ask(1000 if child else 2000))
if child:
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="only Unix forks processes")
def test_a_process_that_was_forked_has_connections_of_its_own(running):
    program = subprocess.run(
        [sys.executable, "-c", _FORKED.format(url=running)], capture_output=True, text=True, check=False
    )

    assert (program.returncode, program.stderr) == (0, "")
