"""What a workspace was made from, how much it may keep, and its snapshots."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any, NamedTuple, Self

from mockserver.core.state.keys import Keyring
from mockserver.core.traffic.mailbox import Mailbox
from mockserver.settings import Settings


class WorkspaceLimits(NamedTuple):
    """The most that a workspace keeps: numbers of things, and bytes."""

    #: All rows without a limit of their own: accounts, senders, tokens, keys and so on together.
    rows: int
    #: The documents that it was made from or that were added.
    documents_bytes: int
    mailbox: int
    mailbox_bytes: int
    journal: int
    journal_bytes: int
    #: Items of the feed.
    feed: int
    feed_bytes: int
    #: Transitions of instances.
    history: int
    snapshots: int
    snapshots_bytes: int
    #: Of one account.
    deliveries: int
    #: Of all accounts.
    deliveries_bytes: int
    #: Of the values that stubs store.
    stored_bytes: int
    #: Calls that all receivers together keep.
    receivers: int
    receivers_bytes: int

    @classmethod
    def of(cls, settings: Settings) -> Self:
        """The limits that the settings of a server give to each of its workspaces."""
        return cls(*(getattr(settings, f"{name}_limit") for name in cls._fields))


class Origin(NamedTuple):
    """What a workspace was made from, and is made from again by a reset."""

    #: The name of a scenario, or a document.
    scenario: object = ""
    #: The name of the scenario in what users see.
    title: str = ""
    #: The seed, or None for the one of the scenario.
    seed: int | None = None
    #: Makes the keys of the workspace, or None if it has those of the scenario.
    keyring: Keyring | None = None


class Snapshot(NamedTuple):
    """The state of a workspace at a moment, to return to."""

    name: str
    at: datetime
    document: Mapping[str, Any]
    mailbox: Mailbox
    #: What the snapshot takes in memory, in bytes.
    size: int = 0
