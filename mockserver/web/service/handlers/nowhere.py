"""Why a request leads nowhere."""

from __future__ import annotations

from collections.abc import Sequence

from flask import Request

from mockserver.core.contract.operation import Operation
from mockserver.web.routing.encoded_slash import shown_path


def why_nowhere(request: Request, operations: Sequence[Operation]) -> str:
    """Why a request leads nowhere, whose address is that of these operations."""
    shown = shown_path(request)
    if not operations:
        return f"no operation has the address {shown}"
    methods = ", ".join(f"{operation.method} ({operation.id})" for operation in operations)
    return f"{shown} does not take {request.method}; it takes {methods}"
