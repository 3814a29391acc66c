"""What a call answers, when it is a success."""

from __future__ import annotations

from typing import Any

from flask import Response

from mockserver.resources.section import write_instant
from mockserver.web.schemas import json_text


def answer(data: object, status: int = 200) -> Response:
    """A JSON answer; moments are written as RFC 3339."""
    return Response(written(data), status, content_type="application/json")


def written(data: object) -> bytes:
    """JSON in one line; moments are written as RFC 3339."""
    return json_text.write(data, write_instant)


def listed(items: list[Any], count: int | None = None, **members: Any) -> Response:
    """The form of all lists; `count` is that of all, where only a part is given."""
    return answer({"items": items, "count": len(items) if count is None else count, **members})


def done() -> Response:
    """The answer where there is nothing to tell."""
    return Response(status=204)
