"""Sending calls and e-mails from a workspace, and taking in what has come of them."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress

from mockserver.core.effects.jobs import Done, Job, Outcome, OutgoingRequest
from mockserver.core.time.cause import MAIL
from mockserver.core.traffic.mail import Mail
from mockserver.core.traffic.mailbox import FAILED, WAITING, Sending
from mockserver.core.workspaces.storage import StorageError
from mockserver.core.workspaces.workspace import Workspace

#: Why an e-mail that waited is not sent after a new start.
_NO_SERVER = "the server was started anew without --smtp-url"


def dispatch(workspace: Workspace, job: Job, url: str, write: Callable[[], OutgoingRequest], done: Done) -> None:
    """Have a call made for a job that has begun.

    `write` makes the request when its turn comes. `done` takes the outcome under the lock, while the clock shows the
    present moment. If the job is cancelled before, or the workspace is lost, neither is called.
    """
    moment = workspace.state.clock.now()

    def finish(outcome: Outcome) -> None:
        with suppress(StorageError):
            workspace.run(lambda: take(outcome))
            job.forget()

    def take(outcome: Outcome) -> None:
        with workspace.lock:
            if job in workspace.jobs:
                workspace.jobs.take_off(job)
                try:
                    with workspace.state.clock.pinned(moment):
                        done(outcome)
                finally:
                    workspace.watch()
                    workspace.watchers.tell("job")

    job.write, job.finish = write, finish
    workspace.effects.call(url, job)


def send(workspace: Workspace, mail: Mail) -> None:
    """Send an e-mail: to the mailbox and, if one is set, to a real SMTP server."""
    size = workspace.state.mailbox.add(mail)
    workspace.link(MAIL, mail.id)
    workspace.meter.add_mail()
    workspace.feed.add("mail", mail, size)
    if workspace.effects.posts:
        _send_out(workspace, mail)
    workspace.watchers.tell("mail")


def resume(workspace: Workspace) -> None:
    """Send the e-mails that had not left when the workspace left the memory; without a server they have failed."""
    mailbox = workspace.state.mailbox
    for mail in reversed(tuple(mailbox)):
        sending = mailbox.sending(mail)
        if sending is None or sending.state != WAITING or mail.id in workspace.posting:
            continue
        if workspace.effects.posts:
            _send_out(workspace, mail)
        else:
            mailbox.note_sending(mail, sending._replace(state=FAILED, error=_NO_SERVER))


def _send_out(workspace: Workspace, mail: Mail) -> None:
    """Send an e-mail to the real SMTP server, for as long as it belongs to the workspace.

    It no longer does after a reset, after a return to a snapshot from before it, or when the workspace is dropped or
    lost.
    """
    server, mark = workspace.server, object()
    workspace.posting[mail.id] = server
    workspace.queued[mail.id] = mark

    def wanted() -> bool:
        with suppress(StorageError):
            return bool(workspace.run(is_posting))
        return False

    def is_posting() -> bool:
        with workspace.lock:
            return workspace.posting.get(mail.id) == server and workspace.queued.get(mail.id) is mark

    def report(sending: Sending) -> None:
        with suppress(StorageError):
            workspace.run(lambda: note(sending))

    def note(sending: Sending) -> None:
        with workspace.lock:
            if workspace.queued.get(mail.id, mark) is not mark:
                return  # another e-mail has the id by now
            workspace.state.mailbox.note_sending(mail, sending)
            if sending.state != WAITING:
                workspace.posting.pop(mail.id, None)
                workspace.queued.pop(mail.id, None)
            workspace.watchers.tell("mail")

    workspace.effects.post(mail, report, wanted)
