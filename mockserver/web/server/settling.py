"""A runner whose answers leave only when all that they tell is kept; requests on the loop need no thread for that."""

from __future__ import annotations

from typing import Any

from mockserver.core.workspaces.keeping import HeldElsewhereError, Keeping
from mockserver.web.server.connections.http_limits import Refusal
from mockserver.web.server.connections.refusal import refused
from mockserver.web.server.loop import LeaveLoop
from mockserver.web.server.outcome import Outcome, Unsettled
from mockserver.web.server.runner import Runner
from mockserver.web.server.waiting import is_waiting
from mockserver.web.server.wire import Receive
from mockserver.web.server.wsgi import Scope


def unkept(keeping: Keeping, failure: str) -> str:
    """What a request is told that was carried out, and then could not be kept."""
    if keeping.is_shared:
        return f"It is not known whether it is kept what this request has done: {failure}"
    return f"What this request has done may be kept later, or be gone after a stop: {failure}"


class SettlingRunner(Runner):
    """A runner of an application around which `app.settling` does the same for requests in threads."""

    def __init__(self, keeping: Keeping, refusal: Refusal, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self._keeping = keeping
        self._refusal = refusal

    def _at_once(self, environ: dict[str, Any]) -> Outcome | LeaveLoop | HeldElsewhereError:
        if self._keeping.failure is not None:
            return LeaveLoop(waits=True)  # most requests are refused, in threads
        self._keeping.begin()
        found = super()._at_once(environ)
        if not isinstance(found, Outcome):
            return found
        settled = self._keeping.settled()
        if settled is None or is_waiting(environ):
            return found
        unsettled = Unsettled(*found)
        unsettled.settled = settled
        return unsettled

    async def run(self, scope: Scope, body: bytes, receive: Receive) -> Outcome:
        found = await super().run(scope, body, receive)
        failure = await found.settled if isinstance(found, Unsettled) else None
        return found if failure is None else refused(self._refusal, scope, unkept(self._keeping, failure))
