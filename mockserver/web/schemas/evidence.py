"""The evidence of a field of a schema: what shows that the service has it, and how sure that is."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mockserver.core.contract.operation import Mark

#: Titles of the documents that show what the specification leaves open; docs/truth/ledger.md tells where to read each.
OPENAPI = "OpenAPI document of February 2026"
OPENAPI_NEWEST = "OpenAPI document of September 2026"
OPENAPI_OLDER = "OpenAPI document of 2024/25"


def documented(note: str = "", *, source: str = "", bounds: str = "", **keywords: Any) -> dict[str, Any]:
    """Evidence of a field: the specification, an official document or an official client library shows it.

    `source` names the document, where it is not that of the schema. `bounds` names the document that has the field's
    least and greatest values, lengths or patterns; without it these are proposed.
    `keywords` of JSON schema come on top of those that follow from the field: a bound that a rule checks later, say.
    """
    return _evidence(Mark.DOCUMENTED, note, source, {**({"x-bounds-source": bounds} if bounds else {}), **keywords})


def observed(note: str = "", *, source: str = "") -> dict[str, Any]:
    """Evidence of a field: captured traffic shows it."""
    return _evidence(Mark.OBSERVED, note, source, {})


def observed_in_code(note: str = "", *, programs: int, source: str = "") -> dict[str, Any]:
    """Evidence of a field: so many public programs that use the service expect or handle it."""
    return _evidence(Mark.OBSERVED_IN_CODE, note, source, {"x-programs": programs})


def proposed(note: str = "", *, source: str = "") -> dict[str, Any]:
    """Evidence of a field: no source shows it, and this is what the real service would sensibly do."""
    return _evidence(Mark.PROPOSED, note, source, {})


def _evidence(mark: Mark, note: str, source: str, keywords: Mapping[str, Any]) -> dict[str, Any]:
    metadata: dict[str, Any] = {"x-fidelity": str(mark), **keywords}
    if note:
        metadata["description"] = note
    if source:
        metadata["x-source"] = source
    return {"metadata": metadata}
