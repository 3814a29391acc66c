"""Stored values of stubs: limits, changes, and the scenario section."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from marshmallow import fields, validate

from mockserver.core.state.state import Account
from mockserver.core.state.stubs import Stored
from mockserver.core.text.messages import shown
from mockserver.core.traffic.ring import weight
from mockserver.core.workspaces.workspace import Workspace
from mockserver.resources.section import Item, Section, SectionError, TakenError, about
from mockserver.web.schemas.fields import Json, List

#: The longest name of a table and the longest key, in characters. Chosen: longer than any that an API would take.
LONGEST_TABLE, LONGEST_KEY = 64, 500

Key = tuple[str, str]


class Change(NamedTuple):
    """A value to store under table and key; None deletes the value."""

    key: Key
    row: Stored | None

    @property
    def size(self) -> int:
        return 0 if self.row is None else self.row.size


def storing(table: str, key: str, value: Any) -> Change:
    return Change((table, key), Stored(value, weight([table, key, value])))


def full(workspace: Workspace, account: Account, changes: Iterable[Change]) -> str | None:
    """Return the reason why changes exceed the limits of the workspace, or None."""
    there = account.rows_of(Stored)
    rows = size = 0
    for key, row in dict(changes).items():
        before = there.get(key)
        rows += (row is not None) - (before is not None)
        size += (0 if row is None else row.size) - (0 if before is None else before.size)
    if rows > 0 and (reason := workspace.state.full(rows)):
        return reason
    return too_large(workspace, workspace.state.tally.stored + size) if size > 0 else None


def too_large(workspace: Workspace, held: int) -> str | None:
    """Return the reason why stubs cannot store this number of bytes in total, or None."""
    most = workspace.limits.stored_bytes
    if held <= most:
        return None
    return f"stored data of stubs would take {held:,} bytes, the limit is {most:,} (--stored-bytes-limit)"


def change(account: Account, changes: Iterable[Change]) -> None:
    table = account.table(Stored)
    for key, row in changes:
        before = table.get(key)
        if row is not None:
            table[key] = row
        elif before is not None:
            del table[key]
        account.weigh_stored((0 if row is None else row.size) - (0 if before is None else before.size))


class StoredItem(Item):
    """A stored value with table and key."""

    table = fields.String(required=True, validate=validate.Length(1, LONGEST_TABLE), **about("the table"))
    key = fields.String(required=True, validate=validate.Length(1, LONGEST_KEY), **about("the key within the table"))
    value = Json(required=True, allow_none=True, **about("what is stored"))


def _load(workspace: Workspace, account: Account, data: Mapping[str, Any]) -> Iterator[SectionError]:
    for index, item in enumerate(data.get("stored", ())):
        stored = storing(item["table"], item["key"], item["value"])
        if stored.key in account.rows_of(Stored):
            message = f"duplicate key {shown(item['key'])} in table {shown(item['table'])}"
            yield TakenError(("stored", index, "key"), message)
            continue
        if reason := full(workspace, account, [stored]):
            yield SectionError(("stored", index), reason)
            return
        change(account, [stored])


def _dump(workspace: Workspace, account: Account) -> dict[str, Any]:
    rows = account.rows_of(Stored).items()
    found = [{"table": table, "key": key, "value": row.value} for (table, key), row in rows]
    return {"stored": found} if found else {}


SECTION = Section(
    fields={"stored": List(fields.Nested(StoredItem), **about("what stubs have stored"))}, load=_load, dump=_dump
)
