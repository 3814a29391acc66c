"""The removal of apps, with the end of all their grants."""

from __future__ import annotations

from mockserver.core.state.state import Account
from mockserver.core.traffic.causes import Changed
from mockserver.core.workspaces.workspace import Workspace
from mockserver.resources.oauth.apps import App
from mockserver.resources.oauth.grant import Grant
from mockserver.resources.oauth.model import GRANT


def forget(workspace: Workspace, *apps: App) -> None:
    """Remove apps, after revoking all their grants, app by app."""
    given: dict[str, list[tuple[Account, Grant]]] = {app.client_id: [] for app in apps}
    for account, row in GRANT.instances(workspace) if apps else ():
        if row.client_id in given:
            given[row.client_id].append((account, row))
    for name, grants in given.items():
        for account, row in grants:
            if GRANT.applies(row, "revoke"):
                GRANT.fire(workspace, account, row, "revoke")
        del workspace.state.table(App)[name]


def forget_apps_of_deleted(workspace: Workspace, change: Changed) -> None:
    """Remove the apps of a sub-account that is deleted, as a listener of that transition (contract/corporate)."""
    name = workspace.state.accounts[int(change.key)].name
    forget(workspace, *(row for row in workspace.state.table(App).values() if row.account == name))
