"""What a workspace was made from, how much it keeps, and the moments that it can return to."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any, NamedTuple

from mockserver.core.state.keys import Keyring
from mockserver.core.traffic.mailbox import Mailbox

#: In bytes.
_MB = 1024 * 1024


class WorkspaceLimits(NamedTuple):
    """How much a workspace keeps: numbers, and bytes."""

    #: All that has no limit of its own: of accounts, senders, tokens, keys and so on together.
    rows: int = 250_000
    #: Documents that it was made of, or has got added.
    documents_bytes: int = 256 * _MB
    mailbox: int = 1_000
    mailbox_bytes: int = 16 * _MB
    journal: int = 1_000
    journal_bytes: int = 4 * _MB
    #: What has happened, for those who look on.
    feed: int = 1_000
    feed_bytes: int = 4 * _MB
    snapshots: int = 100
    snapshots_bytes: int = 64 * _MB
    #: Of one account.
    deliveries: int = 20_000
    #: Of all accounts.
    deliveries_bytes: int = 64 * _MB
    #: Calls that all receivers together keep.
    receivers: int = 10_000
    receivers_bytes: int = 64 * _MB


class Origin(NamedTuple):
    """What a workspace was made from, and what a reset makes it from again."""

    #: A name, or a document.
    scenario: object = ""
    #: What the scenario is called where it is shown.
    title: str = ""
    #: Another seed than the scenario's.
    seed: int | None = None
    #: The keys of its own; None: those of the scenario.
    keyring: Keyring | None = None


class Snapshot(NamedTuple):
    """A moment of a workspace, to return to."""

    name: str
    at: datetime
    document: Mapping[str, Any]
    mailbox: Mailbox
    #: What it takes in memory, in bytes.
    size: int = 0
