"""The page "Webhooks": deliveries on a timeline, one delivery, events to trigger, receivers, and the webhooks."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, NamedTuple

from flask import request

from mockserver.control.framework import target
from mockserver.control.framework.problem import Problem
from mockserver.core.state.state import Account
from mockserver.core.time.duration import spoken
from mockserver.core.traffic.causes import TIMER
from mockserver.core.traffic.receivers import Receiver
from mockserver.core.workspaces.workspace import Workspace
from mockserver.dashboard import deliveries as delivery_list
from mockserver.dashboard.addresses import absolute_root
from mockserver.dashboard.curl import example_key, service_curl
from mockserver.dashboard.rendering import Page
from mockserver.resources.deliveries import delivery as delivery_model
from mockserver.resources.deliveries.delivery import MACHINE
from mockserver.resources.deliveries.model import DELIVERY
from mockserver.resources.deliveries.trial import DUPLICATED, FORGED, LATE, REORDERED
from mockserver.resources.section import write_instant
from mockserver.resources.webhooks.catalogue import BY_NAME, EVENTS, STORIES, raisable
from mockserver.resources.webhooks.event import EMAIL, SMS, TRANSACTIONAL_EMAIL, Category, Event, RaisedEvent
from mockserver.resources.webhooks.event_table import RECEIVED
from mockserver.resources.webhooks.model import Webhook
from mockserver.views.record import plain
from mockserver.views.traffic import show_delivery, show_received, show_receiver
from mockserver.web.server import loop

PAGE = Page("webhooks", "Webhooks")

#: The most calls of a receiver on a page.
_MOST_CALLS = 50
#: The most accounts to select from a list. With more accounts the name is typed.
_MOST_ACCOUNTS = 100
#: The most deliveries and webhooks to render on the event loop, in some milliseconds.
_FEW = 20
#: The events of the example webhook.
_EXAMPLE = ("delivered", "hardBounce")
#: The ways to put a receiver on trial, each with its effect.
_TRIALS = (
    (
        FORGED,
        "Calls the receiver without the auth and headers of the webhook, then with wrong ones: it should refuse.",
    ),
    (DUPLICATED, "Calls the receiver twice with this payload."),
    (REORDERED, "Sends the two newest payloads of the webhook, the newer one first."),
    (LATE, "Sends this payload after newer ones, with its old timestamps."),
)
#: The default category of events.
_USUAL = "transactional-email"


@PAGE.view()
def index() -> Mapping[str, Any]:
    workspace = target.workspace()
    asked = delivery_list.asked(request.args)
    _leave_if_long(workspace)
    found = delivery_list.lines(workspace, asked.wanted, asked.text)
    return {
        "part": "deliveries",
        "found": found,
        "asked": asked,
        "states": MACHINE.states,
        "events": EVENTS,
        "webhooks": webhook_count(workspace),
        "example": _example(workspace),
        "is_frozen": workspace.state.clock.frozen,
        "instant": write_instant,
    }


@PAGE.view("/<identifier>", "webhooks_delivery.html")
def delivery(identifier: str) -> Mapping[str, Any]:
    workspace = target.workspace()
    found = DELIVERY.find(workspace, identifier)
    if found is None:
        raise Problem(404, f"there is no delivery {identifier!r}; it may have been removed to make room")
    account, row = found
    loop.leave_if_long([row.text_size])
    now = workspace.state.clock.now()
    webhook = None if row.webhook is None else account.rows_of(Webhook).get(row.webhook)
    shown = plain(show_delivery(account.name, row, workspace.links))
    return {
        "part": "deliveries",
        "delivery": shown,
        "caused": [
            cause
            for cause in shown["caused"]
            if cause["kind"] != TIMER or not str(cause["id"]).startswith(f"{MACHINE.name}.{row.id}.")
        ],
        "body": row.payloads if row.batched else row.payloads[0],
        "left": None if row.next_at is None or row.next_at <= now else spoken(row.next_at - now),
        "now": now,
        "timer": next((timer.id for timer in workspace.state.timers.of(MACHINE.name, row.id)), ""),
        "is_frozen": workspace.state.clock.frozen,
        "trials": _TRIALS,
        "can_redeliver": DELIVERY.applies(row, "redeliver") and not row.in_flight,
        "why_dropped": delivery_list.why_dropped(workspace, row),
        "webhook_is_there": webhook is not None,
        "description": "" if webhook is None else webhook.description,
        "instant": write_instant,
    }


@PAGE.view("/list", "webhooks_list.html")
def webhooks() -> Mapping[str, Any]:
    workspace = target.workspace()
    _leave_if_long(workspace)
    return {
        "part": "webhooks",
        "rows": subscribers(workspace),
        "count": webhook_count(workspace),
        "example": _example(workspace),
    }


@PAGE.view("/trigger", "webhooks_trigger.html")
def trigger() -> Mapping[str, Any]:
    workspace = target.workspace()
    named = request.args.get("of", _USUAL)
    choice = CHOICES.get(named) or CHOICES[_USUAL]
    _leave_if_long(workspace)
    accounts = workspace.state.accounts.values()
    name = request.args.get("account", "")
    chosen = workspace.state.account_named(name)
    told = [chosen or workspace.state.first_account] if choice.category.type != "inbound" or chosen else accounts
    return {
        "part": "trigger",
        "choices": CHOICES.values(),
        "choice": choice,
        "unclear": _unclear(named, name, chosen),
        "accounts": [account.name for account in accounts][: _MOST_ACCOUNTS + 1],
        "most_accounts": _MOST_ACCOUNTS,
        "account": None if chosen is None else chosen.name,
        "first_account": workspace.state.first_account.name,
        "offered": offered(told, choice.category),
        "stories": stories([chosen or workspace.state.first_account]),
        "example": _example(workspace),
    }


def _unclear(named: str, name: str, chosen: Account | None) -> list[str]:
    found = []
    if named not in CHOICES:
        found.append(f"There is no such type of events: here are those of {CHOICES[_USUAL].title}.")
    if name and chosen is None:
        found.append("There is no account of that name: it happens in the first one.")
    return found


@PAGE.view("/receivers", "webhooks_receivers.html")
def receivers() -> Mapping[str, Any]:
    workspace = target.workspace()
    rows = [plain(show_receiver(row)) for row in workspace.receivers]
    return {"part": "receivers", "rows": rows, "address": absolute_root(), "example": _example(workspace)}


@PAGE.view("/receivers/<name>", "webhooks_receiver.html")
def receiver(name: str) -> Mapping[str, Any]:
    workspace = target.workspace()
    found = workspace.receivers.get(name)
    calls = [] if found is None else workspace.receivers.calls(found)[:_MOST_CALLS]
    loop.leave_if_long(len(row.body) for row in calls)
    row = plain(show_received(found or Receiver(name), calls))
    return {"part": "receivers", "receiver": row, "is_there": found is not None, "address": absolute_root(),
            "instant": write_instant}  # fmt: skip


def _leave_if_long(workspace: Workspace) -> None:
    number = sum(len(row.rows_of(delivery_model.Delivery)) for row in workspace.state.accounts.values())
    if number + webhook_count(workspace) > _FEW:
        loop.leave()


def _example(workspace: Workspace) -> str:
    body = json.dumps({"url": f"{absolute_root()}/_mock/receiver/mine", "events": list(_EXAMPLE)})
    return service_curl(example_key(workspace), "/v3/webhooks", body=body)


#: The most webhooks on a page.
MOST = 100


def webhook_count(workspace: Workspace) -> int:
    return sum(len(account.rows_of(Webhook)) for account in workspace.state.accounts.values())


def mentioning(workspace: Workspace, text: str) -> Iterator[tuple[Account, Webhook]]:
    """Yield the webhooks that mention a text, with their accounts. The workspace is open."""
    wanted = text.casefold()
    for account in workspace.state.accounts.values():
        for row in account.rows_of(Webhook).values():
            if wanted in f"{row.id} {row.url} {row.description} {row.domain} {row.events}".casefold():
                yield account, row


def subscribers(workspace: Workspace) -> list[dict[str, Any]]:
    """Return the first webhooks, with their deliveries by state. The workspace is open."""
    accounts = workspace.state.accounts.values()
    deliveries = (row for account in accounts for row in account.rows_of(delivery_model.Delivery).values())
    got = Counter((row.webhook, row.state) for row in deliveries)
    rows = ((account.name, row) for account in accounts for row in account.rows_of(Webhook).values())
    members = ("id", "url", "type", "channel", "description", "domain", "batched")
    return [
        {
            **{member: getattr(row, member) for member in members},
            "account": name,
            "events": tuple(row.events),
            "got": [(state, got[row.id, state]) for state in MACHINE.states if got[row.id, state]],
        }
        for name, row in islice(rows, MOST)
    ]


class Choice(NamedTuple):
    #: The name in addresses.
    name: str
    title: str
    category: Category


_TITLES = {EMAIL: "e-mails", SMS: "text messages"}
CHOICES: Mapping[str, Choice] = {
    choice.name: choice
    for choice in (Choice(f"{row.type}-{row.channel}", f"{row.type} {_TITLES[row.channel]}", row) for row in BY_NAME)
}


def offered(accounts: Iterable[Account], category: Category) -> list[dict[str, Any]]:
    """Return the events of a category with the number of subscribed webhooks, subscribed events first."""
    counts = _subscriptions(accounts, category)
    rows = [{"name": name, "listeners": _listeners(counts, BY_NAME[category][name])} for name in raisable(category)]
    return sorted(rows, key=lambda row: not row["listeners"])


def stories(accounts: Iterable[Account]) -> dict[str, Sequence[dict[str, Any]]]:
    """Return events of all stories with delays and subscribed webhooks."""
    counts = _subscriptions(accounts, TRANSACTIONAL_EMAIL)
    rows = BY_NAME[TRANSACTIONAL_EMAIL]
    return {
        name: [
            {
                "after": f"after {spoken(scene.after)}" if scene.after else "at once",
                "event": scene.event,
                "listeners": _listeners(counts, rows[scene.event]),
            }
            for scene in scenes
        ]
        for name, scenes in STORIES.items()
    }


def _subscriptions(accounts: Iterable[Account], category: Category) -> Counter[tuple[str, ...]]:
    """Count webhooks of a category by event sets, as sets repeat."""
    rows = (row for account in accounts for row in account.rows_of(Webhook).values())
    return Counter(tuple(row.events) for row in rows if row.category == category)


def _listeners(counts: Mapping[tuple[str, ...], int], event: Event) -> int:
    if isinstance(event, RaisedEvent):
        names = event.subscriptions
    else:  # a reply reaches the subscribers of all received mails as well
        names = frozenset(row.name for row in RECEIVED if row is event or not row.is_reply)
    return sum(number for events, number in counts.items() if not names.isdisjoint(events))
