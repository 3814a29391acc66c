"""Problem details (RFC 9457): how the control API says no, with every mistake at once."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import PurePath

from flask import Response

from mockserver.core.time.state_machine import TransitionRefused
from mockserver.scenario.documents.mistakes import Mistake
from mockserver.views.server import problem as view
from mockserver.web.schemas import json_text


class Problem(Exception):
    """A refusal of the control API; nothing has changed."""

    def __init__(self, status: int, detail: str) -> None:
        super().__init__(detail)
        self.status, self.detail = status, detail
        #: What is wrong with a body, place by place.
        self.mistakes: Sequence[Mistake] = ()
        #: Where an event does not apply: the state of the instance, and the events that would.
        self.state: str | None = None
        self.allowed: Sequence[str] | None = None

    def response(self) -> Response:
        shown = json_text.write(view.Problem.show(self))
        return Response(shown, self.status, content_type="application/problem+json")


def of_transition(error: TransitionRefused) -> Problem:
    """The problem of an event that does not apply: it tells the state, and which events would."""
    found = Problem(409, str(error))
    found.state, found.allowed = error.state, error.allowed
    return found


def of_mistakes(mistakes: Iterable[Mistake], status: int = 400) -> Problem:
    """The problem of a bad body or scenario."""
    rows = [_without_folder(row.bounded()) for row in mistakes]
    found = Problem(status, "; ".join(map(str, rows)))
    found.mistakes = rows
    return found


def _without_folder(row: Mistake) -> Mistake:
    """A mistake whose file is told by its name: where the server keeps it is no caller's business."""
    return row if row.mark is None else row._replace(mark=row.mark._replace(file=PurePath(row.mark.file).name))


def of_one(name: str, message: str) -> Problem:
    """The problem of a member or a parameter that its schema takes, and something else refuses."""
    return of_mistakes([Mistake((name,), message)])
