"""`/_mock/mailbox`: the e-mails that the service "sent"."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from flask import Response, request
from marshmallow import fields, validate

from mockserver.control.framework import inputs
from mockserver.control.framework.call import ControlResource, listed
from mockserver.control.framework.problem import unknown
from mockserver.core.text.addresses import equals_address
from mockserver.core.traffic.mail import FAILED, KINDS, SENT, WAITING
from mockserver.core.traffic.mail import Mail as MailRow
from mockserver.core.workspaces.workspace import Workspace
from mockserver.resources.section import write_instant
from mockserver.views.record import Evicted, listing
from mockserver.views.traffic import show_mail
from mockserver.views.traffic_records import Mail
from mockserver.web.server import loop
from mockserver.web.server.waiting import wait_for

MAILBOX = ControlResource("mailbox", "/_mock/mailbox")


class MailFilter(inputs.Part):
    to = fields.String(validate=validate.Regexp("^[^@]*@", error="Not a valid email address"))
    subject = fields.String()
    smtp = fields.String(validate=validate.OneOf((WAITING, SENT, FAILED)))
    wait = inputs.wait()


@MAILBOX.call("GET", query=MailFilter, answer=listing("Mails", Mail, evicted=Evicted))
def index(workspace: Workspace, query: dict[str, Any]) -> Any:
    """The e-mails, newest first; with `wait`, as soon as one matches."""
    found = wait_for(request.environ, workspace, query["wait"], lambda: _select(workspace, query), frozenset({"mail"}))
    part = inputs.part_of(found, query)
    loop.leave_if_long(mail.size for mail in part)
    rows = [_shown(workspace, mail) for mail in part]
    return listed(rows, len(found), evicted=workspace.state.mailbox.evicted)


@MAILBOX.call("DELETE", status=204)
def clear(workspace: Workspace) -> None:
    """Delete all e-mails."""
    workspace.state.mailbox.clear()


@MAILBOX.call("GET", "/<identifier>", answer=Mail, media=("application/json", "message/rfc822", "text/html"))
def show(workspace: Workspace, identifier: str) -> Mail | Response:
    """One e-mail: as JSON, as a MIME message with `.eml`, as a page with `.html`."""
    name, _, suffix = identifier.partition(".")
    mail = workspace.state.mailbox.find(name)
    if mail is None or suffix not in ("", "eml", "html"):
        raise _unknown(identifier)
    loop.leave_if_long([mail.size])
    if suffix == "eml":
        return Response(mail.message().as_bytes(), content_type="message/rfc822")
    return _page(workspace, mail) if suffix else _shown(workspace, mail)


@MAILBOX.call("DELETE", "/<identifier>", status=204)
def remove(workspace: Workspace, identifier: str) -> None:
    """Delete one e-mail."""
    mail = workspace.state.mailbox.find(identifier)
    if mail is None:
        raise _unknown(identifier)
    workspace.state.mailbox.remove(mail)


def _unknown(identifier: str) -> Exception:
    return unknown("e-mail", identifier, "GET /_mock/mailbox lists all")


def _page(workspace: Workspace, mail: MailRow) -> Response:
    from mockserver.web.pages.page import still  # noqa: PLC0415  # pages are not needed to start

    page = still("mail.html", workspace.name, mail=mail, at=write_instant(mail.at))
    return Response(page.body, headers=dict(page.headers))


def _select(workspace: Workspace, query: dict[str, Any]) -> Sequence[MailRow]:
    is_wanted = equals_address(query["to"]) if query.get("to") else lambda address: True
    return [mail for mail in workspace.state.mailbox if _matches(workspace, mail, query, is_wanted)]


def _matches(workspace: Workspace, mail: MailRow, query: dict[str, Any], is_wanted: Callable[[str], bool]) -> bool:
    if not any(map(is_wanted, mail.addressed(*KINDS))) or query.get("subject", "").lower() not in mail.subject.lower():
        return False
    sending = workspace.state.mailbox.sending(mail)
    return "smtp" not in query or (sending is not None and sending.state == query["smtp"])


def _shown(workspace: Workspace, mail: MailRow) -> Mail:
    return show_mail(mail, workspace.state.mailbox.sending(mail), workspace.links)
