"""The list of stubs of a document: its field, and how it comes into a workspace and out of it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from marshmallow import fields, validate

from mockserver.beyond.stubs.item import StubItem, dump_stub
from mockserver.core.state.stubs import Stub
from mockserver.core.text.messages import shown, too_many
from mockserver.core.workspaces.workspace import Workspace
from mockserver.resources.resource import WorkspaceSection
from mockserver.resources.section import SectionError, TakenError, about
from mockserver.web.schemas.fields import List

#: The most stubs of a workspace. Chosen: four times as many as the service has operations.
MOST_STUBS = 1_000


def stubs_field(**options: Any) -> List:
    """The field of a list of stubs."""
    return List(fields.Nested(StubItem), validate=validate.Length(max=MOST_STUBS), **options)


def add_stubs(workspace: Workspace, stubs: Sequence[Stub]) -> list[SectionError]:
    """Add stubs before those of a workspace, which are asked after them; one without an id gets one.

    Returns:
        The errors, after which no stub was added: there would be too many, or an id is a duplicate.
    """
    there = workspace.state.stubs
    found: list[SectionError] = [
        TakenError(("stubs", index, "id"), f"duplicate stub id {shown(stubs[index].id)}")
        for index in taken(stubs, there)
    ]
    if len(there) + len(stubs) > MOST_STUBS:
        found.append(SectionError(("stubs",), too_many(len(there) + len(stubs), MOST_STUBS, "stubs")))
    if not found:
        workspace.state.name_stubs(stubs)
        there.put_first(stubs)
    return found


def add_behind(workspace: Workspace, stubs: Iterable[Stub]) -> None:
    """Add copies of stubs behind those of a workspace, but for those that it has already, whatever their ids are.

    Raises:
        SectionError: there would be too many.
    """
    there = workspace.state.stubs
    written = {stub.written for stub in there}
    ids = {stub.id for stub in there}
    found = [
        replace(stub, id="" if stub.id in ids else stub.id, hits=0, position=0)
        for stub in stubs
        if stub.written not in written
    ]
    if len(there) + len(found) > MOST_STUBS:
        told = too_many(len(there) + len(found), MOST_STUBS, "stubs")
        raise SectionError(("stubs",), f"{told} ({len(found):,} of them from --stubs)")
    workspace.state.name_stubs(found)
    there.put_last(found)


def taken(stubs: Sequence[Stub], there: Iterable[Stub] = ()) -> Iterator[int]:
    """The indexes of the stubs whose id an earlier one has, or one that is there."""
    seen = {stub.id for stub in there}
    for index, stub in enumerate(stubs):
        if stub.id and stub.id in seen:
            yield index
        seen.add(stub.id)


def _load(workspace: Workspace, data: Mapping[str, Any]) -> list[SectionError]:
    return add_stubs(workspace, data.get("stubs", ()))


def _dump(workspace: Workspace) -> dict[str, Any]:
    stubs = workspace.state.stubs
    return {"stubs": [dump_stub(stub) for stub in stubs]} if stubs else {}


SECTION = WorkspaceSection(
    fields={"stubs": stubs_field(**about("answers for operations that the mock does not have"))}, load=_load, dump=_dump
)
