"""The form of the control API's answers, for its document alone: nothing is loaded or dumped by these.

A call names its own in its declaration; the module is imported when the document is asked for.
"""

from __future__ import annotations

from typing import Any

from marshmallow import INCLUDE, Schema, fields, validate

from mockserver.core.contract import Mark, Role
from mockserver.core.errors import ALL_CODES
from mockserver.core.faults import KINDS
from mockserver.resources.domains.model import ANSWERS
from mockserver.resources.rooms import OPERATIONS
from mockserver.scenario.faults import FaultItem
from mockserver.scenario.schema import scenario_schema
from mockserver.web.schema import Base


def _needed(kind: type[fields.Field[Any]], *arguments: Any, about: str = "", **options: Any) -> Any:
    """A member that is always there."""
    return kind(*arguments, required=True, metadata={"description": about} if about else {}, **options)


def _text(about: str = "", **options: Any) -> Any:
    return _needed(fields.String, about=about, **options)


def _number(about: str = "", least: int = 0, **options: Any) -> Any:
    return _needed(fields.Integer, about=about, validate=validate.Range(min=least), **options)


def _moment(about: str = "", **options: Any) -> Any:
    return _needed(fields.DateTime, about=about, **options)


def _flag(about: str = "") -> Any:
    return _needed(fields.Boolean, about=about)


def _texts(about: str = "", **options: Any) -> Any:
    return _needed(fields.List, fields.String(), about=about, **options)


def _object(values: Any = None, about: str = "", **options: Any) -> Any:
    return _needed(fields.Dict, about=about, keys=fields.String(), values=values, **options)


def _part(schema: type[Schema], **options: Any) -> Any:
    return _needed(fields.Nested, schema, **options)


def _many(schema: type[Schema], about: str = "", **options: Any) -> Any:
    return _needed(fields.List, fields.Nested(schema), about=about, **options)


def _listing(schema: type[Schema], name: str, **members: Any) -> type[Schema]:
    """The form of all lists."""
    count = _number("of all, where only a part is given")
    return Base.from_dict({"items": _many(schema), "count": count, **members}, name=name)


def _evicted() -> Any:
    return _number("how many had to go, as there is a limit")


# ---------------------------------------------------------------------- index and health


class CallLine(Base):
    method = _text()
    path = _text("with its parameters in braces")
    does = _text()


Index = _listing(CallLine, "Index")


class Health(Base):
    status = _text(validate=validate.Equal("ok"))
    version = _text()
    scenario = _text("of the workspace `default`")
    workspaces = _number("how many there are")
    evicted = _number("how many workspaces had to go for newer ones")
    store = _text(validate=validate.Equal("memory"))
    uptime_s = _needed(fields.Float, validate=validate.Range(min=0))


# ---------------------------------------------------------------------- workspaces and their state


class WorldAccount(Base):
    name = _text()
    role = _needed(fields.Enum, Role, by_value=True)
    api_key = _text("null where no key opens it", allow_none=True)


class World(Base):
    name = _text()
    api_key = _text("of its first account; null where no key opens it", allow_none=True)
    scenario = _text("from which it was made; `document` where that came with the call")
    url = _text("the base address for a client of the service")
    accounts = _many(WorldAccount)


Worlds = _listing(World, "Worlds")

#: A whole scenario.
Scenario = scenario_schema()


class ScenarioLine(Base):
    name = _text()
    description = _text()
    error = fields.String(metadata={"description": "what is wrong with its file"})


Scenarios = _listing(ScenarioLine, "Scenarios")


class Moment(Base):
    name = _text()
    at = _moment("on the workspace's clock")


Moments = _listing(Moment, "Moments")


class Revoked(Base):
    revoked = _flag()
    workspace = _text()


# ---------------------------------------------------------------------- clock, machines and DNS


class Clock(Base):
    now = _moment()
    frozen = _flag()
    offset_s = _needed(fields.Float, about="how far it is from real time")


class _Key(fields.Field[Any]):
    """What an instance of a machine is known by; its form stands in the metadata."""


def _key() -> Any:
    return _Key(required=True, metadata={"type": ["integer", "string"]})


class Fired(Base):
    at = _moment()
    machine = _text()
    key = _key()
    event = _text()


class Advanced(Clock):
    fired = _many(Fired, "the timed events that happened on the way")


class Transition(Base):
    event = _text()
    source = _text("`-` before it is there", data_key="from")
    to = _text("`-` when it is gone")


class Machine(Base):
    name = _text()
    states = _texts()
    timed = _texts("the events that time brings about")
    transitions = _many(Transition)
    mermaid = _text("a diagram")


Machines = _listing(Machine, "Machines")


class Instance(Base):
    """Further members are the machine's own: a sender's code and when it expires, say."""

    class Meta:
        unknown = INCLUDE

    key = _key()
    account = _text()
    state = _text()
    allowed = _texts("the events that apply")


Instances = _listing(Instance, "Instances")


def _record() -> Any:
    return _text(validate=validate.OneOf(ANSWERS))


class Dns(Base):
    domain = _text()
    brevo_code = _record()
    dkim_record = _record()
    dmarc_record = _record()


# ---------------------------------------------------------------------- faults


class FaultKind(Base):
    fault = _text(validate=validate.OneOf(KINDS))
    does = _text()
    parameters = _texts()
    status = fields.Integer(metadata={"description": "of a named fault; so are those below"})
    code = fields.String(validate=validate.OneOf(ALL_CODES))
    message = fields.String()
    operations = fields.List(fields.String(validate=validate.OneOf(OPERATIONS)))


Catalogue = _listing(FaultKind, "Catalogue")


class Rule(FaultItem):
    """A rule as it was written, with what has come of it."""

    id = _text()
    hits = _number()
    active = _flag("whether it can still hit")
    expires_at = fields.DateTime()  # type: ignore[assignment]  # what is answered is never relative


Rules = _listing(Rule, "Rules")


# ---------------------------------------------------------------------- journal and mailbox


class Sent(Base):
    headers = _object(fields.String(), "secrets are redacted")
    body = _needed(fields.Raw, allow_none=True, about="the value of JSON, else the text; null where there is none")


class Change(Base):
    at = _moment()
    machine = _text()
    key = _key()
    event = _text()
    source = _text(data_key="from")
    to = _text()


class Request(Base):
    id = _needed(fields.UUID, about="the answer's `sib-request-id`")
    at = _moment()
    operation = _text("null where no operation is meant", allow_none=True)
    method = _text()
    path = _text()
    query = _object(about="a text each, a list where a name stands there twice")
    account = _text("null where the key opens none", allow_none=True)
    request = _part(Sent)
    status = _number("null where the client got no HTTP answer", least=100, allow_none=True)
    answer = _part(Sent, allow_none=True)
    fault = _text("the rule that hit", allow_none=True)
    transitions = _many(Change)
    warnings = _texts("what was sent and is ignored")
    reason = _text("why the answer is no success", allow_none=True)
    ms = _needed(fields.Float, validate=validate.Range(min=0))


Requests = _listing(Request, "Requests", evicted=_evicted())


class Differing(Base):
    path = _text("a JSON Pointer")
    wanted = _needed(fields.Raw, allow_none=True)
    got = _needed(fields.Raw, allow_none=True)


class NearMiss(Base):
    id = _needed(fields.UUID)
    operation = _text(allow_none=True)
    method = _text()
    path = _text()
    differences = _many(Differing)


class Verdict(Base):
    satisfied = _flag()
    matched = _number()
    ids = _needed(fields.List, fields.UUID())
    near_misses = _many(NearMiss, "the fewest differences first, where too few match")


class Mail(Base):
    id = _text()
    at = _moment()
    to = _text()
    sender = _text(data_key="from")
    subject = _text()
    text = _text()
    html = _text()
    otp = _number("the one-time code in it", allow_none=True)


Mails = _listing(Mail, "Mails", evicted=_evicted())


# ---------------------------------------------------------------------- coverage


def _percent() -> Any:
    return _needed(fields.Float, about="with one decimal, rounded down", validate=validate.Range(0, 100))


class Met(Base):
    met = _number()
    of = _number()
    percent = _percent()


class Totals(Base):
    operations = _part(Met)
    statuses = _part(Met)
    codes = _part(Met)
    fields_ = _part(Met, data_key="fields")
    transitions = _part(Met)


class CodeMet(Base):
    natural = _number("answers of the service's own")
    injected = _number("answers that a fault has made")


class Unmet(Base):
    statuses = _texts()
    codes = _texts()
    fields_ = _texts(data_key="fields")


class OperationMet(Base):
    calls = _number()
    statuses = _object(fields.Integer(), "how often each was met")
    codes = _object(fields.Nested(CodeMet))
    fields_ = _object(fields.Integer(), "how often each optional one was sent", data_key="fields")
    unmet = _part(Unmet)


class Coverage(Base):
    percent = _percent()
    totals = _part(Totals)
    operations = _object(fields.Nested(OperationMet), "those that were called")
    transitions = _object(fields.Dict(keys=fields.String(), values=fields.Integer()), "by machine and event")
    missing = _texts("a sentence each, the most telling first")


# ---------------------------------------------------------------------- documents


class OpenApi(Base):
    class Meta:
        unknown = INCLUDE

    openapi = _text(validate=validate.Regexp(r"3\.1\.[0-9]+\Z"))
    info = _object()
    paths = _object()


def _mark() -> Any:
    return _needed(fields.Enum, Mark, by_value=True)


class FieldEvidence(Base):
    place = _text(data_key="in", validate=validate.OneOf(("path", "query", "body", "answer")))
    name = _text()
    mark = _mark()
    source = _text()


class ErrorEvidence(Base):
    status = _number(least=400)
    code = _text()
    when = _text()
    mark = _mark()
    source = _text()


class Evidence(Base):
    method = _text()
    path = _text()
    source = _text()
    fields_ = _many(FieldEvidence, data_key="fields")
    errors = _many(ErrorEvidence)
    notes = _texts()


class Fidelity(Base):
    totals = _object(fields.Integer())
    operations = _object(fields.Nested(Evidence))
