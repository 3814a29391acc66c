"""The operations on contacts, lists and folders, contract/contacts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from mockserver.core.contract import errors
from mockserver.core.contract.operation import OtherStatus, documented_error, error_observed_in_code, proposed_error
from mockserver.core.lazy import lazy
from mockserver.core.state.state import Account
from mockserver.core.workspaces.caller import Caller
from mockserver.web.endpoints.operations import Operations
from mockserver.web.schemas.evidence import CLIENT, OPENAPI

if TYPE_CHECKING:
    from mockserver.resources.contacts import imports, lists, model, rows, schemas
else:
    imports, lists, model, rows, schemas = lazy(__package__, "imports", "lists", "model", "rows", "schemas")

CONTACTS = Operations("contacts", OPENAPI, are_further=True)

_NO_CONTACT = error_observed_in_code(
    errors.DOCUMENT_NOT_FOUND, "the contact does not exist", "contract/contacts#rows", programs=3
)
_NO_LIST = documented_error(errors.DOCUMENT_NOT_FOUND, "the list does not exist", OPENAPI)
_NO_FOLDER = documented_error(errors.DOCUMENT_NOT_FOUND, "the folder does not exist", OPENAPI)
_BAD_KIND = proposed_error(errors.INVALID_PARAMETER, "identifierType outside its values", "contract/contacts#rows")
_BAD_ID = proposed_error(errors.INVALID_PARAMETER, "an id is not an integer", "contract/contacts#rows")
_BAD_PAGE = proposed_error(
    errors.INVALID_PARAMETER, "limit or offset is no whole number, or sort outside its values", "contract/contacts#rows"
)
_PAGE_TOO_LONG = proposed_error(errors.OUT_OF_RANGE, "limit above its maximum", "contract/contacts#rows")
_TAKEN = error_observed_in_code(
    errors.DUPLICATE_PARAMETER, "another contact has one of the identifiers", "contract/contacts#rows", programs=6
)
_BAD_CONTACT = error_observed_in_code(
    errors.INVALID_PARAMETER,
    "bad e-mail address or phone number; bad attributes, list or other member",
    "contract/contacts#createContact",
    programs=1,
)
_IN_PROCESS = proposed_error(
    errors.ACCOUNT_IN_PROCESS, "documented without a condition: by a fault only", f"{OPENAPI}, but for the code"
)
_NO_METHOD = documented_error(errors.METHOD_NOT_ALLOWED, "documented without a condition: by a fault only", OPENAPI)
_NO_NAME = error_observed_in_code(errors.MISSING_PARAMETER, "no name", "contract/contacts#createList", programs=1)
_BAD_NAME = proposed_error(errors.INVALID_PARAMETER, "a name or id of a wrong type", "contract/contacts#createList")
_NONE_CHOSEN = proposed_error(errors.MISSING_PARAMETER, "no ids of contacts", "contract/contacts#addContactToList")
_TOO_MANY = documented_error(errors.OUT_OF_RANGE, "more than 150 contacts", CLIENT)


def _page(items: Sequence[Any], query: Mapping[str, Any]) -> Sequence[Any]:
    ordered = items if query["sort"] == "asc" else items[::-1]
    return ordered[query["offset"] : query["offset"] + query["limit"]]


@CONTACTS.operation(
    "getContacts", "GET", "/v3/contacts",
    summary="List contacts",
    query=schemas.ContactFilter, answer=schemas.Contacts,
    errors=(_BAD_PAGE, _PAGE_TOO_LONG),
)  # fmt: skip
def get_contacts(caller: Caller, query: dict[str, Any]) -> dict[str, Any]:
    found = model.select(caller.account, query)
    return {"contacts": _page(found, query), "count": len(found)}


@CONTACTS.operation(
    "createContact", "POST", "/v3/contacts",
    summary="Create a contact",
    adds=True, status=201, other_statuses=(204,), body=schemas.NewContact, answer=schemas.ContactCreated,
    errors=(
        proposed_error(errors.MISSING_PARAMETER, "no identifier at all", "contract/contacts#createContact"),
        _BAD_CONTACT,
        _TAKEN,
        _IN_PROCESS,
    ),
    notes=("204 without a body where `updateEnabled` or `forceMerge` changes a contact that is there.",),
)  # fmt: skip
def create_contact(caller: Caller, body: dict[str, Any]) -> Any:
    contact, is_new = model.create(caller, body)
    return {"id": contact.id} if is_new or body.get("get_id") else OtherStatus(204)


@CONTACTS.operation(
    "getContactInfo", "GET", "/v3/contacts/{identifier}",
    summary="Read a contact",
    params=schemas.ContactPath, query=schemas.ContactStatistics, answer=schemas.ContactInfo,
    errors=(_BAD_KIND, _NO_CONTACT),
)  # fmt: skip
def get_contact_info(caller: Caller, identifier: str, query: dict[str, Any]) -> rows.Contact:
    return rows.get_contact(caller, identifier, query.get("kind"))


@CONTACTS.operation(
    "updateContact", "PUT", "/v3/contacts/{identifier}",
    summary="Update a contact",
    status=204, params=schemas.ContactPath, query=schemas.ContactKind, body=schemas.ContactChanges,
    errors=(_BAD_CONTACT, _TAKEN, _NO_CONTACT, _IN_PROCESS),
)  # fmt: skip
def update_contact(caller: Caller, identifier: str, query: dict[str, Any], body: dict[str, Any]) -> None:
    model.update(caller, rows.get_contact(caller, identifier, query.get("kind")), body)


@CONTACTS.operation(
    "deleteContact", "DELETE", "/v3/contacts/{identifier}",
    summary="Delete a contact",
    status=204, params=schemas.ContactPath, query=schemas.ContactKind,
    errors=(_BAD_KIND, _NO_CONTACT, _NO_METHOD),
)  # fmt: skip
def delete_contact(caller: Caller, identifier: str, query: dict[str, Any]) -> None:
    model.delete(caller, rows.get_contact(caller, identifier, query.get("kind")))


def _list(account: Account, found: rows.ContactList) -> dict[str, Any]:
    return {
        "id": found.id, "name": found.name, "folder_id": found.folder_id, "created_at": found.created_at,
        "dynamic": False, "statistics": [], **_counts(account, [found]),
    }  # fmt: skip


def _counts(account: Account, found: Sequence[rows.ContactList]) -> dict[str, int]:
    counts = lists.counts(account, found)
    return {"unique": counts.unique, "total": counts.total, "blacklisted": counts.blacklisted}


def _lists(account: Account, found: Sequence[rows.ContactList], query: dict[str, Any]) -> dict[str, Any]:
    return {"lists": [_list(account, row) for row in _page(found, query)], "count": len(found)}


@CONTACTS.operation(
    "getLists", "GET", "/v3/contacts/lists",
    summary="List the lists of contacts",
    query=schemas.ListPage, answer=schemas.Lists,
    errors=(_BAD_PAGE, _PAGE_TOO_LONG),
)  # fmt: skip
def get_lists(caller: Caller, query: dict[str, Any]) -> dict[str, Any]:
    return _lists(caller.account, lists.select(caller.account), query)


@CONTACTS.operation(
    "createList", "POST", "/v3/contacts/lists",
    summary="Create a list",
    adds=True, status=201, body=schemas.NewList, answer=schemas.Created,
    errors=(
        _NO_NAME, _BAD_NAME,
        error_observed_in_code(errors.DOCUMENT_NOT_FOUND, "the folder does not exist", programs=1),
    ),
)  # fmt: skip
def create_list(caller: Caller, body: dict[str, Any]) -> rows.ContactList:
    return lists.create(caller, **body)


@CONTACTS.operation(
    "getList", "GET", "/v3/contacts/lists/{listId}",
    summary="Read a list",
    params=schemas.ListPath, query=schemas.ListStatistics, answer=schemas.ListInfo,
    errors=(_BAD_ID, _NO_LIST),
)  # fmt: skip
def get_list(caller: Caller, list_id: int, query: dict[str, Any]) -> dict[str, Any]:
    return _list(caller.account, lists.get(caller, list_id))


@CONTACTS.operation(
    "updateList", "PUT", "/v3/contacts/lists/{listId}",
    summary="Update a list",
    status=204, params=schemas.ListPath, body=schemas.ListChanges,
    errors=(
        proposed_error(errors.MISSING_PARAMETER, "neither a name nor a folder", "contract/contacts#updateList"),
        _BAD_NAME, _NO_LIST,
    ),
)  # fmt: skip
def update_list(caller: Caller, list_id: int, body: dict[str, Any]) -> None:
    lists.update(caller, list_id, body)


@CONTACTS.operation(
    "deleteList", "DELETE", "/v3/contacts/lists/{listId}",
    summary="Delete a list",
    sweeps=True, status=204, params=schemas.ListPath,
    errors=(_BAD_ID, _NO_LIST),
)  # fmt: skip
def delete_list(caller: Caller, list_id: int) -> None:
    lists.delete(caller, list_id)


@CONTACTS.operation(
    "getContactsFromList", "GET", "/v3/contacts/lists/{listId}/contacts",
    summary="List the contacts of a list",
    params=schemas.ListPath, query=schemas.MemberFilter, answer=schemas.Contacts,
    errors=(_BAD_PAGE, _PAGE_TOO_LONG, _NO_LIST),
)  # fmt: skip
def get_contacts_from_list(caller: Caller, list_id: int, query: dict[str, Any]) -> dict[str, Any]:
    found = lists.members(caller, list_id, query)
    return {"contacts": _page(found, query), "count": len(found)}


@CONTACTS.operation(
    "addContactToList", "POST", "/v3/contacts/lists/{listId}/contacts/add",
    summary="Add contacts to a list",
    status=201, params=schemas.ListPath, body=schemas.ChosenContacts, answer=schemas.MovedContacts,
    errors=(
        error_observed_in_code(errors.INVALID_PARAMETER, "nobody was added", programs=9),
        _NONE_CHOSEN, _TOO_MANY, _NO_LIST,
    ),
)  # fmt: skip
def add_contact_to_list(caller: Caller, list_id: int, body: dict[str, Any]) -> dict[str, lists.Moved]:
    return {"contacts": lists.add(caller, list_id, body)}


@CONTACTS.operation(
    "removeContactFromList", "POST", "/v3/contacts/lists/{listId}/contacts/remove",
    summary="Remove contacts from a list",
    sweeps=True, status=201, params=schemas.ListPath, body=schemas.ContactsToRemove, answer=schemas.MovedContacts,
    errors=(
        error_observed_in_code(errors.INVALID_PARAMETER, "nobody was removed", programs=7),
        _NONE_CHOSEN, _TOO_MANY, _NO_LIST,
    ),
)  # fmt: skip
def remove_contact_from_list(caller: Caller, list_id: int, body: dict[str, Any]) -> dict[str, lists.Moved]:
    return {"contacts": lists.take_out(caller, list_id, body)}


def _folder(account: Account, found: rows.Folder) -> dict[str, Any]:
    return {"id": found.id, "name": found.name, **_counts(account, lists.lists_of(account, found.id))}


@CONTACTS.operation(
    "getFolders", "GET", "/v3/contacts/folders",
    summary="List folders",
    query=schemas.ListPage, answer=schemas.Folders,
    errors=(_BAD_PAGE, _PAGE_TOO_LONG),
)  # fmt: skip
def get_folders(caller: Caller, query: dict[str, Any]) -> dict[str, Any]:
    found = lists.select_folders(caller.account)
    return {"folders": [_folder(caller.account, row) for row in _page(found, query)], "count": len(found)}


@CONTACTS.operation(
    "createFolder", "POST", "/v3/contacts/folders",
    summary="Create a folder",
    adds=True, status=201, body=schemas.FolderName, answer=schemas.Created,
    errors=(_NO_NAME, _BAD_NAME),
)  # fmt: skip
def create_folder(caller: Caller, body: dict[str, Any]) -> rows.Folder:
    return lists.create_folder(caller, body["name"])


@CONTACTS.operation(
    "getFolder", "GET", "/v3/contacts/folders/{folderId}",
    summary="Read a folder",
    params=schemas.FolderPath, answer=schemas.FolderOut,
    errors=(_BAD_ID, _NO_FOLDER),
)  # fmt: skip
def get_folder(caller: Caller, folder_id: int) -> dict[str, Any]:
    return _folder(caller.account, lists.get_folder(caller, folder_id))


@CONTACTS.operation(
    "updateFolder", "PUT", "/v3/contacts/folders/{folderId}",
    summary="Rename a folder",
    status=204, params=schemas.FolderPath, body=schemas.FolderName,
    errors=(_NO_NAME, _BAD_NAME, _NO_FOLDER),
)  # fmt: skip
def update_folder(caller: Caller, folder_id: int, body: dict[str, Any]) -> None:
    lists.rename_folder(caller, folder_id, body["name"])


@CONTACTS.operation(
    "deleteFolder", "DELETE", "/v3/contacts/folders/{folderId}",
    summary="Delete a folder with its lists",
    sweeps=True, status=204, params=schemas.FolderPath,
    errors=(_BAD_ID, _NO_FOLDER),
)  # fmt: skip
def delete_folder(caller: Caller, folder_id: int) -> None:
    lists.delete_folder(caller, folder_id)


@CONTACTS.operation(
    "getFolderLists", "GET", "/v3/contacts/folders/{folderId}/lists",
    summary="List the lists of a folder",
    params=schemas.FolderPath, query=schemas.ListPage, answer=schemas.FolderLists,
    errors=(_BAD_PAGE, _PAGE_TOO_LONG, _NO_FOLDER),
)  # fmt: skip
def get_folder_lists(caller: Caller, folder_id: int, query: dict[str, Any]) -> dict[str, Any]:
    lists.get_folder(caller, folder_id)
    return _lists(caller.account, lists.lists_of(caller.account, folder_id), query)


@CONTACTS.operation(
    "importContacts", "POST", "/v3/contacts/import",
    summary="Import contacts",
    sweeps=True, adds=True, status=202, body=schemas.NewImport, answer=schemas.ImportAccepted,
    errors=(
        proposed_error(
            errors.MISSING_PARAMETER, "no contacts, or neither lists nor a new list", "contract/contacts#importContacts"
        ),
        proposed_error(
            errors.INVALID_PARAMETER,
            "several of fileBody, fileUrl and jsonBody; unknown list or folder; no column of identifiers; bad member",
            "contract/contacts#importContacts",
        ),
    ),
)  # fmt: skip
def import_contacts(caller: Caller, body: dict[str, Any]) -> dict[str, int]:
    return {"process": imports.request(caller, body)}
