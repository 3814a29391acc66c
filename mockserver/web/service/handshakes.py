"""Which fault hits a TLS handshake, before there is a request."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from contextlib import suppress

from mockserver.core.state.faults import Fault
from mockserver.core.text.addresses import PRIVATE_SUFFIXES
from mockserver.core.workspaces.storage import StorageError
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
        """Return the fault that hits a handshake, or None; the event loop never waits for a workspace's lock."""
        called = self._called(name)
        workspace = None if self._store.storage.in_sessions else self._store.peek(called)
        if workspace is None:  # it is passivated or shared, and loading takes a while
            return await self._wait(lambda: self._taken_by_saved(called))
        if not workspace.state.faults.has_any_of_handshakes:
            return None
        return await self._wait(lambda: self._taken(workspace))

    def _called(self, name: str | None) -> str:
        """Return the name of the workspace that a client means."""
        store, found = self._store, (name or "").partition(".")[0]
        is_named = name is not None and name.endswith(PRIVATE_SUFFIXES)
        return found if is_named and (store.storage.is_shared or found in store) else DEFAULT

    def _taken_by_saved(self, name: str) -> Fault | None:
        """Return the fault by the rules of a workspace that is not in memory; None if it cannot be read or saved."""
        if self._store.storage.failure is not None:
            return None  # the attempt may take long
        with suppress(StorageError):  # the requests of the workspace tell why
            return self._store.storage.run(lambda: self._taken(self._store.look(name) or self._store.default))
        return None

    def _taken(self, workspace: Workspace) -> Fault | None:
        with workspace.lock:
            state = workspace.state
            found = state.faults.take_handshake(state.clock.now(), state.random)
            if found is not None:
                self._store.meter.add_handshake(found.kind)
                workspace.watchers.tell("control")
        return found
