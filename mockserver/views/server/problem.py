"""Problem details (RFC 9457): how the control API refuses."""

from __future__ import annotations

from marshmallow import fields, validate

from mockserver.views.form import members
from mockserver.views.form.view import View


class Mistake(View):
    path = members.text("a JSON Pointer into the body, or a parameter's name after a slash")
    message = members.text()


class Problem(View):
    class Meta:
        description = "RFC 9457"

    type = members.text()
    title = members.text()
    status = members.needed(fields.Integer)
    detail = members.text()
    errors = members.maybe(fields.List, fields.Nested(Mistake), validate=validate.Length(min=1))
    state = members.maybe(fields.String, about="of 409: in which state the instance is")
    allowed = members.maybe(fields.List, fields.String(), about="of 409: which events apply")
