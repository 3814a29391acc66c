"""What is under way outside of a workspace, kept as timers are: each job is for an instance of a machine."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from mockserver.core.time.timers import Key


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


@dataclass(slots=True, eq=False)
class Job:
    """Something that was begun outside, and whose result somebody waits for."""

    account: int
    machine: str
    key: Key
    #: Writes the call, and takes what comes of it; None: it is over, or was called off.
    write: Callable[[], OutgoingRequest] | None = None
    finish: Done | None = None

    @property
    def is_wanted(self) -> bool:
        return self.write is not None

    def written(self) -> OutgoingRequest | None:
        """The call, as soon as its turn has come; None, if nobody wants it any more."""
        write = self.write
        return None if write is None else write()

    def done(self, outcome: Outcome) -> None:
        """Tell what came of the call, if somebody still waits for it."""
        finish = self.finish
        if finish is not None:
            finish(outcome)

    def forget(self) -> None:
        """Lead nowhere any more: whoever waits for its turn still knows the job, and is to keep nothing else."""
        self.write = self.finish = None


class Jobs:
    """The jobs of one workspace; the result of one that was cancelled changes nothing."""

    def __init__(self) -> None:
        self._jobs: dict[tuple[str, Key], Job] = {}

    def __len__(self) -> int:
        return len(self._jobs)

    def __contains__(self, job: Job) -> bool:
        return self._jobs.get((job.machine, job.key)) is job

    def begin(self, account: int, machine: str, key: Key) -> Job:
        """Note that a job is under way; another one for the same instance gives way."""
        self.cancel(machine, key)
        job = self._jobs[machine, key] = Job(account, machine, key)
        return job

    def cancel(self, machine: str, key: Key) -> None:
        """Forget the job of an instance."""
        job = self._jobs.pop((machine, key), None)
        if job is not None:
            job.forget()

    def cancel_account(self, account: int) -> None:
        """Forget all that is under way for an account."""
        for job in [job for job in self._jobs.values() if job.account == account]:
            self.cancel(job.machine, job.key)

    def clear(self) -> None:
        """Forget all that is under way."""
        for job in self._jobs.values():
            job.forget()
        self._jobs.clear()
