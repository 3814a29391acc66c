"""Webhooks: creation, look-up, changes and deletion (contract/webhooks and contract/events#subscriptions)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from datetime import datetime
from typing import Any

from mockserver.core.contract import errors
from mockserver.core.state import reasons
from mockserver.core.text.addresses import domain_of, is_host_name
from mockserver.core.workspaces.caller import Caller
from mockserver.resources.deliveries import model as deliveries
from mockserver.resources.deliveries.delivery import Target
from mockserver.resources.domains.domain import Domain, find
from mockserver.resources.webhooks.catalogue import CREATE_EVENTS, INBOUND_DEFAULT, UPDATE_EVENTS, subscribed
from mockserver.resources.webhooks.event import EMAIL, INBOUND, TRANSACTIONAL, Category


@dataclass(slots=True, eq=False)
class Webhook:
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
    #: Address, credentials and headers of all calls: one shared object, as it may be large.
    target: Target = field(init=False)

    def __post_init__(self) -> None:
        self.target = self._make_target()

    @property
    def category(self) -> Category:
        """Type and channel, which decide the possible subscriptions."""
        return Category(self.type, self.channel)

    def change(self, changes: Mapping[str, Any]) -> None:
        """Apply the changeable members of a body; an equal target stays the same object."""
        for name in _CHANGEABLE & changes.keys():
            setattr(self, name, changes[name])
        target = self._make_target()
        self.target = self.target if self.target == target else target

    def _make_target(self) -> Target:
        headers = tuple((row["key"], row.get("value", "")) for row in self.headers if row.get("key"))
        return Target(self.url, self.auth, headers)


class OpenWindows(dict[int, list[tuple[datetime, int]]]):
    """The open windows of each webhook, soonest end first: the end, and the id of the last call.

    One record per account. It has the ids of calls instead of rows, so that it keeps no evicted row.
    """


_CHANGEABLE = frozenset({"url", "events", "description", "domain", "batched", "auth", "headers"})
assert frozenset(row.name for row in fields(Webhook)) >= _CHANGEABLE
#: The service's message for an unknown id as well as for a list without webhooks, observed in a dozen public programs
#: (contract/webhooks#getWebhooks).
_NO_WEBHOOK = "Webhook record does not exist"


def select(caller: Caller, webhook_type: str, order: str) -> list[Webhook]:
    """Return the webhooks of one type by creation, newest first if `order` is `desc`.

    Refuse an empty list with 400, unless `behaviour.webhooks_none` is `empty`.
    """
    found = [row for row in caller.account.rows_of(Webhook).values() if row.type == webhook_type]
    if not found and caller.workspace.state.behaviour.webhooks_none == "error":
        reason = f"account {caller.account.name} has no {webhook_type} webhooks (behaviour.webhooks_none is error)"
        raise errors.DOCUMENT_NOT_FOUND(_NO_WEBHOOK, status=400).because(reason)
    return sorted(found, key=lambda row: (row.created_at, row.id), reverse=order == "desc")


def get(caller: Caller, webhook_id: int) -> Webhook:
    webhook = caller.account.table(Webhook).get(webhook_id)
    if webhook is None:
        raise errors.DOCUMENT_NOT_FOUND(_NO_WEBHOOK).because(
            reasons.absent(caller.workspace.state, caller.account, "webhook", Webhook, webhook_id)
        )
    return webhook


def create(caller: Caller, given: dict[str, Any]) -> Webhook:
    """Create a webhook from a body's members."""
    workspace = caller.workspace
    category = Category(given.setdefault("type", TRANSACTIONAL), given.setdefault("channel", EMAIL))
    if category.type == INBOUND:
        given["events"] = given.get("events") or [INBOUND_DEFAULT]
        _require(given, "domain", category.type)
    _require(given, "events", category.type)
    given = _checked(caller, given, category, CREATE_EVENTS)
    if category.type != INBOUND:
        _check_limit(caller)
    now = workspace.state.clock.now()
    webhook = Webhook(workspace.state.next_id("webhook"), created_at=now, modified_at=now, **given)
    caller.account.table(Webhook)[webhook.id] = webhook
    return webhook


def update(caller: Caller, webhook_id: int, changes: dict[str, Any]) -> None:
    """Change the given members; type and channel cannot be changed (contract/webhooks#updateWebhook)."""
    webhook = get(caller, webhook_id)
    if "events" in changes:
        _require(changes, "events", webhook.type)
    changes = _checked(caller, changes, webhook.category, UPDATE_EVENTS, webhook)
    webhook.change(changes)
    webhook.modified_at = caller.workspace.state.clock.now()
    deliveries.retarget(caller.workspace, caller.account, webhook.id, webhook.target)


def delete(caller: Caller, webhook_id: int) -> None:
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
    """Return checked members; `known` are the subscriptions of each category, `webhook` is the webhook to change."""
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
    """Warn of `auth` or `headers` without effect on calls."""
    if given.get("auth") is not None and "token" not in given["auth"]:
        caller.warn("the body field `auth` has no `token`: the calls carry no Authorization header")
    for index, header in enumerate(given.get("headers") or ()):
        if not header.get("key"):
            caller.warn(f"the body field `headers[{index}]` has no `key`: the calls carry no such header")


def _domain(caller: Caller, given: str) -> str:
    """Return an inbound webhook's domain, lowercased and in A-labels.

    Refuse a text that is no domain name and, unless `behaviour.inbound_domain` is `any`, one that is not authenticated.
    """
    name = domain_of(given)
    if "@" in given or not is_host_name(name):
        reason = f"invalid field `domain` in the body: {reasons.shown(given)} is not a domain name"
        raise errors.INVALID_PARAMETER("domain: Not a valid hostname").because(reason)
    if caller.workspace.state.behaviour.inbound_domain == "any":
        return name
    # An authenticated parent domain does not count: recorded (contract/webhooks#createWebhook).
    domain = find(caller.account, name)
    if domain is None or not domain.authenticated:
        problem = (
            reasons.absent(caller.workspace.state, caller.account, "domain", Domain, name)
            if domain is None
            else f"domain {name} is {domain.state}"
        )
        needed = "inbound webhooks require an authenticated domain (behaviour.inbound_domain)"
        raise errors.INVALID_PARAMETER("Domain is not found or is inactive").because(f"{problem}; {needed}")
    return name


def _check_duplicate(caller: Caller, webhook_type: str, url: str, webhook: Webhook | None) -> None:
    """Warn of another webhook's equal url and type, or refuse (`behaviour.webhook_duplicates`)."""
    others = (row for row in caller.account.rows_of(Webhook).values() if row is not webhook)
    twin = next((row for row in others if (row.type, row.url) == (webhook_type, url)), None)
    if twin is None:
        return
    same = f"duplicate webhook: webhook {twin.id} has the same url and type"
    if caller.workspace.state.behaviour.webhook_duplicates == "refuse":
        refused = errors.DUPLICATE_PARAMETER("Webhook with this url and type already exists")
        raise refused.because(f"{same} (behaviour.webhook_duplicates is refuse)")
    caller.warn(f"{same}; both receive the events to which both subscribe")


def _require(given: dict[str, Any], name: str, webhook_type: str) -> None:
    if not given.get(name):
        lack = "empty" if name in given else "missing"
        reason = f"{lack} field `{name}` in the body: {webhook_type} webhooks require it"
        raise errors.MISSING_PARAMETER(f"Missing {name} attribute in the request").because(reason)


def _events(names: list[str], known: Mapping[Category, tuple[str, ...]], category: Category) -> list[str]:
    """Return a subscription's events in API form, refusing events of other categories."""
    for event in names:
        if event not in known[category]:
            refused = errors.INVALID_PARAMETER(f"events: {event} is not an event of {category.type} webhooks")
            change = "create" if known is CREATE_EVENTS else "update"
            of = f"a webhook of type {category.type} and channel {category.channel}"
            raise refused.because(f"cannot {change} {of} with event {event}; allowed: {', '.join(known[category])}")
    return subscribed(category, names)


def _check_limit(caller: Caller) -> None:
    """Refuse more webhooks than `behaviour.webhook_limit`, not counting inbound webhooks."""
    limit = caller.workspace.state.behaviour.webhook_limit
    counted = sum(row.type != INBOUND for row in caller.account.rows_of(Webhook).values())
    if counted >= limit:
        account = caller.account.name
        reason = f"webhook limit reached: account {account} has {counted} of {limit} (behaviour.webhook_limit)"
        refused = errors.OUT_OF_RANGE(f"An account has at most {limit} marketing and transactional webhooks")
        raise refused.because(reason)
