"""The limits that a document has to keep: bytes, rows (one may hold a text of any length), ids, generated rows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from mockserver.core.lazy import lazy
from mockserver.core.state.state import LAST_ID, State
from mockserver.core.text.messages import too_many
from mockserver.core.traffic.ring import weight
from mockserver.core.workspaces.workspace import Workspace
from mockserver.scenario.documents.mistakes import Mistake
from mockserver.scenario.schema import MOST_GENERATED

if TYPE_CHECKING:
    from mockserver.scenario import dump
else:
    (dump,) = lazy(__package__, "dump")


def relieve(workspace: Workspace, document: Mapping[str, Any]) -> None:
    """If a document would exceed the limit, measure the workspace anew: much of earlier documents may be gone."""
    if workspace.state.document_bytes + weight(document) > workspace.limits.documents_bytes:
        workspace.state.document_bytes = min(workspace.state.document_bytes, weight(dump.dump(workspace)))


def weigh(workspace: Workspace, document: Mapping[str, Any]) -> Iterator[Mistake]:
    """Count the bytes of a document that a workspace is made from or that is added; a mistake if they are too many."""
    workspace.state.document_bytes += weight(document)
    most = workspace.limits.documents_bytes
    if workspace.state.document_bytes > most:
        message = too_many(workspace.state.document_bytes, most, "bytes of documents in the workspace")
        yield Mistake((), f"{message} (--documents-bytes-limit)", taken=True)


def check_room(state: State) -> Iterator[Mistake]:
    """A mistake if a state has more rows than it may."""
    kept, most = state.kept(), state.rows_limit
    if kept > most:
        yield Mistake((), f"{too_many(kept, most, 'rows in the workspace')} (--rows-limit)", taken=True)


def check_ids(state: State) -> Iterator[Mistake]:
    """A mistake for each kind whose ids have counted past `LAST_ID`: they could not be loaded again."""
    for kind, number in state.last_ids.items():
        if number > LAST_ID:
            yield Mistake((), f"{kind} ids would count up to {number:,}, expected at most {LAST_ID:,}")


def check_amounts(state: State, data: Mapping[str, Any]) -> Iterator[Mistake]:
    """A mistake if a document generates more rows than a document may, or than the state may have."""
    items = [data, *data.get("accounts", ())]
    total = sum(amount for item in items for amount in item.get("generate", {}).values())
    if total > MOST_GENERATED:
        yield Mistake(("generate",), too_many(total, MOST_GENERATED, "generated rows"))
    elif total and state.kept() + total > state.rows_limit:
        message = too_many(state.kept() + total, state.rows_limit, "rows in the workspace")
        yield Mistake(("generate",), f"{message} (--rows-limit), {total:,} of them generated", taken=True)
