"""What a call answers when it is a success: what its declaration says is shown of what it gives."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from flask import Response, request

from mockserver.control.framework.declaration import DECLARED, ControlCall
from mockserver.resources.section import write_instant
from mockserver.views.base.view import Listing
from mockserver.web.schemas import json_text


def answer(row: Any) -> Response:
    """What the view of the call shows of a row, as JSON, with the status of the call.

    As rows change, this is for whoever holds the lock of their workspace.
    """
    declared = _declared()
    assert declared.answer is not None, "the call is declared to show something"
    return Response(written(declared.answer.show(row)), declared.status, content_type="application/json")


def listed(rows: Sequence[Any], count: int | None = None, **members: Any) -> Response:
    """The same of many rows; `count` is that of all, where these are only a part, and `members` stand beside it."""
    return answer(Listing.row(rows, count, **members))


def done() -> Response:
    """The answer where there is nothing to tell."""
    return Response(status=_declared().status)


def written(shown: object) -> bytes:
    """JSON in one line; moments are written as RFC 3339."""
    return json_text.write(shown, write_instant)


def _declared() -> ControlCall:
    found: ControlCall = request.environ[DECLARED]
    return found
