"""What comes of running a request."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from mockserver.core.workspaces.keeping import HeldElsewhereError
from mockserver.web.server.loop import LeaveLoop
from mockserver.web.server.stream import STREAM
from mockserver.web.server.waiting import SuspendedRequest
from mockserver.web.server.wire import WIRE
from mockserver.web.server.wsgi import WsgiAnswer

if TYPE_CHECKING:
    import asyncio

#: The key of a request's ASGI scope for the `FirstRun` of a request that was run before its task began.
FIRST_RUN = "mockserver.first_run"
#: The key of the scope of a request that is run again and may have done something before.
BEGUN = "mockserver.begun"


class Outcome(NamedTuple):
    """The WSGI environment in which a request was run, and its answer."""

    environ: dict[str, Any]
    answer: WsgiAnswer

    @property
    def is_whole(self) -> bool:
        """Whether the answer leaves at once and in one piece, unless the request waits."""
        return WIRE not in self.environ and STREAM not in self.environ


class Unsettled(Outcome):
    """What comes of a request whose answer waits until it is kept what it tells."""

    #: What is awaited before the answer leaves; its result says why it may not, or None.
    settled: asyncio.Future[str | None]
    is_whole = False

    @property
    def is_whole_when_settled(self) -> bool:
        """Whether the answer leaves in one piece then, unless the request waits."""
        return Outcome(*self).is_whole


class FirstRun(NamedTuple):
    """What came of a request when it was first run, on the event loop."""

    suspended: SuspendedRequest
    #: Why it leaves the loop, if it does; an error of the application's own is still to be raised.
    found: Outcome | LeaveLoop | HeldElsewhereError | Exception

    @property
    def answer(self) -> WsgiAnswer | None:
        """The answer, if there is nothing left but to send it."""
        if isinstance(self.found, Outcome) and self.found.is_whole and not self.suspended.waiting:
            return self.found.answer
        return None

    @property
    def unsettled(self) -> Unsettled | None:
        """The answer with what it waits for, if there is nothing left but to send it when it is kept."""
        found = self.found
        if isinstance(found, Unsettled) and found.is_whole_when_settled and not self.suspended.waiting:
            return found
        return None
