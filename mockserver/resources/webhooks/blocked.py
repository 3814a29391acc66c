"""Contacts to whom nothing is sent any more, because an e-mail to them has bounced hard (contract/events#blocked)."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from datetime import datetime

from mockserver.core.state.account import Account
from mockserver.core.text.domain_name import LONGEST_EMAIL, comparable
from mockserver.core.workspaces.workspace import Workspace
from mockserver.resources.webhooks.event import EMAIL, TRANSACTIONAL_EMAIL, Occurrence, RaisedEvent

_LOG = logging.getLogger(__name__)

#: The event that blocks a contact, and those that happen to an e-mail for a blocked one: one in the place of the other.
_BLOCKING, _DELIVERED, _BLOCKED = "hardBounce", "delivered", "blocked"


@dataclass(slots=True, eq=False)
class BlockedContact:
    """A contact to whom an account sends nothing from a moment on, by the comparable form of the address."""

    email: str
    blocked_at: datetime


def note(workspace: Workspace, account: Account, row: RaisedEvent, occurrence: Occurrence) -> None:
    """Block the contact to whom an event happens, if it is such an event; not if the workspace has no room left."""
    is_address = "@" in occurrence.to and len(occurrence.to) <= LONGEST_EMAIL
    if row.name != _BLOCKING or occurrence.category.channel != EMAIL or not is_address:
        return
    if reason := workspace.state.full(1):
        _LOG.warning("workspace %s does not keep that %s is blocked: %s", workspace.name, occurrence.to, reason)
    else:
        block(account, BlockedContact(occurrence.to, occurrence.at))


def block(account: Account, contact: BlockedContact) -> None:
    """Block a contact, from the earliest moment on from which it was ever blocked."""
    contacts, key = account.table(BlockedContact), comparable(contact.email)
    known = contacts.setdefault(key, contact)
    known.blocked_at = min(known.blocked_at, contact.blocked_at)


def as_it_happens(account: Account, occurrence: Occurrence) -> Occurrence:
    """An event of an e-mail that is sent: `blocked` where it would have been delivered to a blocked contact."""
    if occurrence.event != _DELIVERED or occurrence.category != TRANSACTIONAL_EMAIL:
        return occurrence
    contact = account.rows_of(BlockedContact).get(comparable(occurrence.to))
    is_blocked = contact is not None and contact.blocked_at <= occurrence.at
    return occurrence._replace(event=_BLOCKED) if is_blocked else occurrence
