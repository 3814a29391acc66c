"""Answers about the server, its workspaces, and what stands in one."""

from __future__ import annotations

from typing import Any

from marshmallow import INCLUDE, fields, validate

from mockserver.control.answers import members
from mockserver.core.contract.operation import Role
from mockserver.resources.domains.model import ANSWERS, POLICIES
from mockserver.scenario.schema import scenario_schema
from mockserver.web.schemas.schema import Base

# ---------------------------------------------------------------------- index and health


class CallLine(Base):
    method = members.text()
    path = members.text("with its parameters in braces")
    does = members.text()


Index = members.listing(CallLine, "Index")


class SmtpHealth(Base):
    server = members.text("where e-mails go")
    sent = members.number()
    failed = members.number("for good")
    waiting = members.number("for their turn, or for the next try")
    last_error = members.text(allow_none=True)


class SmtpInHealth(Base):
    address = members.text("where mails are taken")
    received = members.number()


class Health(Base):
    status = members.text(validate=validate.Equal("ok"))
    version = members.text()
    scenario = members.text("of the workspace `default`")
    workspaces = members.number("how many there are")
    evicted = members.number("how many workspaces had to go for newer ones")
    store = members.text(validate=validate.Equal("memory"))
    uptime_s = members.needed(fields.Float, validate=validate.Range(min=0))
    smtp = fields.Nested(SmtpHealth, metadata={"description": "where --smtp-url is set"})
    smtp_in = fields.Nested(SmtpInHealth, metadata={"description": "where --smtp-in is set"})


# ---------------------------------------------------------------------- workspaces and their state


class WorkspaceAccount(Base):
    name = members.text()
    role = members.needed(fields.Enum, Role, by_value=True)
    api_key = members.text("null where no key opens it", allow_none=True)


class Workspace(Base):
    name = members.text()
    api_key = members.text("of its first account; null where no key opens it", allow_none=True)
    scenario = members.text("from which it was made; `document` where that came with the call")
    url = members.text("the base address for a client of the service")
    accounts = members.many(WorkspaceAccount)


Workspaces = members.listing(Workspace, "Workspaces")

#: A whole scenario.
Scenario = scenario_schema()
#: What a workspace gets added: a partial scenario, and the account that gets what stands at its top.
Seed = type(Scenario).from_dict({"account": fields.String()}, name="SeedItem")()


class ScenarioLine(Base):
    name = members.text()
    description = members.text()
    error = fields.String(metadata={"description": "what is wrong with its file"})


Scenarios = members.listing(ScenarioLine, "Scenarios")


class Moment(Base):
    name = members.text()
    at = members.moment("on the workspace's clock")


Moments = members.listing(Moment, "Moments")


class Revoked(Base):
    revoked = members.flag()
    workspace = members.text()


# ---------------------------------------------------------------------- clock, machines and DNS


class Clock(Base):
    now = members.moment()
    frozen = members.flag()
    offset_s = members.needed(fields.Float, about="how far it is from real time")


class Fired(Base):
    at = members.moment()
    machine = members.text()
    key = members.key()
    event = members.text()


class Advanced(Clock):
    fired = members.many(Fired, "the timed events that happened on the way")


class Transition(Base):
    event = members.text()
    source = members.source()
    to = members.target()


class Machine(Base):
    name = members.text()
    states = members.texts()
    timed = members.texts("the events that time brings about")
    transitions = members.many(Transition)
    mermaid = members.text("a diagram")


Machines = members.listing(Machine, "Machines")


class Instance(Base):
    """Further members are the machine's own: a sender's code and when it expires, say."""

    class Meta:
        unknown = INCLUDE

    key = members.key()
    account = members.text()
    state = members.text()
    allowed = members.texts("the events that apply")


Instances = members.listing(Instance, "Instances")


def _record() -> Any:
    return members.text(validate=validate.OneOf(ANSWERS))


class Dns(Base):
    domain = members.text()
    brevo_code = _record()
    dkim_record = _record()
    dmarc_record = _record()
    dmarc_policy = members.text("a sub-domain has that of its registrable domain", validate=validate.OneOf(POLICIES))
    free_mail = fields.Boolean(metadata={"description": "true, and there only then: no user can have the domain"})


# ---------------------------------------------------------------------- apps


class OAuthApp(Base):
    client_id = members.text()
    client_secret = fields.String(metadata={"description": "a public app has none"})
    name = members.text()
    redirect_uris = members.texts()
    scopes = members.texts()
    public = members.flag()
    account = members.text("whose developers have registered it")


OAuthApps = members.listing(OAuthApp, "OAuthApps")
