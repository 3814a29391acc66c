"""The e-mails of a campaign to its contacts, and what webhooks are told of it (contract/campaigns#sending)."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import timedelta

from mockserver.core.state.state import Account
from mockserver.core.traffic.mail import TO, MailContent, Party, Recipient
from mockserver.core.workspaces.workspace import Workspace
from mockserver.resources.campaigns.campaign import Campaign
from mockserver.resources.campaigns.statistics import DELIVERED, Progress
from mockserver.resources.contacts.rows import Contact
from mockserver.resources.scheduled_emails.model import deliver
from mockserver.resources.templates.model import content_of, filled
from mockserver.resources.templates.texts import TooLongError, filled_in
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
    segments = campaign.options.get("segmentIds")
    segment_ids = tuple(segments) if isinstance(segments, list) else ()
    return CampaignFacts(campaign.id, campaign.name, began_at, tuple(campaign.list_ids), segment_ids)


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
        content, options = content_of(account, campaign), campaign.options
        parts = (options.get("header"), content.html, options.get("footer"))
        subject = str(options.get("subjectA") or content.subject) if options.get("abTesting") else content.subject
        html = "".join(str(part) for part in parts if part)
        content = content._replace(subject=subject, html=html, params=campaign.params)
        is_heard = any(row.category == MARKETING_EMAIL for row in account.rows_of(Webhook).values())
        return cls(campaign, facts_of(account, campaign), content, is_heard)

    @property
    def at_once(self) -> int:
        """The number of e-mails of one step."""
        return max(1, min(_AT_ONCE, _CHARACTERS // (len(self.content.html or "") + 1)))

    def send(self, workspace: Workspace, account: Account, contact: Contact, email: str) -> None:
        """Send the e-mail to a contact, and tell webhooks of its delivery some seconds later."""
        message_id = events.draw_message_id(workspace)
        recipient = Recipient(TO, Party(email, self._name(contact)))
        content = _filled(account, self.content._replace(recipients=(recipient,), message_id=message_id))
        deliver(workspace, account, content, request=None)
        if self.is_heard:
            at = workspace.state.clock.after(UNDERWAY)
            occurrence = Occurrence(
                MARKETING_EMAIL, DELIVERED, email, at, message_id, content.subject, content.tags,
                content.sender.email, self.facts,
            )  # fmt: skip
            events.raise_event(workspace, account, occurrence)

    def _name(self, contact: Contact) -> str:
        """Return the name of a recipient by `toField`, or an empty text if it would be too long."""
        values = contact.values
        try:
            found = filled_in(self.campaign.to_field, {"params": self.campaign.params, "contact": values})
        except TooLongError:
            return ""
        return _ATTRIBUTE.sub(lambda match: str(values.get(match[1], "")), found).strip()


def _filled(account: Account, content: MailContent) -> MailContent:
    """Return a content filled with values, or the content itself if the result would be too long."""
    try:
        return filled(account, content)
    except TooLongError:
        return content
