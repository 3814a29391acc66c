"""Names of causes and rows as people know them, and what became of one-time codes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any, NamedTuple
from urllib.parse import quote

from flask import g, request

from mockserver.control.framework import target
from mockserver.core.state.state import Account
from mockserver.core.text.addresses import unicode_form
from mockserver.core.time.clock import TimerId
from mockserver.core.time.duration import spoken
from mockserver.core.traffic import causes
from mockserver.core.traffic.exchange import Exchange
from mockserver.core.traffic.mail import Mail
from mockserver.core.workspaces.store import DEFAULT
from mockserver.core.workspaces.workspace import Workspace
from mockserver.resources.campaigns.campaign import Campaign
from mockserver.resources.corporate.pool import SubAccount
from mockserver.resources.deliveries.delivery import Delivery
from mockserver.resources.deliveries.model import DELIVERY
from mockserver.resources.domains.domain import Domain
from mockserver.resources.inbound import model as inbound
from mockserver.resources.oauth.apps import App
from mockserver.resources.oauth.model import Grant
from mockserver.resources.processes.process import Process
from mockserver.resources.scheduled_emails.model import ScheduledEmail
from mockserver.resources.section import write_instant
from mockserver.resources.senders.model import SENDER, Sender
from mockserver.resources.webhooks.history import Export
from mockserver.resources.webhooks.model import Webhook
from mockserver.views import redaction
from mockserver.web.routing.address import WORKSPACE

#: Timers that are no events of a state machine, in words.
STEPS = {"leave": "e-mails leave", "arrive": "e-mails arrive", "continue": "further rows"}
#: What happened at an event that leaves the state as it is, in words.
HAPPENED = {"expire_otp": "code expired"}


class Named(NamedTuple):
    text: str
    #: The address below `/_mock/ui/`, or empty if the workspace no longer keeps it.
    path: str = ""


def named(cause: Mapping[str, Any]) -> Named:
    """Return what a cause or effect is called, and its page, in the workspace of the address."""
    workspace = target.store().peek(request.environ.get(WORKSPACE, DEFAULT))
    return Named(cause["kind"]) if workspace is None else named_in(workspace, cause)


def named_in(workspace: Workspace, cause: Mapping[str, Any]) -> Named:
    """Return what a cause or effect is called in a workspace, and its page."""
    kind, identifier = cause["kind"], str(cause["id"])
    text = _CAUSES[kind](workspace, identifier)
    if text is None:
        return Named(_lost(kind, identifier))
    return Named(text, f"{_PATHS[kind]}/{quote(identifier, safe='')}")


def _lost(kind: str, identifier: str) -> str:
    if kind == causes.TIMER:
        return f"timer {_event(identifier)}"
    if kind == causes.DELIVERY:
        return f"delivery {identifier}"
    return f"a {'control call' if kind == causes.CONTROL else kind} that is no longer kept"


def _request(workspace: Workspace, identifier: str) -> str | None:
    if "exchanges" not in g:
        g.exchanges = {row.id: row for row in workspace.journal}
    row: Exchange | None = g.exchanges.get(identifier)
    if row is None:
        return None
    title = row.operation or f"{row.method} {redaction.plain(row.path)}"
    return f"{title} {'no answer' if row.status is None else row.status}, {write_instant(row.at)[11:19]}"


def _mail(workspace: Workspace, identifier: str) -> str | None:
    mail = workspace.state.mailbox.find(identifier)
    if mail is not None:
        return f"mail “{mail.subject}”"
    found = inbound.find(workspace, identifier)
    if found is None:
        return None
    subject = received_subject(workspace, identifier)
    return f"mail “{subject}”" if subject else f"mail from {found[1].sender}"


def received_subject(workspace: Workspace, uuid: str) -> str:
    """Return the subject of a received e-mail, which only its webhook calls hold, or an empty text."""
    for effect in workspace.links.caused(causes.Cause(causes.MAIL, uuid)):
        call = DELIVERY.find(workspace, effect.id) if effect.kind == causes.DELIVERY else None
        for item in () if call is None else call[1].payloads[0].get("items", ()):
            return str(item.get("Subject", ""))
    return ""


def _delivery(workspace: Workspace, identifier: str) -> str | None:
    found = DELIVERY.find(workspace, identifier)
    return None if found is None else f"delivery {identifier}, {events_of(found[1])}"


def events_of(row: Delivery) -> str:
    """Return the event of a delivery, or the number of events of a batch."""
    return row.events[0] if len(row.events) == 1 else f"batch of {len(row.events)}"


def _timer(workspace: Workspace, identifier: str) -> str | None:
    is_kept = workspace.state.timers.get(identifier) or workspace.fired_timer(identifier)
    return f"timer {_event(identifier)}" if is_kept else None


def _event(identifier: str) -> str:
    try:
        event = TimerId.parse(identifier).event
    except ValueError:
        return identifier
    return STEPS.get(event, event)


def _call(workspace: Workspace, identifier: str) -> str | None:
    row = workspace.recorded_call(identifier)
    if row is None:
        return None
    path = redaction.plain(row.path).removeprefix("/_mock")
    return f"control call {row.method} {path} {row.status}, {write_instant(row.at)[11:19]}"


_CAUSES: Mapping[str, Callable[[Workspace, str], str | None]] = {
    causes.REQUEST: _request, causes.MAIL: _mail, causes.DELIVERY: _delivery, causes.TIMER: _timer,
    causes.CONTROL: _call,
}  # fmt: skip
_PATHS = {
    causes.REQUEST: "requests", causes.MAIL: "mail", causes.DELIVERY: "webhooks", causes.TIMER: "clock",
    causes.CONTROL: "requests/calls",
}  # fmt: skip


# ---------------------------------------------------------------------- rows


def receiver_of(account: Account, row: Delivery) -> str:
    """Return the address that a delivery calls, after the description of its webhook."""
    webhook = None if row.webhook is None else account.rows_of(Webhook).get(row.webhook)
    described = webhook.description if webhook is not None else row.events[0] if row.webhook is None else ""
    return f"{described}, {row.target.url}" if described else row.target.url


def _grant_name(workspace: Workspace, account: Account, row: Grant) -> str:
    app = workspace.state.rows_of(App).get(row.client_id)
    name = row.client_id if app is None else app.name
    return f"{name} for {row.user}" if row.user else name


def _sub_account_name(workspace: Workspace, account: Account, row: SubAccount) -> str:
    found = workspace.state.accounts.get(row.id)
    return "" if found is None else found.company_name or found.name


def _minute(moment: datetime) -> str:
    return write_instant(moment)[:16].replace("T", " ")


_ROWS: Mapping[type[Any], Callable[[Workspace, Account, Any], str]] = {
    Sender: lambda workspace, account, row: f"{row.name} <{row.email}>",
    Domain: lambda workspace, account, row: unicode_form(row.name),
    Delivery: lambda workspace, account, row: f"{events_of(row)} to {receiver_of(account, row)}",
    Grant: _grant_name,
    SubAccount: _sub_account_name,
    ScheduledEmail: lambda workspace, account, row: f"{row.subject or '(no subject)'} to {row.to}",
    Campaign: lambda workspace, account, row: row.name,
    Process: lambda workspace, account, row: f"import of contacts, requested at {_minute(row.requested_at)}",
    Export: lambda workspace, account, row: f"webhook history, requested at {_minute(row.requested_at)}",
}


def name_of(workspace: Workspace, account: Account, row: object) -> str:
    """Return the name by which people know a row of a state machine. The workspace is open."""
    return _ROWS[type(row)](workspace, account, row)


# ---------------------------------------------------------------------- one-time codes


def why_dead(workspace: Workspace, mail: Mail) -> str:
    """Return why the code of an e-mail is no longer accepted, or an empty text. The workspace is open."""
    if mail.otp is None or mail.machine != SENDER.machine.name:
        return ""
    found = SENDER.find(workspace, str(mail.key))
    if found is None:
        return "sender deleted"
    sender = found[1]
    if sender.otp is None:
        return "sender verified"
    return "replaced by a newer code" if sender.otp != mail.otp else expired(workspace, sender)


def expired(workspace: Workspace, sender: Sender) -> str:
    """Return since when a sender's code has expired, or an empty text."""
    now, end = workspace.state.clock.now(), sender.otp_expires_at
    if end is None or now < end:
        return ""
    length = spoken(now - end)
    return f"expired {length if length.startswith('less') else ' '.join(length.split()[:2])} ago"
