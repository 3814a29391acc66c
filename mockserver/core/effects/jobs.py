"""Jobs: the outgoing calls that a workspace has begun and whose outcome it waits for, one for each instance."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from mockserver.core.time.timers import Key


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


@dataclass(slots=True, eq=False)
class Job:
    """An outgoing call for an instance of a state machine; cancelled, it neither is made nor reports an outcome."""

    account: int
    machine: str
    key: Key
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
        self._jobs: dict[tuple[str, Key], Job] = {}

    def __len__(self) -> int:
        return len(self._jobs)

    def __iter__(self) -> Iterator[Job]:
        return iter(self._jobs.values())

    def __contains__(self, job: Job) -> bool:
        return self._jobs.get((job.machine, job.key)) is job

    def begin(self, account: int, machine: str, key: Key) -> Job:
        """A new job for an instance, in the place of the one that the instance may have."""
        self.cancel(machine, key)
        job = self._jobs[machine, key] = Job(account, machine, key)
        return job

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
