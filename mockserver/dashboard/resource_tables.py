"""Tables on the page "Resources" of what has no state machine: contacts, templates, stubs, OAuth apps and API keys."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, NamedTuple
from urllib.parse import quote

from mockserver.core.state.state import Account
from mockserver.core.time.duration import spoken
from mockserver.core.workspaces.lifecycle import Lifecycle
from mockserver.core.workspaces.workspace import Workspace
from mockserver.dashboard.dns import outlook
from mockserver.dashboard.names import STEPS, expired
from mockserver.resources.campaigns.campaign import DRAFT, IN_REVIEW, SUSPENDED, Campaign
from mockserver.resources.campaigns.statistics import Progress, remaining
from mockserver.resources.contacts.rows import Contact, ContactList
from mockserver.resources.domains.domain import Domain
from mockserver.resources.oauth.apps import App
from mockserver.resources.oauth.model import Grant
from mockserver.resources.section import write_instant
from mockserver.resources.senders.model import Sender
from mockserver.resources.templates.model import sender_of
from mockserver.resources.templates.template import Template
from mockserver.views.traffic import show_stub

#: The titles of the state machines' tables, in the order of the page.
TITLES = {
    "sender": "Senders",
    "domain": "Domains",
    "delivery": "Webhook deliveries",
    "scheduled_email": "Scheduled e-mails",
    "campaign": "Campaigns",
    "sub_account_plan": "Sub-accounts",
    "oauth_grant": "OAuth grants",
    "export": "Exports",
    "process": "Imports",
}

#: What campaigns without a timer wait for, by their state.
_WAITS = {DRAFT: "waits for sendNow", SUSPENDED: "waits for sendNow", IN_REVIEW: "approve or suspend, by hand"}
#: The longest beginning of a content, in characters. Chosen: some screens.
_LONGEST_CONTENT = 4_000


class Row(NamedTuple):
    """A line of a table."""

    #: The address of its page, below that of the table; empty if it has no page.
    path: str
    cells: Sequence[str]
    state: str = ""


class Table(NamedTuple):
    """A kind of rows without a state machine."""

    title: str
    columns: Sequence[str]
    rows: Callable[[Workspace], Iterator[Row]]
    count: Callable[[Workspace], int]
    #: The call that makes a row.
    example: tuple[str, str]
    #: Finds a row by its id, as plain data; None if no row has a page.
    find: Callable[[Workspace, str], Mapping[str, Any] | None] | None = None
    #: The address of the control call that deletes a row, before its id.
    deletes: str = ""


def _contacts(workspace: Workspace) -> Iterator[Row]:
    for account in workspace.state.accounts.values():
        lists = account.rows_of(ContactList)
        for row in account.rows_of(Contact).values():
            joined = ", ".join(lists[number].name for number in row.lists)
            cells = (str(row.id), row.email or "", row.phone or "", joined, account.name)
            yield Row(str(row.id), cells, "blocked" if row.email_blacklisted else "")


def _by_id(workspace: Workspace, kind: type[Any], identifier: str) -> Iterator[tuple[Account, Any]]:
    """Yield the row with an id, and its account."""
    if identifier.isascii() and identifier.isdigit() and len(identifier) < 20:
        for account in workspace.state.accounts.values():
            row = account.rows_of(kind).get(int(identifier))
            if row is not None:
                yield account, row


def _contact(workspace: Workspace, identifier: str) -> Mapping[str, Any] | None:
    for account, row in _by_id(workspace, Contact, identifier):
        lists = account.rows_of(ContactList)
        return {
            "account": account.name,
            "email": row.email,
            "attributes": row.shown_attributes,
            "lists": [lists[number].name for number in row.lists],
            "blocked": {"e-mail": row.email_blacklisted, "sms": row.sms_blacklisted},
            "created_at": write_instant(row.created_at),
            "modified_at": write_instant(row.modified_at),
        }
    return None


def _templates(workspace: Workspace) -> Iterator[Row]:
    for account in workspace.state.accounts.values():
        for row in account.rows_of(Template).values():
            cells = (str(row.id), row.name, row.subject or row.name, account.name)
            yield Row(str(row.id), cells, "active" if row.is_active else "inactive")


def _template(workspace: Workspace, identifier: str) -> Mapping[str, Any] | None:
    for account, row in _by_id(workspace, Template, identifier):
        return {
            "account": account.name, "name": row.name, "subject": row.subject or row.name,
            "sender": str(row.sender or ""), "active": row.is_active, "tag": row.tag, "test_sent": row.is_tested,
            "html": (row.html or "")[:_LONGEST_CONTENT],
        }  # fmt: skip
    return None


def _stubs(workspace: Workspace) -> Iterator[Row]:
    for row in workspace.state.stubs:
        limit = "" if row.times is None else f" of {row.times:,}"
        yield Row(
            row.id, (row.id, row.method, row.path, f"{row.hits:,}{limit}"), "active" if row.is_active else "used up"
        )


def _stub(workspace: Workspace, identifier: str) -> Mapping[str, Any] | None:
    row = workspace.state.stubs.get(identifier)
    return None if row is None else show_stub(row)


def _apps(workspace: Workspace) -> Iterator[Row]:
    for row in workspace.state.rows_of(App).values():
        yield Row(row.client_id, (row.name, row.client_id, "public" if row.public else "has a secret", row.account))


def _app(workspace: Workspace, identifier: str) -> Mapping[str, Any] | None:
    row = workspace.state.rows_of(App).get(identifier)
    if row is None:
        return None
    accounts = workspace.state.accounts.values()
    grants = [grant.id for account in accounts for grant in account.rows_of(Grant).values()
              if grant.client_id == identifier]  # fmt: skip
    return {
        "name": row.name, "client_id": row.client_id, "client_secret": row.client_secret, "account": row.account,
        "redirect_uris": list(row.redirect_uris), "scopes": list(row.scopes), "public": row.public, "grants": grants,
    }  # fmt: skip


def _keys(workspace: Workspace) -> Iterator[Row]:
    for account in workspace.state.accounts.values():
        yield from (Row("", (key, account.name), "active") for key in account.api_keys)
        yield from (Row("", (key, account.name), "revoked") for key in account.revoked_keys)
    of_accounts = {key for account in workspace.state.accounts.values() for key in account.revoked_keys}
    for key in sorted(workspace.state.revoked_keys - of_accounts):
        yield Row("", (key, "deleted"), "revoked")


TABLES: Mapping[str, Table] = {
    "contacts": Table(
        "Contacts",
        ("Id", "E-mail", "Phone", "Lists", "Account"),
        _contacts,
        lambda workspace: sum(len(account.rows_of(Contact)) for account in workspace.state.accounts.values()),
        ("/_mock/seed", '{"contacts": [{"email": "ada@example.com"}]}'),
        _contact,
    ),
    "templates": Table(
        "Templates",
        ("Id", "Name", "Subject", "Account"),
        _templates,
        lambda workspace: sum(len(account.rows_of(Template)) for account in workspace.state.accounts.values()),
        ("/_mock/seed", '{"campaigns": [{"kind": "email_template", "name": "Order", "html": "<p>Thank you</p>"}]}'),
        _template,
    ),
    "apps": Table(
        "OAuth apps",
        ("Name", "Client id", "Kind", "Account"),
        _apps,
        lambda workspace: len(workspace.state.rows_of(App)),
        ("/_mock/oauth/apps", '{"name": "CRM", "redirect_uris": ["http://localhost:3000/callback"]}'),
        _app,
        "/_mock/oauth/apps/",
    ),
    "stubs": Table(
        "Stubs",
        ("Id", "Method", "Path", "Answered"),
        _stubs,
        lambda workspace: len(workspace.state.stubs),
        ("/_mock/stubs", '{"method": "GET", "path": "/v3/companies", "answer": {"json": {"items": []}}}'),
        _stub,
        "/_mock/stubs/",
    ),
    "keys": Table(
        "API keys",
        ("Key", "Account"),
        _keys,
        lambda workspace: len(workspace.state.keys) + len(workspace.state.revoked_keys),
        ("/_mock/workspaces", '{"scenario": "standard"}'),
    ),
}


def part(workspace: Workspace, table: Table, text: str, offset: int, most: int) -> tuple[list[Row], int]:
    """Return a page of the rows that mention a text, and how many do. The workspace is open."""
    if not text:
        return list(islice(table.rows(workspace), offset, offset + most)), table.count(workspace)
    wanted = text.casefold()
    found = [row for row in table.rows(workspace) if any(wanted in cell.casefold() for cell in row.cells)]
    return list(islice(found, offset, offset + most)), len(found)


def address(identifier: str) -> str:
    """Return an id as a segment of an address."""
    return quote(identifier, safe="")


def what_next(workspace: Workspace, lifecycle: Lifecycle[Any], row: Any) -> str:
    """Return what happens next to an instance, or what it waits for. The workspace is open."""
    if isinstance(row, Domain):
        return outlook(workspace, row.name, row)
    if isinstance(row, Sender) and row.otp is not None and (over := expired(workspace, row)):
        return f"its code {over}"
    timers = workspace.state.timers.of(lifecycle.machine.name, lifecycle.key(row))
    if not timers:
        return _WAITS.get(row.state, "") if isinstance(row, Campaign) else ""
    now = workspace.state.clock.now()
    left = f"in {spoken(timers[0].moment - now)}" if timers[0].moment > now else "now"
    return f"{STEPS.get(timers[0].event, timers[0].event)} {left}"


def campaign_members(account: Account, row: Campaign) -> Mapping[str, Any]:
    """Return what the page of a campaign shows of it."""
    lists, progress = account.rows_of(ContactList), account.rows_of(Progress).get(row.id)
    return {
        "subject": row.subject,
        "sender": sender_of(account, row).email,
        "lists": [lists[number].name for number in row.list_ids if number in lists],
        "scheduled_at": None if row.scheduled_at is None else write_instant(row.scheduled_at),
        "sent_at": None if row.sent_at is None else write_instant(row.sent_at),
        "contacts_processed": 0 if progress is None else progress.turns,
        "contacts_left": remaining(account, row),
    }
