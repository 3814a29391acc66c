"""How much of its texts a world keeps of documents: rows are counted, and one of them may hold a text of any length."""

from __future__ import annotations

from collections.abc import Iterator
from sys import getsizeof
from typing import Any

from mockserver.core.workspace import Workspace
from mockserver.scenario.mistakes import Mistake

_EMPTY = getsizeof("")


def weight(document: Any) -> int:
    """How many bytes the texts of a document take in memory, each as often as it stands there; without its keys."""
    found, waiting = 0, [document]
    while waiting:
        value = waiting.pop()
        if isinstance(value, str):
            found += getsizeof(value) - _EMPTY
        elif isinstance(value, dict):
            waiting.extend(value.values())
        elif isinstance(value, list):
            waiting.extend(value)
    return found


def weigh(workspace: Workspace, document: Any) -> Iterator[Mistake]:
    """Count the texts of a document that a world is made of, or gets added; refuse what it may not hold."""
    workspace.document_bytes += weight(document)
    most = workspace.limits.documents_bytes
    if workspace.document_bytes > most:
        told = f"the documents of the workspace would have {workspace.document_bytes:,} bytes of text"
        yield Mistake((), f"{told}, and there may be {most:,} (--documents-bytes-limit)", taken=True)
