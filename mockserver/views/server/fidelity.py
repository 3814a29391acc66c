"""The view of the fidelity record: how sure each field and each error of the mocked API is.

Its row is plain data already (`as_given`), as commands hold the same record.
"""

from __future__ import annotations

from typing import Any

from marshmallow import INCLUDE, fields, validate

from mockserver.core.contract.operation import Mark
from mockserver.views.base import members
from mockserver.views.base.view import View, listing
from mockserver.web.service.beyond import CHOICES


class OperationBeyond(View):
    operation = members.text()
    method = members.text()
    path = members.text()
    status = members.number("that of success", least=100)
    answered = members.text("how a call is answered where no stub does", validate=validate.OneOf(CHOICES.values()))
    stubs = members.texts("the stubs of the workspace that can have its address")


OperationsBeyond = listing(OperationBeyond, "OperationsBeyond")


class OpenApi(View):
    class Meta:
        unknown = INCLUDE

    as_given = True

    openapi = members.text(validate=validate.Regexp(r"3\.1\.[0-9]+\Z"))
    info = members.mapping()
    paths = members.mapping()


def _mark() -> Any:
    return members.needed(fields.Enum, Mark, by_value=True)


def _programs() -> Any:
    about = "public programs that show it, where the mark is observed_in_code"
    return fields.Integer(validate=validate.Range(min=1), metadata={"description": about})


class BoundsEvidence(View):
    """What a field takes at least and at most, in the words of JSON schema."""

    class Meta:
        unknown = INCLUDE

    mark = _mark()
    source = members.text()


class FieldEvidence(View):
    place = members.text(data_key="in", validate=validate.OneOf(("path", "query", "body", "answer")))
    name = members.text()
    mark = _mark()
    source = members.text()
    programs = _programs()
    bounds = fields.Nested(BoundsEvidence, metadata={"description": "where more than its type bounds it"})


class ErrorEvidence(View):
    status = members.number(least=400)
    code = members.text()
    when = members.text()
    mark = _mark()
    source = members.text()
    programs = _programs()


class Evidence(View):
    method = members.text()
    path = members.text()
    source = members.text()
    fields_ = members.many(FieldEvidence, data_key="fields")
    errors = members.many(ErrorEvidence)
    notes = members.texts()


class Fidelity(View):
    as_given = True

    totals = members.mapping(fields.Integer())
    operations = members.mapping(fields.Nested(Evidence))
