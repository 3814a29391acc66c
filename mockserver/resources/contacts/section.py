"""Contacts, lists and folders in a scenario."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from marshmallow import fields, validate

from mockserver.core.contract.errors import ServiceError
from mockserver.core.state.state import Account
from mockserver.core.workspaces.workspace import Workspace
from mockserver.resources.contacts import rows
from mockserver.resources.contacts.lists import FIRST_FOLDER, find_folder
from mockserver.resources.contacts.rows import Contact, ContactList, Folder, Identity
from mockserver.resources.section import (
    ID_RANGE,
    Instant,
    Item,
    Section,
    SectionError,
    TakenError,
    about,
    claim,
    dump_rows,
)
from mockserver.web.schemas.fields import Email, JsonObject, List

_ID = about("counts up from the largest one if left out")
#: The kinds of ids of the rows of each member.
_KINDS = {"contact_folders": "contact_folder", "contact_lists": "contact_list", "contacts": "contact"}
_LENGTH = validate.Length(1, rows.LONGEST)


class ContactFolderItem(Item):
    """A folder of lists. Every account has folder 1, unless its name is null."""

    id = fields.Integer(strict=True, validate=ID_RANGE, **_ID)
    name = fields.String(required=True, allow_none=True, **about("its name; null: the folder 1, which was deleted"))


class ContactListItem(Item):
    """A list of contacts."""

    id = fields.Integer(strict=True, validate=ID_RANGE, **_ID)
    name = fields.String(required=True, **about("its name"))
    folder_id = fields.Integer(strict=True, validate=ID_RANGE, load_default=FIRST_FOLDER, **about("its folder"))
    created_at = Instant(**about("its creation; the clock's start if left out"))


class ContactItem(Item):
    """A contact with the ids of its lists."""

    id = fields.Integer(strict=True, validate=ID_RANGE, **_ID)
    email = Email(**about("its address, each once in an account"))
    phone = fields.String(
        validate=[_LENGTH, validate.Regexp(rows.DIGITS, error="must be digits, such as 33612345678")],
        **about("its phone number, the attribute SMS: digits with those of the country"),
    )
    ext_id = fields.String(validate=_LENGTH, **about("the customer's own id, the attribute EXT_ID"))
    attributes = JsonObject(load_default=dict, **about("its other attributes, by name"))
    email_blacklisted = fields.Boolean(load_default=False, **about("whether it gets no e-mails"))
    sms_blacklisted = fields.Boolean(load_default=False, **about("whether it gets no text messages"))
    list_ids = List(fields.Integer(strict=True, validate=ID_RANGE), load_default=list, **about("the lists it is in"))
    created_at = Instant(**about("its creation; the clock's start if left out"))
    modified_at = Instant(**about("its last change; its creation if left out"))


def _load(workspace: Workspace, account: Account, data: Mapping[str, Any]) -> Iterator[SectionError]:
    state = workspace.state
    for member, kind in _KINDS.items():
        for item in data.get(member, ()):
            state.claim_id(kind, item.get("id", 0))
    for index, item in enumerate(data.get("contact_folders", ())):
        yield from _load_folder(workspace, account, index, item)
    for index, item in enumerate(data.get("contact_lists", ())):
        yield from _load_list(workspace, account, index, item)
    for index, item in enumerate(data.get("contacts", ())):
        yield from _load_contact(workspace, account, index, item)


def _load_folder(workspace: Workspace, account: Account, index: int, item: Mapping[str, Any]) -> Iterator[SectionError]:
    workspace.state.claim_id("contact_folder", FIRST_FOLDER)
    found = Folder(item["id"] if "id" in item else workspace.state.next_id("contact_folder"), item["name"])
    if found.name is None and found.id != FIRST_FOLDER:
        yield SectionError(("contact_folders", index, "name"), f"null: only folder {FIRST_FOLDER} can be deleted")
    elif found.id in account.rows_of(Folder):
        yield TakenError(("contact_folders", index, "id"), f"duplicate folder id {found.id}")
    else:
        account.table(Folder)[found.id] = found


def _load_list(workspace: Workspace, account: Account, index: int, item: Mapping[str, Any]) -> Iterator[SectionError]:
    number = item["id"] if "id" in item else workspace.state.next_id("contact_list")
    if find_folder(account, item["folder_id"]) is None:
        path = ("contact_lists", index, "folder_id")
        yield SectionError(path, f"the account has no folder {item['folder_id']}", wanted=(item["folder_id"],))
    elif not claim(workspace, ContactList, number):
        yield TakenError(("contact_lists", index, "id"), f"duplicate list id {number}")
    else:
        created_at = item.get("created_at") or workspace.state.clock.now()
        account.table(ContactList)[number] = ContactList(number, item["name"], item["folder_id"], created_at)


def _load_contact(
    workspace: Workspace, account: Account, index: int, item: Mapping[str, Any]
) -> Iterator[SectionError]:
    state = workspace.state
    number = item["id"] if "id" in item else state.next_id("contact")
    email = item["email"].lower() if "email" in item else None
    identity = Identity(email, item.get("phone"), item.get("ext_id"))
    for name, other in rows.holders(account, identity):
        yield TakenError(("contacts", index, name.lower()), f"duplicate {name}: contact {other.id} has it")
        return
    missing = [list_id for list_id in item["list_ids"] if list_id not in account.rows_of(ContactList)]
    if missing:
        message = f"the account has no list {missing[0]}"
        yield SectionError(("contacts", index, "list_ids"), message, wanted=tuple(missing))
        return
    if not claim(workspace, Contact, number):
        yield TakenError(("contacts", index, "id"), f"duplicate contact id {number}")
        return
    created_at = item.get("created_at") or state.clock.now()
    contact = Contact(
        number, created_at, item.get("modified_at") or created_at,
        email_blacklisted=item["email_blacklisted"], sms_blacklisted=item["sms_blacklisted"],
        attributes=item["attributes"],
    )  # fmt: skip
    try:
        rows.check_bytes(workspace, [identity, item["attributes"]], len(item["list_ids"]))
    except ServiceError as error:
        yield SectionError(("contacts", index), error.reason)
        return
    account.table(Contact)[number] = contact
    rows.set_identity(account, contact, identity)
    account.weigh_stored(contact.size)
    rows.join(account, contact, item["list_ids"])


def _dump(workspace: Workspace, account: Account) -> dict[str, Any]:
    found = {
        "contact_folders": [_FOLDER_ITEM.dump(row) for row in account.rows_of(Folder).values()],
        "contact_lists": [_LIST_ITEM.dump(row) for row in account.rows_of(ContactList).values()],
    }
    contacts = dump_rows("contacts", _CONTACT_ITEM, account.rows_of(Contact).values())
    return {name: items for name, items in found.items() if items} | contacts


_FOLDER_ITEM, _LIST_ITEM, _CONTACT_ITEM = ContactFolderItem(), ContactListItem(), ContactItem()

SECTION = Section(
    fields={
        "contact_folders": List(fields.Nested(ContactFolderItem), **about("folders of its lists of contacts")),
        "contact_lists": List(fields.Nested(ContactListItem), **about("its lists of contacts")),
        "contacts": List(fields.Nested(ContactItem), **about("its contacts")),
    },
    load=_load,
    dump=_dump,
    generators={
        "contacts": lambda people, workspace, account: {
            "email": people.unique_email(),
            "attributes": dict(zip(("FIRSTNAME", "LASTNAME"), people.name().split(" ", 1), strict=True)),
            "email_blacklisted": False,
            "sms_blacklisted": False,
            "list_ids": [],
        }
    },
)
