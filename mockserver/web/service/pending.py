"""Answers from outside the workspace, which arrive later.

A request waits for its answer without lock and thread. The caller is identified and counted by then, and the fault
chosen; the answer is left to be noted and sent.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from time import perf_counter
from typing import Any, NamedTuple

from mockserver.core.traffic.exchange import Exchange, Reply
from mockserver.core.workspaces.workspace import Workspace
from mockserver.web.server.waiting import SUSPENDED, SuspendedRequest, is_waiting, wait_for
from mockserver.web.service.exchange import HeaderList
from mockserver.web.service.handlers import Handler, Identified

#: The name among what a request has begun under which it finds its answer again.
_NAME = "pending answer"


@dataclass(slots=True, kw_only=True)
class PendingReply(Reply):
    """A reply that arrives within `timeout_s`, and a timeout error until then."""

    timeout_s: float
    #: On the clock of `perf_counter`.
    began: float = field(default_factory=perf_counter)
    is_over: bool = False
    #: Why the answer is no success, where the error is not the mock's own.
    reason: str | None = None

    def come(self, workspace: Workspace, reply: Reply, reason: str | None = None) -> None:
        """Become this reply, and wake the waiting request; called once, in any thread.

        A fault's changes, and headers set meanwhile, stay.
        """
        with workspace.lock:
            self.status, self.body, self.error, self.reason = reply.status, reply.body, reply.error, reason
            self.headers = (*reply.headers, *self.headers)
            self.is_over = True
            workspace.watchers.tell("answer")


class Pending(NamedTuple):
    """A request that waits for its answer, with its state so far."""

    handler: Handler[Any]
    found: Identified[Any]
    exchange: Exchange
    headers: HeaderList
    reply: PendingReply

    def is_over(self, environ: dict[str, Any]) -> bool:
        """Return whether the answer arrived or timed out; otherwise suspend the request."""
        suspended = _suspended(environ)
        if suspended is not None:
            suspended.begun[_NAME] = self
        wait_for(environ, self.found.workspace, self.reply.timeout_s, self._come, frozenset({"answer"}), stays=True)
        if is_waiting(environ):
            return False
        if suspended is not None:
            del suspended.begun[_NAME]  # it refers to the environment, and that to it
        return True

    def _come(self) -> Sequence[bool]:
        return [True] if self.reply.is_over else []


class PendingError(Exception):
    def __init__(self, pending: Pending) -> None:
        super().__init__()
        self.pending = pending


def pending_of(environ: dict[str, Any]) -> Pending | None:
    """Return the state of a request's first run, if it waits for its answer."""
    suspended = _suspended(environ)
    found: Pending | None = None if suspended is None else suspended.begun.get(_NAME)
    return found


def _suspended(environ: dict[str, Any]) -> SuspendedRequest | None:
    found: SuspendedRequest | None = environ.get(SUSPENDED)
    return found
