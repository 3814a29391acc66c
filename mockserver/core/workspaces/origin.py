"""What a workspace was made from, how much it keeps, and the moments that it can return to."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any, NamedTuple, Self

from mockserver.core.state.keys import Keyring
from mockserver.core.traffic.mailbox import Mailbox
from mockserver.settings import Settings


class WorkspaceLimits(NamedTuple):
    """How much a workspace keeps: numbers, and bytes."""

    #: All that has no limit of its own: of accounts, senders, tokens, keys and so on together.
    rows: int
    #: Documents that it was made of, or has got added.
    documents_bytes: int
    mailbox: int
    mailbox_bytes: int
    journal: int
    journal_bytes: int
    #: What has happened, for those who look on.
    feed: int
    feed_bytes: int
    snapshots: int
    snapshots_bytes: int
    #: Of one account.
    deliveries: int
    #: Of all accounts.
    deliveries_bytes: int
    #: Calls that all receivers together keep.
    receivers: int
    receivers_bytes: int

    @classmethod
    def of(cls, settings: Settings) -> Self:
        """Those of the workspaces of a server."""
        return cls(
            rows=settings.rows_limit,
            documents_bytes=settings.documents_bytes_limit,
            mailbox=settings.mailbox_limit,
            mailbox_bytes=settings.mailbox_bytes_limit,
            journal=settings.journal_limit,
            journal_bytes=settings.journal_bytes_limit,
            feed=settings.feed_limit,
            feed_bytes=settings.feed_bytes_limit,
            snapshots=settings.snapshots_limit,
            snapshots_bytes=settings.snapshots_bytes_limit,
            deliveries=settings.deliveries_limit,
            deliveries_bytes=settings.deliveries_bytes_limit,
            receivers=settings.receivers_limit,
            receivers_bytes=settings.receivers_bytes_limit,
        )


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
