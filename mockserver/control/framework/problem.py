"""Refusals of the control API, as problem details (RFC 9457) that name all validation errors."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from http import HTTPStatus
from pathlib import PurePath
from typing import TypeVar

from flask import Response

from mockserver.core.state.identifiers import MISDIRECTED
from mockserver.core.text.messages import shown
from mockserver.core.time.state_machine import TransitionRefused
from mockserver.scenario.documents.mistakes import BODY, TEXT, Mistake
from mockserver.views.record import sent
from mockserver.views.server_records import MistakeLine, ProblemDetails
from mockserver.web.schemas import json_text

Found = TypeVar("Found")


class Problem(Exception):
    """A refusal of the control API; the refused call has changed nothing."""

    def __init__(self, status: int, detail: str) -> None:
        super().__init__(detail)
        self.status, self.detail = status, detail
        #: The validation errors of the query or the body.
        self.mistakes: Sequence[Mistake] = ()
        #: True where YAML was sent that cannot be read, so that its content was not checked.
        self.unreadable: bool | None = None
        #: Set where an event does not apply: the state of the instance, and the events that apply in it.
        self.state: str | None = None
        self.allowed: Sequence[str] | None = None
        #: Further headers of the answer.
        self.headers: dict[str, str] = {}

    def response(self) -> Response:
        errors = [MistakeLine(row.pointer, row.message, _line(row)) for row in self.mistakes] or None
        title = HTTPStatus(self.status).phrase
        details = ProblemDetails(
            "about:blank", title, self.status, self.detail, errors, self.unreadable, self.state, self.allowed
        )
        body = json_text.write(details, sent)
        return Response(body, self.status, self.headers, content_type="application/problem+json")


def _line(mistake: Mistake) -> int | None:
    """Return the line in the text that was sent; lines of files that the text extends are not shown."""
    return mistake.mark.line if mistake.mark is not None and mistake.mark.file in (BODY, TEXT) else None


def of_transition(error: TransitionRefused) -> Problem:
    """Return a 409 for an event that does not apply, listing state and allowed events."""
    found = Problem(409, str(error))
    found.state, found.allowed = error.state, error.allowed
    return found


def of_misdirected(detail: str, header: str, value: str) -> Problem:
    """Return a 421 for a call of another replica; a header names or leads to the replica."""
    found = Problem(MISDIRECTED, detail)
    found.headers = {header: value}
    return found


def of_mistakes(mistakes: Iterable[Mistake], status: int = 400, *, unreadable: bool | None = None) -> Problem:
    """Return the problem of an invalid query, body or scenario, or of `unreadable` YAML."""
    rows = [_without_folder(row.bounded()) for row in mistakes]
    found = Problem(status, "; ".join(map(str, rows)))
    found.mistakes, found.unreadable = rows, unreadable
    return found


def _without_folder(row: Mistake) -> Mistake:
    """Remove the folder from the file of a validation error: clients do not see where the server keeps files."""
    return row if row.mark is None else row._replace(mark=row.mark._replace(file=PurePath(row.mark.file).name))


def unknown(noun: str, given: str, advice: str) -> Problem:
    """Return the 404 for an unknown name or id in an address; `advice` lists known names or points to a list."""
    return Problem(404, f"unknown {noun} {shown(given)}; {advice}")


def existing(found: Found | None, noun: str, given: str, advice: str) -> Found:
    """Return what a call has looked up."""
    if found is None:
        raise unknown(noun, given, advice)
    return found


def of_one(name: str, message: str) -> Problem:
    """Return the 400 for one member or parameter that breaks a rule beyond its schema."""
    return of_mistakes([Mistake((name,), message)])
