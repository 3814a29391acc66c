"""The body of a request of the API, which is JSON."""

from __future__ import annotations

from typing import Any

from flask import Request

from mockserver.core.contract.errors import BAD_REQUEST
from mockserver.core.state import reasons
from mockserver.web.schemas import json_text

#: What stands for the value of a body that is not there.
NO_BODY: Any = object()


def read_body(request: Request) -> Any:
    """The JSON value of a request's body; `NO_BODY` when there is none, which is other than `null`.

    The Content-Type is not insisted on, as `curl -d` sends another one: that is noted only.

    Raises:
        ServiceError: 400 or 415 `bad_request`, 413 for a body over the limit.
    """
    raw = request.get_data(cache=True)
    if not raw.strip():
        return NO_BODY
    try:
        return json_text.read(raw)
    except json_text.JsonError as error:
        sent_as = reasons.shown(request.mimetype) if request.mimetype else "no type"
        reason = f"the body of {len(raw)} bytes, sent as {sent_as}, is no JSON: {reasons.shown(error, 200)}"
        if request.mimetype and "json" not in request.mimetype:
            refused = BAD_REQUEST(f"The request body must be JSON, not {request.mimetype}: {error}", status=415)
        else:
            refused = BAD_REQUEST(f"The request body is not valid JSON: {error}")
        raise refused.because(reason) from error
