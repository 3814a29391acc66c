"""Answers about faults, the journal and the mailbox."""

from __future__ import annotations

from marshmallow import fields, validate

from mockserver.control.answers import members
from mockserver.core.contract.errors import ALL_CODES
from mockserver.core.state.faults import FAULT_KINDS
from mockserver.core.traffic.mailbox import FAILED, SENT, WAITING
from mockserver.resources.registry import ALL_OPERATIONS
from mockserver.scenario.rules.faults import FaultItem
from mockserver.web.schemas.schema import Base

# ---------------------------------------------------------------------- faults


class FaultKind(Base):
    fault = members.text(validate=validate.OneOf(FAULT_KINDS))
    does = members.text()
    parameters = members.texts()
    status = fields.Integer(metadata={"description": "of a named fault; so are those below"})
    code = fields.String(validate=validate.OneOf(ALL_CODES))
    message = fields.String()
    operations = fields.List(fields.String(validate=validate.OneOf(ALL_OPERATIONS)))


Catalogue = members.listing(FaultKind, "Catalogue")


class Rule(FaultItem):
    """A rule as it was written, with what has come of it."""

    id = members.text()
    hits = members.number()
    active = members.flag("whether it can still hit")
    expires_at = fields.DateTime()  # type: ignore[assignment]  # what is answered is never relative


Rules = members.listing(Rule, "Rules")


# ---------------------------------------------------------------------- journal and mailbox


class Sent(Base):
    headers = members.mapping(fields.String(), "secrets are redacted")
    body = members.needed(
        fields.Raw, allow_none=True, about="the value of JSON, else the text; null where there is none"
    )


class Change(Base):
    at = members.moment()
    machine = members.text()
    key = members.key()
    event = members.text()
    source = members.source()
    to = members.target()


class Request(Base):
    """An exchange as the journal shows it."""

    id = members.needed(fields.UUID, about="the answer's `sib-request-id`")
    at = members.moment()
    operation = members.text("null where no operation is meant", allow_none=True)
    method = members.text()
    path = members.text()
    query = members.mapping(about="a text each, a list where a name stands there twice")
    account = members.text("null where the key opens none", allow_none=True)
    request = members.part(Sent)
    status = members.number("null where the client got no HTTP answer", least=100, allow_none=True)
    answer = members.part(Sent, allow_none=True)
    fault = members.text("the rule that hit", allow_none=True)
    transitions = members.many(Change)
    warnings = members.texts("what was sent and is ignored")
    reason = members.text("why the answer is no success", allow_none=True)
    ms = members.needed(fields.Float, validate=validate.Range(min=0))


Requests = members.listing(Request, "Requests", evicted=members.evicted())


class Differing(Base):
    path = members.text("a JSON Pointer")
    wanted = members.needed(fields.Raw, allow_none=True)
    got = members.needed(fields.Raw, allow_none=True)


class NearMiss(Base):
    id = members.needed(fields.UUID)
    operation = members.text(allow_none=True)
    method = members.text()
    path = members.text()
    differences = members.many(Differing, "the first hundred")
    further = fields.Integer(
        validate=validate.Range(1), metadata={"description": "how many more there are, where there are more"}
    )


class Verdict(Base):
    satisfied = members.flag()
    matched = members.number()
    ids = members.needed(fields.List, fields.UUID())
    near_misses = members.many(NearMiss, "the fewest differences first, where too few match")


class Sending(Base):
    state = members.text(validate=validate.OneOf((WAITING, SENT, FAILED)))
    tries = members.number("how often it was tried")
    error = members.text("what went wrong the last time", allow_none=True)


class Mail(Base):
    id = members.text()
    at = members.moment()
    to = members.text()
    sender = members.text(data_key="from")
    subject = members.text()
    text = members.text()
    html = members.text()
    otp = members.number("the one-time code in it", allow_none=True)
    account = members.text("whose affair it is", allow_none=True)
    machine = members.text("the state machine that it is about", allow_none=True)
    key = members.key(allow_none=True)
    request = members.text("the id of the request that has caused it; null where none has", allow_none=True)
    smtp = fields.Nested(
        Sending, metadata={"description": "how far it has come on its way to the server of --smtp-url"}
    )


Mails = members.listing(Mail, "Mails", evicted=members.evicted())
