"""The domains that the DNS of a workspace knows, as the page lists them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from mockserver.core.workspaces.workspace import Workspace
from mockserver.resources.domains.dns_view import OK, RECORDS
from mockserver.resources.domains.domain import AUTHENTICATED
from mockserver.views.workspaces.dns import Known, KnownName, known

#: How many domains a page lists. Chosen: with two forms each they stay within the 60 kB of a first view.
MOST_DOMAINS = 10
#: How many accounts are named of those that have a domain; the rest is counted.
_MOST_ACCOUNTS = 5


class Line(NamedTuple):
    """A domain: as the control API shows it, its first accounts, and what its records mean."""

    name: Mapping[str, Any]
    accounts: Sequence[Mapping[str, Any]]
    meaning: str


class Domains(NamedTuple):
    """One page of the domains that the address asks for, and how many there are in all."""

    lines: Sequence[Line]
    number: int


def domains(workspace: Workspace, part: str, offset: int) -> Domains:
    """The domains with `part` in their names; the caller holds the workspace's lock."""
    rows, number = known(workspace, part, offset, MOST_DOMAINS)
    return Domains([_line(row) for row in rows], number)


def _line(row: Known) -> Line:
    name = KnownName.show(row)
    return Line(name, name["accounts"][:_MOST_ACCOUNTS], _meaning(row))


def _meaning(row: Known) -> str:
    """What the records of a domain mean for who authenticates it."""
    wrong = [f"{record} is {answer}" for record in RECORDS if (answer := getattr(row.records, record)) != OK]
    if row.records.free_mail:
        return "A provider of free mailboxes has it, so that nobody can authenticate it."
    if not wrong:
        return "All three records are right."
    if any(owned.state == AUTHENTICATED for owned in row.accounts):
        return f"It stays authenticated, as ownership is proved only once: {' and '.join(wrong)}."
    return f"Who authenticates it is refused: {', '.join(wrong)}."
