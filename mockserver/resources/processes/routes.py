"""The operations on processes, contract/processes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mockserver.core.contract import errors
from mockserver.core.contract.operation import documented_error, proposed_error
from mockserver.core.lazy import lazy
from mockserver.core.workspaces.caller import Caller
from mockserver.web.endpoints.operations import Operations
from mockserver.web.schemas.evidence import OPENAPI

if TYPE_CHECKING:
    from mockserver.resources.processes import model, schemas
else:
    model, schemas = lazy(__package__, "model", "schemas")

PROCESSES = Operations("processes", OPENAPI, are_further=True)


@PROCESSES.operation(
    "getProcesses", "GET", "/v3/processes",
    summary="List processes",
    query=schemas.ProcessPage, answer=schemas.Processes,
    errors=(
        proposed_error(
            errors.INVALID_PARAMETER, "limit or offset is no whole number, or sort outside its values",
            "contract/processes#getProcesses",
        ),
        proposed_error(errors.OUT_OF_RANGE, "limit above its maximum", "contract/processes#getProcesses"),
    ),
)  # fmt: skip
def get_processes(caller: Caller, query: dict[str, Any]) -> dict[str, Any]:
    found = model.select(caller.account, newest_first=query["sort"] == "desc")
    page = found[query["offset"] : query["offset"] + query["limit"]]
    return {"processes": list(map(model.shown, page)), "count": len(found)}


@PROCESSES.operation(
    "getProcess", "GET", "/v3/processes/{processId}",
    summary="Read a process",
    params=schemas.ProcessPath, answer=schemas.ProcessOut,
    errors=(
        proposed_error(errors.INVALID_PARAMETER, "processId is not an integer", "contract/processes#getProcess"),
        documented_error(errors.DOCUMENT_NOT_FOUND, "unknown processId", OPENAPI),
    ),
)  # fmt: skip
def get_process(caller: Caller, process_id: int) -> dict[str, Any]:
    return model.shown(model.get(caller, process_id))
