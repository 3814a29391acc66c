"""The effects of a workspace: webhook calls and e-mails that leave it, and timers that fire as real time passes."""

from __future__ import annotations

from collections.abc import Callable
from threading import RLock
from typing import Any, Protocol

from mockserver.core.effects.forwarding import Forwarder
from mockserver.core.effects.jobs import Job, Outcome
from mockserver.core.state.state import State
from mockserver.core.traffic.mail import Mail
from mockserver.core.traffic.mailbox import Sending

#: Whether an e-mail is still to be sent.
Wanted = Callable[[], bool]
#: Takes how far an e-mail has come, each time that this changes.
Report = Callable[[Sending], None]


class Timed(Protocol):
    """What has timers that fall due as time passes: a workspace."""

    name: str
    state: State
    #: Held whenever state and timers are used.
    lock: RLock

    def run(self, step: Callable[[], Any]) -> Any:
        """Run a step that takes the lock."""
        ...

    def catch_up(self) -> object:
        """Fire the timers that are due by now, each at its own moment."""
        ...


class Effects(Protocol):
    """What carries out the effects of workspaces, in the background; the app supplies one."""

    @property
    def forwarder(self) -> Forwarder | None:
        """What hands calls on to a peer, or None if the server has none."""
        ...

    def call(self, url: str, job: Job) -> None:
        """Make the HTTP call of a job, unless the job was cancelled before its turn comes.

        `job.done` is called once with the outcome, from any thread.
        """
        ...

    @property
    def posts(self) -> bool:
        """Whether e-mails are sent to a real server."""
        ...

    def post(self, mail: Mail, report: Report, wanted: Wanted) -> None:
        """Send an e-mail to the SMTP server of the settings, if there is one, for as long as `wanted` says so.

        `report` is called with each step; the first time before this returns.
        """
        ...

    def watch(self, workspace: Timed) -> None:
        """Have a workspace catch up when its next timer is due; nothing is done for a frozen clock."""
        ...


class NoEffects:
    """The effects of a workspace that no server runs: nothing leaves it."""

    forwarder: Forwarder | None = None

    def call(self, url: str, job: Job) -> None:
        job.done(Outcome(error="not sent: no server runs this workspace"))

    @property
    def posts(self) -> bool:
        return False

    def post(self, mail: Mail, report: Report, wanted: Wanted) -> None:
        """Do nothing: the mailbox holds the e-mail."""

    def watch(self, workspace: Timed) -> None:
        """Do nothing: timers fire when the next request comes."""
