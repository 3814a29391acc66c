"""Problem details (RFC 9457): how the control API says no, with every mistake at once."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from http import HTTPStatus
from pathlib import PurePath
from typing import Any

from flask import Response

from mockserver.scenario.documents.mistakes import Mistake
from mockserver.views.server import problem as view
from mockserver.web.schemas import json_text


class Problem(Exception):
    """A refusal of the control API; nothing has changed."""

    def __init__(self, status: int, detail: str, *, errors: Sequence[Mapping[str, str]] = (), **members: Any) -> None:
        super().__init__(detail)
        self.status, self.detail, self.errors, self.members = status, detail, errors, members

    def response(self) -> Response:
        body = view.Problem.show(
            {
                "type": "about:blank",
                "title": HTTPStatus(self.status).phrase,
                "status": self.status,
                "detail": self.detail,
                "errors": self.errors or None,
                **self.members,
            }
        )
        return Response(json_text.write(body), self.status, content_type="application/problem+json")


def of_mistakes(mistakes: Iterable[Mistake], status: int = 400) -> Problem:
    """The problem of a bad body or scenario."""
    rows = [_without_folder(row.bounded()) for row in mistakes]
    errors = [{"path": row.pointer, "message": row.message} for row in rows]
    return Problem(status, "; ".join(str(row) for row in rows), errors=errors)


def _without_folder(row: Mistake) -> Mistake:
    """A mistake whose file is told by its name: where the server keeps it is no caller's business."""
    return row if row.mark is None else row._replace(mark=row.mark._replace(file=PurePath(row.mark.file).name))


def of_one(name: str, message: str) -> Problem:
    """The problem of a member or a parameter that its schema takes, and something else refuses."""
    return of_mistakes([Mistake((name,), message)])
