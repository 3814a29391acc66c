"""The kinds of faults."""

from __future__ import annotations

from collections.abc import Iterator

from mockserver.core.state.faults import FAULT_KINDS, FaultKind
from mockserver.scenario.faults import operations_of
from reference.tables import code

#: More operations than these are counted. Chosen: a longer list hides the other faults.
_MOST_OPERATIONS = 16


def fault_kinds() -> Iterator[str]:
    """What the client meets by each fault, where it fits, and what it takes."""
    for name, kind in FAULT_KINDS.items():
        yield f"- `{name}`: {' '.join(_facts(kind))}"


def _facts(kind: FaultKind) -> Iterator[str]:
    """What a fault does, the operations that it fits, unless it fits all, and its parameters."""
    yield f"{kind.summary[:1].upper()}{kind.summary[1:].removesuffix('.')}."
    if kind.code is not None and not kind.everywhere:
        fitting = operations_of(kind)
        is_short = len(fitting) <= _MOST_OPERATIONS
        yield f"Fits {', '.join(map(code, fitting)) if is_short else f'{len(fitting)} operations'}."
    needed = [code(parameter) for parameter in kind.parameters if parameter in kind.required]
    optional = [code(parameter) for parameter in kind.parameters if parameter not in (*kind.required, "message")]
    if needed:
        yield f"Needs {', '.join(needed)}."
    if optional:
        yield f"Takes {', '.join(optional)}."
