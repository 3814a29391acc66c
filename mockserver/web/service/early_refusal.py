"""The refusal of a request that was not read to its end, and so reaches no handler."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from werkzeug.wrappers import Response

from mockserver.core.contract.errors import BAD_REQUEST, INTERNAL_ERROR, ErrorCode
from mockserver.core.contract.operation import Audience
from mockserver.web.endpoints.oauth_error import NO_STORE, oauth_code
from mockserver.web.routing.audience import audience_of
from mockserver.web.routing.workspace_name import split_workspace
from mockserver.web.schemas import json_text
from mockserver.web.service.answer import answer, error_body

#: The codes of refusals by status; that of any other status is `bad_request`.
_EARLY: Mapping[int, ErrorCode] = MappingProxyType({503: INTERNAL_ERROR})


def early_refusal(path: str, status: int, message: str) -> Response:
    """The refusal: an error of the API, or of OAuth at the addresses of OAuth and of pages."""
    error = _EARLY.get(status, BAD_REQUEST)(message, status=status)
    if audience_of(split_workspace(path)[1]) is Audience.API:
        return answer(error_body(error), status, [])
    body = {"error": oauth_code(error).code, "error_description": message}
    return answer(json_text.write(body), status, list(NO_STORE))
