"""Effects of a workspace: webhook calls, e-mails and forwarded calls, and the jobs that wait for their outcome.

Only protocols and bookkeeping live here; `mockserver.effects` opens the connections.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

from mockserver.core.state.state import State
from mockserver.core.time.clock import Key
from mockserver.core.traffic.mail import Mail, Sending

#: Returns whether an e-mail is still to be sent.
IsWanted = Callable[[], bool]
#: Takes the progress of an e-mail, each time that it changes.
Report = Callable[[Sending], None]


class ForwardedCall(NamedTuple):
    method: str
    #: The request target below the peer's root, percent-encoded: `/v3/contacts?limit=2`.
    target: str
    headers: Sequence[tuple[str, str]]
    body: bytes


class PeerAnswer(NamedTuple):
    status: int = 0
    headers: Sequence[tuple[str, str]] = ()
    body: bytes = b""
    #: Why there is no answer, as a sentence without an end, or None.
    error: str | None = None


class Forwarder(Protocol):
    """A client that forwards calls to another mock or the service; supplied by the app."""

    #: The root address of the peer, for users.
    peer: str
    #: Whether calls that may change something are forwarded.
    writes: bool
    #: The timeout of a call, in seconds.
    timeout_s: float
    #: The name of this server among those that forward a call (the `Via` header, RFC 9110, 7.6.3).
    name: str

    def send(self, call: ForwardedCall, done: Callable[[PeerAnswer], None]) -> None:
        """Forward a call in the background.

        `done` is called once, from another thread, perhaps before this returns; or never if the server stops.
        """
        ...


class OutgoingRequest(NamedTuple):
    """An HTTP call, with its timeout in seconds."""

    url: str
    headers: Sequence[tuple[str, str]]
    body: bytes
    timeout_s: float
    method: str = "POST"
    #: The most bytes of the answer's body; 0: only the status counts.
    most_bytes: int = 0


class CallOutcome(NamedTuple):
    status: int | None = None
    error: str | None = None
    #: Whether the call was refused before it was made, so that a retry is useless.
    hopeless: bool = False
    #: The body of the answer, if the request asks for it.
    body: bytes = b""

    @property
    def is_success(self) -> bool:
        return self.status is not None and 200 <= self.status < 300


Done = Callable[[CallOutcome], None]


class JobForm(NamedTuple):
    """A saved job, with the calling server's id."""

    account: int
    machine: str
    key: Key
    server: str


@dataclass(slots=True, eq=False)
class Job:
    """An outgoing call for a state machine's instance; if cancelled, it reports no outcome."""

    account: int
    machine: str
    key: Key
    #: The id of the server that makes the call.
    server: str = ""
    #: Writes the request when the call's turn comes; None if the job is over or was cancelled.
    write: Callable[[], OutgoingRequest] | None = None
    #: Takes the outcome; None if the job is over or was cancelled.
    finish: Done | None = None
    #: Whether the step that has begun the job is saved, so that the call is made.
    is_under_way: bool = False

    @property
    def is_wanted(self) -> bool:
        return self.write is not None

    def written(self) -> OutgoingRequest | None:
        """Write the request, or return None if cancelled."""
        write = self.write
        return None if write is None else write()

    def done(self, outcome: CallOutcome) -> None:
        """Report the outcome to the workspace, unless the job was cancelled."""
        finish = self.finish
        if finish is not None:
            finish(outcome)

    def forget(self) -> None:
        """Drop the references to the workspace: a cancelled job may stay in the queue for long."""
        self.write = self.finish = None


class Jobs:
    """One workspace's jobs, at most one per instance."""

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
        return (machine, key) in self._jobs

    def forms(self) -> list[JobForm]:
        """Return the jobs to be saved."""
        return [JobForm(job.account, job.machine, job.key, job.server) for job in self._jobs.values()]

    def follow(self, forms: Sequence[JobForm]) -> None:
        """Replace all jobs by saved jobs, and cancel the rest.

        Of a job that was begun again in a failed step, nothing but the saved job stays.
        """
        before, self._jobs = self._jobs, {}
        for form in forms:
            job = before.get((form.machine, form.key))
            if job is None or job.server != form.server or not job.is_under_way:
                job = Job(*form)
            self._jobs[form.machine, form.key] = job
        for job in before.values():
            if job not in self:
                job.forget()

    @property
    def are_forgotten(self) -> bool:
        """Whether this server has to make a call of which it knows nothing, as the step that began it failed."""
        return any(job.server == self.server and not job.is_wanted for job in tuple(self._jobs.values()))

    def drop_abandoned(self, is_dead: Callable[[str], bool]) -> None:
        """Drop the jobs of dead servers, and the jobs that this server has forgotten."""
        for job in tuple(self._jobs.values()):
            if is_dead(job.server) or (job.server == self.server and not job.is_wanted):
                self.cancel(job.machine, job.key)

    def begin(self, account: int, machine: str, key: Key) -> Job:
        self.cancel(machine, key)
        job = self._jobs[machine, key] = Job(account, machine, key, self.server)
        return job

    def take_off(self, job: Job) -> None:
        """Remove a completed job without changing it, as the step may run again."""
        del self._jobs[job.machine, job.key]

    def cancel(self, machine: str, key: Key) -> None:
        job = self._jobs.pop((machine, key), None)
        if job is not None:
            job.forget()

    def cancel_account(self, account: int) -> None:
        for job in [job for job in self._jobs.values() if job.account == account]:
            self.cancel(job.machine, job.key)

    def clear(self) -> None:
        for job in self._jobs.values():
            job.forget()
        self._jobs.clear()


class Timed(Protocol):
    """A workspace with timers."""

    name: str
    state: State

    def run(self, step: Callable[[], Any]) -> Any:
        """Run a step, which opens the workspace."""
        ...

    def open(self) -> None:
        """Let the present step have the workspace to itself, and fire due timers."""
        ...

    def catch_up(self) -> object:
        """Fire due timers, each at its own moment."""
        ...


class Effects(Protocol):
    """Effects of workspaces, run in background threads; supplied by the app."""

    @property
    def forwarder(self) -> Forwarder | None:
        """The forwarding client, or None without peer."""
        ...

    def call(self, url: str, job: Job) -> None:
        """Make the HTTP call of a job, unless the job is cancelled before its turn comes.

        `job.done` is called once with the outcome, from any thread.
        """
        ...

    @property
    def posts(self) -> bool:
        """Whether e-mails are sent to a real server."""
        ...

    def post(self, mail: Mail, report: Report, wanted: IsWanted) -> None:
        """Send a wanted e-mail to the configured SMTP server.

        `report` is called after each try.
        """
        ...

    def watch(self, workspace: Timed) -> None:
        """Let a workspace catch up when its next timer is due, unless its clock is frozen."""
        ...


class NoEffects:
    """Effects of a workspace without server: nothing is sent, timers fire with requests."""

    forwarder: Forwarder | None = None
    posts = False

    def call(self, url: str, job: Job) -> None:
        job.done(CallOutcome(error="not sent: no server runs this workspace"))

    def post(self, mail: Mail, report: Report, wanted: IsWanted) -> None: ...

    def watch(self, workspace: Timed) -> None: ...
