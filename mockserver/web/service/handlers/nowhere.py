"""The reason, for the journal, why no operation answers a request."""

from __future__ import annotations

from collections.abc import Sequence

from flask import Request

from mockserver.core.contract.operation import Operation
from mockserver.web.routing.encoded_slash import shown_path


def why_nowhere(request: Request, operations: Sequence[Operation]) -> str:
    """Why no operation answers a request; `operations` have its address, and take other methods."""
    shown = shown_path(request)
    if not operations:
        return f"no operation has the address {shown}"
    methods = ", ".join(f"{operation.method} ({operation.id})" for operation in operations)
    return f"{shown} does not take {request.method}; it takes {methods}"
