"""The page "Search": a text in requests, e-mails, deliveries, resources and workspaces."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, NamedTuple
from urllib.parse import quote, urlencode

from flask import request

from mockserver.control.framework import target
from mockserver.control.workspaces.workspaces import found_by
from mockserver.core.workspaces.store import DEFAULT
from mockserver.core.workspaces.workspace import Workspace
from mockserver.dashboard import deliveries
from mockserver.dashboard.addresses import root, server_root
from mockserver.dashboard.events import of_request
from mockserver.dashboard.names import received_subject, receiver_of
from mockserver.dashboard.pages import machines, mail, requests, webhooks
from mockserver.dashboard.rendering import Page
from mockserver.dashboard.resource_tables import TABLES, TITLES, part
from mockserver.resources.deliveries.delivery import MACHINE, Delivery
from mockserver.resources.deliveries.model import DeliveryCriteria
from mockserver.resources.inbound import model as inbound
from mockserver.resources.registry import LIFECYCLES
from mockserver.resources.section import write_instant
from mockserver.web.routing.address import DASHBOARD_PREFIX, WORKSPACE_PREFIX
from mockserver.web.server import loop

PAGE = Page("search", "Search", is_listed=False)

#: The most rows of a kind.
_MOST = 10
#: The longest text to search, in characters. Chosen: longer than any id.
_LONGEST = 200


class Hit(NamedTuple):
    """A row that mentions the text."""

    address: str
    name: str
    note: str = ""
    #: The state of an instance, or the status of a request; empty if the row has neither.
    state: str | int | None = ""
    at: str = ""


class Group(NamedTuple):
    """The rows of a kind that mention the text."""

    title: str
    #: How many rows of the kind are kept, and how many mention the text.
    kept: int
    number: int
    hits: Sequence[Hit]
    #: The address of the page that lists them, with the text as filter where the page has one.
    address: str


@PAGE.view()
def index() -> Mapping[str, Any]:
    workspace = target.workspace(whole=True)
    text = request.args.get("q", "").strip()[:_LONGEST]
    if not text:
        return {"groups": []}
    loop.leave()  # all that is kept is searched
    return {"searched": text, "groups": [*_groups(workspace, text), _workspaces(text)]}


def _groups(workspace: Workspace, text: str) -> Iterator[Group]:
    """Yield the kinds of rows of a workspace."""
    for find in (_requests, _mails, _received, _deliveries, _webhooks):
        yield find(workspace, text)
    for name in TITLES:
        if name != MACHINE.name:  # deliveries are a kind of their own
            yield _instances(workspace, name, text)
    for name in TABLES:
        yield _rows(workspace, name, text)


def _address(path: str, **query: str) -> str:
    return f"{root()}{DASHBOARD_PREFIX}/{path}{'?' if query else ''}{urlencode(query)}"


def _segment(identifier: object) -> str:
    return quote(str(identifier), safe="")


def _requests(workspace: Workspace, text: str) -> Group:
    wanted = requests.Filter(text=text)
    found = [exchange for exchange in workspace.journal if wanted.admits(exchange)]
    hits = []
    for row in (of_request(exchange).line() for exchange in found[:_MOST]):
        note = "; ".join(filter(None, (row["detail"], row["reason"])))
        hits.append(Hit(_address(row["path"]), f"{row['label']} {row['title']}", note, row["status"], row["at"]))
    return Group("Requests", len(workspace.journal), len(found), hits, _address("requests", kinds="request", text=text))


def _mails(workspace: Workspace, text: str) -> Group:
    mailbox = workspace.state.mailbox
    found = [row for row in mailbox if mail.matches(row, text=text.casefold())]
    hits = [
        Hit(_address(f"mail/{_segment(row.id)}"), row.subject or "(no subject)", f"to {row.to}", "",
            write_instant(row.at))
        for row in found[:_MOST]
    ]  # fmt: skip
    return Group("Sent e-mails", len(mailbox), len(found), hits, _address("mail", text=text))


def _received(workspace: Workspace, text: str) -> Group:
    wanted, accounts = text.casefold(), workspace.state.accounts.values()
    rows = [row for account in accounts for row in account.timeline_of(inbound.InboundEvent)]
    found = [row for row in rows if wanted in f"{row.uuid} {row.sender} {row.recipient}".casefold()]
    hits = [
        Hit(_address(f"mail/received/{_segment(row.uuid)}"),
            f"{received_subject(workspace, row.uuid)} from {row.sender}".strip(), f"to {row.recipient}", "",
            write_instant(row.date))
        for row in found[:-_MOST - 1:-1]
    ]  # fmt: skip
    return Group("Received e-mails", len(rows), len(found), hits, _address("mail/received"))


def _deliveries(workspace: Workspace, text: str) -> Group:
    kept = sum(len(account.rows_of(Delivery)) for account in workspace.state.accounts.values())
    found = deliveries.found(workspace, DeliveryCriteria(), text)
    hits = [
        Hit(_address(f"webhooks/{row.id}"), f"{row.id} {', '.join(row.events[:3])}", receiver_of(account, row),
            row.state, write_instant(row.created_at))
        for account, row in found[:_MOST]
    ]  # fmt: skip
    return Group("Webhook deliveries", kept, len(found), hits, _address("webhooks", text=text))


def _webhooks(workspace: Workspace, text: str) -> Group:
    found = [*webhooks.mentioning(workspace, text)]
    hits = [
        Hit(_address("webhooks", webhook=str(row.id)), f"{row.id} {row.description}", row.url)
        for _, row in found[:_MOST]
    ]
    return Group("Webhooks", webhooks.webhook_count(workspace), len(found), hits, _address("webhooks/list"))


def _instances(workspace: Workspace, name: str, text: str) -> Group:
    lifecycle = LIFECYCLES[name]
    found = machines.select(workspace, lifecycle, machines.InstanceQuery(text=text))
    hits = []
    for row in found.rows[:_MOST]:
        note = "; ".join(filter(None, (row["next"], f"account {row['account']}")))
        hits.append(Hit(_address(f"machines/{name}/{_segment(row['key'])}"), row["name"], note, row["state"]))
    kept = sum(machines.counted(workspace, lifecycle).values())
    return Group(TITLES[name], kept, found.total, hits, _address(f"machines/{name}", search=text))


def _rows(workspace: Workspace, kind: str, text: str) -> Group:
    table, all_of_them = TABLES[kind], _address(f"machines/{kind}", search=text)
    found, count = part(workspace, table, text, 0, _MOST)
    hits = []
    for row in found:
        address = _address(f"machines/{kind}/{_segment(row.path)}") if row.path else all_of_them
        name, note = (", ".join(filter(None, cells)) for cells in (row.cells[:2], row.cells[2:]))
        hits.append(Hit(address, name, note, row.state))
    return Group(table.title, table.count(workspace), count, hits, all_of_them)


def _workspaces(text: str) -> Group:
    """Find workspaces of the server by name and label. A hit leads to the requests of its workspace."""
    found, store = found_by(text=text), target.store()
    labels = store.labels()
    hits = [Hit(_address_of(name), name, *labels.get(name, ())) for name in islice(found, _MOST)]
    all_of_them = f"{server_root()}{DASHBOARD_PREFIX}/workspaces?{urlencode({'name': text})}"
    return Group("Workspaces", len(store), len(found), hits, all_of_them)


def _address_of(name: str) -> str:
    own = "" if name == DEFAULT else f"{WORKSPACE_PREFIX}{_segment(name)}"
    return f"{server_root()}{own}{DASHBOARD_PREFIX}/requests"
