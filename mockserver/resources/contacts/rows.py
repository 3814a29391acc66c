"""Rows of contacts, lists and folders, and the identifiers of contacts (contract/contacts)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any, ClassVar, NamedTuple

from mockserver.core.contract.errors import DOCUMENT_NOT_FOUND
from mockserver.core.state import reasons
from mockserver.core.state.state import Account
from mockserver.core.text.addresses import comparable
from mockserver.core.traffic.ring import weight
from mockserver.core.workspaces.caller import Caller
from mockserver.core.workspaces.workspace import Workspace

#: The domain in the shown address of a contact without an e-mail address (contract/contacts#rows).
SMS_DOMAIN = "mailin-sms.com"
#: The memory of a contact without attributes and identifiers, and of one membership of a list, in bytes. Measured.
_PER_CONTACT, _PER_LIST = 600, 200
CONTACT_ID, EMAIL_ID, PHONE_ID, EXT_ID = "contact_id", "email_id", "phone_id", "ext_id"
#: The kinds of identifiers in requests. No contact has an identifier of the last two (proposed).
KINDS = (EMAIL_ID, CONTACT_ID, EXT_ID, PHONE_ID, "whatsapp_id", "landline_number_id")
#: The unique kinds of identifiers, with their names in errors.
_NAMES: Mapping[str, str] = {EMAIL_ID: "email", PHONE_ID: "SMS", EXT_ID: "ext_id"}
#: The most characters of a phone number and of a customer's own id (proposed).
LONGEST = 255
_ID = re.compile(r"[1-9][0-9]{0,18}", re.ASCII)
#: A phone number without its `+`.
DIGITS = re.compile(r"\A0*[1-9][0-9]*\Z")


@dataclass(slots=True, eq=False)
class Contact:
    """A person, identified by e-mail address, phone number or customer id."""

    id: int
    created_at: datetime
    modified_at: datetime
    #: In lower case.
    email: str | None = None
    #: The digits of the attribute SMS, with the country code.
    phone: str | None = None
    ext_id: str | None = None
    email_blacklisted: bool = False
    sms_blacklisted: bool = False
    #: The ids of its lists as keys, in the order of joining.
    lists: dict[int, None] = field(default_factory=dict)
    #: All attributes but EMAIL, SMS and EXT_ID.
    attributes: dict[str, Any] = field(default_factory=dict)
    #: Constants: statistics are those of campaigns only, and the mock sends no WhatsApp messages.
    statistics: ClassVar[dict[str, Any]] = {}
    whatsapp_blacklisted: ClassVar[bool] = False

    def __copy__(self) -> Contact:
        return replace(self, lists=self.lists.copy(), attributes=self.attributes.copy())

    @property
    def list_ids(self) -> list[int]:
        return list(self.lists)

    @property
    def shown_email(self) -> str | None:
        return self.email or (f"{self.phone}@{SMS_DOMAIN}" if self.phone else None)

    @property
    def shown_attributes(self) -> dict[str, Any]:
        """The attributes as the API shows them, including the identifiers SMS and EXT_ID."""
        identifiers = {"SMS": self.phone, "EXT_ID": self.ext_id}
        return {**self.attributes, **{name: value for name, value in identifiers.items() if value is not None}}

    @property
    def values(self) -> dict[str, Any]:
        """The values by name that fill texts of e-mails (contract/templates#texts)."""
        return {**self.shown_attributes, "EMAIL": self.shown_email}

    @property
    def size(self) -> int:
        """Memory in bytes, excluding memberships of lists."""
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
    #: The number of its blacklisted contacts.
    blacklisted: int = 0

    def __copy__(self) -> ContactList:
        return replace(self, members=self.members.copy())


@dataclass(slots=True, eq=False)
class Folder:
    """A folder of lists; a None name marks the deleted first folder."""

    id: int
    name: str | None


class Identifiers(dict[str, int]):
    """Contact ids by index key, such as `email_id ada@acme.test`; one record per account."""


def join(account: Account, contact: Contact, lists: Iterable[int]) -> list[int]:
    """Add a contact to lists; return the ids of newly joined lists."""
    _, table = account.table(Contact), account.table(ContactList)
    joined = [number for number in dict.fromkeys(lists) if number not in contact.lists]
    for number in joined:
        contact.lists[number] = table[number].members[contact.id] = None
        table[number].blacklisted += contact.email_blacklisted
    account.weigh_stored(_PER_LIST * len(joined))
    return joined


def leave(account: Account, contact: Contact, lists: Iterable[int]) -> None:
    """Remove a contact from lists, ignoring lists without this contact."""
    _, table = account.table(Contact), account.table(ContactList)
    left = [number for number in dict.fromkeys(lists) if number in contact.lists]
    for number in left:
        del contact.lists[number], table[number].members[contact.id]
        table[number].blacklisted -= contact.email_blacklisted
    account.weigh_stored(-_PER_LIST * len(left))


def blacklist(account: Account, contact: Contact, *, blacklisted: bool) -> None:
    """Set a contact's e-mail blacklisting and update its lists' counts."""
    for number in contact.lists:
        account.table(ContactList)[number].blacklisted += blacklisted - contact.email_blacklisted
    contact.email_blacklisted = blacklisted


def drop_attribute(account: Account, name: str) -> None:
    for contact in account.table(Contact).values():
        if name in contact.attributes:
            before = contact.size
            del contact.attributes[name]
            account.weigh_stored(contact.size - before)


def check_bytes(workspace: Workspace, value: Any, memberships: int = 0) -> None:
    """Refuse a value and memberships of lists with 400 `out_of_range` if stored data would exceed its limit."""
    workspace.check_bytes(weight(value) + _PER_LIST * memberships)


class Identity(NamedTuple):
    """A contact's identifiers; None means missing."""

    email: str | None
    phone: str | None
    ext_id: str | None

    @property
    def keys(self) -> dict[str, str]:
        """Index keys by identifier name: `{"email": "email_id ada@acme.test"}`."""
        values = zip(_NAMES.items(), self, strict=True)
        return {name: _key(kind, value) for (kind, name), value in values if value is not None}

    @classmethod
    def of(cls, contact: Contact) -> Identity:
        return cls(contact.email, contact.phone, contact.ext_id)


def _key(kind: str, value: str) -> str:
    return f"{kind} {comparable(value) if kind == EMAIL_ID else value}"


def digits(text: str) -> str | None:
    """Return the digits of a phone number `33612345678`, `+33 612345678` or `0033612345678`, or None."""
    found = text.replace("+", "").replace(" ", "").removeprefix("00")
    return found if len(found) <= LONGEST and DIGITS.match(found) else None


def written(value: object) -> str:
    """Return an identifier (text, number or null) as a text."""
    return "" if value is None else str(value)


def get_contact(caller: Caller, identifier: str, kind: str | None) -> Contact:
    """Return the caller's contact, guessing a missing identifier kind, or refuse with 404."""
    kind = kind or _guessed(identifier)
    contact = find_contact(caller.account, kind, identifier)
    if contact is None and kind == CONTACT_ID:
        contact = find_contact(caller.account, PHONE_ID, identifier)
    if contact is None:
        count = len(caller.account.rows_of(Contact))
        reason = f"account {caller.account.name} has no contact whose {kind} is {reasons.shown(identifier)}"
        raise DOCUMENT_NOT_FOUND("Contact does not exist").because(f"{reason} (it has {count:,} contacts)")
    return contact


def find_contact(account: Account, kind: str, value: str | int) -> Contact | None:
    rows = account.rows_of(Contact)
    if kind == CONTACT_ID:
        return rows.get(int(value)) if _ID.fullmatch(str(value)) else None
    text = str(value)
    if kind == PHONE_ID:
        text = digits(text) or text
    number = (account.record_of(Identifiers) or Identifiers()).get(_key(kind, text))
    if number is None and kind == EMAIL_ID and text.lower().endswith(f"@{SMS_DOMAIN}"):
        contact = find_contact(account, PHONE_ID, text.partition("@")[0])
        return contact if contact is not None and contact.email is None else None
    return None if number is None else rows[number]


def _guessed(identifier: str) -> str:
    if _ID.fullmatch(identifier):
        return CONTACT_ID
    return EMAIL_ID if "@" in identifier else PHONE_ID


def holders(account: Account, identity: Identity) -> Iterator[tuple[str, Contact]]:
    """Yield contacts with equal identifiers, each with the identifier's name."""
    index, rows = account.record(Identifiers), account.rows_of(Contact)
    for name, key in identity.keys.items():
        if key in index:
            yield name, rows[index[key]]


def set_identity(account: Account, contact: Contact, identity: Identity | None) -> None:
    """Set a contact's unique identifiers and update the index; None removes all identifiers."""
    index = account.record(Identifiers)
    for key in Identity.of(contact).keys.values():
        index.pop(key, None)
    if identity is not None:
        contact.email, contact.phone, contact.ext_id = identity
        index.update(dict.fromkeys(identity.keys.values(), contact.id))
