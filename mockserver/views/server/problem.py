"""The view of a refusal of the control API: problem details (RFC 9457)."""

from __future__ import annotations

from http import HTTPStatus

from marshmallow import fields, validate

from mockserver.scenario.documents.mistakes import BODY, TEXT, Mark
from mockserver.views.base import members
from mockserver.views.base.view import View


class Mistake(View):
    path = members.text("a JSON Pointer into the body, or a parameter's name after a slash", attribute="pointer")
    message = members.text()
    line = members.maybe(
        fields.Integer,
        about="of YAML, as a body or as the member `yaml`: in which of its lines, from 1",
        of=lambda mistake: _line(mistake.mark),
    )


def _line(mark: Mark | None) -> int | None:
    """The line of a mark in what was sent; what that extends has lines, too, but they are those of other files."""
    return mark.line if mark is not None and mark.file in (BODY, TEXT) else None


class Problem(View):
    """Problem details: the body of each refusal of the control API, of the type application/problem+json."""

    class Meta:
        description = "RFC 9457"

    type = members.text(of=lambda _: "about:blank")
    title = members.text(of=lambda problem: HTTPStatus(problem.status).phrase)
    status = members.needed(fields.Integer)
    detail = members.text()
    errors = members.maybe(
        fields.List,
        fields.Nested(Mistake),
        validate=validate.Length(min=1),
        of=lambda problem: problem.mistakes or None,
    )
    unreadable = members.maybe(fields.Boolean, about="true: what was sent as YAML cannot be read as a YAML mapping")
    state = members.maybe(fields.String, about="of 409: in which state the instance is")
    allowed = members.maybe(fields.List, fields.String(), about="of 409: which events apply")
