"""A handle that may wait warns once, where an event loop runs that it would block."""

import asyncio
import contextlib
import inspect
import pkgutil
import warnings
from importlib import import_module

import pytest
import trio

import mockserver.control
from mockserver import BlockingCallWarning, MockServerError
from mockserver.testing import loops

pytestmark = pytest.mark.server("here")


@pytest.fixture(autouse=True)
def unwarned(monkeypatch):
    """A process that was not warned yet."""
    monkeypatch.setattr(loops, "_is_warned", False)


def under_asyncio(function):
    async def run():
        function()

    asyncio.run(run())


def under_trio(function):
    async def run():
        function()

    trio.run(run)


MAY_WAIT = {
    "Clock.advance": lambda workspace: workspace.clock.advance(minutes=1),
    "Clock.set": lambda workspace: workspace.clock.set("2036-01-15T09:00:00Z"),
    "Deliveries.all": lambda workspace: workspace.deliveries.all(wait=0.01),
    "Deliveries.redeliver": lambda workspace: workspace.deliveries.redeliver(1),
    "Mailbox.latest": lambda workspace: workspace.mailbox.latest(wait=0.01),
    "Receiver.calls": lambda workspace: workspace.receiver().calls(wait=0.01),
    "Requests.answer": lambda workspace: workspace.requests.answer("none"),
    "Requests.wait": lambda workspace: workspace.requests.wait(0.01),
}
#: The modules of the control API in which a call waits, and what of `MAY_WAIT` asks for it.
WAITING = {
    "mockserver.control.traffic.deliveries": {"Deliveries.all", "Deliveries.redeliver", "Receiver.calls"},
    "mockserver.control.traffic.mailbox": {"Mailbox.latest"},
    "mockserver.control.traffic.requests": {"Requests.answer", "Requests.wait"},
    "mockserver.control.workspaces.clock": {"Clock.advance", "Clock.set"},
}
WAIT_NOT = {
    "Clock.freeze": lambda workspace: workspace.clock.freeze(),
    "Clock.now": lambda workspace: workspace.clock.now,
    "Deliveries.all": lambda workspace: workspace.deliveries.all(),
    "Machines.fire": lambda workspace: workspace.machines.fire("sender", 2, "expire_otp"),
    "Mailbox.latest": lambda workspace: workspace.mailbox.latest(),
    "Requests.latest": lambda workspace: workspace.requests.latest(),
    "Receiver.calls": lambda workspace: workspace.receiver().calls(),
    "Workspace.trigger": lambda workspace: workspace.trigger("hardBounce"),
    "Workspace.reset": lambda workspace: workspace.reset(),
}
each_library = pytest.mark.parametrize("under", [under_asyncio, under_trio])


def asked(call, workspace):
    """Makes a call, which may find nothing, or nothing to do."""
    with contextlib.suppress(LookupError, MockServerError):
        call(workspace)


@each_library
@pytest.mark.parametrize("method", MAY_WAIT)
def test_a_handle_that_may_wait_warns_where_a_loop_runs(workspace, under, method):
    with pytest.warns(
        BlockingCallWarning, match=rf"^`{method}` may wait, and meanwhile blocks the event loop of "
    ) as found:
        under(lambda: asked(MAY_WAIT[method], workspace))

    source, first = inspect.getsourcelines(MAY_WAIT[method])
    assert [(warning.filename, warning.lineno) for warning in found] == [(__file__, first)]
    assert source


@each_library
@pytest.mark.parametrize("method", WAIT_NOT)
def test_a_handle_that_does_not_wait_says_nothing(workspace, under, method):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        under(lambda: asked(WAIT_NOT[method], workspace))


def test_blocking_call_warns_once_per_process(workspace):
    with pytest.warns(BlockingCallWarning) as found:
        under_asyncio(lambda: [workspace.clock.advance(minutes=1) for _ in range(3)])

    assert len(found) == 1


def test_a_program_without_a_loop_and_a_thread_beside_it_are_not_warned(workspace):
    async def run():
        await asyncio.to_thread(workspace.clock.advance, minutes=1)

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        workspace.clock.advance(minutes=1)
        asyncio.run(run())


def test_a_warning_that_is_an_error_keeps_the_call_from_being_made(workspace):
    workspace.clock.freeze()
    before = workspace.clock.now

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(BlockingCallWarning, match="the fixture `async_mockserver`"):
            under_asyncio(lambda: workspace.clock.advance(minutes=1))

    assert workspace.clock.now == before


def test_every_call_of_the_control_api_that_waits_has_its_handle_here():
    names = [row.name for row in pkgutil.walk_packages(mockserver.control.__path__, "mockserver.control.")]
    waiting = {name for name in names if ".framework" not in name and hasattr(import_module(name), "wait_for")}

    assert waiting == WAITING.keys()
    assert set().union(*WAITING.values()) == MAY_WAIT.keys()
