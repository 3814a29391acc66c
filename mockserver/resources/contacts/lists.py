"""Lists of contacts with their members, and folders of lists (contract/contacts)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple

from mockserver.core.contract.errors import DOCUMENT_NOT_FOUND, INVALID_PARAMETER, MISSING_PARAMETER, ErrorCode
from mockserver.core.state import reasons
from mockserver.core.state.state import Account
from mockserver.core.workspaces.caller import Caller
from mockserver.resources.contacts import model, rows
from mockserver.resources.contacts.rows import CONTACT_ID, EMAIL_ID, EXT_ID, Contact, ContactList, Folder

#: The id of the first folder, which every account has from the beginning, and its row before changes (proposed).
FIRST_FOLDER = 1
_FIRST_ROWS: Mapping[int, Folder] = MappingProxyType({FIRST_FOLDER: Folder(FIRST_FOLDER, "Your first folder")})
#: The kinds of identifiers by the members of a body that choose contacts; the first member counts.
_CHOICES: Mapping[str, str] = {"emails": EMAIL_ID, "ids": CONTACT_ID, "ext_ids": EXT_ID}


class Counts(NamedTuple):
    """Numbers of contacts in a list or folder (contract/contacts#counts)."""

    unique: int
    blacklisted: int

    @property
    def total(self) -> int:
        return self.unique - self.blacklisted


class Moved(NamedTuple):
    """The contacts added to, or removed from, a list."""

    success: Sequence[Any] | None = None
    failure: Sequence[Any] | None = None
    total: int | None = None
    process: int | None = None


def create(caller: Caller, name: str, folder_id: int) -> ContactList:
    """Create a list, or refuse an unknown folder with 404."""
    get_folder(caller, folder_id)
    state = caller.workspace.state
    found = ContactList(state.next_id("contact_list"), name, folder_id, state.clock.now())
    caller.account.table(ContactList)[found.id] = found
    return found


def select(account: Account) -> list[ContactList]:
    return list(account.rows_of(ContactList).values())


def get(caller: Caller, list_id: int) -> ContactList:
    found = caller.account.rows_of(ContactList).get(list_id)
    if found is None:
        raise DOCUMENT_NOT_FOUND("List ID does not exist").because(
            reasons.absent(caller.workspace.state, caller.account, "list", ContactList, list_id)
        )
    return found


def update(caller: Caller, list_id: int, body: Mapping[str, Any]) -> None:
    found = get(caller, list_id)
    if not body:
        reason = "the body of updateList has neither `name` nor `folderId`"
        raise MISSING_PARAMETER("Either of name or folderId is required").because(reason)
    if "folder_id" in body:
        get_folder(caller, body["folder_id"])
    caller.account.table(ContactList)
    found.name = body.get("name", found.name)
    found.folder_id = body.get("folder_id", found.folder_id)


def delete(caller: Caller, list_id: int) -> None:
    _remove(caller.account, get(caller, list_id))


def _remove(account: Account, found: ContactList) -> None:
    _leave(account, found, list(found.members))
    del account.table(ContactList)[found.id]


def counts(account: Account, lists: Sequence[ContactList]) -> Counts:
    """Return the counts of lists, counting each contact once."""
    if len(lists) == 1:
        return Counts(len(lists[0].members), lists[0].blacklisted)
    contacts, members = account.rows_of(Contact), set[int]().union(*(row.members for row in lists))
    return Counts(len(members), sum(contacts[number].email_blacklisted for number in members))


def members(caller: Caller, list_id: int, query: Mapping[str, Any]) -> list[Contact]:
    """Return a list's contacts, oldest first, filtered by `modified_since`, or refuse with 404."""
    contacts, since = caller.account.rows_of(Contact), query.get("modified_since")
    found = [contacts[number] for number in sorted(get(caller, list_id).members)]
    return found if since is None else [row for row in found if row.modified_at >= since]


def add(caller: Caller, list_id: int, body: Mapping[str, Any]) -> Moved:
    """Add contacts to a list, and raise events."""
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
        model.raise_list_addition(workspace, account, contact, [list_id])
    return Moved(list(added), [value for value in given if value not in added])


def take_out(caller: Caller, list_id: int, body: Mapping[str, Any]) -> Moved:
    """Remove chosen contacts, or start a process that removes all contacts."""
    account, found = caller.account, get(caller, list_id)
    refused = INVALID_PARAMETER("Contact already removed from list and/or does not exist")
    if body.get("all"):
        if not found.members:
            raise refused.because(f"list {list_id} of account {account.name} has no contacts")
        total = _leave(account, found, list(found.members))
        return Moved(total=total, process=caller.workspace.state.next_id("process"))
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
    """Return a contact, or None; addresses must be in lower case (in code, 1)."""
    is_other = kind == EMAIL_ID and value != str(value).lower()
    return None if is_other else rows.find_contact(account, kind, value)


def _chosen(body: Mapping[str, Any], message: str) -> tuple[str, list[Any]]:
    """Return kind and values of a body's identifiers, or refuse an empty choice."""
    name = next((name for name in _CHOICES if name in body), "")
    if not body.get(name):
        raise MISSING_PARAMETER(message).because("the body chooses no contacts")
    return _CHOICES[name], body[name]


def select_folders(account: Account) -> list[Folder]:
    found = {**_FIRST_ROWS, **account.rows_of(Folder)}
    return [found[number] for number in sorted(found) if found[number].name is not None]


def find_folder(account: Account, folder_id: int) -> Folder | None:
    found = account.rows_of(Folder).get(folder_id) or _FIRST_ROWS.get(folder_id)
    return None if found is None or found.name is None else found


def get_folder(caller: Caller, folder_id: int, refused: ErrorCode = DOCUMENT_NOT_FOUND) -> Folder:
    account = caller.account
    found = find_folder(account, folder_id)
    if found is None:
        known = reasons.nearest([row.id for row in select_folders(account)], folder_id)
        reason = f"account {account.name} has no folder {folder_id} (it has {known})"
        raise refused("Folder ID does not exist").because(reason)
    return found


def create_folder(caller: Caller, name: str) -> Folder:
    state = caller.workspace.state
    state.claim_id("contact_folder", FIRST_FOLDER)
    found = Folder(state.next_id("contact_folder"), name)
    caller.account.table(Folder)[found.id] = found
    return found


def rename_folder(caller: Caller, folder_id: int, name: str) -> None:
    get_folder(caller, folder_id)
    _put(caller, Folder(folder_id, name))


def delete_folder(caller: Caller, folder_id: int) -> None:
    get_folder(caller, folder_id)
    if folder_id == FIRST_FOLDER:
        _put(caller, Folder(FIRST_FOLDER, None))
    else:
        del caller.account.table(Folder)[folder_id]
    for row in lists_of(caller.account, folder_id):
        _remove(caller.account, row)


def _put(caller: Caller, folder: Folder) -> None:
    """Replace a folder; the first folder's row claims its id."""
    caller.workspace.state.claim_id("contact_folder", folder.id)
    caller.account.table(Folder)[folder.id] = folder


def lists_of(account: Account, folder_id: int) -> list[ContactList]:
    return [row for row in account.rows_of(ContactList).values() if row.folder_id == folder_id]
