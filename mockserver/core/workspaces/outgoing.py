"""What leaves a workspace: calls and e-mails, which come back to it with what has become of them."""

from __future__ import annotations

from collections.abc import Callable

from mockserver.core.effects.jobs import Done, Job, Outcome, OutgoingRequest
from mockserver.core.traffic.mailbox import Mail, Sending
from mockserver.core.workspaces.workspace import Workspace


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


def send(workspace: Workspace, mail: Mail) -> None:
    """Let an e-mail leave: to the mailbox, and to a real server too, if one is set."""
    workspace.state.mailbox.add(mail)
    workspace.meter.add_mail()
    workspace.feed.add("mail", mail, mail.size)
    _post(workspace, mail)
    workspace.publish(mail)


def _post(workspace: Workspace, mail: Mail) -> None:
    """Let an e-mail go to a real server as long as it is one of this workspace.

    It no longer is after a reset, after a return to a moment before it, and when the workspace is gone.
    """
    generation = workspace.mail_generation

    def wanted() -> bool:
        with workspace.lock:
            return workspace.mail_generation == generation or workspace.state.mailbox.find(mail.id) is mail

    def report(sending: Sending) -> None:
        with workspace.lock:
            workspace.state.mailbox.note_sending(mail, sending)
            workspace.watchers.tell("mail")

    workspace.effects.post(mail, report, wanted)
