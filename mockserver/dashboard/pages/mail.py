"""The page "Mail": sent e-mails, one e-mail in all forms, and received mails."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from itertools import islice
from typing import Any
from urllib.parse import quote

from flask import Response, request
from markupsafe import Markup

from mockserver.control.framework import target
from mockserver.control.framework.problem import Problem
from mockserver.core.traffic.mail import KINDS, Mail
from mockserver.core.workspaces.workspace import Workspace
from mockserver.dashboard.curl import example_key
from mockserver.dashboard.names import received_subject, why_dead
from mockserver.dashboard.rendering import Page, macro
from mockserver.dashboard.rows import Line, short
from mockserver.resources.inbound import model as inbound
from mockserver.resources.section import write_instant
from mockserver.views.record import plain
from mockserver.views.traffic import show_inbound, show_mail
from mockserver.web.pages import page as web_pages
from mockserver.web.server import loop

PAGE = Page("mail", "Mail")

#: The most e-mails on a page.
_MOST = 100
#: The most e-mails to render on the event loop, in some milliseconds.
_FEW = 20
#: The longest text or source to show, in characters.
_LONGEST = 100_000
#: The forms of an e-mail by their names in addresses.
_FORMS = {"html": "HTML", "text": "Text", "source": "Source", "details": "Headers and files"}


@PAGE.view()
def index() -> Mapping[str, Any]:
    workspace = target.workspace()
    wanted = {name: request.args.get(name, "").strip() for name in ("to", "subject", "text")}
    lowered = {name: value.casefold() for name, value in wanted.items()}
    mailbox = workspace.state.mailbox
    if len(mailbox) > _FEW:
        loop.leave()
    found = [mail for mail in mailbox if matches(mail, **lowered)]
    lines = [_line(workspace, mail) for mail in found[:_MOST]]
    counts = {"count": len(found), "total": len(mailbox), "evicted": mailbox.evicted}
    return {"part": "sent", "lines": lines, "wanted": wanted, "is_filtered": any(wanted.values()),
            "key": example_key(workspace), **counts}  # fmt: skip


def _line(workspace: Workspace, mail: Mail) -> Line:
    sending = workspace.state.mailbox.sending(mail)
    to = mail.to or next(iter(mail.addressed("cc", "bcc")), "")
    cells: dict[str, Any] = {
        "subject": short(mail.subject or "(no subject)"),
        "to": f"to {short(to)}",
        "at": write_instant(mail.at),
    }
    if mail.otp is not None:
        cells["code"] = Markup("code {}").format(_written("code")(mail.otp, why_dead(workspace, mail)))
    if sending:
        cells["smtp"] = _written("smtp")(sending)
    return Line(f"mail-{mail.id}", cells, f"mail/{quote(mail.id, safe='')}")


@cache
def _written(name: str) -> Callable[..., Markup]:
    """Return a macro of mails."""
    return macro("mail_parts.html", name, {})


def matches(mail: Mail, *, to: str = "", subject: str = "", text: str = "") -> bool:
    """Return whether an e-mail has these parts, which are casefolded.

    Args:
        mail: The e-mail.
        to: A part of a recipient.
        subject: A part of the subject.
        text: A part of a recipient, the sender, the subject, the text, the HTML or an id.
    """
    if subject not in mail.subject.casefold():
        return False
    if to and not any(to in str(row.party).casefold() for row in mail.details.recipients):
        return False
    return not text or any(text in part.casefold() for part in mail.texts)


@PAGE.view("/<identifier>", "mail_one.html")
def one(identifier: str) -> Mapping[str, Any] | Response:
    """Show one sent e-mail in the selected form.

    The id of a received mail redirects to the page of that mail.
    """
    workspace, mail = _found(identifier)
    if mail is None:
        return Response(status=302, headers={"Location": f"received/{quote(identifier, safe='')}"})
    loop.leave_if_long([mail.size])
    shown = plain(show_mail(mail, workspace.state.mailbox.sending(mail), workspace.links))
    dead = why_dead(workspace, mail)
    asked = request.args.get("form", "")
    form = asked if asked in _FORMS else "html"
    text = mail.text if form == "text" else ""
    if form == "source":
        text = mail.message().as_bytes().decode("utf-8", "replace")
    return {
        "mail": shown,
        "dead": dead,
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
    """Return the HTML of an e-mail for a frame, without scripts and without network access."""
    _, mail = _found(identifier)
    if mail is None:
        raise Problem(404, f"the mock keeps no HTML of {identifier!r}, which has come in")
    loop.leave_if_long([mail.size])
    reply = web_pages.content(mail.html)
    return Response(reply.body, headers=[*reply.headers])


@PAGE.view("/received/<uuid>", "mail_arrived.html")
def arrived(uuid: str) -> Mapping[str, Any]:
    workspace = target.workspace()
    found = inbound.find(workspace, uuid)
    if found is None:
        raise Problem(404, f"no mail {uuid!r} has come in")
    account, row = found
    return {"mail": plain(show_inbound(account.name, row, workspace.links)),
            "instant": write_instant}  # fmt: skip


@PAGE.view("/received", "mail_received.html")
def received() -> Mapping[str, Any]:
    """Show the received mails, newest first, and a form to receive a mail."""
    workspace = target.workspace()
    accounts = workspace.state.accounts.values()
    count = sum(len(account.timeline_of(inbound.InboundEvent)) for account in accounts)
    found = inbound.newest(workspace, offset=0, limit=_MOST)
    lines = []
    for account, row in found:
        subject, sender, to = received_subject(workspace, row.uuid), f"from {short(row.sender)}", short(row.recipient)
        cells = {"subject": short(subject) or sender, "to": f"{sender if subject else ''} to {to}".strip(),
                 "account": account.name, "at": write_instant(row.date)}  # fmt: skip
        lines.append(Line(f"received-{row.uuid}", cells, f"mail/received/{quote(row.uuid, safe='')}"))
    names = [account.name for account in islice(accounts, _MOST)]
    return {
        "part": "received",
        "lines": lines,
        "count": count,
        "accounts": names,
        "instant": write_instant,
    }


def _found(identifier: str) -> tuple[Workspace, Mail | None]:
    """Return workspace and sent e-mail by id, or None for ids of received mails."""
    workspace = target.workspace()
    mail = workspace.state.mailbox.find(identifier)
    if mail is None and inbound.find(workspace, identifier) is None:
        raise Problem(404, f"there is no e-mail {identifier!r}; it may have been removed to make room")
    return workspace, mail
