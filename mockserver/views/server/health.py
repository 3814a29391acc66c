"""The views of the health of the server, and of the index of control calls."""

from __future__ import annotations

from marshmallow import fields, validate

from mockserver.views.base import members
from mockserver.views.base.view import View, listing


class CallLine(View):
    method = members.text()
    path = members.text("with its parameters in braces")
    does = members.text(attribute="summary")


class AnsweredAs(View):
    specification = members.texts("the 34 operations of the specification")
    further = members.texts("operations of sending and contacts")
    stubbed = members.texts("operations for which the workspace has a stub")
    named = members.texts("operations that the mock knows by name only")


Index = listing(CallLine, "Index", operations=members.part(AnsweredAs, about="how each operation is answered"))


class SmtpHealth(View):
    server = members.text("where e-mails go")
    sent = members.number()
    failed = members.number("for good")
    waiting = members.number("for their turn, or for the next try")
    last_error = members.text(allow_none=True)


class SmtpInHealth(View):
    address = members.text("where mails are taken")
    received = members.number()


class TlsHealth(View):
    port = members.number("where the server speaks TLS")


class KeptHealth(View):
    place = members.text("the file of the store, or its address without secrets")
    bytes = members.number("of that file and of the log beside it, or of the memory that the store has taken")
    waiting = members.number("how many workspaces have changed and are not written yet")
    last_error = members.text(allow_none=True)


class Health(View):
    """How the server is, as `GET /_mock/health` answers without asking for the control token."""

    status = members.text(validate=validate.Equal("ok"))
    version = members.text()
    scenario = members.text("of the workspace `default`")
    workspaces = members.number("how many there are")
    evicted = members.number("how many workspaces had to go for newer ones")
    store = members.text(validate=validate.OneOf(["memory", "sqlite", "redis"]))
    uptime_s = members.needed(fields.Float, validate=validate.Range(min=0))
    started = members.needed(
        fields.Float, about="the monotonic clock of its machine when it was started; each start has another value"
    )
    replica = members.maybe(fields.String, about="its name, where --replica is set")
    kept = members.maybe(fields.Nested, KeptHealth, about="where --store is not memory")
    smtp = members.maybe(fields.Nested, SmtpHealth, about="where --smtp-url is set")
    smtp_in = members.maybe(fields.Nested, SmtpInHealth, about="where --smtp-in is set")
    tls = members.maybe(fields.Nested, TlsHealth, about="where --tls is set")
