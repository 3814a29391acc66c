"""Imports of contacts in a scenario, finished and unfinished."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import fields as dataclass_fields
from typing import Any

from marshmallow import fields, validate

from mockserver.core.contract.errors import ServiceError
from mockserver.core.state.state import Account
from mockserver.core.workspaces.workspace import Workspace
from mockserver.resources.processes.process import (
    COUNTS,
    MACHINE,
    PROCESSING,
    QUEUED,
    Imported,
    Process,
    Source,
    await_next,
    check_room,
    keep_source,
)
from mockserver.resources.section import ID_RANGE, Instant, Item, Section, SectionError, TakenError, about, claim
from mockserver.resources.webhooks.history import Export
from mockserver.web.schemas.fields import Dict, Flag, List, Url

_COUNT = validate.Range(0, 2**62)


def _ids(text: str) -> List:
    return List(fields.Integer(strict=True, validate=ID_RANGE), **about(text))


class ProcessItem(Item):
    """An import of contacts."""

    id = fields.Integer(required=True, strict=True, validate=ID_RANGE, **about("its number"))
    state = fields.String(validate=validate.OneOf(MACHINE.states), **about("its state; queued if left out"))
    requested_at = Instant(**about("when it was requested; the start of the clock if left out"))
    due_at = Instant(**about("when it is completed at the earliest"))
    next_at = Instant(**about("when its next step is due; at once if left out"))
    completed_at = Instant(**about("when it ended"))
    list_ids = _ids("the lists that its contacts join")
    updates = Flag(**about("whether existing contacts are updated; true if left out"))
    erases = Flag(**about("whether empty values remove attributes of existing contacts"))
    email_blacklisted = Flag(**about("whether its contacts get no e-mails"))
    sms_blacklisted = Flag(**about("whether its contacts get no text messages"))
    sends_mail = Flag(**about("whether the account gets an e-mail at the end; true if left out"))
    notify_url = Url(**about("the address that is told of the end"))
    file_url = Url(**about("the address of a file that is still to be fetched"))
    position = fields.Integer(strict=True, validate=_COUNT, **about("how many characters of `content` were read"))
    imported = fields.Integer(strict=True, validate=_COUNT, **about("how many rows created or changed a contact"))
    counts = Dict(
        keys=fields.String(validate=validate.OneOf(COUNTS)),
        values=fields.Integer(strict=True, validate=_COUNT),
        **about("how many rows were invalid or duplicates"),
    )
    error = fields.String(**about("why it failed"))
    content = fields.String(**about("of an unfinished import: CSV, or a JSON object in each line"))
    is_json = Flag(data_key="json", **about("whether `content` is JSON"))
    contact_ids = _ids("of an unfinished import: the contacts that it has created or changed")


_OF_SOURCE = ("content", "is_json", "contact_ids")


def _load(workspace: Workspace, account: Account, data: Mapping[str, Any]) -> Iterator[SectionError]:
    last = workspace.state.last_ids.get("process", 0)
    for index, item in enumerate(data.get("processes", ())):
        number = item["id"]
        if not all(claim(workspace, kind, number, is_next=number > last) for kind in (Process, Export)):
            yield TakenError(("processes", index, "id"), f"duplicate process id {number}")
            continue
        workspace.state.claim_id("process", number)
        try:
            _add(workspace, account, item)
        except ServiceError as error:
            yield SectionError(("processes", index, "content"), error.reason)


def _add(workspace: Workspace, account: Account, item: Mapping[str, Any]) -> None:
    now = workspace.state.clock.now()
    members = {name: value for name, value in item.items() if name not in _OF_SOURCE}
    row = Process(**{"requested_at": now, **members})
    if row.state in (QUEUED, PROCESSING):
        row.next_at = row.next_at or now
        if text := item.get("content"):
            source = Source(row.id, text, item.get("is_json", False))
            check_room(workspace, source)
            keep_source(account, source, item.get("contact_ids", ()))
    else:
        row.completed_at = row.completed_at or now
    account.table(Process)[row.id] = row
    await_next(workspace, account, row)


def _dump(workspace: Workspace, account: Account) -> dict[str, Any]:
    found = [_written(account, row) for row in account.rows_of(Process).values()]
    return {"processes": found} if found else {}


def _written(account: Account, row: Process) -> dict[str, Any]:
    """Return a process as a scenario has it, without members that have their defaults."""
    plain, source = Process(row.id, row.requested_at), account.rows_of(Source).get(row.id)
    values = {member.name: getattr(row, member.name) for member in dataclass_fields(row)}
    changed = {name: value for name, value in values.items() if value != getattr(plain, name)}
    if source is not None:
        contacts = account.rows_of(Imported)[row.id].contacts
        changed |= {"content": source.text, "contact_ids": list(contacts)}
        changed |= {"is_json": True} if source.is_json else {}
    dumped: dict[str, Any] = _ITEM.dump({"id": row.id, "requested_at": row.requested_at, **changed})
    return dumped


_ITEM = ProcessItem()

SECTION = Section(
    fields={"processes": List(fields.Nested(ProcessItem), **about("its imports of contacts"))},
    load=_load,
    dump=_dump,
    generators={
        "processes": lambda people, workspace, account: {
            "id": workspace.state.next_id("process"),
            "state": people.choice(MACHINE.states),
        }
    },
)
