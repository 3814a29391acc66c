"""`/_mock/mailbox`: the e-mails that the service "sent"."""

from __future__ import annotations

from collections.abc import Sequence
from email.message import EmailMessage
from email.utils import format_datetime
from itertools import islice
from typing import Any

from flask import Response
from marshmallow import fields, validate

from mockserver.control import call
from mockserver.control.noun import Noun
from mockserver.control.problem import Problem
from mockserver.core.mailbox import Mail
from mockserver.core.workspace import Workspace
from mockserver.resources.section import Item
from mockserver.web.waiting import LONGEST_WAIT, wait_for

MAILBOX = Noun("mailbox", "/_mock/mailbox")


class MailFilter(Item):
    to = fields.String()
    subject = fields.String()
    limit = fields.Integer(load_default=100, validate=validate.Range(1, 1000))
    wait = fields.Float(load_default=0.0, validate=validate.Range(0, LONGEST_WAIT))


@MAILBOX.call("GET", query=MailFilter, answer="Mails")
def index(query: dict[str, Any]) -> Response:
    """The e-mails, newest first; with `wait`, as soon as one matches."""
    workspace = call.workspace()
    mails = wait_for(workspace, query["wait"], lambda: _select(workspace, query))
    return call.listed([described(mail) for mail in mails], evicted=workspace.mailbox.evicted)


@MAILBOX.call("DELETE", status=204)
def clear() -> Response:
    """Throw all e-mails away."""
    workspace = call.workspace()
    with workspace.lock:
        workspace.mailbox.clear()
    return call.done()


@MAILBOX.call("GET", "/<identifier>", answer="Mail", media=("application/json", "message/rfc822", "text/html"))
def show(identifier: str) -> Response:
    """One e-mail: as JSON, as a MIME message with `.eml`, as a page with `.html`."""
    workspace = call.workspace()
    name, _, form = identifier.partition(".")
    with workspace.lock:
        mail = workspace.mailbox.find(name)
    if mail is None or form not in ("", "eml", "html"):
        raise Problem(404, f"there is no e-mail {identifier!r}")
    if form == "eml":
        return Response(_message(mail).as_bytes(), content_type="message/rfc822")
    if form == "html":
        return Response(mail.html, headers={"Content-Security-Policy": "sandbox; default-src 'none'"})
    return call.answer(described(mail))


def _select(workspace: Workspace, query: dict[str, Any]) -> Sequence[Mail]:
    to, subject = query.get("to", "").lower(), query.get("subject", "").lower()
    found = (mail for mail in workspace.mailbox if to in ("", mail.to.lower()) and subject in mail.subject.lower())
    return list(islice(found, query["limit"]))


def described(mail: Mail) -> dict[str, Any]:
    return {
        "id": mail.id,
        "at": mail.at,
        "to": mail.to,
        "from": mail.sender,
        "subject": mail.subject,
        "text": mail.text,
        "html": mail.html,
        "otp": mail.otp,
    }


def _message(mail: Mail) -> EmailMessage:
    message = EmailMessage()
    message["From"] = mail.sender
    message["To"] = mail.to
    message["Subject"] = mail.subject
    message["Date"] = format_datetime(mail.at)
    message["Message-ID"] = f"<{mail.id}@smtp-relay.mailin.fr>"
    message.set_content(mail.text)
    message.add_alternative(mail.html, subtype="html")
    return message
