"""The views of workspaces: their addresses, and the keys that open their accounts."""

from __future__ import annotations

from typing import NamedTuple

from marshmallow import fields

from mockserver.core.contract.operation import Role
from mockserver.core.state.account import Account
from mockserver.core.workspaces import workspace
from mockserver.core.workspaces.store import DEFAULT
from mockserver.views.base import members
from mockserver.views.base.view import View, listing


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


Workspaces = listing(Workspace, "Workspaces")


class Revoked(View):
    revoked = members.flag()
    workspace = members.text()
