"""Imports of contacts: requests, and their rows piece by piece on the clock (contract/contacts#importContacts)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from datetime import timedelta
from itertools import islice
from typing import Any

import orjson

from mockserver.core.contract.errors import INVALID_PARAMETER, MISSING_PARAMETER, ServiceError, no_room
from mockserver.core.effects import CallOutcome, OutgoingRequest
from mockserver.core.state import reasons
from mockserver.core.state.state import Account
from mockserver.core.text.addresses import is_email
from mockserver.core.time.clock import Clock
from mockserver.core.traffic.mail import Mail
from mockserver.core.workspaces.caller import Caller
from mockserver.core.workspaces.lifecycle import dispatch, send_mail
from mockserver.core.workspaces.workspace import Workspace
from mockserver.resources.contacts import files, lists, model, rows
from mockserver.resources.contacts.attribute import MULTIPLE_CHOICE, Attribute
from mockserver.resources.contacts.rows import Contact, ContactList, Identity
from mockserver.resources.contacts.schemas import is_value
from mockserver.resources.deliveries import model as deliveries
from mockserver.resources.processes import process
from mockserver.resources.processes.process import MACHINE, PROCESS, Process, Source
from mockserver.web.schemas import json_text

#: The members of a request that hold or name the contacts, and the members that a process keeps.
_CONTENTS = {"file_body": "fileBody", "file_url": "fileUrl", "json_body": "jsonBody"}
_KEPT = ("updates", "erases", "email_blacklisted", "sms_blacklisted", "notify_url", "file_url")
_IDENTIFIERS = ("EMAIL", "SMS", "EXT_ID")
#: The counts of values that another row or contact has, by the name in `Identity.keys`.
_DUPLICATES = {"email": "duplicate_email_id", "SMS": "duplicate_phone_id", "ext_id": "duplicate_ext_id"}
#: The least rows of a piece, its most characters, and the pause for each row. Chosen: a piece takes 5 milliseconds, and
#: 100,000 rows take the default of `behaviour.contact_import`.
_ROWS, _CHARACTERS, _PAUSE = 100, 128 * 1024, timedelta(milliseconds=0.1)
#: A store saves all contacts of an account after each piece. There a piece has a twentieth of their number, so that all
#: saves of an import take some twenty times as long as the last one, and not their square.
_PART = 20
#: The least pause after a step on a running clock, in real time.
_LEAST_PAUSE = timedelta(milliseconds=5)
#: The most characters of a source that is imported without pauses if imports take no time.
_SMALL = 200_000
#: The part of its time that an import is queued.
_QUEUED = 10
#: The most bytes of a file, and its timeout in seconds (proposed).
_LARGEST_FILE, _TIMEOUT_S = 20 * 1024 * 1024, 30.0
#: The bytes that show whether a file is JSON.
_BEGINNING = 1_000


def request(caller: Caller, body: Mapping[str, Any]) -> int:
    """Start an import; return the id of its process."""
    workspace, account, state = caller.workspace, caller.account, caller.workspace.state
    _check_contents([name for member, name in _CONTENTS.items() if member in body])
    new_list, list_ids = body.get("new_list"), list(dict.fromkeys(body.get("list_ids", ())))
    if not list_ids and new_list is None:
        reason = "the body of importContacts has neither `listIds` nor `newList`"
        raise MISSING_PARAMETER("One of listIds and newList is required").because(reason)
    model.check_lists(account, list_ids)
    if new_list is not None:
        lists.get_folder(caller, new_list["folder_id"], INVALID_PARAMETER)
    row = Process(
        0, state.clock.now(), list_ids, **{name: body[name] for name in _KEPT if name in body},
        sends_mail=not body["is_silent"], is_json="json_body" in body,
        due_at=state.clock.after(state.behaviour.contact_import),
        next_at=state.clock.after(state.behaviour.contact_import / _QUEUED),
    )  # fmt: skip
    text = _lines(body["json_body"]) if row.is_json else _csv(body.get("file_body", ""))
    if not row.file_url:
        _check_source(caller, row, text)
    if new_list is not None:
        list_ids.append(lists.create(caller, new_list["name"], new_list["folder_id"]).id)
    row.id = state.next_id("process")
    PROCESS.begin(workspace, account, row)
    if text:
        process.keep_source(account, row, text)
    process.await_next(workspace, account, row)
    return row.id


def _check_contents(given: list[str]) -> None:
    if not given:
        reason = "the body of importContacts has no contacts"
        raise MISSING_PARAMETER("One of fileUrl, fileBody and jsonBody is required").because(reason)
    if len(given) > 1:
        reason = f"the body of importContacts has {reasons.fields(given)}"
        raise INVALID_PARAMETER("Only one of fileUrl, fileBody and jsonBody is allowed").because(reason)


def _lines(items: Iterable[Any]) -> str:
    lines = bytearray()
    for item in items:  # not joined: each result takes kilobytes until it is freed
        lines += orjson.dumps(item, option=orjson.OPT_APPEND_NEWLINE)
    return lines.decode()


def _csv(text: str) -> str:
    r"""Return a text in one line with its literal `\n` as line breaks, which examples of the service show."""
    if "\n" in text or "\r" in text:
        return text
    return text.replace("\\r\\n", "\n").replace("\\n", "\n")


def _check_source(caller: Caller, row: Process, text: str) -> None:
    """Refuse a source without room and a file without identifiers, and warn of unknown columns."""
    rows.check_bytes(caller.workspace, text)
    if row.is_json:
        return
    header = files.read_header(text)
    columns = [] if header is None else _columns(caller.account, header.names)
    if header is None or not set(columns) & set(_IDENTIFIERS):
        found = "no header" if header is None else f"the columns {reasons.listed(header.names)}"
        refused = INVALID_PARAMETER("The file needs a header with EMAIL, SMS or EXT_ID")
        raise refused.because(f"the file has {found}; expected a column EMAIL, SMS or EXT_ID")
    if unknown := [name for name, column in zip(header.names, columns, strict=True) if column is None]:
        names = reasons.listed(unknown)
        caller.warn(f"columns without an attribute of the account, or given twice, are not imported: {names}")


# ---------------------------------------------------------------------- rows

#: The values of a row by name, and the position behind the row. None: the row cannot be read. Empty: it is skipped.
_Values = tuple[Mapping[str, Any] | None, int]


def _columns(account: Account, names: list[str]) -> list[str | None]:
    """Return the attribute of each column, in any case, or None for an unknown or repeated one."""
    known = {name.upper(): name for _, name in account.rows_of(Attribute)} | {name: name for name in _IDENTIFIERS}
    return [known.pop(name.upper(), None) for name in names]


def _json_rows(text: str, position: int) -> Iterator[_Values]:
    while position < len(text):
        start, position = position, (text.find("\n", position) + 1) or len(text)
        yield _json_values(text[start:position]), position


def _json_values(line: str) -> Mapping[str, Any] | None:
    try:
        item: Any = orjson.loads(line) if len(line) <= files.LONGEST_RECORD else None
    except ValueError:
        return None
    attributes = item.get("attributes") or {} if isinstance(item, dict) else None
    if not isinstance(attributes, dict):
        return None
    named = ((name.upper() if name.upper() in _IDENTIFIERS else name, value) for name, value in attributes.items())
    email = {"EMAIL": item["email"]} if item.get("email") is not None else {}
    return {name: value for name, value in named if is_value(value)} | email


def _csv_rows(account: Account, text: str, position: int) -> Iterator[_Values]:
    header = files.read_header(text)
    if header is None:
        return
    columns = _columns(account, header.names)
    choices = {name for (_, name), row in account.rows_of(Attribute).items() if row.shown_type == MULTIPLE_CHOICE}
    for cells, end in files.records(text, max(position, header.end), header.separator):
        if cells is None:
            yield None, end
            continue
        values: dict[str, Any] = {name: cell for name, cell in zip(columns, cells, strict=False) if name is not None}
        for name in choices & values.keys():
            values[name] = [option.strip() for option in values[name].split(",")] if values[name] else ""
        yield values if any(map(str.strip, cells)) else {}, end


def _import_piece(workspace: Workspace, account: Account, row: Process) -> int:
    """Import the next rows, if any are left, and drop a source that ends. Return how many rows a piece has now.

    Raises:
        ServiceError: a limit of the workspace is reached; the rows before are imported.
    """
    source, start = account.rows_of(Source).get(row.id), row.position
    most = max(_ROWS, len(account.rows_of(Contact)) // _PART) if workspace.is_saved else _ROWS
    if source is None:
        return most
    caller, list_ids = Caller(workspace, account), [id_ for id_ in row.list_ids if id_ in account.rows_of(ContactList)]
    found = _json_rows(source.text, start) if row.is_json else _csv_rows(account, source.text, start)
    for values, row.position in islice(found, most):
        if values is None:
            row.count("invalid_emails")
        elif values or row.is_json:
            _import_row(caller, row, list_ids, values)
        if row.position - start > _CHARACTERS * most // _ROWS:
            break
    if row.position in (start, len(source.text)):
        process.drop_source(account, row)
    return most


def _import_row(caller: Caller, row: Process, list_ids: list[int], values: Mapping[str, Any]) -> None:
    """Create or change the contact of a row; later rows of a contact change it again."""
    workspace, account = caller.workspace, caller.account
    identity = _identity(values)
    if identity is None:
        row.count("invalid_emails")
        return
    found = dict(rows.holders(account, identity))
    # A holder of the phone number or own id is another contact if it has another address.
    own = (name for name, other in found.items() if name == "email" or None in (identity.email, other.email))
    contact = found.get(name := next(own, ""))
    if contact is not None and contact.id in row.contact_ids:
        row.count(_DUPLICATES[name])
    if taken := [name for name, other in found.items() if other is not contact]:  # the other contact keeps it
        row.count(*(_DUPLICATES[name] for name in taken))
        named = zip(_DUPLICATES, identity, strict=True)
        identity = Identity(*(None if name in taken else value for name, value in named))
    if contact is None or row.updates:
        left_out = () if row.erases and contact is not None else (None, "")
        attributes = {name: one for name, one in values.items() if name not in _IDENTIFIERS and one not in left_out}
        body = {"attributes": attributes, "list_ids": list_ids, **identity._asdict()}
        body |= {name: True for name in ("email_blacklisted", "sms_blacklisted") if getattr(row, name)}
        if identity.phone is not None:
            attributes["SMS"] = identity.phone
        if contact is not None:
            model.update(caller, contact, body)
        elif full := workspace.state.full(1):
            raise no_room(full)
        else:
            contact, _ = model.create(caller, body)
        row.imported += 1
    else:
        rows.check_bytes(workspace, None, len(list_ids))
        if joined := rows.join(account, contact, list_ids):
            model.raise_list_addition(workspace, account, contact, joined)
    row.contact_ids[contact.id] = None


def _identity(values: Mapping[str, Any]) -> Identity | None:
    """Return the identifiers of a row, or None without one or with an invalid address; other invalid ones are left."""
    given = (values.get(name) for name in _IDENTIFIERS)
    email, phone, ext_id = ("" if isinstance(value, bool | list) else rows.written(value).strip() for value in given)
    found = Identity(email.lower() or None, rows.digits(phone), ext_id if 0 < len(ext_id) <= rows.LONGEST else None)
    return found if any(found) and (not email or is_email(email)) else None


# ---------------------------------------------------------------------- steps on the clock


@PROCESS.on("start")
@PROCESS.when_due(process.CONTINUE)
def _go_on(workspace: Workspace, account: Account, row: Process) -> None:
    """Fetch the file, or import the next rows; set the timer of the next step."""
    clock = workspace.state.clock
    if row.file_url:
        _fetch(workspace, account, row)
        return
    late = _lateness(clock)
    try:
        count = _import_piece(workspace, account, row)
    except ServiceError as error:
        _fail(workspace, account, row, error.reason)
        return
    source = account.rows_of(Source).get(row.id)
    if source is None:
        row.next_at = max(row.due_at or clock.now(), clock.now())
    elif row.due_at in (None, row.requested_at) and len(source.text) <= _SMALL:
        row.next_at = clock.now()
    else:  # others get their turn, even if this step is late, as the store saves slowly, or takes long
        row.next_at = clock.after(max(_PAUSE * count, _lateness(clock) + max(_LEAST_PAUSE, 2 * late)))
    process.await_next(workspace, account, row)


def _lateness(clock: Clock) -> timedelta:
    """Return the real time since the moment of the present step; 0 with a frozen clock."""
    pinned = clock.pin(None)
    late = clock.now() - (pinned or clock.now())
    clock.pin(pinned)
    return timedelta() if clock.frozen else max(late, timedelta())


def _fail(workspace: Workspace, account: Account, row: Process, error: str) -> None:
    row.error = error
    PROCESS.fire(workspace, account, row, "fail")


def _fetch(workspace: Workspace, account: Account, row: Process) -> None:
    row.next_at, url = None, row.file_url

    def write() -> OutgoingRequest:
        headers = (("Accept", "text/csv, text/plain, application/json"),)
        return OutgoingRequest(url, headers, b"", _TIMEOUT_S, "GET", _LARGEST_FILE)

    def done(outcome: CallOutcome) -> None:
        # Looked up: the rows may have been read again meanwhile.
        owner = workspace.state.accounts.get(account.id)
        found = None if owner is None else owner.table(Process).get(row.id)
        if owner is not None and found is not None and found.state == process.PROCESSING and found.file_url:
            _take_file(workspace, owner, found, outcome)

    dispatch(workspace, workspace.jobs.begin(account.id, MACHINE.name, row.id), url, write, done)


def _take_file(workspace: Workspace, account: Account, row: Process, outcome: CallOutcome) -> None:
    """Keep a fetched file: a JSON list, or CSV in UTF-8, whose bad bytes are replaced."""
    row.file_url, content = "", outcome.body.removeprefix(b"\xef\xbb\xbf")
    row.is_json = content[:_BEGINNING].lstrip()[:1] == b"["
    if not outcome.is_success:
        why = outcome.error or f"it answered {outcome.status}"
        _fail(workspace, account, row, f"the file cannot be fetched: {why}")
        return
    try:
        text = _lines(json_text.read(content)) if row.is_json else _csv(content.decode(errors="replace"))
        _check_source(Caller(workspace, account), row, text)
    except json_text.JsonError as error:
        _fail(workspace, account, row, f"the file is invalid JSON: {error}")
    except ServiceError as error:
        _fail(workspace, account, row, error.reason)
    else:
        process.keep_source(account, row, text)
        row.next_at = workspace.state.clock.now()
        process.await_next(workspace, account, row)


def resume(workspace: Workspace) -> None:
    """Fetch files again whose calls were interrupted."""
    for account, row in PROCESS.instances(workspace):
        is_fetching = row.state == process.PROCESSING and row.file_url and row.next_at is None
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
    process.drop_source(account, row)
    now = workspace.state.clock.now()
    row.next_at, row.completed_at, row.file_url, row.contact_ids = None, now, "", {}
    if row.state == process.COMPLETED:
        row.error = None
    elif row.error is None:
        row.error = f"the import was {'stopped' if row.state == process.FAILED else process.CANCELLED}"
    if row.state == process.CANCELLED:
        return
    if row.notify_url:
        payload = {"processId": row.id, "status": row.state}
        deliveries.announce(workspace, account, row.notify_url, payload, "import")
    if row.sends_mail:
        text = f"Import {row.id}: {row.imported:,} contacts, {sum(row.counts.values()):,} invalid or duplicate rows."
        send_mail(workspace, Mail(
            workspace.ids.mail(), now, account.email, "Brevo <no-reply@brevo.test>", f"Your import is {row.state}",
            f"{text}\n{row.error or ''}", account=account.name, machine=MACHINE.name, key=row.id,
            request=workspace.cause_request,
        ))  # fmt: skip
