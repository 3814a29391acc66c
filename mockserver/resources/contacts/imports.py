"""Imports of contacts: requests, and their rows piece by piece on the clock (contract/contacts#importContacts)."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from datetime import timedelta
from itertools import islice
from typing import Any, NamedTuple

import orjson

from mockserver.core.contract.errors import INVALID_PARAMETER, MISSING_PARAMETER, ServiceError, no_room
from mockserver.core.effects import CallOutcome, OutgoingRequest
from mockserver.core.state import reasons
from mockserver.core.state.state import Account
from mockserver.core.text.addresses import is_email
from mockserver.core.time.clock import Clock
from mockserver.core.traffic.mail import Mail
from mockserver.core.traffic.ring import weight
from mockserver.core.workspaces.caller import Caller
from mockserver.core.workspaces.lifecycle import dispatch, send_mail
from mockserver.core.workspaces.workspace import Workspace
from mockserver.resources.contacts import files, lists, model, rows
from mockserver.resources.contacts.attribute import CATEGORIES, MULTIPLE_CHOICE, Attribute
from mockserver.resources.contacts.rows import Contact, ContactList, Identity
from mockserver.resources.contacts.schemas import is_value
from mockserver.resources.deliveries import model as deliveries
from mockserver.resources.deliveries.delivery import Delivery, Target
from mockserver.resources.processes.process import (
    COMPLETED,
    CONTINUE,
    MACHINE,
    PROCESS,
    PROCESSING,
    Imported,
    Process,
    Source,
    await_next,
    check_room,
    drop_source,
    keep_source,
)
from mockserver.web.schemas import json_text

#: The members of a request that hold or name the contacts.
_CONTENTS = {"file_body": "fileBody", "file_url": "fileUrl", "json_body": "jsonBody"}
_IDENTIFIERS = ("EMAIL", "SMS", "EXT_ID")


class _Duplicate(NamedTuple):
    #: The member of `Identity`, and the name of the count of values that another row or contact has.
    member: str
    counted_as: str


#: By the name in `Identity.keys`.
_DUPLICATES = {
    "email": _Duplicate("email", "duplicate_email_id"),
    "SMS": _Duplicate("phone", "duplicate_phone_id"),
    "ext_id": _Duplicate("ext_id", "duplicate_ext_id"),
}
#: The most rows and characters of a piece, and the pause before the next one. Chosen: a piece takes 5 milliseconds,
#: and 100,000 rows take the default of `behaviour.contact_import`.
_ROWS, _CHARACTERS, _PAUSE = 100, 128 * 1024, timedelta(milliseconds=10)
#: The least pause after a step on a running clock, and how long a late step imports further pieces, in real time; the
#: lateness that counts at most. Steps are late if a store saves slowly: fewer steps then save less.
_LEAST_PAUSE, _LONGEST_STEP, _MOST_LATE = timedelta(milliseconds=5), timedelta(milliseconds=40), timedelta(seconds=1)
#: The most bytes of a source that is imported without pauses if imports take no time.
_SMALL = 200_000
#: The part of its time that an import is queued.
_QUEUED = 10
#: The most bytes of a file, and its timeout in seconds (proposed).
_LARGEST_FILE, _TIMEOUT_S = 20 * 1024 * 1024, 30.0
#: The bytes that show whether a file is JSON.
_BEGINNING = 1_000


def request(caller: Caller, body: Mapping[str, Any]) -> int:
    """Start an import; return the id of its process."""
    workspace, account = caller.workspace, caller.account
    content = _content(body)
    new_list, list_ids = body.get("new_list"), list(dict.fromkeys(body.get("list_ids", ())))
    if not list_ids and new_list is None:
        reason = "the body of importContacts has neither `listIds` nor `newList`"
        raise MISSING_PARAMETER("One of listIds and newList is required").because(reason)
    model.check_lists(account, list_ids)
    if new_list is not None:
        _check_folder(account, new_list["folder_id"])
    source = _source(body, content)
    if source is not None:
        check_room(workspace, source)
        _check_header(caller, source)
    if new_list is not None:
        list_ids.append(lists.create(caller, new_list["name"], new_list["folder_id"]).id)
    clock, duration = workspace.state.clock, workspace.state.behaviour.contact_import
    row = Process(
        workspace.state.next_id("process"), clock.now(), list_ids,
        updates=body["updates"], erases=body["erases"], email_blacklisted=body["email_blacklisted"],
        sms_blacklisted=body["sms_blacklisted"], sends_mail=not body["is_silent"],
        notify_url=body.get("notify_url", ""), file_url=body.get("file_url", ""),
        due_at=clock.after(duration), next_at=clock.after(duration / _QUEUED),
    )  # fmt: skip
    if source is not None:
        source.id = row.id
        keep_source(account, source)
    PROCESS.begin(workspace, account, row)
    await_next(workspace, account, row)
    return row.id


def _content(body: Mapping[str, Any]) -> str:
    given = [name for name in _CONTENTS if name in body]
    if not given:
        reason = "the body of importContacts has no contacts"
        raise MISSING_PARAMETER("One of fileUrl, fileBody and jsonBody is required").because(reason)
    if len(given) > 1:
        reason = f"the body of importContacts has {reasons.fields(_CONTENTS[name] for name in given)}"
        raise INVALID_PARAMETER("Only one of fileUrl, fileBody and jsonBody is allowed").because(reason)
    return given[0]


def _check_folder(account: Account, folder_id: int) -> None:
    if lists.find_folder(account, folder_id) is None:
        known = reasons.nearest([row.id for row in lists.select_folders(account)], folder_id)
        reason = f"account {account.name} has no folder {folder_id} (it has {known})"
        raise INVALID_PARAMETER("Folder ID does not exist").because(reason)


def _source(body: Mapping[str, Any], content: str) -> Source | None:
    """Return the source in a body, or None if it is a file to fetch."""
    if content == "file_url":
        return None
    return _json_source(body["json_body"]) if content == "json_body" else _csv_source(body["file_body"])


def _json_source(items: Sequence[Any]) -> Source:
    lines = bytearray()
    for item in items:  # not joined: each result takes kilobytes until it is freed
        lines += orjson.dumps(item, option=orjson.OPT_APPEND_NEWLINE)
    return Source(0, lines.decode(), is_json=True)


def _csv_source(text: str) -> Source:
    return Source(0, files.with_line_breaks(text))


# ---------------------------------------------------------------------- columns


def _check_header(caller: Caller, source: Source) -> None:
    """Refuse a file without identifiers, and warn of unknown columns."""
    if source.is_json:
        return
    header = files.read_header(source.text)
    columns = [] if header is None else _columns(caller.account, header.names)
    if header is None or not set(columns) & set(_IDENTIFIERS):
        found = "no header" if header is None else f"the columns {reasons.listed(header.names)}"
        refused = INVALID_PARAMETER("The file needs a header with EMAIL, SMS or EXT_ID")
        raise refused.because(f"the file has {found}; expected a column EMAIL, SMS or EXT_ID")
    unknown = [name for name, column in zip(header.names, columns, strict=True) if column is None]
    if unknown:
        names = reasons.listed(unknown)
        caller.warn(f"columns without an attribute of the account, or given twice, are not imported: {names}")


def _columns(account: Account, names: list[str]) -> list[str | None]:
    """Return the attribute of each column, in any case, or None for an unknown or repeated one."""
    known = {name.upper(): name for _, name in account.rows_of(Attribute)} | {name: name for name in _IDENTIFIERS}
    found: list[str | None] = []
    for name in names:
        column = known.get(name.upper())
        found.append(None if column in found else column)
    return found


# ---------------------------------------------------------------------- rows


class _Row(NamedTuple):
    #: The values by name; None: the row cannot be read. Empty: there is nothing to import.
    values: Mapping[str, Any] | None
    #: The position behind the row.
    end: int


def _rows(account: Account, source: Source, position: int) -> Iterator[_Row]:
    return _json_rows(source.text, position) if source.is_json else _csv_rows(account, source.text, position)


def _json_rows(text: str, position: int) -> Iterator[_Row]:
    while position < len(text):
        start, position = position, (text.find("\n", position) + 1) or len(text)
        is_short = position - start <= files.LONGEST_RECORD
        yield _Row(_json_values(text[start:position]) if is_short else None, position)


def _json_values(line: str) -> Mapping[str, Any] | None:
    try:
        item = json.loads(line)
    except (ValueError, RecursionError):
        return None
    attributes = item.get("attributes") or {} if isinstance(item, dict) else None
    if not isinstance(attributes, dict):
        return None
    found = {_upper(name): value for name, value in attributes.items() if is_value(value)}
    email = item.get("email")
    return {"EMAIL": "", **found} if email is None else {**found, "EMAIL": email}


def _upper(name: str) -> str:
    return name.upper() if name.upper() in _IDENTIFIERS else name


def _csv_rows(account: Account, text: str, position: int) -> Iterator[_Row]:
    header = files.read_header(text)
    if header is None:
        return
    columns = _columns(account, header.names)
    options = {
        name
        for category in CATEGORIES
        for name in filter(None, columns)
        if (found := account.rows_of(Attribute).get((category, name))) and found.shown_type == MULTIPLE_CHOICE
    }
    for cells, end in files.records(text, max(position, header.end), header.separator):
        if cells is None:
            yield _Row(None, end)
            continue
        values: dict[str, Any] = {name: cell for name, cell in zip(columns, cells, strict=False) if name is not None}
        for name in options & values.keys():
            values[name] = [option.strip() for option in values[name].split(",")] if values[name] else ""
        yield _Row(values if any(cell.strip() for cell in cells) else {}, end)


def _import_piece(workspace: Workspace, account: Account, row: Process) -> None:
    """Import the next rows, if any are left, and drop a source that ends.

    Raises:
        ServiceError: a limit of the workspace is reached; the rows before are imported.
    """
    source, start = account.rows_of(Source).get(row.id), row.position
    if source is None:
        return
    list_ids = [number for number in row.list_ids if number in account.rows_of(ContactList)]
    imported = account.table(Imported)[row.id].contacts
    for values, end in islice(_rows(account, source, start), _ROWS):
        row.position = end
        if values is None:
            row.count("invalid_emails")
        elif values:
            _import_row(_Import(Caller(workspace, account), row, list_ids, imported), values)
        if end - start > _CHARACTERS:
            break
    if row.position in (start, len(source.text)):
        drop_source(account, row)


class _Import(NamedTuple):
    caller: Caller
    row: Process
    #: The lists of the import that still exist.
    list_ids: list[int]
    #: The contacts of earlier rows.
    contacts: dict[int, None]


def _import_row(task: _Import, values: Mapping[str, Any]) -> None:
    """Create or change the contact of a row; later rows of a contact change it again."""
    account, row = task.caller.account, task.row
    identity = _identity(values)
    if identity is None:
        row.count("invalid_emails")
        return
    found = dict(rows.holders(account, identity))
    # A holder of the phone number or own id is another contact if it has another address.
    own = (name for name, other in found.items() if name == "email" or None in (identity.email, other.email))
    name = next(own, None)
    contact = None if name is None else found[name]
    if name is not None and found[name].id in task.contacts:
        row.count(_DUPLICATES[name].counted_as)
    for taken in (name for name, other in found.items() if other is not contact):  # the other contact keeps it
        row.count(_DUPLICATES[taken].counted_as)
        identity = identity._replace(**{_DUPLICATES[taken].member: None})
    contact = _put(task, contact, _body(task, identity, values, is_new=contact is None))
    task.contacts[contact.id] = None


def _identity(values: Mapping[str, Any]) -> Identity | None:
    """Return the identifiers of a row, or None without one or with an invalid address; other invalid ones are left."""
    given = (values.get(name) for name in _IDENTIFIERS)
    email, phone, ext_id = ("" if isinstance(value, bool | list) else rows.written(value).strip() for value in given)
    if email and not is_email(email):
        return None
    found = Identity(email.lower() or None, rows.digits(phone), ext_id if 0 < len(ext_id) <= rows.LONGEST else None)
    return found if any(found) else None


def _body(task: _Import, identity: Identity, values: Mapping[str, Any], *, is_new: bool) -> dict[str, Any]:
    """Return the row as the body of a request that creates or updates a contact."""
    keeps_empty = task.row.erases and not is_new
    attributes = {
        name: value
        for name, value in values.items()
        if name not in _IDENTIFIERS and (keeps_empty or value not in (None, ""))
    }
    if identity.phone is not None:
        attributes["SMS"] = identity.phone
    members = {"email": identity.email, "ext_id": identity.ext_id}
    flags = {"email_blacklisted": task.row.email_blacklisted, "sms_blacklisted": task.row.sms_blacklisted}
    return {
        "attributes": attributes,
        "list_ids": task.list_ids,
        **{name: value for name, value in members.items() if value is not None},
        **{name: True for name, is_set in flags.items() if is_set},
    }


def _put(task: _Import, contact: Contact | None, body: dict[str, Any]) -> Contact:
    caller, row = task.caller, task.row
    if contact is None:
        if full := caller.workspace.state.full(1):
            raise no_room(full)
        contact, _ = model.create(caller, body)
    elif row.updates:
        model.update(caller, contact, body)
    else:
        rows.check_bytes(caller.workspace, None, len(task.list_ids))
        if joined := rows.join(caller.account, contact, task.list_ids):
            model.raise_list_addition(caller.workspace, caller.account, contact, joined)
        return contact
    row.imported += 1
    return contact


# ---------------------------------------------------------------------- steps on the clock


@PROCESS.on("start")
@PROCESS.when_due(CONTINUE)
def _go_on(workspace: Workspace, account: Account, row: Process) -> None:
    """Fetch the file, or import the next rows; set the timer of the next step."""
    clock = workspace.state.clock
    if row.file_url:
        _fetch(workspace, account, row)
        return
    began = _lateness(clock)
    late = min(began, _MOST_LATE)
    try:
        _import_piece(workspace, account, row)
        budget = min(late, max(_LONGEST_STEP, late / 4))
        while row.id in account.rows_of(Source) and _lateness(clock) - began < budget:
            _import_piece(workspace, account, row)
    except ServiceError as error:
        _fail(workspace, account, row, error.reason)
        return
    source = account.rows_of(Source).get(row.id)
    if source is None:
        row.next_at = max(row.due_at or clock.now(), clock.now())
    elif row.due_at in (None, row.requested_at) and source.size <= _SMALL:
        row.next_at = clock.now()
    else:
        # Others get their turn, even if this step is late or slow.
        row.next_at = max(clock.after(_PAUSE), clock.after(_lateness(clock) + max(_LEAST_PAUSE, late / 2)))
    await_next(workspace, account, row)


def _lateness(clock: Clock) -> timedelta:
    """Return the real time since the moment of the present step; 0 with a frozen clock."""
    if clock.frozen:
        return timedelta()
    pinned = clock.pin(None)
    late = clock.now() - (pinned or clock.now())
    clock.pin(pinned)
    return max(late, timedelta())


def _fail(workspace: Workspace, account: Account, row: Process, error: str) -> None:
    row.error = error
    PROCESS.fire(workspace, account, row, "fail")


def _fetch(workspace: Workspace, account: Account, row: Process) -> None:
    row.next_at = None
    url = row.file_url

    def write() -> OutgoingRequest:
        headers = (("Accept", "text/csv, text/plain, application/json"),)
        return OutgoingRequest(url, headers, b"", _TIMEOUT_S, "GET", _LARGEST_FILE)

    def done(outcome: CallOutcome) -> None:
        # Looked up: the rows may have been read again meanwhile.
        owner = workspace.state.accounts.get(account.id)
        found = None if owner is None else owner.table(Process).get(row.id)
        if owner is not None and found is not None and found.state == PROCESSING and found.file_url:
            _take_file(workspace, owner, found, outcome)

    dispatch(workspace, workspace.jobs.begin(account.id, MACHINE.name, row.id), url, write, done)


def _take_file(workspace: Workspace, account: Account, row: Process, outcome: CallOutcome) -> None:
    row.file_url = ""
    if not outcome.is_success:
        why = f"it answered {outcome.status}" if outcome.status is not None else outcome.error
        _fail(workspace, account, row, f"the file cannot be fetched: {why}")
        return
    try:
        source = _fetched(outcome.body)
        check_room(workspace, source)
        _check_header(Caller(workspace, account), source)
    except json_text.JsonError as error:
        _fail(workspace, account, row, f"the file is invalid JSON: {error}")
    except ServiceError as error:
        _fail(workspace, account, row, error.reason)
    else:
        source.id = row.id
        keep_source(account, source)
        row.next_at = workspace.state.clock.now()
        await_next(workspace, account, row)


def _fetched(content: bytes) -> Source:
    """Return the contacts of a file: a JSON list, or CSV in UTF-8, whose bad bytes are replaced."""
    content = content.removeprefix(b"\xef\xbb\xbf")
    if content[:_BEGINNING].lstrip()[:1] != b"[":
        return _csv_source(content.decode(errors="replace"))
    items: list[Any] = json_text.read(content)
    return _json_source(items)


def resume(workspace: Workspace) -> None:
    """Fetch files again whose calls were interrupted."""
    for account in workspace.state.accounts.values():
        for row in account.rows_of(Process).values():
            is_fetching = row.state == PROCESSING and row.file_url and row.next_at is None
            if is_fetching and not workspace.jobs.has(MACHINE.name, row.id):
                _fetch(workspace, account, row)


# ---------------------------------------------------------------------- the end


@PROCESS.guard("complete")
def _import_rest(workspace: Workspace, account: Account, row: Process) -> str:
    """Import all that is left; return the event that ends the process."""
    try:
        while row.id in account.rows_of(Source):
            _import_piece(workspace, account, row)
    except ServiceError as error:
        row.error = error.reason
        return "fail"
    return "complete"


@PROCESS.on("complete", "fail", "cancel")
def _end(workspace: Workspace, account: Account, row: Process) -> None:
    """Drop what is left, and tell `notifyUrl` and the account; of a cancelled import nobody is told (proposed)."""
    workspace.state.timers.cancel(MACHINE.name, row.id)
    workspace.jobs.cancel(MACHINE.name, row.id)
    drop_source(account, row)
    now = workspace.state.clock.now()
    row.next_at, row.completed_at, row.file_url = None, now, ""
    if row.state == COMPLETED:
        row.error = None
    elif row.error is None:
        row.error = f"the import was {'stopped' if row.state == 'failed' else 'cancelled'}"
    if row.state == "cancelled":
        return
    if row.notify_url and workspace.has_another_id("delivery"):
        call = Delivery(
            workspace.state.next_id("delivery"), Target(row.notify_url), [{"processId": row.id, "status": row.state}],
            ["import"], created_at=now, next_at=now,
        )  # fmt: skip
        call.payloads_size = sum(map(weight, call.payloads))
        deliveries.schedule(workspace, account, call)
    if row.sends_mail:
        _send_mail(workspace, account, row)


def _send_mail(workspace: Workspace, account: Account, row: Process) -> None:
    refused = f"{sum(row.counts.values()):,} rows were invalid or duplicates"
    text = f"Your import {row.id} is {row.state}.\n\n{row.imported:,} contacts were imported, {refused}.\n"
    mail = Mail(
        workspace.ids.mail(), workspace.state.clock.now(), account.email, "Brevo <no-reply@brevo.test>",
        f"Your import is {row.state}", f"{text}{row.error}\n" if row.error else text,
        account=account.name, machine=MACHINE.name, key=row.id, request=workspace.cause_request,
    )  # fmt: skip
    send_mail(workspace, mail)
