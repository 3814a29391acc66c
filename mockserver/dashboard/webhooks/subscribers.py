"""The webhooks of a workspace, with what each got."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import islice
from typing import NamedTuple

from mockserver.core.workspaces.workspace import Workspace
from mockserver.resources.deliveries.delivery import MACHINE, Delivery
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
