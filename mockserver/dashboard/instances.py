"""Instances of a state machine as pages list them: counted by state, searched, and a part at a time."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import islice
from operator import attrgetter
from typing import Any, NamedTuple

from mockserver.core.state.state import Account
from mockserver.core.workspaces.lifecycle import Lifecycle
from mockserver.core.workspaces.workspace import Workspace

#: How many instances a page lists.
PART = 100
_state = attrgetter("state")


class Wanted(NamedTuple):
    """Which instances to list: those in a state, with a text in what is shown of them; empty: all."""

    state: str = ""
    text: str = ""
    #: How many of them to leave out at the beginning.
    offset: int = 0


class Found(NamedTuple):
    """Instances of a part of a list, as the control API shows them, and how many the whole list has."""

    rows: list[dict[str, Any]]
    total: int


def counted(workspace: Workspace, lifecycle: Lifecycle[Any]) -> Mapping[str, int]:
    """How many instances are in each state of a machine."""
    found: Counter[str] = Counter()
    for account in workspace.state.accounts.values():
        found.update(map(_state, account.rows_of(lifecycle.row).values()))
    return {state: found[state] for state in lifecycle.machine.states}


def select(workspace: Workspace, lifecycle: Lifecycle[Any], wanted: Wanted) -> Found:
    """The instances that are wanted, account by account, the newest first; the cost grows with all instances."""
    if not wanted.text:
        return _plain(workspace, lifecycle, wanted)
    text = wanted.text.casefold()
    matching = [
        shown
        for account, row in _newest(workspace, lifecycle, wanted.state)
        if _mentions(shown := lifecycle.describe(account, row), text)
    ]
    return Found(matching[wanted.offset : wanted.offset + PART], len(matching))


def _plain(workspace: Workspace, lifecycle: Lifecycle[Any], wanted: Wanted) -> Found:
    """What `select` finds without a text: only what is listed is described."""
    counts = counted(workspace, lifecycle)
    rows = islice(_newest(workspace, lifecycle, wanted.state), wanted.offset, wanted.offset + PART)
    shown = [lifecycle.describe(account, row) for account, row in rows]
    return Found(shown, counts.get(wanted.state, 0) if wanted.state else sum(counts.values()))


def _newest(workspace: Workspace, lifecycle: Lifecycle[Any], state: str) -> Iterator[tuple[Account, Any]]:
    for account in workspace.state.accounts.values():
        for row in reversed(account.rows_of(lifecycle.row).values()):  # type: ignore[call-overload]  # of a dictionary
            if not state or row.state == state:
                yield account, row


def _mentions(shown: Mapping[str, Any], text: str) -> bool:
    """Whether a key, an account, an address or another plain member has the text in it."""
    return any(
        text in str(value).casefold()
        for name, value in shown.items()
        if isinstance(value, str | int) and name != "state"
    )
