"""The page "Mail": what the service has sent, one e-mail in all its forms, and what has come in."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import islice
from typing import Any, NamedTuple
from urllib.parse import quote

from flask import Response, request

from mockserver.control.framework import off_loop, target
from mockserver.control.framework.problem import Problem
from mockserver.core.traffic.mail import KINDS, Mail, Sending
from mockserver.core.workspaces.workspace import Workspace
from mockserver.dashboard.framework.page import Page
from mockserver.dashboard.snippets.example import example_key
from mockserver.resources.inbound import model as inbound
from mockserver.resources.section import write_instant
from mockserver.views.traffic import deliveries as delivery_views
from mockserver.views.traffic import mails as mail_views
from mockserver.web.pages import page as web_pages

PAGE = Page("mail", "Mail")

#: How many e-mails a page shows; the rest is counted.
_MOST = 100
#: How many e-mails are gone through and written on the event loop: 20 take some milliseconds.
_FEW = 20
#: How many characters of a text or a source a page shows; the whole is in the `.eml`.
_LONGEST = 100_000
#: The forms in which an e-mail is shown, by what stands in addresses.
_FORMS = {"html": "HTML", "text": "Text", "source": "Source", "details": "Headers and files"}


class Line(NamedTuple):
    """An e-mail in the list."""

    mail: Mail
    sending: Sending | None
    at: str


@PAGE.view()
def index() -> Mapping[str, Any]:
    """The e-mails that the address asks for, newest first."""
    workspace = target.workspace()
    to, subject = (request.args.get(name, "").strip() for name in ("to", "subject"))
    with workspace.lock:
        mailbox = workspace.state.mailbox
        if len(mailbox) > _FEW:
            off_loop.leave()
        found = [mail for mail in mailbox if _matches(mail, to.casefold(), subject.casefold())]
        lines = [Line(mail, mailbox.sending(mail), write_instant(mail.at)) for mail in found[:_MOST]]
        counts = {"count": len(found), "total": len(mailbox), "evicted": mailbox.evicted}
        return {"part": "sent", "lines": lines, "to": to, "subject": subject, "key": example_key(workspace), **counts}


def _matches(mail: Mail, to: str, subject: str) -> bool:
    """Whether a recipient and the subject contain these texts, which are in lower case."""
    if subject not in mail.subject.casefold():
        return False
    return not to or any(to in str(row.party).casefold() for row in mail.details.recipients)


@PAGE.view("/<identifier>", "mail_one.html")
def one(identifier: str) -> Mapping[str, Any] | Response:
    """One e-mail: what it says, in the form that the address asks for, and what it is about.

    The id of a mail that has come in leads to what is known of that.
    """
    workspace, mail = _found(identifier)
    if mail is None:
        return Response(status=302, headers={"Location": f"received/{quote(identifier, safe='')}"})
    off_loop.before_showing([mail.size])
    with workspace.lock:
        shown = mail_views.Mail.show(mail_views.SentMail(mail, workspace.state.mailbox.sending(mail), workspace.links))
    asked = request.args.get("form", "")
    form = asked if asked in _FORMS else "html"
    text = {"text": lambda: mail.text, "source": lambda: _source(mail)}.get(form, lambda: "")()
    return {
        "mail": shown,
        "form": form,
        "forms": _FORMS,
        "unclear": bool(asked) and asked not in _FORMS,
        "shown": text[:_LONGEST],
        "left_out": max(len(text) - _LONGEST, 0),
        "kinds": KINDS,
        "instant": write_instant,
    }


@PAGE.view("/<identifier>/html")
def html(identifier: str) -> Response:
    """The HTML of an e-mail, to be shown in a frame: it runs nothing, and reaches nothing."""
    _, mail = _found(identifier)
    if mail is None:
        raise Problem(404, f"the mock keeps no HTML of {identifier!r}, which has come in")
    off_loop.before_showing([mail.size])
    reply = web_pages.content(mail.html)
    return Response(reply.body, headers=[*reply.headers])


@PAGE.view("/received/<uuid>", "mail_arrived.html")
def arrived(uuid: str) -> Mapping[str, Any]:
    """A mail that has come in: from whom, for whom, and what came of it."""
    workspace = target.workspace()
    with workspace.lock:
        found = inbound.find(workspace, uuid)
        if found is None:
            raise Problem(404, f"no mail {uuid!r} has come in")
        account, row = found
        return {"mail": delivery_views.InboundMail.show(delivery_views.Received(account.name, row, workspace.links)),
                "instant": write_instant}  # fmt: skip


@PAGE.view("/received", "mail_received.html")
def received() -> Mapping[str, Any]:
    """The mails that have come in, newest first, and a form that lets one arrive."""
    workspace = target.workspace()
    with workspace.lock:
        accounts = workspace.state.accounts.values()
        count = sum(len(account.timeline_of(inbound.InboundEvent)) for account in accounts)
        found = inbound.newest(workspace, offset=0, limit=_MOST)
        rows = [
            delivery_views.InboundMail.show(delivery_views.Received(account.name, row, workspace.links))
            for account, row in found
        ]
        names = [account.name for account in islice(accounts, _MOST)]
        return {"part": "received", "rows": rows, "count": count, "accounts": names, "instant": write_instant}


def _found(identifier: str) -> tuple[Workspace, Mail | None]:
    """The workspace and the e-mail of an id, or None for the id of a mail that has come in.

    Raises:
        Problem: 404, there is neither.
    """
    workspace = target.workspace()
    with workspace.lock:
        mail = workspace.state.mailbox.find(identifier)
        if mail is None and inbound.find(workspace, identifier) is None:
            raise Problem(404, f"there is no e-mail {identifier!r}; it may have been removed to make room")
    return workspace, mail


def _source(mail: Mail) -> str:
    return mail.message().as_bytes().decode("utf-8", "replace")
