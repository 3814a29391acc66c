"""The page "Webhooks": deliveries on a timeline, one delivery, events to trigger, receivers, and the webhooks."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from flask import request

from mockserver.control.framework import off_loop, target
from mockserver.control.framework.problem import Problem
from mockserver.core.state.state import Account
from mockserver.core.time.duration import spoken
from mockserver.core.traffic.causes import TIMER
from mockserver.core.traffic.receivers import Receiver
from mockserver.core.workspaces.workspace import Workspace
from mockserver.dashboard import deliveries, events
from mockserver.dashboard.addresses import absolute_root
from mockserver.dashboard.framework.page import Page
from mockserver.dashboard.snippets.example import example_key, service_curl
from mockserver.resources.deliveries import delivery as delivery_model
from mockserver.resources.deliveries.delivery import MACHINE
from mockserver.resources.deliveries.model import DELIVERY
from mockserver.resources.section import write_instant
from mockserver.resources.webhooks.catalogue import EVENTS
from mockserver.resources.webhooks.model import Webhook
from mockserver.views.record import plain
from mockserver.views.traffic import show_delivery, show_received, show_receiver

PAGE = Page("webhooks", "Webhooks")

#: How many calls of a receiver a page shows; the rest is counted.
_MOST_CALLS = 50
#: How many accounts can be chosen from a list; the name of another one is typed.
_MOST_ACCOUNTS = 100
#: How many deliveries and webhooks are gone through and written on the event loop: 20 take some milliseconds.
_FEW = 20
#: What the first webhook of a workspace is told of, in the example: what happens to an e-mail that arrives or does not.
_EXAMPLE = ("delivered", "hardBounce")
#: What is triggered if the address names no category.
_USUAL = "transactional-email"


@PAGE.view()
def index() -> Mapping[str, Any]:
    """The deliveries that the address asks for, newest first, each with its line of the timeline."""
    workspace = target.workspace()
    asked = deliveries.asked(request.args)
    with workspace.lock:
        _leave_if_long(workspace)
        found = deliveries.lines(workspace, asked.wanted)
        return {
            "part": "deliveries",
            "found": found,
            "asked": asked,
            "states": MACHINE.states,
            "events": EVENTS,
            "webhooks": events.count(workspace),
            "example": _example(workspace),
            "is_frozen": workspace.state.clock.frozen,
            "instant": write_instant,
        }


@PAGE.view("/<identifier>", "webhooks_delivery.html")
def delivery(identifier: str) -> Mapping[str, Any]:
    """One delivery, with its attempts and when the next one is due."""
    workspace = target.workspace()
    with workspace.lock:
        found = DELIVERY.find(workspace, identifier)
        if found is None:
            raise Problem(404, f"there is no delivery {identifier!r}; it may have been removed to make room")
        account, row = found
        off_loop.before_showing([row.text_size])
        now = workspace.state.clock.now()
        shown = plain(show_delivery(account.name, row, workspace.links))
        return {
            "part": "deliveries",
            "delivery": shown,
            "caused": [cause for cause in shown["caused"] if not _is_own_timer(cause, row.id)],
            "body": row.payloads if row.batched else row.payloads[0],
            "left": None if row.next_at is None or row.next_at <= now else spoken(row.next_at - now),
            "now": now,
            "timer": next((timer.id for timer in workspace.state.timers.of(MACHINE.name, row.id)), ""),
            "is_frozen": workspace.state.clock.frozen,
            "can_redeliver": DELIVERY.applies(row, "redeliver") and not row.in_flight,
            "why_dropped": deliveries.why_dropped(workspace, row),
            "webhook_is_there": row.webhook in account.rows_of(Webhook),
            "instant": write_instant,
        }


def _is_own_timer(cause: Mapping[str, Any], number: int) -> bool:
    """Whether a delivery has caused an attempt of its own, which the page tells elsewhere."""
    own = f"{MACHINE.name}.{number}."
    return cause["kind"] == TIMER and str(cause["id"]).startswith(own)


@PAGE.view("/list", "webhooks_list.html")
def webhooks() -> Mapping[str, Any]:
    """The webhooks, and how many deliveries to each are in which state."""
    workspace = target.workspace()
    with workspace.lock:
        _leave_if_long(workspace)
        return {
            "part": "webhooks",
            "rows": events.first(workspace),
            "count": events.count(workspace),
            "example": _example(workspace),
        }


@PAGE.view("/trigger", "webhooks_trigger.html")
def trigger() -> Mapping[str, Any]:
    """Forms that let an event or a story happen, and how many webhooks would be told."""
    workspace = target.workspace()
    named = request.args.get("of", _USUAL)
    choice = events.CHOICES.get(named) or events.CHOICES[_USUAL]
    with workspace.lock:
        _leave_if_long(workspace)
        accounts = workspace.state.accounts.values()
        name = request.args.get("account", "")
        chosen = workspace.state.account_named(name)
        told = [chosen or workspace.state.first_account] if choice.category.type != "inbound" or chosen else accounts
        return {
            "part": "trigger",
            "choices": events.CHOICES.values(),
            "choice": choice,
            "unclear": _unclear(named, name, chosen),
            "accounts": [account.name for account in accounts][: _MOST_ACCOUNTS + 1],
            "most_accounts": _MOST_ACCOUNTS,
            "account": None if chosen is None else chosen.name,
            "first_account": workspace.state.first_account.name,
            "offered": events.offered(told, choice.category),
            "stories": events.stories([chosen or workspace.state.first_account]),
            "example": _example(workspace),
        }


def _unclear(named: str, name: str, chosen: Account | None) -> list[str]:
    """A sentence for each part of the address that makes no sense."""
    found = []
    if named not in events.CHOICES:
        found.append(f"There is no such type of events: here are those of {events.CHOICES[_USUAL].title}.")
    if name and chosen is None:
        found.append("There is no account of that name: it happens in the first one.")
    return found


@PAGE.view("/receivers", "webhooks_receivers.html")
def receivers() -> Mapping[str, Any]:
    """The receivers of the mock, and how each answers."""
    workspace = target.workspace()
    with workspace.lock:
        rows = [plain(show_receiver(row)) for row in workspace.receivers]
        return {"part": "receivers", "rows": rows, "address": absolute_root(), "example": _example(workspace)}


@PAGE.view("/receivers/<name>", "webhooks_receiver.html")
def receiver(name: str) -> Mapping[str, Any]:
    """One receiver: how it answers, and what it got."""
    workspace = target.workspace()
    with workspace.lock:
        found = workspace.receivers.get(name)
        calls = [] if found is None else workspace.receivers.calls(found)[:_MOST_CALLS]
        off_loop.before_showing(len(row.body) for row in calls)
        row = plain(show_received(found or Receiver(name), calls))
        return {"part": "receivers", "receiver": row, "is_there": found is not None, "address": absolute_root(),
                "instant": write_instant}  # fmt: skip


def _leave_if_long(workspace: Workspace) -> None:
    """Leave the event loop where there are many deliveries or webhooks to go through, or to show."""
    accounts = workspace.state.accounts.values()
    if (
        sum(len(account.rows_of(delivery_model.Delivery)) + len(account.rows_of(Webhook)) for account in accounts)
        > _FEW
    ):
        off_loop.leave()


def _example(workspace: Workspace) -> str:
    """A line for a shell that makes a webhook to a receiver of the mock."""
    body = json.dumps({"url": f"{absolute_root()}/_mock/receiver/mine", "events": list(_EXAMPLE)})
    return service_curl(example_key(workspace), "/v3/webhooks", body=body)
