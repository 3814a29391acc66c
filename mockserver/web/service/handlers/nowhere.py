"""The reason, for the journal, why no operation answers a request."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol

from werkzeug.wrappers import Request

from mockserver.core.state import reasons
from mockserver.web.routing.encoded_slash import shown_path

#: The longest path that is shown whole, in characters. Chosen: above those of the service.
_LONGEST = 200


class Named(Protocol):
    """What has a method and an id: an operation."""

    @property
    def method(self) -> str: ...

    @property
    def id(self) -> str: ...


def why_nowhere(request: Request, operations: Iterable[Named]) -> str:
    """Why no operation answers a request; `operations` have its address, and take other methods."""
    shown = reasons.shown(shown_path(request), _LONGEST)
    methods = ", ".join(f"{operation.method} ({operation.id})" for operation in operations)
    if not methods:
        return f"unknown route: no operation has the path {shown}"
    return f"method {request.method} not allowed for {shown}; allowed: {methods}"
