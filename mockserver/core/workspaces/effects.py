"""What is outside of a workspace: calls that leave it, e-mails that leave it, and time that passes by itself."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, NamedTuple, Protocol

if TYPE_CHECKING:
    from mockserver.core.traffic.mailbox import Mail, Sending
    from mockserver.core.workspaces.jobs import Job
    from mockserver.core.workspaces.workspace import Workspace


class OutgoingRequest(NamedTuple):
    """An HTTP call to be made."""

    url: str
    headers: Sequence[tuple[str, str]]
    body: bytes
    timeout_s: float


class Outcome(NamedTuple):
    """What came of a call: a status, or why there is none."""

    status: int | None = None
    error: str | None = None
    #: Whether the call was never made, and would not be the next time either.
    hopeless: bool = False

    @property
    def is_success(self) -> bool:
        return self.status is not None and 200 <= self.status < 300


Done = Callable[[Outcome], None]
Wanted = Callable[[], bool]
Report = Callable[["Sending"], None]


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

    def watch(self, workspace: Workspace) -> None:
        """Let a workspace catch up when its next timer is due, if its clock runs."""
        ...


class NoEffects:
    """The outside of a workspace that no server runs."""

    def call(self, url: str, job: Job) -> None:
        job.done(Outcome(error="nothing leaves this workspace: no server runs it"))

    def post(self, mail: Mail, report: Report, wanted: Wanted) -> None:
        """Keep it in the mailbox only."""

    def watch(self, workspace: Workspace) -> None:
        """Let time pass as requests come."""
