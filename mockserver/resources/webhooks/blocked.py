"""Blocked contacts, who receive no e-mails, and the reasons (contract/events#blocked)."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from datetime import datetime

from mockserver.core.state.state import Account
from mockserver.core.text.addresses import LONGEST_EMAIL, comparable, is_email
from mockserver.core.workspaces.workspace import Workspace
from mockserver.resources.webhooks.event import EMAIL, TRANSACTIONAL_EMAIL, Occurrence, RaisedEvent

_LOG = logging.getLogger(__name__)

HARD_BOUNCE, SPAM, UNSUBSCRIBED = "hardBounce", "contactFlaggedAsSpam", "unsubscribedViaEmail"
#: The vendor's codes for the reasons of blocking, each with a sentence about a contact.
REASONS = {
    HARD_BOUNCE: "an e-mail to {email} has bounced hard, so the contact is blocked",
    SPAM: "{email} has reported an e-mail as spam, so the contact is blocked for {sender}",
    UNSUBSCRIBED: "{email} has unsubscribed, so the contact is blocked",
    "unsubscribedViaMA": "{email} has unsubscribed by marketing automation, so the contact is blocked",
    "unsubscribedViaApi": "{email} was unsubscribed by the API, so the contact is blocked",
    "adminBlocked": "{email} was blocked by an administrator",
}
#: The events that block a contact.
_BLOCKING = {"hardBounce": HARD_BOUNCE, "spam": SPAM, "unsubscribed": UNSUBSCRIBED}
#: For a blocked contact, the event `blocked` replaces `delivered`.
_DELIVERED, BLOCKED = "delivered", "blocked"


@dataclass(slots=True, eq=False)
class BlockedContact:
    """A contact receiving no e-mails since some moment."""

    email: str
    blocked_at: datetime
    #: One of `REASONS`.
    reason: str = HARD_BOUNCE
    #: The sender of the e-mail after which the contact was blocked, or empty if unknown. A spam report blocks this
    #: sender only, any other reason blocks all senders of the account.
    sender: str = ""

    @property
    def why(self) -> str:
        return REASONS[self.reason].format(email=self.email, sender=self.sender or "all senders")


def block_after(workspace: Workspace, account: Account, row: RaisedEvent, occurrence: Occurrence) -> None:
    """Block a contact after bounces, spam reports or unsubscriptions, given room."""
    reason = _BLOCKING.get(row.name)
    is_meant = occurrence.category == TRANSACTIONAL_EMAIL or reason == HARD_BOUNCE
    equals_address = "@" in occurrence.to and len(occurrence.to) <= LONGEST_EMAIL
    if reason is None or not is_meant or occurrence.category.channel != EMAIL or not equals_address:
        return
    if full := workspace.state.full(1):
        _LOG.warning("workspace %s does not keep that %s is blocked: %s", workspace.name, occurrence.to, full)
    else:
        # The payload of a triggered event may give any text as the sender.
        sender = occurrence.sender if is_email(occurrence.sender) else ""
        block(account, BlockedContact(occurrence.to, occurrence.at, reason, sender))


def block(account: Account, contact: BlockedContact) -> None:
    """Block a contact; of several blocks, the earliest moment and its reason count."""
    contacts = account.table(BlockedContact)
    key = _key(contact.email, contact.sender if contact.reason == SPAM else "")
    known = contacts.get(key)
    if known is None or contact.blocked_at < known.blocked_at:
        contacts[key] = contact


def blocked_from(account: Account, occurrence: Occurrence) -> BlockedContact | None:
    contacts = account.rows_of(BlockedContact)
    if not contacts or occurrence.event != _DELIVERED or occurrence.category != TRANSACTIONAL_EMAIL:
        return None
    keys = _key(occurrence.to), _key(occurrence.to, occurrence.sender)
    found = (contact for key in keys if (contact := contacts.get(key)) is not None)
    return next((contact for contact in found if contact.blocked_at <= occurrence.at), None)


def is_blocked(account: Account, email: str, sender: str, now: datetime) -> bool:
    """Return whether a contact receives no e-mails of a sender at a moment."""
    contacts = account.rows_of(BlockedContact)
    found = (contacts.get(key) for key in (_key(email), _key(email, sender))) if contacts else ()
    return any(row is not None and row.blocked_at <= now for row in found)


def _key(email: str, sender: str = "") -> str:
    """Return a blocked contact's key, for one sender or all senders."""
    return f"{comparable(email)} {comparable(sender)}".rstrip()
