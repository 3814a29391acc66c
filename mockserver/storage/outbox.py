"""The outbox: calls and e-mails leave a workspace when it is kept what has caused them, and never if it is lost."""

from __future__ import annotations

import logging
from collections.abc import Callable
from functools import partial

from mockserver.core.effects.effects import Effects, Report, Timed, Wanted
from mockserver.core.effects.forwarding import Forwarder
from mockserver.core.effects.jobs import Job
from mockserver.core.traffic.mail import Mail
from mockserver.core.traffic.mailbox import WAITING, Sending

_LOG = logging.getLogger(__name__)


class Outbox:
    """The effects of one workspace, by means of those of the server: an `Effects`, called under the lock."""

    def __init__(self, effects: Effects, hurry: Callable[[], object]) -> None:
        """`hurry` is called when something waits to leave."""
        self._effects, self._hurry = effects, hurry
        #: What leaves with the next changes that are kept, and what is on its way with those that were taken last.
        self._waiting: list[Callable[[], object]] = []
        self._taken: list[Callable[[], object]] = []

    # ------------------------------------------------------------------ as effects

    @property
    def forwarder(self) -> Forwarder | None:
        return self._effects.forwarder

    @property
    def posts(self) -> bool:
        return self._effects.posts

    def call(self, url: str, job: Job) -> None:
        self._add(partial(self._effects.call, url, job))

    def post(self, mail: Mail, report: Report, wanted: Wanted) -> None:
        waiting = Sending(WAITING)
        report(waiting)
        self._add(partial(self._effects.post, mail, _Once(report, waiting), wanted))

    def watch(self, workspace: Timed) -> None:
        self._effects.watch(workspace)

    def _add(self, leave: Callable[[], object]) -> None:
        self._waiting.append(leave)
        self._hurry()

    # ------------------------------------------------------------------ with the changes of the workspace

    def take(self) -> bool:
        """Take what waits together with the changes that have caused it, under the lock; whether there is anything."""
        self._taken, self._waiting = self._waiting, []
        return bool(self._taken)

    def take_back(self) -> None:
        """Let what was taken wait once more, before what has come up meanwhile."""
        self._waiting = self._taken + self._waiting
        self._taken = []

    def let_leave(self) -> None:
        """Let leave what was taken: it is kept what has caused it."""
        taken, self._taken = self._taken, []
        for leave in taken:
            try:
                leave()
            except Exception:  # noqa: BLE001  # the others are to leave, and everything else to be kept
                _LOG.exception("what was to leave a workspace has not left it")

    def clear(self) -> None:
        """Let nothing leave any more."""
        self._waiting, self._taken = [], []


class _Once:
    """A `Report` that leaves out the first step, which was reported before."""

    def __init__(self, report: Report, first: Sending) -> None:
        self._report, self._first = report, first
        self._is_over = False

    def __call__(self, sending: Sending) -> None:
        is_first, self._is_over = not self._is_over and sending == self._first, True
        if not is_first:
            self._report(sending)
