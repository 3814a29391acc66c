"""The kinds of faults."""

from __future__ import annotations

from collections.abc import Iterator

from mockserver.core.state.faults import FAULT_KINDS, FaultKind
from mockserver.scenario.faults import operations_of
from mockserver.scenario.json_schema import document as json_schema
from reference.tables import code


def fault_kinds() -> Iterator[str]:
    """What the client meets by each fault, where it fits, and what it takes."""
    for name, kind in FAULT_KINDS.items():
        yield f"### {name}"
        yield ""
        yield f"{kind.summary[:1].upper()}{kind.summary[1:].removesuffix('.')}."
        yield ""
        yield from _facts(kind)
        yield ""


def _facts(kind: FaultKind) -> Iterator[str]:
    """Where a fault fits, and its parameters, as items of a list."""
    members = json_schema()["$defs"]["Fault"]["properties"]
    if kind.code is not None:
        fitting = ", ".join(map(code, operations_of(kind)))
        yield f"- Fits {'every operation' if kind.everywhere else fitting}."
    for parameter in kind.parameters:
        needed = " (needed)" if parameter in kind.required else ""
        yield f"- `{parameter}`{needed}: {members[parameter]['description']}."
