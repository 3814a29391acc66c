"""Sending an e-mail with all that follows: credits, the mailbox, and the events of which webhooks are told."""

from __future__ import annotations

from mockserver.core.state.account import Account
from mockserver.core.traffic.mail import TO, Mail, MailContent, Party
from mockserver.core.workspaces import outgoing
from mockserver.core.workspaces.workspace import Workspace
from mockserver.resources.account import spending
from mockserver.resources.webhooks import events
from mockserver.resources.webhooks.catalogue import STORIES

#: Why an e-mail is not sent for which credits are missing when it falls due; the words are proposed.
_NO_CREDITS = "Sending has been rejected because the account has not enough credits"


def send(
    workspace: Workspace,
    account: Account,
    content: MailContent,
    *,
    rejected: str | None = None,
    request: str | None = None,
) -> str | None:
    """Send an e-mail: it costs a credit for each recipient, and webhooks are told of request and delivery.

    If it is `rejected`, or credits are missing, it is not sent, and webhooks are told of the event `error` instead.
    Returns the reason, or None if it was sent.
    """
    if rejected is None and not spending.use(workspace, account, "email", len(content.recipients)):
        rejected = _NO_CREDITS
    if rejected is None:
        deliver(workspace, account, content, request=request)
        for scene in STORIES["delivered"]:
            events.tell_recipients(workspace, account, content, scene.event, after=scene.after)
    else:
        events.tell_recipients(workspace, account, content, "error", overrides={"reason": rejected})
    return rejected


def deliver(workspace: Workspace, account: Account, content: MailContent, *, request: str | None) -> bool:
    """Put an e-mail into the mailbox, and send it by SMTP where a server is set; `request` is what has caused it.

    Returns whether the contents of its attachments were kept: of an e-mail that is too large for the mailbox with
    them, they are only listed.
    """
    mail = _mail(workspace, account, content, request)
    fits = mail.size <= workspace.state.mailbox.largest
    outgoing.send(workspace, mail if fits else mail._replace(content=content.without_files()))
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
