"""The contacts that get a campaign, taken when it is due (contract/campaigns#recipients)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime

from mockserver.core.state.state import Account
from mockserver.core.state.tables import Bounded
from mockserver.core.workspaces.workspace import Workspace
from mockserver.resources.campaigns.campaign import Campaign
from mockserver.resources.contacts.rows import Contact, ContactList
from mockserver.resources.templates.model import sender_of
from mockserver.resources.webhooks import blocked

#: The most recipients of campaigns that an account keeps after sending. Chosen: some ten megabytes.
_MOST_KEPT = 300_000
#: The list of a contact that was skipped.
SKIPPED = 0


@dataclass(slots=True, eq=False)
class Audience(Bounded):
    """The recipients of a campaign; a store saves them when they are taken, and not with each e-mail."""

    #: The id of the campaign.
    id: int = 0
    #: The ids of the contacts, and the list that each was found in, or `SKIPPED`.
    contacts: list[int] = field(default_factory=list)
    lists: list[int] = field(default_factory=list)

    def list_of(self, contact_id: int, turns: int) -> int:
        """Return the list of a contact that is among the first `turns` and was not skipped, or `SKIPPED`."""
        try:
            return self.lists[self.contacts.index(contact_id, 0, turns)]
        except ValueError:
            return SKIPPED

    def replace_rest(self, turns: int, others: Audience) -> None:
        """Replace the recipients behind the first `turns` by those of `others` who are not among these."""
        had = set(self.contacts[:turns])
        rest = [pair for pair in zip(others.contacts, others.lists, strict=True) if pair[0] not in had]
        self.contacts[turns:] = [contact for contact, _ in rest]
        self.lists[turns:] = [number for _, number in rest]


def found(workspace: Workspace, account: Account, campaign: Campaign) -> Audience:
    """Return the recipients that a campaign has at this moment."""
    lists, contacts = account.rows_of(ContactList), account.rows_of(Contact)
    excluded = [lists[number].members for number in campaign.excluded_list_ids if number in lists]
    by_contact: dict[int, int] = {}
    for number in reversed([number for number in campaign.list_ids if number in lists]):
        by_contact.update(dict.fromkeys(lists[number].members, number))
    left = set(by_contact).difference(*excluded)
    sender, now = sender_of(account, campaign).email, workspace.state.clock.now()
    ids = sorted(number for number in left if address_of(account, contacts[number], sender, now))
    return Audience(campaign.id, ids, [by_contact[number] for number in ids])


def address_of(account: Account, contact: Contact | None, sender: str, now: datetime) -> str | None:
    """Return the address of a contact, or None if it has none, is deleted, blacklisted or blocked."""
    email = None if contact is None or contact.email_blacklisted else contact.email
    return None if email is None or blocked.is_blocked(account, email, sender, now) else email


def take(workspace: Workspace, account: Account, campaign: Campaign) -> None:
    """Take the recipients of a campaign, and forget those of the oldest sent campaigns if there are too many."""
    taken = account.table(Audience)
    taken.pop(campaign.id, None)
    for number in list(_forgettable(account, sum(len(row.contacts) for row in taken.values()) - _MOST_KEPT)):
        del taken[number]
    taken[campaign.id] = found(workspace, account, campaign)


def _forgettable(account: Account, excess: int) -> Iterator[int]:
    """Yield sent campaigns, the oldest first, until their recipients are as many as the excess."""
    campaigns = account.rows_of(Campaign)
    for number, row in account.rows_of(Audience).items():
        if excess <= 0:
            return
        campaign = campaigns.get(number)
        if campaign is None or campaign.is_over:
            excess -= len(row.contacts)
            yield number
