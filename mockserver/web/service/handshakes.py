"""Which fault hits a TLS handshake, before there is a request."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from contextlib import suppress

from mockserver.core.state.faults import Fault
from mockserver.core.text.host_name import RESERVED
from mockserver.core.workspaces.keeping import HeldElsewhereError, KeepingError
from mockserver.core.workspaces.store import DEFAULT, Store
from mockserver.core.workspaces.workspace import Workspace

#: Does work that waits for a lock in a thread.
Wait = Callable[[Callable[[], Fault | None]], Awaitable[Fault | None]]


class Handshakes:
    """Asks the rules of the workspace that a client names, and of the default workspace where it names none.

    All that is known of a client is the name by which it calls the server. `onboarding.localhost`, and `onboarding`
    below any other suffix that the public DNS does not have, names the workspace `onboarding` if there is one.
    """

    def __init__(self, store: Store, wait: Wait) -> None:
        self._store = store
        self._wait = wait

    async def fault(self, name: str | None) -> Fault | None:
        """The fault that hits a handshake, or None; the event loop never waits for a workspace's lock."""
        with suppress(KeepingError):  # else it was lost meanwhile, and its rules count elsewhere
            return await self._asked(self._called(name))
        return None

    async def _asked(self, name: str) -> Fault | None:
        """The fault by the rules of the workspace of a name.

        Raises:
            KeepingError: it was lost.
        """
        workspace = self._store.peek(name)
        if workspace is None:  # it rests, and loading takes a while
            return await self._wait(lambda: self._taken_by_resting(name))
        if not workspace.state.faults.has_any_of_handshakes:
            return None
        if not workspace.lock.acquire(blocking=False):
            return await self._wait(lambda: self._taken(workspace))
        try:
            return self._taken(workspace)
        finally:
            workspace.lock.release()

    def _called(self, name: str | None) -> str:
        """The name of the workspace that a client means."""
        if name is not None and name.endswith(RESERVED) and (found := name.partition(".")[0]) in self._store:
            return found
        return DEFAULT

    def _taken_by_resting(self, name: str) -> Fault | None:
        """The fault by the rules of a workspace that rests; none if it cannot be read, which its requests are told.

        None as well if another server holds it: its rules count there, for the handshakes with that server.
        """
        if self._store.keeping.failure is not None:
            return None  # it may take long until it is known that it cannot be read
        with suppress(KeepingError, HeldElsewhereError):
            return self._taken(self._store.look(name) or self._store.default)
        return None

    def _taken(self, workspace: Workspace) -> Fault | None:
        with workspace.lock:
            state = workspace.state
            found = state.faults.take_handshake(state.clock.now(), state.random)
            if found is not None:
                self._store.meter.add_handshake(found.kind)
                workspace.watchers.tell("control")
        return found
