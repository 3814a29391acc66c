"""What is under way outside of a workspace, kept as timers are: each job is for an instance of a machine."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from mockserver.core.time.timers import Key
from mockserver.core.workspaces.effects import Done, Outcome, OutgoingRequest

if TYPE_CHECKING:
    from mockserver.core.workspaces.workspace import Workspace


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


def dispatch(workspace: Workspace, job: Job, url: str, write: Callable[[], OutgoingRequest], done: Done) -> None:
    """Let a call be made, for a job that has begun; its outcome is told as of the present moment, if then wanted.

    It is written when its turn comes. What is cancelled before does not leave at all.
    """
    moment = workspace.state.clock.now()

    def finish(outcome: Outcome) -> None:
        with workspace.lock:
            if job in workspace.jobs:
                workspace.jobs.cancel(job.machine, job.key)
                try:
                    with workspace.state.clock.pinned(moment):
                        done(outcome)
                finally:
                    workspace.watch()
                    workspace.watchers.tell("job")

    job.write, job.finish = write, finish
    workspace.effects.call(url, job)
