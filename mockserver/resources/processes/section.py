"""Imports of contacts in a scenario, finished and unfinished."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from marshmallow import fields, validate

from mockserver.core.contract.errors import ServiceError
from mockserver.core.state.state import Account
from mockserver.core.traffic.ring import weight
from mockserver.core.workspaces.workspace import Workspace
from mockserver.resources.processes import process
from mockserver.resources.processes.process import COUNTS, MACHINE, Process, Source
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
    requested_at = Instant(**about("the request; the clock's start if left out"))
    due_at = Instant(**about("when it is completed at the earliest"))
    next_at = Instant(**about("when its next step is due; at once if left out"))
    completed_at = Instant(**about("when it ended"))
    list_ids = _ids("the lists that its contacts join")
    updates = Flag(**about("whether existing contacts are updated; true if left out"))
    erases = Flag(**about("whether empty values remove attributes of existing contacts"))
    email_blacklisted = Flag(**about("whether its contacts get no e-mails"))
    sms_blacklisted = Flag(**about("whether its contacts get no text messages"))
    sends_mail = Flag(**about("whether an e-mail announces the end; true if left out"))
    notify_url = Url(**about("the address that gets a call at the end"))
    file_url = Url(**about("a file that is still to be fetched"))
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
    contact_ids = _ids("the contacts that an unfinished import has created or changed")


_ITEM = ProcessItem()


def _load(workspace: Workspace, account: Account, data: Mapping[str, Any]) -> Iterator[SectionError]:
    last = workspace.state.last_ids.get("process", 0)
    for index, item in enumerate(data.get("processes", ())):
        number = item["id"]
        if not all(claim(workspace, kind, number, is_next=number > last) for kind in (Process, Export)):
            yield TakenError(("processes", index, "id"), f"duplicate process id {number}")
            continue
        workspace.state.claim_id("process", number)
        try:
            _add(workspace, account, {**item})
        except ServiceError as error:
            yield SectionError(("processes", index, "content"), error.reason)


def _add(workspace: Workspace, account: Account, item: dict[str, Any]) -> None:
    now, text = workspace.state.clock.now(), item.pop("content", "")
    contact_ids = dict.fromkeys(item.pop("contact_ids", ()))
    row = Process(**{"requested_at": now, **item}, contact_ids=contact_ids)
    if row.state not in (process.QUEUED, process.PROCESSING):
        row.completed_at = row.completed_at or now
    else:
        row.next_at = row.next_at or now
        if text:
            workspace.check_bytes(weight(text))
            process.keep_source(account, row, text)
    account.table(Process)[row.id] = row
    process.await_next(workspace, account, row)


def _dump(workspace: Workspace, account: Account) -> dict[str, Any]:
    sources = account.rows_of(Source)
    found = [
        {name: value for name, value in _ITEM.dump(row).items() if value not in (None, "", [], {})}
        | ({"content": sources[row.id].text} if row.id in sources else {})
        for row in account.rows_of(Process).values()
    ]
    return {"processes": found} if found else {}


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
