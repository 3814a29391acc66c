"""The rows of contacts, lists and folders, and the index of identifiers (contract/contacts)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any, ClassVar

from mockserver.core.contract.errors import no_room
from mockserver.core.state.state import Account
from mockserver.core.traffic.ring import weight
from mockserver.core.workspaces.workspace import Workspace

#: The domain of the address that a contact without an e-mail address is shown with (contract/contacts#rows).
SMS_DOMAIN = "mailin-sms.com"
#: What a contact takes beside its attributes and identifiers, and its membership of one list, in bytes. Measured.
_PER_CONTACT, _PER_LIST = 600, 200


@dataclass(slots=True, eq=False)
class Contact:
    """A person with an e-mail address, a phone number, or an id of the customer's own."""

    id: int
    created_at: datetime
    modified_at: datetime
    #: In lower case; None: the contact has none.
    email: str | None = None
    #: The digits of the attribute SMS, with those of the country.
    phone: str | None = None
    ext_id: str | None = None
    email_blacklisted: bool = False
    sms_blacklisted: bool = False
    #: The ids of its lists as keys, in the order of joining.
    lists: dict[int, None] = field(default_factory=dict)
    #: All attributes but EMAIL, SMS and EXT_ID.
    attributes: dict[str, Any] = field(default_factory=dict)
    #: Not kept: no campaign is sent here, and nobody opts out of WhatsApp.
    statistics: ClassVar[dict[str, Any]] = {}
    whatsapp_blacklisted: ClassVar[bool] = False

    def __copy__(self) -> Contact:
        return replace(self, lists=self.lists.copy(), attributes=self.attributes.copy())

    @property
    def list_ids(self) -> list[int]:
        return list(self.lists)

    @property
    def shown_email(self) -> str | None:
        """The address as the API shows it."""
        return self.email or (f"{self.phone}@{SMS_DOMAIN}" if self.phone else None)

    @property
    def shown_attributes(self) -> dict[str, Any]:
        """The attributes as the API shows them, with the identifiers that are attributes as well."""
        identifiers = {"SMS": self.phone, "EXT_ID": self.ext_id}
        return {**self.attributes, **{name: value for name, value in identifiers.items() if value is not None}}

    @property
    def size(self) -> int:
        """How many bytes the contact takes, without its memberships of lists."""
        return weight([self.email, self.phone, self.ext_id, self.attributes]) + _PER_CONTACT


@dataclass(slots=True, eq=False)
class ContactList:
    """A list of contacts in a folder."""

    id: int
    name: str
    folder_id: int
    created_at: datetime
    #: The ids of its contacts as keys.
    members: dict[int, None] = field(default_factory=dict)
    #: How many of its contacts get no e-mails.
    blacklisted: int = 0

    def __copy__(self) -> ContactList:
        return replace(self, members=self.members.copy())


@dataclass(slots=True, eq=False)
class Folder:
    """A folder of lists. Without a name, it is the first folder of the account, after its deletion."""

    id: int
    name: str | None


class Identifiers(dict[str, int]):
    """The ids of an account's contacts by their other identifiers, such as `email_id ada@acme.test`."""


def join(account: Account, contact: Contact, lists: Iterable[int]) -> list[int]:
    """Add a contact to lists that exist; returns the ids of those that it was not in."""
    _, table = account.table(Contact), account.table(ContactList)
    joined = [number for number in dict.fromkeys(lists) if number not in contact.lists]
    for number in joined:
        contact.lists[number] = table[number].members[contact.id] = None
        table[number].blacklisted += contact.email_blacklisted
    account.weigh_stored(_PER_LIST * len(joined))
    return joined


def leave(account: Account, contact: Contact, lists: Iterable[int]) -> None:
    """Remove a contact from those of these lists that it is in."""
    _, table = account.table(Contact), account.table(ContactList)
    left = [number for number in dict.fromkeys(lists) if number in contact.lists]
    for number in left:
        del contact.lists[number], table[number].members[contact.id]
        table[number].blacklisted -= contact.email_blacklisted
    account.weigh_stored(-_PER_LIST * len(left))


def blacklist(account: Account, contact: Contact, *, blacklisted: bool) -> None:
    """Set whether a contact gets no e-mails, which its lists count."""
    for number in contact.lists:
        account.table(ContactList)[number].blacklisted += blacklisted - contact.email_blacklisted
    contact.email_blacklisted = blacklisted


def drop_attribute(account: Account, name: str) -> None:
    """Remove the values of an attribute that was deleted."""
    for contact in account.table(Contact).values():
        if name in contact.attributes:
            before = contact.size
            del contact.attributes[name]
            account.weigh_stored(contact.size - before)


def check_bytes(workspace: Workspace, value: Any, memberships: int = 0) -> None:
    """Check that contacts may take as many bytes more as a value and so many memberships of lists take.

    Raises:
        ServiceError: 400 `out_of_range`; they would take too many, together with the values that stubs store.
    """
    needed = workspace.state.tally.stored + weight(value) + _PER_LIST * memberships
    most = workspace.limits.stored_bytes
    if needed > most:
        raise no_room(
            f"contacts and stored data would take {needed:,} bytes, the limit is {most:,} (--stored-bytes-limit)"
        )
