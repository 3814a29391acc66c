"""Evidence of schema fields: sources, and their certainty."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mockserver.core.contract.operation import Mark

#: Titles of the documents that show what the specification leaves open; docs/truth/ledger.md tells where to read each.
OPENAPI = "OpenAPI document of February 2026"
OPENAPI_NEWEST = "OpenAPI document of September 2026"
OPENAPI_OLDER = "OpenAPI document of 2024/25"
#: The official client whose source shows what the document of February 2026 lacks.
CLIENT = "brevo-python 5.1.0"


def documented(note: str = "", *, source: str = "", bounds: str = "", **keywords: Any) -> dict[str, Any]:
    """Return evidence of a field in the specification, an official document or an official client library.

    `source` names the document, unless it is the schema's. `bounds` names the document of the field's bounds, lengths
    or patterns; without it these are proposed. `keywords` of JSON schema are added to the field's own.
    """
    return _evidence(Mark.DOCUMENTED, note, source, {**({"x-bounds-source": bounds} if bounds else {}), **keywords})


def observed(note: str = "", *, source: str = "") -> dict[str, Any]:
    """Return evidence of a field in captured traffic."""
    return _evidence(Mark.OBSERVED, note, source, {})


def observed_in_code(note: str = "", *, programs: int, source: str = "") -> dict[str, Any]:
    """Return evidence of a field in public client programs; `programs` is their number."""
    return _evidence(Mark.OBSERVED_IN_CODE, note, source, {"x-programs": programs})


def proposed(note: str = "", *, source: str = "") -> dict[str, Any]:
    """Return evidence of a field without source: a sensible guess about the real service."""
    return _evidence(Mark.PROPOSED, note, source, {})


def _evidence(mark: Mark, note: str, source: str, keywords: Mapping[str, Any]) -> dict[str, Any]:
    metadata: dict[str, Any] = {"x-fidelity": str(mark), **keywords}
    if note:
        metadata["description"] = note
    if source:
        metadata["x-source"] = source
    return {"metadata": metadata}
