"""The page "Resources": tables of all rows, state machines as drawings, instances, and instance history."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from operator import attrgetter
from typing import Any, NamedTuple
from urllib.parse import quote

from flask import request

from mockserver.control.framework import call, target
from mockserver.control.framework.problem import Problem, unknown
from mockserver.core.state.state import Account
from mockserver.core.text.messages import nearest
from mockserver.core.time.clock import Key
from mockserver.core.time.duration import spoken
from mockserver.core.time.state_machine import ABSENT, StateMachine
from mockserver.core.traffic import causes
from mockserver.core.traffic.causes import Changed
from mockserver.core.workspaces.lifecycle import Lifecycle
from mockserver.core.workspaces.workspace import Workspace
from mockserver.dashboard.addresses import asked
from mockserver.dashboard.curl import example_key
from mockserver.dashboard.dns import shown_records
from mockserver.dashboard.layout import drawing_of
from mockserver.dashboard.names import expired, name_of
from mockserver.dashboard.rendering import Page
from mockserver.dashboard.resource_tables import TABLES, TITLES, address, campaign_members, part, what_next
from mockserver.dashboard.rows import Line, short
from mockserver.resources.campaigns.campaign import Campaign
from mockserver.resources.domains.domain import Domain
from mockserver.resources.oauth.model import Grant
from mockserver.resources.registry import LIFECYCLES
from mockserver.resources.senders.model import Sender
from mockserver.resources.webhooks.history import Export
from mockserver.resources.webhooks.model import Webhook
from mockserver.views.traffic import show_causes, show_transition
from mockserver.views.workspaces import show_timer
from mockserver.web.server import loop
from mockserver.web.service.handlers import ANY_KEY

PAGE = Page("machines", "Resources")

#: The most transitions on the page of an instance.
_LONGEST_HISTORY = 100
#: The longest beginning of a file, in characters.
_LONGEST_FILE = 4_000
#: Members of an instance that its page shows in other places.
_COMMON = frozenset({"key", "account", "state", "allowed"})


@PAGE.view()
def index() -> Mapping[str, Any]:
    workspace = target.workspace(whole=True)
    return {
        "machines": [_overview(workspace, LIFECYCLES[name]) for name in TITLES],
        "titles": TITLES,
        "tab": _tab(),
        "webhooks": sum(len(account.rows_of(Webhook)) for account in workspace.state.accounts.values()),
        "tables": [(name, row.title, row.count(workspace)) for name, row in TABLES.items()],
        "is_unused": not len(workspace.journal) and not workspace.journal.evicted,
        "key": example_key(workspace),
    }


def _tab() -> str:
    return "machine" if request.args.get("tab") == "machine" else ""


@PAGE.view("/<any(contacts, templates, apps, stubs, keys):name>", template="resource.html")
def resource(name: str) -> Mapping[str, Any]:
    """Show a table of rows that have no state machine."""
    workspace = target.workspace(whole=True)
    text, first = request.args.get("search", "").strip(), asked("offset")
    if text and TABLES[name].count(workspace) > loop.LARGE_TABLE:
        loop.leave()
    rows, count = part(workspace, TABLES[name], text, first.number, PART)
    return {
        "name": name, "table": TABLES[name], "rows": rows, "count": count, "text": text, "offset": first.number,
        "most": PART, "mistake": first.mistake, "address": address,
    }  # fmt: skip


@PAGE.view("/<any(contacts, templates, apps, stubs):name>/<identifier>", template="resource_one.html")
def resource_one(name: str, identifier: str) -> Mapping[str, Any]:
    """Show one row that has no state machine."""
    workspace, table = target.workspace(whole=True), TABLES[name]
    members = None if table.find is None else table.find(workspace, identifier)
    if members is None:
        raise Problem(404, f"there is no {identifier[:100]!r} among the {table.title.lower()} of this workspace")
    return {"name": name, "table": table, "identifier": identifier, "members": members, "address": address}


def _overview(workspace: Workspace, lifecycle: Lifecycle[Any]) -> Mapping[str, Any]:
    machine = lifecycle.machine
    return {
        "machine": machine,
        "drawing": drawing_of(machine),
        "counts": counted(workspace, lifecycle),
        "last": _change(workspace.history.last(machine.name)),
    }


@PAGE.view("/<machine>", template="machine.html")
def machine(machine: str) -> Mapping[str, Any]:
    lifecycle = _lifecycle(machine)
    workspace = target.workspace(whole=True)
    wanted, mistakes = _wanted(lifecycle.machine)
    found = select(workspace, lifecycle, wanted)
    return {
        **_overview(workspace, lifecycle),
        "title": TITLES[machine],
        "tab": _tab(),
        "lines": [_line(machine, _plain(row)) for row in found.rows],
        "count": found.total,
        "wanted": wanted,
        "part": PART,
        "mistakes": mistakes,
    }


def _line(machine: str, row: Mapping[str, Any]) -> Line:
    key, name = str(row["key"]), row["name"] or ""
    cells = {"name": short(name or key), "key": short(key) if name not in ("", key) else "", "state": row["state"],
             "next": row["next"], "account": short(row["account"])}  # fmt: skip
    segment = quote(key, safe="")
    return Line(f"instance-{segment}", cells, f"machines/{machine}/{segment}")


def _wanted(machine: StateMachine) -> tuple[InstanceQuery, list[str]]:
    """Parse the instance query, and return sentences about invalid parts."""
    state, first, mistakes = request.args.get("state", ""), asked("offset"), []
    if state and state not in machine.states:
        mistakes.append(f"There is no state {state!r}, so all are listed.")
        state = ""
    if first.mistake:
        mistakes.append(first.mistake)
    return InstanceQuery(state, request.args.get("search", "").strip(), first.number), mistakes


@PAGE.view("/<machine>/<key>", template="instance.html")
def instance(machine: str, key: str) -> Mapping[str, Any]:
    """Show one instance, or the history of a deleted instance."""
    lifecycle = _lifecycle(machine)
    workspace = target.workspace()
    known = lifecycle.key_of(key)
    history = [] if known is None else list(workspace.history.of(machine, known))
    found = lifecycle.find(workspace, key)
    if known is None or not (found or history):
        raise unknown(machine, key, "the workspace has no history of it either")
    shown = None if found is None else _plain(lifecycle.describe(*found))
    row = None if found is None else found[1]
    state = ABSENT if shown is None else shown["state"]
    return {
        "machine": lifecycle.machine,
        "drawing": drawing_of(lifecycle.machine),
        "title": TITLES[machine],
        "tab": _tab(),
        "file": _file(row) if isinstance(row, Export) else None,
        "key": known if found is None else lifecycle.key(found[1]),
        "name": "" if found is None else name_of(workspace, *found),
        "dead": expired(workspace, row) if isinstance(row, Sender) else "",
        "dns": shown_records(workspace, row) if isinstance(row, Domain) else None,
        "api_key": ANY_KEY if found is None else next(iter(found[0].api_keys), ANY_KEY),
        "shown": shown,
        "others": {
            **{name: value for name, value in (shown or {}).items() if name not in _COMMON},
            **({"access_tokens": _tokens(row)} if isinstance(row, Grant) else {}),
            **(campaign_members(found[0], row) if found is not None and isinstance(row, Campaign) else {}),
        },
        "state": state,
        "events": list(_events(lifecycle.machine, state)),
        "timers": list(_timers(workspace, machine, known)),
        "history": [_step(workspace, change) for change in islice(history, _LONGEST_HISTORY)],
        "length": len(history),
        "last": _change(history[0]) if history else None,
        "evicted": workspace.history.evicted,
        "account": _account(workspace, shown, history),
    }


def _file(row: Export) -> Mapping[str, str] | None:
    """Return address and beginning of the file of an export, or None before the file is ready."""
    if row.content is None:
        return None
    path = f"/_mock{row.url.partition('/_mock')[2]}"
    return {"path": path, "beginning": row.content[:_LONGEST_FILE]}


def _tokens(grant: Grant) -> Any:
    rows = [row._asdict() for row in grant.tokens.values()]
    return _plain(rows)


def _events(machine: StateMachine, state: str) -> Iterator[tuple[str, str]]:
    for event in dict.fromkeys(row.event for row in machine.transitions if row.source != ABSENT):
        yield event, machine.target(state, event) if event in machine.allowed(state) else ""


def _timers(workspace: Workspace, machine: str, key: Key) -> Iterator[Mapping[str, Any]]:
    """Yield the pending timers of an instance as the control API shows them, with the time left."""
    now = workspace.state.clock.now()
    for timer in workspace.state.timers.of(machine, key):
        left = f"in {spoken(timer.moment - now)}" if timer.moment > now else "now"
        yield {**_plain(show_timer(workspace, timer)), "left": left}


def _account(workspace: Workspace, shown: Mapping[str, Any] | None, history: list[Changed]) -> str:
    if shown is not None:
        return str(shown["account"])
    account = workspace.state.accounts.get(history[0].account)
    return "" if account is None else account.name


def _step(workspace: Workspace, change: Changed) -> Mapping[str, Any]:
    """Return a transition as the control API shows it. If a timer caused it, add the causes of the timer as `set`."""
    by = change.cause
    setters = [] if by is None or by.kind != causes.TIMER else workspace.links.caused_by(by)
    return {**_plain(show_transition(change)), "set": _plain(show_causes(setters))}


def _change(change: Changed | None) -> dict[str, Any] | None:
    return None if change is None else _plain(show_transition(change))


def _plain(shown: object) -> Any:
    return json.loads(call.written(shown))


def _lifecycle(name: str) -> Lifecycle[Any]:
    found = LIFECYCLES.get(name)
    if found is None:
        raise unknown("machine", name, nearest(name, LIFECYCLES))
    return found


#: The most instances on a page.
PART = 100
_state = attrgetter("state")


class InstanceQuery(NamedTuple):
    """Conditions for listed instances: a state and a text. Empty values match all."""

    state: str = ""
    text: str = ""
    offset: int = 0


class InstancePart(NamedTuple):
    rows: list[dict[str, Any]]
    total: int


def counted(workspace: Workspace, lifecycle: Lifecycle[Any]) -> Mapping[str, int]:
    found: Counter[str] = Counter()
    for account in workspace.state.accounts.values():
        found.update(map(_state, account.rows_of(lifecycle.row).values()))
    return {state: found[state] for state in lifecycle.machine.states}


def select(workspace: Workspace, lifecycle: Lifecycle[Any], query: InstanceQuery) -> InstancePart:
    """Return one page of instances, newest first within each account. A search has to describe all instances."""
    rows: Iterable[tuple[Account, Any]] = _newest(workspace, lifecycle, query.state)
    if query.text:
        text = query.text.casefold()
        matching = [pair for pair in rows if _mentions(_named(workspace, lifecycle, *pair), text)]
        rows, total = matching, len(matching)
    else:
        counts = counted(workspace, lifecycle)
        total = counts.get(query.state, 0) if query.state else sum(counts.values())
    shown = [
        {**_named(workspace, lifecycle, account, row), "next": what_next(workspace, lifecycle, row)}
        for account, row in islice(rows, query.offset, query.offset + PART)
    ]
    return InstancePart(shown, total)


def _named(workspace: Workspace, lifecycle: Lifecycle[Any], account: Account, row: Any) -> dict[str, Any]:
    return {**lifecycle.describe(account, row), "name": name_of(workspace, account, row)}


def _newest(workspace: Workspace, lifecycle: Lifecycle[Any], state: str) -> Iterator[tuple[Account, Any]]:
    for account in workspace.state.accounts.values():
        for row in reversed(account.rows_of(lifecycle.row).values()):  # type: ignore[call-overload]  # of a dictionary
            if not state or row.state == state:
                yield account, row


def _mentions(shown: Mapping[str, Any], text: str) -> bool:
    return any(
        text in str(value).casefold()
        for name, value in shown.items()
        if isinstance(value, str | int) and name != "state"
    )
