"""`/_mock/beyond`: the operations that the service has and the mock has not; and how each operation is answered."""

from __future__ import annotations

from collections import defaultdict

from flask import Response

from mockserver.beyond.catalogue import OperationBeyond, catalogue, is_meant
from mockserver.beyond.stubs.schema import overlap
from mockserver.control.framework import answers, dependencies, target
from mockserver.control.framework.resource import ControlResource
from mockserver.core.contract.operation import Operation
from mockserver.core.state.stubs import Stub
from mockserver.core.workspaces.workspace import Workspace
from mockserver.resources.registry import FURTHER_OPERATIONS, OPERATIONS
from mockserver.views.server.fidelity import OperationsBeyond
from mockserver.web.service.beyond import CHOICES

BEYOND = ControlResource("beyond", "/_mock/beyond")

#: Active stubs by their method and the number of their segments, the only ones that can have an address of these.
_ByAddress = defaultdict[tuple[str, int], list[Stub]]


@BEYOND.call("GET", answer=OperationsBeyond)
def index() -> Response:
    """List the operations that the service has and the mock knows by name only, and how a call of each is answered."""
    workspace = target.workspace()
    with workspace.lock:
        chosen = CHOICES[workspace.state.behaviour.beyond or dependencies.current().beyond]
        stubs = _by_address(workspace)
        return answers.listed([_row(operation, chosen, stubs) for operation in catalogue().values()])


def answered_as(workspace: Workspace | None) -> dict[str, list[str]]:
    """Return the ids of all operations of the service by how they are answered in a workspace.

    Returns:
        `specification`: the 34; `further`: those of sending and contacts; `stubbed`: those for which the workspace has
        a stub; `named`: all others that the mock knows by name.
    """
    stubs = _ByAddress(list) if workspace is None else _by_address(workspace)
    beside: list[Operation | OperationBeyond] = [*FURTHER_OPERATIONS.values(), *catalogue().values()]
    stubbed = [operation.id for operation in beside if _stubs_of(operation, stubs)]
    return {
        "specification": list(OPERATIONS),
        "further": [name for name in FURTHER_OPERATIONS if name not in stubbed],
        "stubbed": stubbed,
        "named": [name for name in catalogue() if name not in stubbed],
    }


def _by_address(workspace: Workspace) -> _ByAddress:
    found: _ByAddress = defaultdict(list)
    for stub in workspace.state.stubs:
        if stub.is_active:
            found[stub.method, len(stub.segments)].append(stub)
    return found


def _row(operation: OperationBeyond, chosen: str, stubs: _ByAddress) -> dict[str, object]:
    return {
        "operation": operation.id,
        "method": operation.method,
        "path": operation.path,
        "status": operation.status,
        "answered": chosen,
        "stubs": _stubs_of(operation, stubs),
    }


def _stubs_of(operation: Operation | OperationBeyond, stubs: _ByAddress) -> list[str]:
    """Return the ids of the stubs that can answer a call of an operation."""
    segments = operation.path.split("/")
    return [
        stub.id
        for stub in stubs.get((operation.method, len(segments)), ())
        if overlap(stub.segments, segments) and is_meant(stub.method, stub.path, operation.id)
    ]
