"""The view of a coverage report: which part of the contract was met.

Its rows are plain data already (`as_given`), as commands and files hold the same figures.
"""

from __future__ import annotations

from typing import Any

from marshmallow import fields, validate

from mockserver.views.base import members
from mockserver.views.base.view import View


def _percent() -> Any:
    return members.needed(
        fields.Float,
        about="with one decimal, rounded down; 0 where nothing is counted",
        validate=validate.Range(0, 100),
    )


class Met(View):
    met = members.number()
    of = members.number()
    percent = _percent()


class Totals(View):
    operations = members.part(Met)
    statuses = members.part(Met)
    codes = members.part(Met)
    fields_ = members.part(Met, data_key="fields")
    transitions = members.part(Met)


class CodeMet(View):
    natural = members.number("answers of the service's own")
    injected = members.number("answers that a fault has made")


class Unmet(View):
    statuses = members.texts()
    codes = members.texts()
    fields_ = members.texts(data_key="fields")


class OperationMet(View):
    calls = members.number()
    statuses = members.mapping(fields.Integer(), "how often each was met")
    codes = members.mapping(fields.Nested(CodeMet))
    fields_ = members.mapping(fields.Integer(), "how often each optional one was sent", data_key="fields")
    unmet = members.part(Unmet)


class CalledBeyond(View):
    calls = members.number()
    answered = members.mapping(fields.Integer(), "how often in which way: refused, shaped, stubbed and so on")


class Coverage(View):
    """What the tests of a workspace, or of all of them, have called and met."""

    as_given = True

    percent = _percent()
    of = members.text("what is counted, as asked for: specification, all, used, or names with commas")
    counted = members.texts("the operations and state machines that are counted")
    totals = members.part(Totals)
    operations = members.mapping(fields.Nested(OperationMet), "those that were called")
    further = members.mapping(
        fields.Nested(OperationMet), "the operations of sending and contacts that were called; counted with of=all"
    )
    transitions = members.mapping(fields.Dict(keys=fields.String(), values=fields.Integer()), "by machine and event")
    missing = members.texts("a sentence each, the most telling first")
    beyond = members.mapping(
        fields.Nested(CalledBeyond), "operations that the service has and the mock has not; no percentage counts them"
    )
