"""Refusals of the control API, as problem details (RFC 9457) that name every mistake at once."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import PurePath

from flask import Response

from mockserver.core.state.identifiers import MISDIRECTED
from mockserver.core.time.state_machine import TransitionRefused
from mockserver.scenario.documents.mistakes import Mistake
from mockserver.views.server import problem as view
from mockserver.web.schemas import json_text


class Problem(Exception):
    """A refusal of the control API; the refused call has changed nothing."""

    def __init__(self, status: int, detail: str) -> None:
        super().__init__(detail)
        self.status, self.detail = status, detail
        #: What is wrong with the query or the body, member by member.
        self.mistakes: Sequence[Mistake] = ()
        #: True where what was sent as YAML cannot be read: what it describes was not looked at.
        self.unreadable: bool | None = None
        #: Set where an event does not apply: the state of the instance, and the events that apply in it.
        self.state: str | None = None
        self.allowed: Sequence[str] | None = None
        #: Headers of the answer that others have not.
        self.headers: dict[str, str] = {}

    def response(self) -> Response:
        """The refusal as an HTTP response."""
        shown = json_text.write(view.Problem.show(self))
        return Response(shown, self.status, self.headers, content_type="application/problem+json")


def of_transition(error: TransitionRefused) -> Problem:
    """A 409 for an event that does not apply, with the state of the instance and the events that apply in it."""
    found = Problem(409, str(error))
    found.state, found.allowed = error.state, error.allowed
    return found


def of_misdirected(detail: str, header: str, value: str) -> Problem:
    """A 421 for a call that belongs to another replica, which is the one that a header tells or leads to."""
    found = Problem(MISDIRECTED, detail)
    found.headers = {header: value}
    return found


def of_mistakes(mistakes: Iterable[Mistake], status: int = 400, *, unreadable: bool | None = None) -> Problem:
    """The problem of a query, a body or a scenario with mistakes; of YAML that cannot be read if `unreadable`."""
    rows = [_without_folder(row.bounded()) for row in mistakes]
    found = Problem(status, "; ".join(map(str, rows)))
    found.mistakes, found.unreadable = rows, unreadable
    return found


def _without_folder(row: Mistake) -> Mistake:
    """A mistake whose file has lost its folder: where the server keeps files is no business of the client's."""
    return row if row.mark is None else row._replace(mark=row.mark._replace(file=PurePath(row.mark.file).name))


def unknown(noun: str, given: str, advice: str) -> Problem:
    """Return the 404 for an unknown name or id in an address; `advice` says which ones are known, or where to look."""
    return Problem(404, f"unknown {noun} {given!r}; {advice}")


def of_one(name: str, message: str) -> Problem:
    """A 400 for one member or parameter: its schema admits the value, and a rule beyond the schema does not."""
    return of_mistakes([Mistake((name,), message)])
