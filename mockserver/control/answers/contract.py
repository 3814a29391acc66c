"""Answers about the mocked API: its coverage, its document, its evidence."""

from __future__ import annotations

from typing import Any

from marshmallow import INCLUDE, fields, validate

from mockserver.control.answers import members
from mockserver.core.contract.operation import Mark
from mockserver.web.schemas.schema import Base

# ---------------------------------------------------------------------- coverage


def _percent() -> Any:
    return members.needed(fields.Float, about="with one decimal, rounded down", validate=validate.Range(0, 100))


class Met(Base):
    met = members.number()
    of = members.number()
    percent = _percent()


class Totals(Base):
    operations = members.part(Met)
    statuses = members.part(Met)
    codes = members.part(Met)
    fields_ = members.part(Met, data_key="fields")
    transitions = members.part(Met)


class CodeMet(Base):
    natural = members.number("answers of the service's own")
    injected = members.number("answers that a fault has made")


class Unmet(Base):
    statuses = members.texts()
    codes = members.texts()
    fields_ = members.texts(data_key="fields")


class OperationMet(Base):
    calls = members.number()
    statuses = members.mapping(fields.Integer(), "how often each was met")
    codes = members.mapping(fields.Nested(CodeMet))
    fields_ = members.mapping(fields.Integer(), "how often each optional one was sent", data_key="fields")
    unmet = members.part(Unmet)


class Coverage(Base):
    percent = _percent()
    totals = members.part(Totals)
    operations = members.mapping(fields.Nested(OperationMet), "those that were called")
    transitions = members.mapping(fields.Dict(keys=fields.String(), values=fields.Integer()), "by machine and event")
    missing = members.texts("a sentence each, the most telling first")


# ---------------------------------------------------------------------- documents


class OpenApi(Base):
    class Meta:
        unknown = INCLUDE

    openapi = members.text(validate=validate.Regexp(r"3\.1\.[0-9]+\Z"))
    info = members.mapping()
    paths = members.mapping()


def _mark() -> Any:
    return members.needed(fields.Enum, Mark, by_value=True)


def _programs() -> Any:
    about = "public programs that show it, where the mark is observed_in_code"
    return fields.Integer(validate=validate.Range(min=1), metadata={"description": about})


class BoundsEvidence(Base):
    """What a field takes at least and at most, in the words of JSON schema."""

    class Meta:
        unknown = INCLUDE

    mark = _mark()
    source = members.text()


class FieldEvidence(Base):
    place = members.text(data_key="in", validate=validate.OneOf(("path", "query", "body", "answer")))
    name = members.text()
    mark = _mark()
    source = members.text()
    programs = _programs()
    bounds = fields.Nested(BoundsEvidence, metadata={"description": "where more than its type bounds it"})


class ErrorEvidence(Base):
    status = members.number(least=400)
    code = members.text()
    when = members.text()
    mark = _mark()
    source = members.text()
    programs = _programs()


class Evidence(Base):
    method = members.text()
    path = members.text()
    source = members.text()
    fields_ = members.many(FieldEvidence, data_key="fields")
    errors = members.many(ErrorEvidence)
    notes = members.texts()


class Fidelity(Base):
    totals = members.mapping(fields.Integer())
    operations = members.mapping(fields.Nested(Evidence))
