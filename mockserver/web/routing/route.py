"""Where a request leads."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from mockserver.core.contract.operation import Audience
from mockserver.web.endpoints.endpoint import Endpoint
from mockserver.web.routing.workspace_name import WorkspaceName


class Route(NamedTuple):
    """What the address of a request says, found once."""

    #: What answers; None: the address leads nowhere, or not with this method.
    endpoint: Endpoint | None
    #: Whom the address speaks with.
    audience: Audience
    #: As the service sees it, without the `/w/<name>` of a workspace.
    path: str
    #: The path's parameters.
    params: Mapping[str, str]
    #: For which workspace the request is.
    workspace: WorkspaceName

    @property
    def operation(self) -> str | None:
        """The id of the operation that is called."""
        return None if self.endpoint is None else self.endpoint.operation.id
