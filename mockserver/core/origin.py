"""What a workspace was made from, how much it keeps, and the moments that it can return to."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any, NamedTuple

from mockserver.core.keys import Keyring
from mockserver.core.mailbox import Mailbox


class Limits(NamedTuple):
    """How much a workspace keeps."""

    mailbox: int = 1_000
    journal: int = 1_000
    journal_bytes: int = 4 * 1024 * 1024
    snapshots: int = 100
    deliveries: int = 20_000


class Origin(NamedTuple):
    """What a workspace was made from, and what a reset makes it from again."""

    #: A name, or a document.
    scenario: object = ""
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
