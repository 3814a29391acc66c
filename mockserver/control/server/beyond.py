"""`/_mock/beyond`: the operations that the service has and the mock has not."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from flask import Response

from mockserver.beyond.catalogue import OperationBeyond, catalogue, is_meant
from mockserver.beyond.stubs.pattern import overlap
from mockserver.control.framework import answers, dependencies, target
from mockserver.control.framework.resource import ControlResource
from mockserver.core.state.stubs import Stub
from mockserver.core.workspaces.workspace import Workspace
from mockserver.scenario.documents.stub_libraries import by_operation
from mockserver.views.server.beyond import OperationsBeyond
from mockserver.web.service.beyond import CHOICES

BEYOND = ControlResource("beyond", "/_mock/beyond")

#: Active stubs by their method and the number of their segments, the only ones that can have an address of these.
_ByAddress = defaultdict[tuple[str, int], list[Stub]]


@BEYOND.call("GET", answer=OperationsBeyond)
def index() -> Response:
    """The operations that the service has and the mock has not, and how a call of each is answered here."""
    workspace = target.workspace()
    with workspace.lock:
        chosen = CHOICES[workspace.state.behaviour.beyond or dependencies.current().beyond]
        stubs = _by_address(workspace)
        return answers.listed([_row(operation, chosen, stubs) for operation in catalogue().values()])


def _by_address(workspace: Workspace) -> _ByAddress:
    found: _ByAddress = defaultdict(list)
    for stub in workspace.state.stubs:
        if stub.is_active:
            found[stub.method, len(stub.segments)].append(stub)
    return found


def _row(operation: OperationBeyond, chosen: str, stubs: _ByAddress) -> dict[str, object]:
    segments = operation.path.split("/")
    own = stubs.get((operation.method, len(segments)), ())
    return {
        "operation": operation.id,
        "method": operation.method,
        "path": operation.path,
        "status": operation.status,
        "answered": chosen,
        "stubs": [stub.id for stub in own if _answers(stub, operation.id, segments)],
        "library": by_operation().get(operation.id),
    }


def _answers(stub: Stub, operation: str, segments: Sequence[str]) -> bool:
    """Whether a stub can answer a call of an operation."""
    return overlap(stub.segments, segments) and is_meant(stub.method, stub.path, operation)
