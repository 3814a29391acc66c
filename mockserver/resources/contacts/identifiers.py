"""By what contacts are found: id, e-mail address, phone number and the customer's own id (contract/contacts#rows)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from mockserver.core.contract.errors import DOCUMENT_NOT_FOUND
from mockserver.core.state import reasons
from mockserver.core.state.state import Account
from mockserver.core.text.addresses import comparable
from mockserver.core.workspaces.caller import Caller
from mockserver.resources.contacts.rows import SMS_DOMAIN, Contact, Identifiers

CONTACT_ID, EMAIL_ID, PHONE_ID, EXT_ID = "contact_id", "email_id", "phone_id", "ext_id"
#: The kinds of identifiers that requests may name. No contact has one of the last two (proposed).
KINDS = (EMAIL_ID, CONTACT_ID, EXT_ID, PHONE_ID, "whatsapp_id", "landline_number_id")
#: What errors call the kinds of which two contacts cannot have the same one.
_NAMES: Mapping[str, str] = {EMAIL_ID: "email", PHONE_ID: "SMS", EXT_ID: "ext_id"}
#: The most characters of a phone number and of a customer's own id (proposed).
LONGEST = 255
_ID = re.compile(r"[1-9][0-9]{0,18}", re.ASCII)
#: A phone number without its `+`.
DIGITS = re.compile(r"\A0*[1-9][0-9]*\Z")


class Identity(NamedTuple):
    """The identifiers of a contact; None stands for one that it does not have."""

    email: str | None
    phone: str | None
    ext_id: str | None

    @property
    def keys(self) -> dict[str, str]:
        """The keys of the index by the names of the identifiers: `{"email": "email_id ada@acme.test"}`."""
        values = zip(_NAMES.items(), self, strict=True)
        return {name: _key(kind, value) for (kind, name), value in values if value is not None}

    @classmethod
    def of(cls, contact: Contact) -> Identity:
        return cls(contact.email, contact.phone, contact.ext_id)


def _key(kind: str, value: str) -> str:
    return f"{kind} {comparable(value) if kind == EMAIL_ID else value}"


def digits(text: str) -> str | None:
    """The digits of a phone number `33612345678`, `+33 612345678` or `0033612345678`, or None for any other text."""
    found = text.replace("+", "").replace(" ", "").removeprefix("00")
    return found if len(found) <= LONGEST and DIGITS.match(found) else None


def written(value: object) -> str:
    """The value of an attribute that is an identifier, which may be a number, as a text; null is the empty one."""
    return "" if value is None else str(value)


def get(caller: Caller, identifier: str, kind: str | None) -> Contact:
    """The contact of the caller's account with an identifier, whose kind is guessed if it is not given.

    Raises:
        ServiceError: 404; there is none.
    """
    kind = kind or _guessed(identifier)
    contact = find(caller.account, kind, identifier)
    if contact is None and kind == CONTACT_ID:
        contact = find(caller.account, PHONE_ID, identifier)
    if contact is None:
        count = len(caller.account.rows_of(Contact))
        reason = f"account {caller.account.name} has no contact whose {kind} is {reasons.shown(identifier)}"
        raise DOCUMENT_NOT_FOUND("Contact does not exist").because(f"{reason} (it has {count:,} contacts)")
    return contact


def find(account: Account, kind: str, value: str | int) -> Contact | None:
    """The contact of an account with an identifier of a kind, or None."""
    rows = account.rows_of(Contact)
    if kind == CONTACT_ID:
        return rows.get(int(value)) if _ID.fullmatch(str(value)) else None
    text = str(value)
    if kind == PHONE_ID:
        text = digits(text) or text
    number = (account.record_of(Identifiers) or Identifiers()).get(_key(kind, text))
    if number is None and kind == EMAIL_ID and text.lower().endswith(f"@{SMS_DOMAIN}"):
        contact = find(account, PHONE_ID, text.partition("@")[0])
        return contact if contact is not None and contact.email is None else None
    return None if number is None else rows[number]


def _guessed(identifier: str) -> str:
    if _ID.fullmatch(identifier):
        return CONTACT_ID
    return EMAIL_ID if "@" in identifier else PHONE_ID


def holders(account: Account, identity: Identity) -> Iterator[tuple[str, Contact]]:
    """The contacts that have one of these identifiers, each with the name of that identifier."""
    index, rows = account.record(Identifiers), account.rows_of(Contact)
    for name, key in identity.keys.items():
        if key in index:
            yield name, rows[index[key]]


def replace(account: Account, contact: Contact, identity: Identity | None) -> None:
    """Give a contact identifiers that no other one has, or with None take away those that it has."""
    index = account.record(Identifiers)
    for key in Identity.of(contact).keys.values():
        index.pop(key, None)
    if identity is not None:
        contact.email, contact.phone, contact.ext_id = identity
        index.update(dict.fromkeys(identity.keys.values(), contact.id))
