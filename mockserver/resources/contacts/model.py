"""Contacts: creation, selection, changes, merging and deletion (contract/contacts)."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from operator import attrgetter
from typing import Any

from mockserver.core.contract.errors import DUPLICATE_PARAMETER, INVALID_PARAMETER, MISSING_PARAMETER, ServiceError
from mockserver.core.state import reasons
from mockserver.core.state.state import Account
from mockserver.core.workspaces.caller import Caller
from mockserver.core.workspaces.workspace import Workspace
from mockserver.resources.contacts import rows
from mockserver.resources.contacts.attribute import misfit
from mockserver.resources.contacts.rows import Contact, ContactList, Identity
from mockserver.resources.webhooks import events
from mockserver.resources.webhooks.event import MARKETING_EMAIL, Occurrence
from mockserver.resources.webhooks.model import Webhook

#: Attributes that are identifiers, with the members of a contact that have them.
_EMAIL, _SMS, _EXT_ID = "EMAIL", "SMS", "EXT_ID"
_MEMBERS: Mapping[str, str] = {_EMAIL: "shown_email", _SMS: "phone", _EXT_ID: "ext_id"}


def create(caller: Caller, body: Mapping[str, Any]) -> tuple[Contact, bool]:
    """Create a contact, or change an existing contact; return it with an is-new flag."""
    workspace, account = caller.workspace, caller.account
    identity = _identity(body, Identity(None, None, None))
    if not identity.keys:
        reason = "the body of createContact has no identifier: expected `email`, `ext_id` or `attributes.SMS`"
        raise MISSING_PARAMETER("One of email, ext_id and the attribute SMS is required").because(reason)
    check_lists(account, body.get("list_ids", ()))
    found = dict(rows.holders(account, identity))
    if not found:
        now = workspace.state.clock.now()
        rows.check_bytes(workspace, body, len(body.get("list_ids", ())))
        contact = Contact(workspace.state.next_id("contact"), now, now)
        account.table(Contact)[contact.id] = contact
        account.weigh_stored(contact.size)
        if joined := _apply(caller, contact, body, identity):
            raise_list_addition(workspace, account, contact, joined)
        return contact, True
    merges = body.get("force_merge", False)
    if not merges and not body.get("update_enabled", False):
        raise _duplicate(account, "create", found)
    contact = max(found.values(), key=attrgetter("modified_at")) if merges else next(iter(found.values()))
    _change(caller, contact, body)
    return contact, False


def update(caller: Caller, contact: Contact, body: Mapping[str, Any]) -> None:
    """Change a contact, including memberships of lists."""
    check_lists(caller.account, [*body.get("list_ids", ()), *body.get("unlink_list_ids", ())])
    _change(caller, contact, body)


def delete(caller: Caller, contact: Contact) -> None:
    _remove(caller.account, contact)
    _raise(caller.workspace, caller.account, contact, "contactDeleted", {})


def _remove(account: Account, contact: Contact) -> None:
    rows.leave(account, contact, contact.lists)
    rows.set_identity(account, contact, None)
    account.weigh_stored(-contact.size)
    del account.table(Contact)[contact.id]


def _change(caller: Caller, contact: Contact, body: Mapping[str, Any]) -> None:
    """Change a contact; `force_merge` merges and deletes other contacts with its identifiers.

    See contract/contacts#merging. Without `force_merge`, other contacts are refused with 400.
    """
    account = caller.account
    identity = _identity(body, Identity.of(contact))
    found = rows.holders(account, identity)
    others = {name: other for name, other in found if other is not contact}
    if others and not body.get("force_merge", False):
        raise _duplicate(account, "update", others)
    rows.check_bytes(caller.workspace, body, len(body.get("list_ids", ())))
    before = _told(contact)
    for other in dict.fromkeys(others.values()):
        _merge(account, contact, other)
        _raise(caller.workspace, account, other, "contactDeleted", {})
    joined = _apply(caller, contact, body, _identity(body, Identity.of(contact)))
    content = [{"email": contact.email, **_changes(before, _told(contact))}]
    _raise(caller.workspace, account, contact, "contactUpdated", {"content": content})
    if joined:
        raise_list_addition(caller.workspace, account, contact, joined)


def _told(contact: Contact) -> dict[str, Any]:
    """Return what webhooks are told of a contact (contract/events#contact-updated)."""
    return {
        "attributes": {_EMAIL: contact.email, **contact.shown_attributes},
        "emailBlacklist": contact.email_blacklisted,
        "smsBlacklist": contact.sms_blacklisted,
    }


def _changes(before: Mapping[str, Any], after: Mapping[str, Any]) -> dict[str, Any]:
    """Return changed members, with changed attributes only; a removed attribute is an empty text."""
    # As JSON: Python takes 1 for equal to true.
    found = {name: value for name, value in after.items() if json.dumps(value) != json.dumps(before[name])}
    if "attributes" in found:
        old, new = before["attributes"], after["attributes"]
        names = [name for name in {**old, **new} if json.dumps(old.get(name)) != json.dumps(new.get(name))]
        found["attributes"] = {name: new.get(name, "") for name in names}
    return found


def _kept(caller: Caller, given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the attributes that the account has, with fitting values, and warn of each other one."""
    misfits = {name: misfit(caller.account, name, given[name]) for name in given if name not in _MEMBERS}
    for why in filter(None, misfits.values()):
        caller.warn(f"{why}, so it is not stored")
    # Identifiers are no attributes here.
    return {name: given[name] for name, why in misfits.items() if not why}


def _apply(caller: Caller, contact: Contact, body: Mapping[str, Any], identity: Identity) -> list[int]:
    """Apply a checked body; return the ids of newly joined lists."""
    account, before = caller.account, contact.size
    is_moved = contact.email is not None and identity.email != contact.email
    rows.set_identity(account, contact, identity)
    changed = {**contact.attributes, **_kept(caller, body.get("attributes", {}))}
    # Null and the empty text remove an attribute.
    contact.attributes = {name: value for name, value in changed.items() if value not in (None, "")}
    # A new address is subscribed again (documented).
    blacklisted = body.get("email_blacklisted", contact.email_blacklisted and not is_moved)
    rows.blacklist(account, contact, blacklisted=blacklisted)
    contact.sms_blacklisted = body.get("sms_blacklisted", contact.sms_blacklisted)
    contact.modified_at = caller.workspace.state.clock.now()
    account.weigh_stored(contact.size - before)
    wanted = [number for number in body.get("list_ids", ()) if number not in contact.lists]
    rows.leave(account, contact, body.get("unlink_list_ids", ()))
    return rows.join(account, contact, wanted)


def _merge(account: Account, contact: Contact, other: Contact) -> None:
    """Remove another contact, moving missing data to this contact."""
    lists, identity = other.list_ids, Identity.of(other)
    _remove(account, other)
    before = contact.size
    merged = (mine if mine is not None else theirs for mine, theirs in zip(Identity.of(contact), identity, strict=True))
    rows.set_identity(account, contact, Identity(*merged))
    contact.attributes = {**other.attributes, **contact.attributes}
    rows.blacklist(account, contact, blacklisted=contact.email_blacklisted or other.email_blacklisted)
    contact.sms_blacklisted |= other.sms_blacklisted
    account.weigh_stored(contact.size - before)
    rows.join(account, contact, lists)


def _identity(body: Mapping[str, Any], before: Identity) -> Identity:
    """Return a contact's identifiers after applying a checked body."""
    attributes = body.get("attributes", {})
    email = body.get("email") or attributes.get(_EMAIL)
    phone, ext_id = before.phone, before.ext_id
    if _SMS in attributes:
        phone = rows.digits(rows.written(attributes[_SMS]))
    if _EXT_ID in attributes:
        ext_id = rows.written(attributes[_EXT_ID]) or None
    return Identity(email.lower() if email else before.email, phone, body.get("ext_id") or ext_id)


def check_lists(account: Account, list_ids: Iterable[int]) -> None:
    known = account.rows_of(ContactList)
    for number in list_ids:
        if number not in known:
            reason = f"account {account.name} has no list {number} (it has {reasons.nearest(known, number)})"
            raise INVALID_PARAMETER("List ID does not exist").because(reason)


def _duplicate(account: Account, action: str, taken: Mapping[str, Contact]) -> ServiceError:
    names = ", ".join(taken)
    others = ", ".join(
        f"contact {contact.id} of account {account.name} has the {name}" for name, contact in taken.items()
    )
    refused = DUPLICATE_PARAMETER(f"Unable to {action} contact, {names} is already associated with another Contact")
    refused.members = {"metadata": {"duplicate_identifiers": list(taken)}}
    return refused.because(f"duplicate identifier: {others}")


def select(account: Account, query: Mapping[str, Any]) -> list[Contact]:
    """Return contacts matching a query, oldest first."""
    found: Mapping[int, Contact] = account.rows_of(Contact)
    if "ids" in query:
        found = {number: found[number] for number in query["ids"] if number in found}
    if "list_ids" in query:
        lists = account.rows_of(ContactList)
        members = {number for wanted in query["list_ids"] if wanted in lists for number in lists[wanted].members}
        found = {number: found[number] for number in members if number in found}
    tests = list(_tests(query))
    return [found[number] for number in sorted(found) if all(test(found[number]) for test in tests)]


def _tests(query: Mapping[str, Any]) -> Iterator[Callable[[Contact], bool]]:
    if "created_since" in query:
        yield lambda row: row.created_at >= query["created_since"]
    if "modified_since" in query:
        yield lambda row: row.modified_at >= query["modified_since"]
    if "filter" in query:
        name, value = query["filter"][0], query["filter"][1].lower()
        yield lambda row: _has(getattr(row, _MEMBERS[name]) if name in _MEMBERS else row.attributes.get(name), value)


def _has(value: Any, expected: str) -> bool:
    """Return whether a value equals the expected text, or includes all comma-separated options."""
    if isinstance(value, list):
        options = {_comparable(option) for option in value}
        return options.issuperset(option.strip() for option in expected.split(","))
    return _comparable(value) == expected


def _comparable(value: Any) -> str:
    text = value if isinstance(value, str) else "" if value is None else json.dumps(value)
    return text.lower()


def raise_list_addition(workspace: Workspace, account: Account, contact: Contact, list_ids: Sequence[int]) -> None:
    _raise(workspace, account, contact, "listAddition", {"list_id": list(list_ids)})


def _raise(workspace: Workspace, account: Account, contact: Contact, event: str, payload: Mapping[str, Any]) -> None:
    """Raise a contact's event, unless it lacks an address (proposed) or nobody listens."""
    if contact.email is not None and account.rows_of(Webhook):
        occurrence = Occurrence(MARKETING_EMAIL, event, contact.email, workspace.state.clock.now(), message_id="")
        events.raise_event(workspace, account, occurrence, payload)
