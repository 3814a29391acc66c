"""The views of workspaces: their addresses, and the keys that open their accounts."""

from __future__ import annotations

from typing import NamedTuple

from marshmallow import fields

from mockserver.core.contract.operation import Role
from mockserver.core.state.state import Account
from mockserver.core.workspaces import workspace
from mockserver.core.workspaces.store import DEFAULT
from mockserver.resources.deliveries.delivery import Delivery
from mockserver.views.base import members
from mockserver.views.base.view import View, listing
from mockserver.views.traffic import causes, redaction
from mockserver.views.workspaces.clock import Clock


class Hosted(NamedTuple):
    """A row of `Workspace`: a workspace, and the root address of the server, with a slash at its end."""

    workspace: workspace.Workspace
    root: str


def _first_key(account: Account) -> str | None:
    return next(iter(account.api_keys), None)


# The functions below do without the lock of the workspace: a list of many workspaces is not to wait for each of them.


def _accounts(row: Hosted) -> tuple[Account, ...]:
    return tuple(row.workspace.state.accounts.values())


def _url(row: Hosted) -> str:
    prefix = "" if row.workspace.name == DEFAULT else f"w/{row.workspace.name}/"
    return f"{row.root}{prefix}v3"


class WorkspaceAccount(View):
    name = members.text()
    role = members.needed(fields.Enum, Role, by_value=True)
    api_key = members.text("null where no key opens it", allow_none=True, of=_first_key)


class Workspace(View):
    name = members.text(attribute="workspace.name")
    api_key = members.text(
        "of its first account; null where no key opens it",
        allow_none=True,
        of=lambda row: _first_key(_accounts(row)[0]),
    )
    scenario = members.text(
        "from which it was made; `document` where that came with the call", attribute="workspace.origin.title"
    )
    url = members.text("the base address for a client of the service", of=_url)
    accounts = members.many(WorkspaceAccount, of=_accounts)


# ---------------------------------------------------------------------- how they are used


class LastRequest(View):
    id = members.needed(fields.UUID)
    at = members.moment("on the workspace's clock")
    real_at = causes.real_at()
    method = members.text()
    path = members.text(of=lambda exchange: redaction.plain(exchange.path))
    operation = members.text("null where no operation is meant", allow_none=True)
    status = members.number("null where the client got no HTTP answer", least=100, allow_none=True)


class Counts(View):
    """How much a workspace holds; what was evicted is not among it."""

    requests = members.number(of=lambda found: len(found.journal))
    mails = members.number(of=lambda found: len(found.state.mailbox))
    deliveries = members.number(
        of=lambda found: sum(len(account.rows_of(Delivery)) for account in tuple(found.state.accounts.values()))
    )
    faults = members.number("rules", of=lambda found: len(found.state.faults))
    stubs = members.number(of=lambda found: len(found.state.stubs))
    snapshots = members.number(of=lambda found: len(found.snapshots))
    rows = members.number("what counts towards `--rows-limit`", of=lambda found: found.state.kept())


class Use(View):
    """How old a workspace is, what its clock shows, and what it holds."""

    made_at = members.moment("in real time", attribute="workspace.made_at")
    clock = members.part(Clock, attribute="workspace.state")
    last_request = members.part(
        LastRequest, "the newest of the journal; null where that is empty", allow_none=True,
        attribute="workspace.journal.newest",
    )  # fmt: skip
    counts = members.part(Counts, attribute="workspace")


class WorkspaceLine(Use):
    """A workspace in a few words: without its accounts, of which there may be many."""

    name = members.text(attribute="workspace.name")
    scenario = members.text(attribute="workspace.origin.title")
    url = members.text(of=_url)


class WorkspaceInUse(Use, Workspace):
    """A workspace with all that is known of it from outside."""


class Unreadable(View):
    """A workspace that is kept and cannot be read; whoever asks for it gets 503, and it can be dropped."""

    name = members.text()
    why = members.text()


Workspaces = listing(
    WorkspaceInUse,
    "Workspaces",
    unreadable=members.many(Unreadable, "those that could not be read when last asked for; no items stand for them"),
)


class Revoked(View):
    revoked = members.flag()
    workspace = members.text()
