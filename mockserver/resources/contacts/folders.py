"""Folders of lists; every account has one from the beginning (contract/contacts)."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from mockserver.core.contract.errors import DOCUMENT_NOT_FOUND
from mockserver.core.state import reasons
from mockserver.core.state.state import Account
from mockserver.core.workspaces.caller import Caller
from mockserver.resources.contacts.rows import ContactList, Folder

#: The id of the folder that every account has from the beginning, and that folder before it is changed (proposed).
FIRST = 1
_FIRST_FOLDER: Mapping[int, Folder] = MappingProxyType({FIRST: Folder(FIRST, "Your first folder")})


def select(account: Account) -> list[Folder]:
    """The folders of an account, the oldest first."""
    found = {**_FIRST_FOLDER, **account.rows_of(Folder)}
    return [found[number] for number in sorted(found) if found[number].name is not None]


def find(account: Account, folder_id: int) -> Folder | None:
    """The folder of an account with this id, or None."""
    found = account.rows_of(Folder).get(folder_id) or _FIRST_FOLDER.get(folder_id)
    return None if found is None or found.name is None else found


def get(caller: Caller, folder_id: int) -> Folder:
    """The caller's folder with this id.

    Raises:
        ServiceError: 404; the caller has none.
    """
    account = caller.account
    found = find(account, folder_id)
    if found is None:
        known = reasons.nearest([row.id for row in select(account)], folder_id)
        reason = f"account {account.name} has no folder {folder_id} (it has {known})"
        raise DOCUMENT_NOT_FOUND("Folder ID does not exist").because(reason)
    return found


def create(caller: Caller, name: str) -> Folder:
    """Create a folder."""
    state = caller.workspace.state
    state.claim_id("contact_folder", FIRST)
    found = Folder(state.next_id("contact_folder"), name)
    caller.account.table(Folder)[found.id] = found
    return found


def rename(caller: Caller, folder_id: int, name: str) -> None:
    """Rename a folder.

    Raises:
        ServiceError: 404; the caller has no such folder.
    """
    get(caller, folder_id)
    _put(caller, Folder(folder_id, name))


def delete(caller: Caller, folder_id: int) -> None:
    """Delete a folder, but not its lists.

    Raises:
        ServiceError: 404; the caller has no such folder.
    """
    get(caller, folder_id)
    if folder_id == FIRST:
        _put(caller, Folder(FIRST, None))
    else:
        del caller.account.table(Folder)[folder_id]


def _put(caller: Caller, folder: Folder) -> None:
    """Replace a folder; the first one gets a row, whose id counts as given out."""
    caller.workspace.state.claim_id("contact_folder", folder.id)
    caller.account.table(Folder)[folder.id] = folder


def lists_of(account: Account, folder_id: int) -> list[ContactList]:
    """The lists of a folder, the oldest first."""
    return [row for row in account.rows_of(ContactList).values() if row.folder_id == folder_id]
