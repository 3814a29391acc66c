"""The body of a request of the API, which is JSON."""

from __future__ import annotations

from typing import Any

from werkzeug.wrappers import Request

from mockserver.core.contract.errors import BAD_REQUEST
from mockserver.core.state import reasons
from mockserver.core.text.messages import counted
from mockserver.web.endpoints.service_request import body_of
from mockserver.web.schemas import json_text

#: The result of reading a body that is not there; a body may be `null`, which is None.
NO_BODY: Any = object()
#: How many characters of the parser's message a reason shows. Chosen: all of an ordinary message.
_LONGEST_MESSAGE = 200


def read_body(request: Request, deepest: int = json_text.DEEPEST) -> Any:
    """The JSON value of a request's body, of `deepest` levels at most, or `NO_BODY` if it has none.

    JSON is taken under any Content-Type, as `curl -d` sends that of a form.

    Raises:
        ServiceError: 400 `bad_request`, or 415 if the Content-Type is another one; the body is not valid JSON.
        RequestEntityTooLarge: the body is over the limit.
    """
    raw = body_of(request)
    if not raw.strip():
        return NO_BODY
    try:
        return json_text.read(raw, deepest)
    except json_text.JsonError as error:
        sent_as = f"Content-Type {reasons.shown(request.mimetype)}" if request.mimetype else "no Content-Type"
        message = reasons.shown(error, _LONGEST_MESSAGE)
        reason = f"the body is not valid JSON: {message} ({counted(len(raw), 'byte')}, {sent_as})"
        if request.mimetype and "json" not in request.mimetype:
            refused = BAD_REQUEST(f"The request body must be JSON, not {request.mimetype}: {error}", status=415)
        else:
            refused = BAD_REQUEST(f"The request body is not valid JSON: {error}")
        raise refused.because(reason) from error
