"""Webhooks: creation, look-up, changes and deletion (contract/webhooks and contract/events#subscriptions)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from datetime import datetime
from typing import Any

from mockserver.core.contract.errors import (
    DOCUMENT_NOT_FOUND,
    DUPLICATE_PARAMETER,
    INVALID_PARAMETER,
    MISSING_PARAMETER,
    OUT_OF_RANGE,
)
from mockserver.core.state import reasons
from mockserver.core.text.addresses import domain_of, is_host_name
from mockserver.core.workspaces.caller import Caller
from mockserver.resources.deliveries import model as deliveries
from mockserver.resources.deliveries.delivery import Target
from mockserver.resources.domains.domain import AUTHENTICATED, Domain, find
from mockserver.resources.webhooks.catalogue import CREATE_EVENTS, INBOUND_DEFAULT, UPDATE_EVENTS, subscribed
from mockserver.resources.webhooks.event import EMAIL, INBOUND, TRANSACTIONAL, Category


@dataclass(slots=True, eq=False)
class Webhook:
    """An address that is told of events, and which events it subscribes to."""

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
    #: What the webhook's calls share: address, credentials, headers. One object for all of them, as it may be large.
    target: Target = field(init=False)

    def __post_init__(self) -> None:
        self.target = self._make_target()

    @property
    def category(self) -> Category:
        """Type and channel, which decide what the webhook may subscribe to."""
        return Category(self.type, self.channel)

    def change(self, changes: Mapping[str, Any]) -> None:
        """Take those members of a body that can be changed; the target stays the same object unless it changes."""
        for name in _CHANGEABLE & changes.keys():
            setattr(self, name, changes[name])
        target = self._make_target()
        self.target = self.target if self.target == target else target

    def _make_target(self) -> Target:
        headers = tuple((row["key"], row.get("value", "")) for row in self.headers if row.get("key"))
        return Target(self.url, self.auth, headers)


class OpenWindows(dict[int, list[tuple[datetime, int]]]):
    """The open windows of each webhook, soonest end first: when each ends, and the id of its last call.

    One record per account. It has ids of calls and not the rows, so that it keeps no row that was evicted.
    """


_CHANGEABLE = frozenset({"url", "events", "description", "domain", "batched", "auth", "headers"})
assert frozenset(row.name for row in fields(Webhook)) >= _CHANGEABLE


#: The service's message for an unknown id as well as for a list without webhooks, observed in a dozen public programs
#: (contract/webhooks#getWebhooks).
_NO_WEBHOOK = "Webhook record does not exist"


def select(caller: Caller, webhook_type: str, order: str) -> list[Webhook]:
    """The webhooks of one type in the order of their creation, newest first if `order` is `desc`.

    Raises:
        ServiceError: 400, there is none of that type, unless `behaviour.webhooks_none` is `empty`.
    """
    found = [row for row in caller.account.rows_of(Webhook).values() if row.type == webhook_type]
    if not found and caller.workspace.state.behaviour.webhooks_none == "error":
        reason = f"account {caller.account.name} has no {webhook_type} webhooks (behaviour.webhooks_none is error)"
        raise DOCUMENT_NOT_FOUND(_NO_WEBHOOK, status=400).because(reason)
    return sorted(found, key=lambda row: (row.created_at, row.id), reverse=order == "desc")


def get(caller: Caller, webhook_id: int) -> Webhook:
    """The caller's webhook with this id.

    Raises:
        ServiceError: 404; the caller has none.
    """
    webhook = caller.account.table(Webhook).get(webhook_id)
    if webhook is None:
        raise DOCUMENT_NOT_FOUND(_NO_WEBHOOK).because(
            reasons.absent(caller.workspace.state, caller.account, "webhook", Webhook, webhook_id)
        )
    return webhook


def create(caller: Caller, given: dict[str, Any]) -> Webhook:
    """Create a webhook of the members that a body gives; returns it.

    Raises:
        ServiceError: 400; events or domain are missing or not of the type, or there are too many webhooks.
    """
    workspace = caller.workspace
    category = Category(given.setdefault("type", TRANSACTIONAL), given.setdefault("channel", EMAIL))
    if category.type == INBOUND:
        given["events"] = given.get("events") or [INBOUND_DEFAULT]
        _require(given, "domain", category.type)
    _require(given, "events", category.type)
    given = _checked(caller, given, category, CREATE_EVENTS)
    _check_limit(caller, category.type)
    now = workspace.state.clock.now()
    webhook = Webhook(workspace.state.next_id("webhook"), created_at=now, modified_at=now, **given)
    caller.account.table(Webhook)[webhook.id] = webhook
    return webhook


def update(caller: Caller, webhook_id: int, changes: dict[str, Any]) -> None:
    """Change the members that are given; type and channel cannot be changed (contract/webhooks#updateWebhook).

    Raises:
        ServiceError: 404; 400, events or domain are not of the type, or there are none.
    """
    webhook = get(caller, webhook_id)
    if "events" in changes:
        _require(changes, "events", webhook.type)
    changes = _checked(caller, changes, webhook.category, UPDATE_EVENTS, webhook)
    webhook.change(changes)
    webhook.modified_at = caller.workspace.state.clock.now()
    deliveries.retarget(caller.workspace, caller.account, webhook.id, webhook.target)


def delete(caller: Caller, webhook_id: int) -> None:
    """Delete a webhook, and cancel the calls that are still to be made to it.

    Raises:
        ServiceError: 404; the caller has no such webhook.
    """
    del caller.account.table(Webhook)[get(caller, webhook_id).id]
    caller.account.record(OpenWindows).pop(webhook_id, None)
    deliveries.cancel_all(caller.workspace, caller.account, webhook_id)


def _checked(
    caller: Caller,
    given: dict[str, Any],
    category: Category,
    known: Mapping[Category, tuple[str, ...]],
    webhook: Webhook | None = None,
) -> dict[str, Any]:
    """The given members as a webhook has them, checked by the rules that creation and change share.

    `known` are the events to which webhooks of each category may subscribe. `webhook` is the one to be changed.

    Raises:
        ServiceError: 400; a rule is broken.
    """
    found = dict(given)
    if "events" in found:
        found["events"] = _events(found["events"], known, category)
    if category.type == INBOUND and "domain" in found:
        found["domain"] = _domain(caller, found["domain"])
    elif found.pop("domain", None) is not None:
        caller.warn(f"ignored the body field `domain`: a webhook of type {category.type} has no domain")
    _warn_of_nothing(caller, found)
    if "url" in found:
        _check_duplicate(caller, category.type, found["url"], webhook)
    return found


def _warn_of_nothing(caller: Caller, given: Mapping[str, Any]) -> None:
    """Warn of an `auth` and of `headers` that the schema allows and that add nothing to the calls."""
    if given.get("auth") is not None and "token" not in given["auth"]:
        caller.warn("the body field `auth` has no `token`: the calls carry no Authorization header")
    for index, header in enumerate(given.get("headers") or ()):
        if not header.get("key"):
            caller.warn(f"the body field `headers[{index}]` has no `key`: the calls carry no such header")


def _domain(caller: Caller, given: str) -> str:
    """The domain of an inbound webhook, in A-labels and lower case, as domains are compared.

    Raises:
        ServiceError: 400; it is no name of a domain, or the account has no such authenticated domain, unless
            `behaviour.inbound_domain` is `any`.
    """
    name = domain_of(given)
    if "@" in given or not is_host_name(name):
        reason = f"invalid field `domain` in the body: {reasons.shown(given)} is not a domain name"
        raise INVALID_PARAMETER("domain: Not a valid hostname").because(reason)
    if caller.workspace.state.behaviour.inbound_domain == "any":
        return name
    # A domain above it, which is authenticated, does not count: recorded (contract/webhooks#createWebhook).
    domain = find(caller.account, name)
    if domain is None or domain.state != AUTHENTICATED:
        problem = (
            reasons.absent(caller.workspace.state, caller.account, "domain", Domain, name)
            if domain is None
            else f"domain {name} is {domain.state}"
        )
        needed = "inbound webhooks require an authenticated domain (behaviour.inbound_domain)"
        raise INVALID_PARAMETER("Domain is not found or is inactive").because(f"{problem}; {needed}")
    return name


def _check_duplicate(caller: Caller, webhook_type: str, url: str, webhook: Webhook | None) -> None:
    """Warn if another webhook of the account has the same url and type.

    Raises:
        ServiceError: 400; another one has, and `behaviour.webhook_duplicates` is `refuse`.
    """
    others = (row for row in caller.account.rows_of(Webhook).values() if row is not webhook)
    twin = next((row for row in others if (row.type, row.url) == (webhook_type, url)), None)
    if twin is None:
        return
    same = f"duplicate webhook: webhook {twin.id} has the same url and type"
    if caller.workspace.state.behaviour.webhook_duplicates == "refuse":
        refused = DUPLICATE_PARAMETER("Webhook with this url and type already exists")
        raise refused.because(f"{same} (behaviour.webhook_duplicates is refuse)")
    caller.warn(f"{same}; both receive the events to which both subscribe")


def _require(given: dict[str, Any], name: str, webhook_type: str) -> None:
    """Check that a body has a member that is not empty.

    Raises:
        ServiceError: 400; the member is missing or empty.
    """
    if not given.get(name):
        lack = "empty" if name in given else "missing"
        reason = f"{lack} field `{name}` in the body: {webhook_type} webhooks require it"
        raise MISSING_PARAMETER(f"Missing {name} attribute in the request").because(reason)


def _events(names: list[str], known: Mapping[Category, tuple[str, ...]], category: Category) -> list[str]:
    """The events of a subscription as the API shows them, each once.

    Raises:
        ServiceError: 400; webhooks of the category may not subscribe to one of them.
    """
    for event in names:
        if event not in known[category]:
            refused = INVALID_PARAMETER(f"events: {event} is not an event of {category.type} webhooks")
            change = "create" if known is CREATE_EVENTS else "update"
            of = f"a webhook of type {category.type} and channel {category.channel}"
            raise refused.because(f"cannot {change} {of} with event {event}; allowed: {', '.join(known[category])}")
    return subscribed(category, names)


def _check_limit(caller: Caller, webhook_type: str) -> None:
    """Check that the account may have one more webhook of a type; inbound webhooks are not counted.

    Raises:
        ServiceError: 400; the account has as many as `behaviour.webhook_limit` allows.
    """
    limit = caller.workspace.state.behaviour.webhook_limit
    counted = sum(row.type != INBOUND for row in caller.account.rows_of(Webhook).values())
    if webhook_type != INBOUND and counted >= limit:
        reason = (
            f"webhook limit reached: account {caller.account.name} has {counted} of {limit} (behaviour.webhook_limit)"
        )
        refused = OUT_OF_RANGE(f"An account has at most {limit} marketing and transactional webhooks")
        raise refused.because(reason)
