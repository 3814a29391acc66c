"""What is outside of a workspace: calls that leave it, e-mails that leave it, and time that passes by itself."""

from __future__ import annotations

from collections.abc import Callable
from threading import RLock
from typing import Protocol

from mockserver.core.effects.jobs import Job, Outcome
from mockserver.core.state.state import State
from mockserver.core.traffic.mailbox import Mail, Sending

Wanted = Callable[[], bool]
Report = Callable[[Sending], None]


class Timed(Protocol):
    """What has timers that fall due as time passes: a workspace."""

    name: str
    state: State
    #: Held whenever the others are used.
    lock: RLock

    def catch_up(self) -> None:
        """Fire what is due by now, each at its own moment."""
        ...


class Effects(Protocol):
    """Carries out what leaves a workspace, in the background; filled in by the app."""

    def call(self, url: str, job: Job) -> None:
        """Make a call to an address, if it is still wanted when its turn comes.

        What came of it is told to the job once, from whatever thread.
        """
        ...

    def post(self, mail: Mail, report: Report, wanted: Wanted) -> None:
        """Send an e-mail, where a real server is set, while it is wanted; each step is reported, the first at once."""
        ...

    def watch(self, workspace: Timed) -> None:
        """Let a workspace catch up when its next timer is due, if its clock runs."""
        ...


class NoEffects:
    """The outside of a workspace that no server runs."""

    def call(self, url: str, job: Job) -> None:
        job.done(Outcome(error="nothing leaves this workspace: no server runs it"))

    def post(self, mail: Mail, report: Report, wanted: Wanted) -> None:
        """Keep it in the mailbox only."""

    def watch(self, workspace: Timed) -> None:
        """Let time pass as requests come."""
