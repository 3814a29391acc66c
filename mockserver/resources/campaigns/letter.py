"""The e-mails of a campaign to its contacts, and what webhooks are told of it (contract/campaigns#sending)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from mockserver.core.state.state import Account
from mockserver.core.traffic.mail import TO, Attachment, MailContent, Party, Recipient, email_uuid
from mockserver.core.workspaces.workspace import Workspace
from mockserver.resources.campaigns.audience import sender_of
from mockserver.resources.campaigns.campaign import Campaign
from mockserver.resources.campaigns.statistics import DELIVERED, Progress
from mockserver.resources.contacts.rows import Contact
from mockserver.resources.scheduled_emails.model import deliver
from mockserver.resources.sending.request import TooLongError, filled_in
from mockserver.resources.webhooks import events
from mockserver.resources.webhooks.event import MARKETING_EMAIL, CampaignFacts, Occurrence
from mockserver.resources.webhooks.model import Webhook

#: The most e-mails of one step, and the most characters of their texts together. Chosen: a step takes some 30
#: milliseconds, so that others wait little.
_AT_ONCE, _CHARACTERS = 100, 2_000_000
#: How long after its sending an e-mail is delivered, as a transactional e-mail is.
UNDERWAY = timedelta(seconds=2)
#: An attribute in `toField`, as the service writes it: `{FIRSTNAME} {LASTNAME}`.
_ATTRIBUTE = re.compile(r"\{(\w+)\}")


def facts_of(account: Account, campaign: Campaign) -> CampaignFacts:
    """Return what the payloads of webhooks tell of a campaign."""
    progress = account.rows_of(Progress).get(campaign.id)
    began_at = campaign.sent_at if progress is None or progress.began_at is None else progress.began_at
    segments = campaign.options.get("segmentIds", ())
    return CampaignFacts(campaign.id, campaign.name, began_at, tuple(campaign.list_ids), tuple(segments))


@dataclass(frozen=True, slots=True)
class Letter:
    """A campaign's e-mail before its recipients' values are filled in."""

    campaign: Campaign
    facts: CampaignFacts
    #: The e-mail without a recipient.
    content: MailContent
    #: Whether webhooks may subscribe to its events.
    is_heard: bool

    @classmethod
    def of(cls, account: Account, campaign: Campaign) -> Letter:
        parts = (campaign.options.get("header"), campaign.html, campaign.options.get("footer"))
        url = campaign.attachment_url
        content = MailContent(
            sender=campaign.sender or Party(sender_of(account, campaign)),
            recipients=(),
            subject=campaign.subject or campaign.name,
            html="".join(part for part in parts if part),
            reply_to=Party(campaign.reply_to) if campaign.reply_to else None,
            tags=(campaign.tag,) if campaign.tag else (),
            attachments=(Attachment(url.rpartition("/")[2], url=url),) if url else (),
            params=campaign.params,
        )
        is_heard = any(row.category == MARKETING_EMAIL for row in account.rows_of(Webhook).values())
        return cls(campaign, facts_of(account, campaign), content, is_heard)

    @property
    def at_once(self) -> int:
        """The number of e-mails of one step."""
        return max(1, min(_AT_ONCE, _CHARACTERS // (len(self.content.html or "") + 1)))

    def send(self, workspace: Workspace, account: Account, contact: Contact, email: str) -> None:
        """Send the e-mail to a contact, and tell webhooks of its delivery some seconds later."""
        message_id = events.draw_message_id(workspace)
        content = self._filled_in(contact, email, message_id)
        deliver(workspace, account, content, request=None)
        if self.is_heard:
            at = workspace.state.clock.after(UNDERWAY)
            occurrence = Occurrence(
                MARKETING_EMAIL, DELIVERED, email, at, message_id, content.subject, content.tags,
                content.sender.email, self.facts,
            )  # fmt: skip
            events.raise_event(workspace, account, occurrence)

    def _filled_in(self, contact: Contact, email: str, message_id: str) -> MailContent:
        attributes = {**contact.shown_attributes, "EMAIL": email}
        mirror = f"https://app-smtp.brevo.com/log/preview/{email_uuid(message_id, email)}"
        roots = {"params": self.campaign.params, "contact": attributes, "mirror": mirror}
        name = _ATTRIBUTE.sub(lambda found: str(attributes.get(found[1], "")), _filled(self.campaign.to_field, roots))
        return self.content._replace(
            recipients=(Recipient(TO, Party(email, name.strip())),),
            subject=_filled(self.content.subject, roots),
            html=_filled(self.content.html or "", roots),
            message_id=message_id,
        )


def _filled(text: str, roots: Mapping[str, Any]) -> str:
    """Return a text with values, or without them if it would be too long."""
    try:
        return filled_in(text, roots["params"])
    except TooLongError:
        return text
