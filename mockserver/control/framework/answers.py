"""The answers of control calls that succeed, written as their declarations say."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from flask import Response, request

from mockserver.control.framework.declaration import DECLARED, ControlCall
from mockserver.resources.section import write_instant
from mockserver.views.base.view import Listing
from mockserver.web.schemas import json_text


def answer(row: Any) -> Response:
    """The JSON answer of the call: its declared view of a row, with its declared status.

    Rows change under the lock of their workspace, so the caller holds that lock.
    """
    declared = _declared()
    assert declared.answer is not None, "the call is declared to show something"
    return Response(written(declared.answer.show(row)), declared.status, content_type="application/json")


def listed(rows: Sequence[Any], count: int | None = None, **members: Any) -> Response:
    """The JSON answer of a call that lists rows, with its declared view and status.

    `count` is the number of all rows, where `rows` are only a part; `members` are further members of the answer.
    """
    return answer(Listing.row(rows, count, **members))


def done() -> Response:
    """An answer without a body, with the declared status of the call."""
    return Response(status=_declared().status)


def written(shown: object) -> bytes:
    """Plain data as JSON in one line; moments are written as RFC 3339."""
    return json_text.write(shown, write_instant)


def _declared() -> ControlCall:
    found: ControlCall = request.environ[DECLARED]
    return found
