"""The view of a refusal of the control API: problem details (RFC 9457)."""

from __future__ import annotations

from http import HTTPStatus

from marshmallow import fields, validate

from mockserver.views.base import members
from mockserver.views.base.view import View


class Mistake(View):
    path = members.text("a JSON Pointer into the body, or a parameter's name after a slash", attribute="pointer")
    message = members.text()


class Problem(View):
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
    state = members.maybe(fields.String, about="of 409: in which state the instance is")
    allowed = members.maybe(fields.List, fields.String(), about="of 409: which events apply")
