"""Answers from outside the workspace, which arrive later.

A request waits for its answer without workspace and thread. The caller is identified and counted by then, and the fault
chosen; the answer is left to be noted and sent.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from time import perf_counter
from typing import Any

from werkzeug.wrappers import Response

from mockserver.core.traffic.exchange import Reply
from mockserver.core.workspaces.lifecycle import settle
from mockserver.core.workspaces.workspace import Workspace
from mockserver.web.server.waiting import SUSPENDED, SuspendedRequest, is_waiting, wait_for

#: The name among what a request has begun under which it finds its answer again.
_NAME = "pending answer"
#: Makes the response to the request of an environment.
Respond = Callable[[dict[str, Any]], Response]


@dataclass(slots=True, kw_only=True)
class PendingReply(Reply):
    """A reply that arrives within `timeout_s`, and a timeout error until then."""

    workspace: Workspace
    timeout_s: float
    #: On the clock of `perf_counter`.
    began: float = field(default_factory=perf_counter)
    is_over: bool = False
    #: Why the answer is no success, where the error is not the mock's own.
    reason: str | None = None
    #: Notes the exchange with this reply, and returns what makes its response; None unless a request waits.
    note: Callable[[PendingReply], Respond] | None = None
    #: Makes the response, once the exchange is saved.
    respond: Respond | None = None

    def come(self, reply: Reply, reason: str | None = None) -> None:
        """Become this reply, and note it for the waiting request; called once, in any thread.

        A fault's changes, and headers set meanwhile, stay.
        """
        settle(self.workspace, self._come, reply, reason)

    def _come(self, reply: Reply, reason: str | None) -> None:
        if not self.is_over:  # the step may run again
            self.status, self.body, self.error, self.reason = reply.status, reply.body, reply.error, reason
            self.headers = (*reply.headers, *self.headers)
            self.is_over = True
        if self.note is not None and self.respond is None:
            self.save()

    def save(self) -> Respond:
        """Note the exchange, and wake the waiting request once that is saved."""
        assert self.note is not None, "a request waits"
        respond = self.note(self)
        self.workspace.after(partial(self._wake, respond))
        return respond

    def _wake(self, respond: Respond) -> None:
        self.respond = respond
        self.workspace.watchers.tell("answer")

    def is_ready(self, environ: dict[str, Any]) -> bool:
        """Return whether the answer is saved or too late; otherwise suspend the request."""
        wait_for(environ, self.workspace, self.timeout_s, self._found, frozenset({"answer"}), stays=True)
        is_ready, begun = not is_waiting(environ), _begun(environ)
        self.workspace.after(partial(begun.pop, _NAME, None) if is_ready else partial(begun.__setitem__, _NAME, self))
        return is_ready

    def _found(self) -> Sequence[Respond]:
        return [] if self.respond is None else [self.respond]


class PendingError(Exception):
    def __init__(self, reply: PendingReply) -> None:
        super().__init__()
        self.reply = reply


def pending_of(environ: dict[str, Any]) -> PendingReply | None:
    """Return the reply for which a request waits since its first run, if any."""
    return _begun(environ).get(_NAME)


def _begun(environ: dict[str, Any]) -> dict[str, Any]:
    suspended: SuspendedRequest | None = environ.get(SUSPENDED)
    return {} if suspended is None else suspended.begun
