"""Effects of a workspace: webhook calls, e-mails and forwarded calls, and the jobs that wait for their outcome.

Only protocols and bookkeeping live here; `mockserver.effects` opens the connections.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from threading import RLock
from typing import Any, NamedTuple, Protocol

from mockserver.core.state.state import State
from mockserver.core.time.clock import Key
from mockserver.core.traffic.mail import Mail, Sending


class ForwardedCall(NamedTuple):
    """A call for the peer."""

    method: str
    #: The request target below the peer's root, percent-encoded: `/v3/contacts?limit=2`.
    target: str
    headers: Sequence[tuple[str, str]]
    body: bytes


class PeerAnswer(NamedTuple):
    """What the peer has answered, or why there is no answer that could be handed on."""

    status: int = 0
    headers: Sequence[tuple[str, str]] = ()
    body: bytes = b""
    #: Why there is no answer, as a sentence without an end; None: there is one.
    error: str | None = None


class Forwarder(Protocol):
    """What hands calls on to the peer of a server; the app supplies one."""

    #: How the peer is shown to people: its root address.
    peer: str
    #: Whether calls that may change something are handed on.
    writes: bool
    #: How long the peer may take to answer, in seconds.
    timeout_s: float
    #: The name of this server among those that hand a call on (the `Via` header, RFC 9110, 7.6.3).
    name: str

    def send(self, call: ForwardedCall, done: Callable[[PeerAnswer], None]) -> None:
        """Hand a call on in the background.

        `done` is called once, from any thread, perhaps before this returns; not at all if the server stops meanwhile.
        """
        ...


class OutgoingRequest(NamedTuple):
    """An HTTP call to be made, with its timeout in seconds."""

    url: str
    headers: Sequence[tuple[str, str]]
    body: bytes
    timeout_s: float
    method: str = "POST"


class Outcome(NamedTuple):
    """What came of a call: the status of the answer, or why there is no answer."""

    status: int | None = None
    error: str | None = None
    #: Whether the call was refused before it was made, and would be refused again: a retry is useless.
    hopeless: bool = False

    @property
    def is_success(self) -> bool:
        return self.status is not None and 200 <= self.status < 300


Done = Callable[[Outcome], None]


class JobForm(NamedTuple):
    """A job as it is written down, with the id of the server that makes the call."""

    account: int
    machine: str
    key: Key
    server: str


@dataclass(slots=True, eq=False)
class Job:
    """An outgoing call for an instance of a state machine; cancelled, it neither is made nor reports an outcome."""

    account: int
    machine: str
    key: Key
    #: The id of the server that makes the call.
    server: str = ""
    #: Writes the request when the call's turn comes; None if the job is over or was cancelled.
    write: Callable[[], OutgoingRequest] | None = None
    #: Takes the outcome; None if the job is over or was cancelled.
    finish: Done | None = None

    @property
    def is_wanted(self) -> bool:
        return self.write is not None

    def written(self) -> OutgoingRequest | None:
        """The request to make, written now, or None if the job was cancelled."""
        write = self.write
        return None if write is None else write()

    def done(self, outcome: Outcome) -> None:
        """Hand the outcome to the workspace, unless the job was cancelled."""
        finish = self.finish
        if finish is not None:
            finish(outcome)

    def forget(self) -> None:
        """Let go of the workspace: the queue may hold a cancelled job for long, and is to keep nothing else alive."""
        self.write = self.finish = None


class Jobs:
    """The jobs of one workspace, at most one for each instance."""

    def __init__(self) -> None:
        #: The id of this server among those that share a store.
        self.server = ""
        self._jobs: dict[tuple[str, Key], Job] = {}

    def __len__(self) -> int:
        return len(self._jobs)

    def __iter__(self) -> Iterator[Job]:
        return iter(self._jobs.values())

    def __contains__(self, job: Job) -> bool:
        found = self._jobs.get((job.machine, job.key))
        if found is None or found is job:
            return found is job
        # A workspace that was read again knows only that this server makes a call.
        return found.server == job.server and not found.is_wanted and job.is_wanted

    def has(self, machine: str, key: Key) -> bool:
        """Whether an instance has a job."""
        return (machine, key) in self._jobs

    def forms(self) -> list[JobForm]:
        """The jobs, to be written down."""
        return [JobForm(job.account, job.machine, job.key, job.server) for job in self._jobs.values()]

    def follow(self, forms: Sequence[JobForm]) -> None:
        """Become the jobs that were written down; those that are none any more are cancelled."""
        before, self._jobs = self._jobs, {}
        for form in forms:
            job = before.get((form.machine, form.key))
            if job is None or job.server != form.server:
                job = Job(*form)
            self._jobs[form.machine, form.key] = job
        for job in before.values():
            if job not in self:
                job.forget()

    def drop_abandoned(self, is_dead: Callable[[str], bool]) -> None:
        """Drop the jobs of servers that are dead, and those of this one of which it knows nothing."""
        for job in tuple(self._jobs.values()):
            if is_dead(job.server) or (job.server == self.server and not job.is_wanted):
                self.cancel(job.machine, job.key)

    def begin(self, account: int, machine: str, key: Key) -> Job:
        """A new job for an instance, in the place of the one that the instance may have."""
        self.cancel(machine, key)
        job = self._jobs[machine, key] = Job(account, machine, key, self.server)
        return job

    def take_off(self, job: Job) -> None:
        """Remove a job whose outcome is taken in. The job itself is unchanged, as the step may run again."""
        del self._jobs[job.machine, job.key]

    def cancel(self, machine: str, key: Key) -> None:
        """Cancel the job of an instance, if there is one."""
        job = self._jobs.pop((machine, key), None)
        if job is not None:
            job.forget()

    def cancel_account(self, account: int) -> None:
        """Cancel all jobs of an account."""
        for job in [job for job in self._jobs.values() if job.account == account]:
            self.cancel(job.machine, job.key)

    def clear(self) -> None:
        """Cancel all jobs."""
        for job in self._jobs.values():
            job.forget()
        self._jobs.clear()


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
