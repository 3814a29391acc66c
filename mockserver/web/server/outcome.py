"""What comes of running a request."""

from __future__ import annotations

from typing import Any, NamedTuple

from mockserver.web.server.loop import LeaveLoop
from mockserver.web.server.stream import STREAM
from mockserver.web.server.waiting import SuspendedRequest
from mockserver.web.server.wire import WIRE
from mockserver.web.server.wsgi import WsgiAnswer

#: The key of a request's ASGI scope for the `FirstRun` of a request that was run before its task began.
FIRST_RUN = "mockserver.first_run"


class Outcome(NamedTuple):
    """The WSGI environment in which a request was run, and its answer."""

    environ: dict[str, Any]
    answer: WsgiAnswer

    @property
    def is_whole(self) -> bool:
        """Whether the answer leaves at once and in one piece, unless the request waits."""
        return WIRE not in self.environ and STREAM not in self.environ


class FirstRun(NamedTuple):
    """What came of a request when it was first run, on the event loop."""

    suspended: SuspendedRequest
    #: Why it leaves the loop, if it does; an error of the application's own is still to be raised.
    found: Outcome | LeaveLoop | Exception

    @property
    def answer(self) -> WsgiAnswer | None:
        """The answer, if there is nothing left but to send it."""
        if isinstance(self.found, Outcome) and self.found.is_whole and not self.suspended.waiting:
            return self.found.answer
        return None
