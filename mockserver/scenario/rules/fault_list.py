"""The list of faults of a document: its field, and how it comes into a workspace."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from marshmallow import fields, validate

from mockserver.core.lazy import lazy
from mockserver.core.state.faults import Fault
from mockserver.core.text.messages import shown
from mockserver.core.workspaces.workspace import Workspace
from mockserver.scenario.documents.mistakes import Mistake
from mockserver.web.schemas.fields import List

if TYPE_CHECKING:
    from mockserver.scenario.rules import faults as written
else:
    (written,) = lazy(__package__, "faults")

#: The most faults of a workspace. Chosen: more than any test has; each request is matched against all of them.
MOST_FAULTS = 1_000


def rules(**options: Any) -> List:
    """The field of a list of faults."""
    return List(fields.Nested(written.FaultItem), validate=validate.Length(max=MOST_FAULTS), **options)


def load_faults(workspace: Workspace, faults: Sequence[Fault]) -> Iterator[Mistake]:
    """Add the faults of a document to a workspace; yields what is wrong with them."""
    for index in twice(faults):
        yield Mistake(("faults", index, "id"), f"duplicate fault id {shown(faults[index].id)}", taken=True)
    workspace.state.add_faults(faults)


def twice(faults: Sequence[Fault]) -> Iterator[int]:
    """The indexes of the faults whose id an earlier one has."""
    seen = set()
    for index, fault in enumerate(faults):
        if fault.id and fault.id in seen:
            yield index
        seen.add(fault.id)
