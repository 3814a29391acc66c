"""Runs requests on the event loop or in threads, repeatedly while they wait.

A request that waits for something (`web.server.waiting`) is run again when its workspace has changed. A request that
takes long, or would have to wait for a workspace, leaves the loop (`web.server.loop`) and is run again in a thread.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from mockserver.core.workspaces.storage import Saving, Storage, StorageError
from mockserver.web.server.loop import LARGE_BODY, LOOP, LeaveLoop
from mockserver.web.server.stream import STREAM
from mockserver.web.server.threads import Threads
from mockserver.web.server.waiting import SUSPENDED, SuspendedRequest
from mockserver.web.server.wire import WIRE, Receive
from mockserver.web.server.wsgi import Refusal, Scope, Shortcut, WsgiAnswer, environ_of, no_shortcut, run

if TYPE_CHECKING:
    from _typeshed.wsgi import WSGIApplication

#: The key of a request's ASGI scope for the `FirstRun` of a request that was run before its task began.
FIRST_RUN = "mockserver.first_run"
#: The key in `SuspendedRequest.begun` for the effects of a control call.
_ACTING = "acting"
#: The methods of requests that change nothing, and need not be run when the client has left.
_SAFE = ("GET", "HEAD")
#: What the paths of control calls contain, with or without a workspace before it.
_CONTROL = "/_mock/"
#: What the paths of calls to receivers contain, each of which is kept whatever its method.
_RECEIVER = "/_mock/receiver/"


class LeftError(Exception):
    """A client left before its request ran."""


class Outcome(NamedTuple):
    """A request's WSGI environment and its answer."""

    environ: dict[str, Any]
    answer: WsgiAnswer


class FirstRun(NamedTuple):
    suspended: SuspendedRequest
    #: The outcome, or why the request leaves the loop, or an error of the application that is still to be raised.
    found: Outcome | LeaveLoop | Exception
    #: The complete answer, if ready to send, or None.
    answer: WsgiAnswer | None = None
    #: What is to be waited for before the answer is sent, or None.
    saving: Saving | None = None


class Runner:
    """Runs a server's requests by a WSGI application."""

    def __init__(
        self, app: WSGIApplication, refusal: Refusal, shortcut: Shortcut = no_shortcut, storage: Storage | None = None
    ) -> None:
        """Prepare to run requests by `shortcut` or `app`, in steps of `storage`."""
        self._app = app
        self._refusal = refusal
        self._shortcut = shortcut
        self.storage = storage or Storage()
        self.threads = Threads()
        #: Held by the waiting request that is run again on the loop, or by the stream that looks for news.
        self.turn = asyncio.Lock()
        #: The tasks of requests that wait for something.
        self.waiting: set[asyncio.Task[Any]] = set()

    def cancel_waiting(self) -> None:
        for task in list(self.waiting):
            task.cancel()

    def close(self) -> None:
        self.threads.close()

    async def run(self, scope: Scope, body: bytes, receive: Receive) -> Outcome:
        """Run a request on the loop or in a thread, repeatedly while it waits.

        Raises:
            LeftError: the request changes nothing, and its client has left.
        """
        suspended, found, _, saving = scope.pop(FIRST_RUN, None) or self.first_run(environ_of(scope, body))
        if isinstance(found, Exception):
            raise found
        if isinstance(found, LeaveLoop):
            found = await self._in_thread(scope, body, suspended, found, receive)
        elif saving is not None:
            found = await self._saved(scope, body, suspended, found, saving, receive)
        if suspended.waiting:
            with self.waits():
                found = await self._rerun(found.environ, scope, body, receive)
        return found

    def first_run(self, environ: dict[str, Any]) -> FirstRun:
        """Run a request on the loop, unless its body is large."""
        suspended = environ[SUSPENDED]
        if int(environ["CONTENT_LENGTH"]) > LARGE_BODY:
            return FirstRun(suspended, LeaveLoop())
        try:
            found, saving = self._at_once(environ)
        except Exception as error:  # noqa: BLE001  # the server logs it, in the task of the request
            return FirstRun(suspended, error)
        is_whole = saving is None and not (suspended.waiting or WIRE in environ or STREAM in environ)
        return FirstRun(suspended, found, found.answer if is_whole and isinstance(found, Outcome) else None, saving)

    def refused(self, scope: Scope, sentence: str) -> Outcome:
        return Outcome({"wsgi.input": None}, self._refusal(scope["raw_path"].decode("latin-1"), 503, sentence))

    async def _saved(  # what `run` has
        self, scope: Scope, body: bytes, suspended: SuspendedRequest, found: Outcome, saving: Saving, receive: Receive
    ) -> Outcome:
        """Return an outcome once it is saved. If it cannot be, refuse the request, or run one again that only reads."""
        try:
            for future in saving.futures:
                await asyncio.wrap_future(future)
        except StorageError as error:
            if _only_reads(found.environ["REQUEST_METHOD"], found.environ["PATH_INFO"]):
                return await self._in_thread(scope, body, suspended, LeaveLoop(waits=True), receive)
            suspended.waiting = False
            return self.refused(scope, str(error))
        saving.finish()
        return found

    def _at_once(self, environ: dict[str, Any]) -> tuple[Outcome | LeaveLoop, Saving | None]:
        """Run a request on the loop. Return its outcome, or LeaveLoop, and what its answer waits for.

        In a shared store each step waits for the store, but for control calls that touch no workspace.
        """
        if self.storage.is_shared and _CONTROL not in environ["PATH_INFO"]:
            return LeaveLoop(waits=True), None
        environ[LOOP] = True
        is_read = _only_reads(environ["REQUEST_METHOD"], environ["PATH_INFO"])
        try:
            return self.storage.begin(partial(self._answered, environ), is_read=is_read)
        except LeaveLoop as leave:
            return leave.with_traceback(None), None  # its frames refer to the environment, and that to them

    def _answered(self, environ: dict[str, Any]) -> Outcome:
        return Outcome(environ, self._shortcut(environ) or run(self._app, environ))

    async def _in_thread(
        self, scope: Scope, body: bytes, suspended: SuspendedRequest, leave: LeaveLoop, receive: Receive
    ) -> Outcome:
        """Run a request in a thread."""
        is_optional = scope["method"] in _SAFE and not suspended.stays
        work = self.threads.submit(partial(self._in_step, scope, body, suspended), waits=leave.waits)
        return await (_wanted(work, receive) if is_optional else asyncio.wrap_future(work))

    def _in_step(self, scope: Scope, body: bytes, suspended: SuspendedRequest) -> Outcome:
        acts = _ACTING in suspended.begun
        try:
            step = partial(self._run_once, scope, body, suspended, acts=acts)
            return self.storage.run(step, is_read=_only_reads(scope["method"], scope["raw_path"].decode("latin-1")))
        except StorageError as error:
            suspended.waiting = False
            return self.refused(scope, str(error))

    def _run_once(self, scope: Scope, body: bytes, suspended: SuspendedRequest, *, acts: bool) -> Outcome:
        """Run a request once in a thread, with new effect numbers unless it `acts` since an earlier run."""
        suspended.waiting = False
        if not acts:
            suspended.begun.pop(_ACTING, None)
        return self._answered(environ_of(scope, body, suspended))

    async def _rerun(self, environ: dict[str, Any], scope: Scope, body: bytes, receive: Receive) -> Outcome:
        suspended: SuspendedRequest = environ[SUSPENDED]
        while True:
            in_time = await _changed(suspended, receive)
            suspended.waiting = False
            if not in_time:
                suspended.deadline = 0.0
            found, saving = (
                await self._in_turn(scope, body, suspended)
                if LOOP in environ
                else (LeaveLoop(waits=self.storage.is_shared), None)
            )
            if isinstance(found, LeaveLoop):
                found = await self._in_thread(scope, body, suspended, found, receive)
            elif saving is not None:
                found = await self._saved(scope, body, suspended, found, saving, receive)
            if not suspended.waiting or not in_time:
                return found
            environ = found.environ

    async def _in_turn(
        self, scope: Scope, body: bytes, suspended: SuspendedRequest
    ) -> tuple[Outcome | LeaveLoop, Saving | None]:
        """Run a waiting request again on the loop, between other requests."""
        async with self.turn:
            await asyncio.sleep(0)
            return self._at_once(environ_of(scope, body, suspended))

    @contextmanager
    def waits(self) -> Iterator[None]:
        """Let the server cancel this task when the server stops."""
        task = asyncio.current_task()
        assert task is not None, "a request is a task"
        self.waiting.add(task)
        try:
            yield
        finally:
            self.waiting.discard(task)


def _only_reads(method: str, path: str) -> bool:
    return method in _SAFE and _RECEIVER not in path


async def _wanted(work: Future[Outcome], receive: Receive) -> Outcome:
    """Return the result of work.

    Raises:
        LeftError: the client left before the work started.
    """
    running, left = asyncio.wrap_future(work), asyncio.ensure_future(receive())
    try:
        await asyncio.wait((running, left), return_when=asyncio.FIRST_COMPLETED)
        if not running.done() and work.cancel():
            raise LeftError
        return await running
    finally:
        running.cancel()
        left.cancel()


async def _changed(suspended: SuspendedRequest, receive: Receive) -> bool:
    """Wait for a change of a request's workspace. Return False on deadline or if the client leaves."""
    workspace, loop = suspended.workspace, asyncio.get_running_loop()
    left = suspended.deadline - time.monotonic()
    if workspace is None or left <= 0:
        return False
    changed = asyncio.Event()

    def wake() -> None:
        loop.call_soon_threadsafe(changed.set)

    workspace.watchers.add(wake, suspended.kinds)
    if workspace.watchers.happened(suspended.kinds) != suspended.seen:
        changed.set()  # the workspace has changed in between, in another thread
    tasks: list[asyncio.Future[Any]] = [loop.create_task(changed.wait())]
    if not suspended.stays:
        tasks.append(asyncio.ensure_future(receive()))
    try:
        done, _ = await asyncio.wait(tasks, timeout=left, return_when=asyncio.FIRST_COMPLETED)
        return tasks[0] in done
    finally:
        workspace.watchers.discard(wake)
        for task in tasks:
            task.cancel()
