"""Lists of contacts, and who is in them (contract/contacts)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from mockserver.core.contract.errors import DOCUMENT_NOT_FOUND, INVALID_PARAMETER, MISSING_PARAMETER
from mockserver.core.state import reasons
from mockserver.core.state.state import Account
from mockserver.core.workspaces.caller import Caller
from mockserver.resources.contacts import folders, identifiers, model, rows
from mockserver.resources.contacts.identifiers import CONTACT_ID, EMAIL_ID, EXT_ID
from mockserver.resources.contacts.rows import Contact, ContactList

#: The kinds of identifiers by the members of a body that choose contacts, in the order in which they are looked for.
_CHOICES: Mapping[str, str] = {"emails": EMAIL_ID, "ids": CONTACT_ID, "ext_ids": EXT_ID}


class Counts(NamedTuple):
    """How many contacts a list or a folder has (contract/contacts#counts)."""

    unique: int
    blacklisted: int

    @property
    def total(self) -> int:
        return self.unique - self.blacklisted


class Moved(NamedTuple):
    """What became of the contacts that were to be added to a list or removed from it."""

    success: Sequence[Any] | None = None
    failure: Sequence[Any] | None = None
    total: int | None = None
    process: int | None = None


def create(caller: Caller, name: str, folder_id: int) -> ContactList:
    """Create a list in a folder.

    Raises:
        ServiceError: 404; the folder does not exist.
    """
    folders.get(caller, folder_id)
    state = caller.workspace.state
    found = ContactList(state.next_id("contact_list"), name, folder_id, state.clock.now())
    caller.account.table(ContactList)[found.id] = found
    return found


def select(account: Account) -> list[ContactList]:
    """The lists of an account, the oldest first."""
    return list(account.rows_of(ContactList).values())


def get(caller: Caller, list_id: int) -> ContactList:
    """The caller's list with this id.

    Raises:
        ServiceError: 404; the caller has none.
    """
    found = caller.account.rows_of(ContactList).get(list_id)
    if found is None:
        raise DOCUMENT_NOT_FOUND("List ID does not exist").because(
            reasons.absent(caller.workspace.state, caller.account, "list", ContactList, list_id)
        )
    return found


def update(caller: Caller, list_id: int, body: Mapping[str, Any]) -> None:
    """Rename a list, or move it to another folder.

    Raises:
        ServiceError: 404; the list or the folder does not exist. 400; the body has neither a name nor a folder.
    """
    found = get(caller, list_id)
    if not body:
        reason = "the body of updateList has neither `name` nor `folderId`"
        raise MISSING_PARAMETER("Either of name or folderId is required").because(reason)
    if "folder_id" in body:
        folders.get(caller, body["folder_id"])
    caller.account.table(ContactList)
    found.name = body.get("name", found.name)
    found.folder_id = body.get("folder_id", found.folder_id)


def delete(caller: Caller, list_id: int) -> None:
    """Delete a list; its contacts stay.

    Raises:
        ServiceError: 404; the caller has no such list.
    """
    _remove(caller.account, get(caller, list_id))


def delete_folder(caller: Caller, folder_id: int) -> None:
    """Delete a folder with its lists; their contacts stay.

    Raises:
        ServiceError: 404; the caller has no such folder.
    """
    folders.delete(caller, folder_id)
    for row in folders.lists_of(caller.account, folder_id):
        _remove(caller.account, row)


def _remove(account: Account, found: ContactList) -> None:
    """Remove a list from its account and from its contacts."""
    _leave(account, found, list(found.members))
    del account.table(ContactList)[found.id]


def counts(account: Account, lists: Sequence[ContactList]) -> Counts:
    """The counts of lists together, in which each contact counts once."""
    if len(lists) == 1:
        return Counts(len(lists[0].members), lists[0].blacklisted)
    contacts, members = account.rows_of(Contact), set[int]().union(*(row.members for row in lists))
    return Counts(len(members), sum(contacts[number].email_blacklisted for number in members))


def members(caller: Caller, list_id: int, query: Mapping[str, Any]) -> list[Contact]:
    """The contacts of a list, the oldest first; only those that were modified since a moment, if the query has it.

    Raises:
        ServiceError: 404; the caller has no such list.
    """
    contacts, since = caller.account.rows_of(Contact), query.get("modified_since")
    found = [contacts[number] for number in sorted(get(caller, list_id).members)]
    return found if since is None else [row for row in found if row.modified_at >= since]


def add(caller: Caller, list_id: int, body: Mapping[str, Any]) -> Moved:
    """Add contacts to a list, of which webhooks are told.

    Raises:
        ServiceError: 404; the caller has no such list. 400; the body chooses no contact, none of them can be added, or
            the workspace has no room.
    """
    workspace, account, found = caller.workspace, caller.account, get(caller, list_id)
    kind, given = _chosen(body, "One of emails, ids and extIds is required")
    chosen = {value: _find(account, kind, value) for value in given}
    added = {value: row for value, row in chosen.items() if row is not None and row.id not in found.members}
    if not added:
        reason = f"list {list_id} of account {account.name} has all of these contacts, or they do not exist"
        raise INVALID_PARAMETER("Contact already in list and/or does not exist").because(reason)
    rows.check_bytes(workspace, None, len(added))
    for contact in dict.fromkeys(added.values()):
        rows.join(account, contact, [list_id])
        model.tell_of_lists(workspace, account, contact, [list_id])
    return Moved(list(added), [value for value in given if value not in added])


def take_out(caller: Caller, list_id: int, body: Mapping[str, Any]) -> Moved:
    """Remove contacts from a list, or all of them, which the service does by a process.

    Raises:
        ServiceError: 404; the caller has no such list. 400; the body chooses no contact, or none of them is in the
            list.
    """
    account, found = caller.account, get(caller, list_id)
    refused = INVALID_PARAMETER("Contact already removed from list and/or does not exist")
    if body.get("all"):
        if not found.members:
            raise refused.because(f"list {list_id} of account {account.name} has no contacts")
        total = _leave(account, found, list(found.members))
        return Moved(total=total, process=caller.workspace.state.next_id("contact_process"))
    kind, given = _chosen(body, "One of emails, ids, extIds and all is required")
    chosen = {value: _find(account, kind, value) for value in given}
    gone = {value: row.id for value, row in chosen.items() if row is not None and row.id in found.members}
    if not gone:
        raise refused.because(f"list {list_id} of account {account.name} has none of these contacts")
    total = _leave(account, found, gone.values())
    return Moved(list(gone), [value for value in given if value not in gone], total)


def _leave(account: Account, found: ContactList, contact_ids: Iterable[int]) -> int:
    contacts, left = account.rows_of(Contact), dict.fromkeys(contact_ids)
    for number in left:
        rows.leave(account, contacts[number], [found.id])
    return len(left)


def _find(account: Account, kind: str, value: str | int) -> Contact | None:
    """The contact with an identifier, or None; an address that is not in lower case is not found here (in code, 1)."""
    is_other = kind == EMAIL_ID and value != str(value).lower()
    return None if is_other else identifiers.find(account, kind, value)


def _chosen(body: Mapping[str, Any], message: str) -> tuple[str, list[Any]]:
    """The kind and the values of the identifiers that a body has.

    Raises:
        ServiceError: 400; it has none.
    """
    name = next((name for name in _CHOICES if name in body), "")
    if not body.get(name):
        raise MISSING_PARAMETER(message).because("the body chooses no contacts")
    return _CHOICES[name], body[name]
