"""The events and stories that the page offers to trigger, and how many webhooks would be told of each."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from datetime import timedelta
from itertools import islice
from typing import NamedTuple

from mockserver.core.state.state import Account
from mockserver.core.time.duration import spoken
from mockserver.core.workspaces.workspace import Workspace
from mockserver.resources.deliveries.delivery import MACHINE, Delivery
from mockserver.resources.webhooks.catalogue import BY_NAME, STORIES, raisable
from mockserver.resources.webhooks.event import EMAIL, SMS, TRANSACTIONAL_EMAIL, Category, Event, RaisedEvent
from mockserver.resources.webhooks.event_table import RECEIVED
from mockserver.resources.webhooks.model import Webhook

#: How many webhooks a page shows; the rest is counted.
MOST = 100


class Subscriber(NamedTuple):
    """A webhook as the page shows it."""

    id: int
    account: str
    url: str
    type: str
    channel: str
    events: Sequence[str]
    description: str
    domain: str | None
    batched: bool
    #: How many deliveries to it are in each state, in the order of the states.
    got: Sequence[tuple[str, int]]


def count(workspace: Workspace) -> int:
    """How many webhooks there are; the caller holds the lock of the workspace."""
    return sum(len(account.rows_of(Webhook)) for account in workspace.state.accounts.values())


def first(workspace: Workspace) -> list[Subscriber]:
    """The first webhooks of a workspace; the caller holds its lock."""
    accounts = workspace.state.accounts.values()
    got = Counter((row.webhook, row.state) for each in accounts for row in each.rows_of(Delivery).values())
    rows = ((account.name, row) for account in accounts for row in account.rows_of(Webhook).values())
    return [
        Subscriber(
            row.id, name, row.url, row.type, row.channel, tuple(row.events), row.description, row.domain, row.batched,
            [(state, got[row.id, state]) for state in MACHINE.states if got[row.id, state]],
        )
        for name, row in islice(rows, MOST)
    ]  # fmt: skip


#: What channels are called on the page.
_TITLES = {EMAIL: "e-mails", SMS: "text messages"}


class Choice(NamedTuple):
    """A category of events as the page offers it; `name` stands in addresses."""

    name: str
    title: str
    category: Category


class Offered(NamedTuple):
    """An event that can be triggered, and how many webhooks would be told of it."""

    name: str
    listeners: int


class Scene(NamedTuple):
    """An event of a story: how long after its beginning, and how many webhooks would be told of it."""

    after: str
    event: str
    listeners: int


CHOICES: Mapping[str, Choice] = {
    f"{category.type}-{category.channel}": Choice(
        f"{category.type}-{category.channel}", f"{category.type} {_TITLES[category.channel]}", category
    )
    for category in BY_NAME
}


def offered(accounts: Iterable[Account], category: Category) -> list[Offered]:
    """The events of a category, by name, with the webhooks of these accounts that would be told of them.

    Those that somebody would be told of come first.
    """
    told = _subscriptions(accounts, category)
    rows = BY_NAME[category]
    found = [Offered(name, _listeners(told, rows[name])) for name in raisable(category)]
    return sorted(found, key=lambda row: not row.listeners)


def stories(accounts: Iterable[Account]) -> dict[str, Sequence[Scene]]:
    """All stories with their scenes, and the webhooks of these accounts that would be told of each."""
    told = _subscriptions(accounts, TRANSACTIONAL_EMAIL)
    rows = BY_NAME[TRANSACTIONAL_EMAIL]
    return {
        name: [Scene(_after(scene.after), scene.event, _listeners(told, rows[scene.event])) for scene in scenes]
        for name, scenes in STORIES.items()
    }


def _after(length: timedelta) -> str:
    return f"after {spoken(length)}" if length else "at once"


def _subscriptions(accounts: Iterable[Account], category: Category) -> Counter[tuple[str, ...]]:
    """How many webhooks of a category have each set of events: there are fewer of these than of webhooks."""
    return Counter(
        tuple(row.events)
        for account in accounts
        for row in account.rows_of(Webhook).values()
        if row.category == category
    )


def _listeners(told: Mapping[tuple[str, ...], int], event: Event) -> int:
    names = _told_of(event)
    return sum(number for events, number in told.items() if not names.isdisjoint(events))


def _told_of(event: Event) -> frozenset[str]:
    """The names of the events whose subscribers are told of this one; of a reply also those of any received mail."""
    if isinstance(event, RaisedEvent):
        return event.subscriptions
    return frozenset(row.name for row in RECEIVED if row is event or not row.is_reply)
