"""How much a workspace keeps of documents: rows are counted, and one of them may hold a text of any length."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from mockserver.core.traffic.ring import weight
from mockserver.core.workspaces.workspace import Workspace
from mockserver.scenario.documents.mistakes import Mistake
from mockserver.scenario.dump import dump


def relieve(workspace: Workspace, document: Mapping[str, Any]) -> None:
    """Where a document would be too much to add, count anew what is there: some of it may be gone by now."""
    if workspace.state.document_bytes + weight(document) > workspace.limits.documents_bytes:
        workspace.state.document_bytes = min(workspace.state.document_bytes, weight(dump(workspace)))


def weigh(workspace: Workspace, document: Mapping[str, Any]) -> Iterator[Mistake]:
    """Count a document that a workspace is made of, or gets added; refuse what it may not hold."""
    workspace.state.document_bytes += weight(document)
    most = workspace.limits.documents_bytes
    if workspace.state.document_bytes > most:
        told = f"the documents of the workspace would take {workspace.state.document_bytes:,} bytes"
        yield Mistake((), f"{told}, and there may be {most:,} (--documents-bytes-limit)", taken=True)
