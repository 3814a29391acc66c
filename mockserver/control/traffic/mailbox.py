"""`/_mock/mailbox`: the e-mails that the service "sent"."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import islice
from typing import Any

from flask import Response
from marshmallow import fields, validate

from mockserver.control.framework import answers, off_loop, parameters, target
from mockserver.control.framework.problem import unknown
from mockserver.control.framework.resource import ControlResource
from mockserver.control.framework.waiting import wait_for
from mockserver.core.text.addresses import equals_address
from mockserver.core.traffic.mail import FAILED, KINDS, SENT, WAITING, Mail
from mockserver.core.workspaces.workspace import Workspace
from mockserver.resources.section import Item, write_instant
from mockserver.views.traffic import mails as shown
from mockserver.views.traffic.mails import Mails, SentMail

MAILBOX = ControlResource("mailbox", "/_mock/mailbox")


class MailFilter(Item):
    to = fields.String()
    subject = fields.String()
    smtp = fields.String(validate=validate.OneOf((WAITING, SENT, FAILED)))
    limit = parameters.limit()
    wait = parameters.wait()


@MAILBOX.call("GET", query=MailFilter, answer=Mails)
def index(query: dict[str, Any]) -> Response:
    """The e-mails, newest first; with `wait`, as soon as one matches."""
    workspace = target.workspace()
    mails = wait_for(workspace, query["wait"], lambda: _select(workspace, query), frozenset({"mail"}))
    off_loop.before_showing(mail.size for mail in mails)
    return answers.listed([_sent_mail(workspace, mail) for mail in mails], evicted=workspace.state.mailbox.evicted)


@MAILBOX.call("DELETE", status=204)
def clear() -> Response:
    """Delete all e-mails."""
    workspace = target.workspace()
    with workspace.lock:
        workspace.state.mailbox.clear()
    return answers.done()


@MAILBOX.call("GET", "/<identifier>", answer=shown.Mail, media=("application/json", "message/rfc822", "text/html"))
def show(identifier: str) -> Response:
    """One e-mail: as JSON, as a MIME message with `.eml`, as a page with `.html`."""
    workspace = target.workspace()
    name, _, suffix = identifier.partition(".")
    with workspace.lock:
        mail = workspace.state.mailbox.find(name)
    if mail is None or suffix not in ("", "eml", "html"):
        raise unknown("e-mail", identifier, "GET /_mock/mailbox lists all")
    off_loop.before_showing([mail.size])
    if suffix == "eml":
        return Response(mail.message().as_bytes(), content_type="message/rfc822")
    if suffix == "html":
        return _page(workspace, mail)
    return answers.answer(_sent_mail(workspace, mail))


@MAILBOX.call("DELETE", "/<identifier>", status=204)
def remove(identifier: str) -> Response:
    """Throw one e-mail away."""
    workspace = target.workspace()
    with workspace.lock:
        mail = workspace.state.mailbox.find(identifier)
        if mail is None:
            raise unknown("e-mail", identifier, "GET /_mock/mailbox lists all")
        workspace.state.mailbox.remove(mail)
    return answers.done()


def _page(workspace: Workspace, mail: Mail) -> Response:
    from mockserver.web.pages.page import still  # noqa: PLC0415  # pages are not needed to start

    page = still("mail.html", workspace.name, mail=mail, at=write_instant(mail.at))
    return Response(page.body, headers=dict(page.headers))


def _select(workspace: Workspace, query: dict[str, Any]) -> Sequence[Mail]:
    is_wanted = equals_address(query["to"]) if query.get("to") else lambda address: True
    matching = (mail for mail in workspace.state.mailbox if _matches(workspace, mail, query, is_wanted))
    return list(islice(matching, query["limit"]))


def _matches(workspace: Workspace, mail: Mail, query: dict[str, Any], is_wanted: Callable[[str], bool]) -> bool:
    if not any(map(is_wanted, mail.addressed(*KINDS))) or query.get("subject", "").lower() not in mail.subject.lower():
        return False
    sending = workspace.state.mailbox.sending(mail)
    return "smtp" not in query or (sending is not None and sending.state == query["smtp"])


def _sent_mail(workspace: Workspace, mail: Mail) -> SentMail:
    """An e-mail as a row of its view."""
    return SentMail(mail, workspace.state.mailbox.sending(mail), workspace.links)
