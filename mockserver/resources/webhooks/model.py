"""Webhooks: which events are sent where, and the export of their history (SPEC 2.3 and 6, ledger 3)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from datetime import datetime
from typing import Any

from mockserver.core import facts
from mockserver.core.caller import Caller
from mockserver.core.errors import (
    DOCUMENT_NOT_FOUND,
    INVALID_PARAMETER,
    MISSING_PARAMETER,
    OUT_OF_RANGE,
)
from mockserver.resources.deliveries import model as deliveries
from mockserver.resources.deliveries.model import Target
from mockserver.resources.webhooks.event_table import (
    CREATE_EVENTS,
    EMAIL,
    INBOUND,
    INBOUND_DEFAULT,
    TRANSACTIONAL,
    UPDATE_EVENTS,
    subscribed,
)


@dataclass(slots=True, eq=False)
class Webhook:
    """An address that events are sent to."""

    id: int
    url: str
    created_at: datetime
    modified_at: datetime
    type: str = TRANSACTIONAL
    channel: str = EMAIL
    events: list[str] = field(default_factory=list)
    description: str = ""
    domain: str | None = None
    batched: bool = False
    auth: dict[str, str] | None = None
    headers: list[dict[str, str]] = field(default_factory=list)

    @property
    def target(self) -> Target:
        """Where its calls go, and what they carry besides."""
        headers = tuple((row["key"], row.get("value", "")) for row in self.headers if row.get("key"))
        return Target(self.url, self.auth, headers)


_CHANGEABLE = frozenset({"url", "events", "description", "domain", "batched", "auth", "headers"})
assert frozenset(row.name for row in fields(Webhook)) >= _CHANGEABLE


#: Observed in a dozen public programs, of a list without webhooks and of an id alike (ledger 0.1).
_NO_WEBHOOK = "Webhook record does not exist"


def select(caller: Caller, kind: str, order: str) -> list[Webhook]:
    """The webhooks of one type, by creation.

    Raises:
        ServiceError: 400, there is none of that type, unless `behaviour.webhooks_none` is `empty`.
    """
    found = [row for row in caller.account.table(Webhook).values() if row.type == kind]
    if not found and caller.workspace.behaviour.webhooks_none == "error":
        reason = f"account {caller.account.name} has no {kind} webhooks, and behaviour.webhooks_none is error"
        raise DOCUMENT_NOT_FOUND(_NO_WEBHOOK, status=400).because(reason)
    return sorted(found, key=lambda row: (row.created_at, row.id), reverse=order == "desc")


def get(caller: Caller, webhook_id: int) -> Webhook:
    webhook = caller.account.table(Webhook).get(webhook_id)
    if webhook is None:
        raise DOCUMENT_NOT_FOUND(_NO_WEBHOOK).because(facts.absent(caller, "webhook", Webhook, webhook_id))
    return webhook


def create(caller: Caller, given: dict[str, Any]) -> Webhook:
    """A new webhook.

    Raises:
        ServiceError: 400; events or domain are missing, an event is not of the type, or there are too many webhooks.
    """
    workspace = caller.workspace
    kind, channel = given.setdefault("type", TRANSACTIONAL), given.setdefault("channel", EMAIL)
    if kind == INBOUND:
        given["events"] = given.get("events") or [INBOUND_DEFAULT]
        _require(given, "domain", kind)
    _keep_domain(caller, given, kind)
    _require(given, "events", kind)
    given["events"] = _events(given["events"], CREATE_EVENTS, (kind, channel))
    _check_limit(caller, kind)
    now = workspace.clock.now()
    webhook = Webhook(workspace.next_id("webhook"), created_at=now, modified_at=now, **given)
    caller.account.table(Webhook)[webhook.id] = webhook
    return webhook


def update(caller: Caller, webhook_id: int, changes: dict[str, Any]) -> None:
    """Change what is given; type and channel stay (ledger 2.16).

    Raises:
        ServiceError: 404; 400, an event is not of the type, or there are none.
    """
    webhook = get(caller, webhook_id)
    _keep_domain(caller, changes, webhook.type)
    if "events" in changes:
        _require(changes, "events", webhook.type)
        changes["events"] = _events(changes["events"], UPDATE_EVENTS, (webhook.type, webhook.channel))
    for name in _CHANGEABLE & changes.keys():
        setattr(webhook, name, changes[name])
    webhook.modified_at = caller.workspace.clock.now()
    deliveries.retarget(caller.account, webhook.id, webhook.target)


def delete(caller: Caller, webhook_id: int) -> None:
    """Delete a webhook; what was still to be sent to it is not sent any more."""
    del caller.account.table(Webhook)[get(caller, webhook_id).id]
    deliveries.cancel_all(caller.workspace, caller.account, webhook_id)


def _keep_domain(caller: Caller, given: dict[str, Any], kind: str) -> None:
    """Let a domain stand on an inbound webhook only: on others the service shows none."""
    if kind != INBOUND and given.pop("domain", None) is not None:
        caller.warn(f"a webhook of type {kind} has no domain; the one that was sent is ignored")


def _require(given: dict[str, Any], name: str, kind: str) -> None:
    if not given.get(name):
        reason = f"the body's member {name} is {'empty' if name in given else 'missing'}; {kind} webhooks need it"
        raise MISSING_PARAMETER(f"Missing {name} attribute in the request").because(reason)


def _events(names: list[str], known: Mapping[tuple[str, str], tuple[str, ...]], form: tuple[str, str]) -> list[str]:
    """The events as they are read back, each once.

    Raises:
        ServiceError: 400; one is not of the type.
    """
    for event in names:
        if event not in known[form]:
            refused = INVALID_PARAMETER(f"events: {event} is not an event of {form[0]} webhooks")
            when = "when it is made" if known is CREATE_EVENTS else "when it is changed"
            reason = f"a webhook of type {form[0]} and channel {form[1]} cannot take {event} {when}"
            raise refused.because(f"{reason}; it can take {', '.join(known[form])}")
    return subscribed(form, names)


def _check_limit(caller: Caller, kind: str) -> None:
    limit = caller.workspace.behaviour.webhook_limit
    counted = sum(row.type != INBOUND for row in caller.account.table(Webhook).values())
    if kind != INBOUND and counted >= limit:
        reason = f"account {caller.account.name} has {counted} already, and behaviour.webhook_limit is {limit}"
        refused = OUT_OF_RANGE(f"An account has at most {limit} marketing and transactional webhooks")
        raise refused.because(reason)
