"""Sending e-mails with all that follows: credits, the mailbox, and the events of which webhooks are told."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta

from mockserver.core.state.state import Account
from mockserver.core.traffic.mail import TO, Mail, MailContent, Party
from mockserver.core.workspaces.lifecycle import send_mail
from mockserver.core.workspaces.workspace import Workspace
from mockserver.resources.account import spending
from mockserver.resources.webhooks import events
from mockserver.resources.webhooks.catalogue import STORIES


def cost(contents: Sequence[MailContent]) -> int:
    """Return how many credits e-mails cost: one for each recipient (contract/sending#sendTransacEmail)."""
    return sum(len(content.recipients) for content in contents)


def send(workspace: Workspace, account: Account, contents: Sequence[MailContent], *, request: str | None) -> bool:
    """Send e-mails for which credits are left, and tell webhooks of the requests and the deliveries.

    Returns:
        Whether the contents of all attachments were kept, as by `deliver`.
    """
    spending.use(workspace, account, "email", cost(contents))
    are_kept = [deliver(workspace, account, content, request=request) for content in contents]
    for scene in STORIES["delivered"]:
        for content in contents:
            events.tell_recipients(workspace, account, content, scene.event, after=scene.after)
    return all(are_kept)


def reject(
    workspace: Workspace,
    account: Account,
    contents: Sequence[MailContent],
    reason: str,
    *,
    after: timedelta = timedelta(),
) -> None:
    """Tell webhooks of the event `error` for e-mails that are not sent, so long after now."""
    for content in contents:
        events.tell_recipients(workspace, account, content, "error", after=after, overrides={"reason": reason})


def deliver(workspace: Workspace, account: Account, content: MailContent, *, request: str | None) -> bool:
    """Put an e-mail into the mailbox, and send it by SMTP where a server is set; `request` is what has caused it.

    Returns whether the contents of its attachments were kept: of an e-mail that is too large for the mailbox with
    them, they are only listed.
    """
    mail = _mail(workspace, account, content, request)
    fits = mail.size <= workspace.state.mailbox.largest
    send_mail(workspace, mail if fits else mail._replace(content=content.without_files()))
    return fits


def _mail(workspace: Workspace, account: Account, content: MailContent, request: str | None) -> Mail:
    recipients = [row.party.email for row in content.recipients if row.kind == TO]
    return Mail(
        id=workspace.ids.mail(),
        at=workspace.state.clock.now(),
        to=", ".join(recipients),
        sender=str(content.sender),
        subject=content.subject,
        text=content.text or "",
        account=account.name,
        request=request,
        content=content,
    )


def completed(workspace: Workspace, account: Account, content: MailContent) -> MailContent:
    """An e-mail with what it has by default: the account's own sender, and a message id of the service's."""
    sender = content.sender if content.sender.email else Party(events.default_sender(account))
    return content._replace(sender=sender, message_id=content.message_id or events.draw_message_id(workspace))
