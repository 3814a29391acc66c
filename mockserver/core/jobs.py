"""What is under way outside of a workspace, kept as timers are: each job is for an instance of a machine."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from mockserver.core.outside import Done, Outcome, Post
from mockserver.core.timers import Key

if TYPE_CHECKING:
    from mockserver.core.workspace import Workspace


@dataclass(slots=True, eq=False)
class Job:
    """Something that was begun outside, and whose result somebody waits for."""

    account: int
    machine: str
    key: Key


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
        job = self._jobs[machine, key] = Job(account, machine, key)
        return job

    def cancel(self, machine: str, key: Key) -> None:
        """Forget the job of an instance."""
        self._jobs.pop((machine, key), None)

    def cancel_account(self, account: int) -> None:
        """Forget all that is under way for an account."""
        self._jobs = {name: job for name, job in self._jobs.items() if job.account != account}


def dispatch(workspace: Workspace, job: Job, post: Post, done: Done) -> None:
    """Let a call be made, for a job that has begun; its outcome is told as of the present moment, if then wanted.

    What is cancelled before its turn does not leave at all.
    """
    moment = workspace.clock.now()

    def finish(outcome: Outcome) -> None:
        with workspace.lock:
            if job in workspace.jobs:
                workspace.jobs.cancel(job.machine, job.key)
                try:
                    with workspace.clock.pinned(moment):
                        done(outcome)
                finally:
                    workspace.watch()
                    workspace.watchers.tell("job")

    workspace.outside.call(post, finish, lambda: job in workspace.jobs)
