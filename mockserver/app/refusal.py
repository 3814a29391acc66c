"""The refusal of a request of which no handler knows, in the format of the audience of its path."""

from __future__ import annotations

from werkzeug.wrappers import Response

from mockserver.web.routing.audience import CONTROL_PREFIX
from mockserver.web.routing.workspace_name import split_workspace
from mockserver.web.service.early_refusal import early_refusal


def refusal(path: str, status: int, message: str) -> Response:
    """The refusal: a problem of the control API, or an error of the API, of OAuth or of pages."""
    if split_workspace(path)[1].startswith(CONTROL_PREFIX):
        from mockserver.control.framework.problem import Problem, protect  # noqa: PLC0415  # not needed to start

        return protect(Problem(status, message).response())
    return early_refusal(path, status, message)
