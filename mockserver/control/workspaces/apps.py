"""`/_mock/oauth/apps`: the OAuth apps of third parties that are registered in a workspace."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from mockserver.control.framework import inputs
from mockserver.control.framework.call import ControlResource, listed
from mockserver.control.framework.problem import existing, of_mistakes
from mockserver.core.traffic.ring import weight
from mockserver.core.workspaces.workspace import Workspace
from mockserver.resources.oauth import apps, model
from mockserver.resources.oauth.apps import App as AppRow
from mockserver.resources.oauth.section import AppChange, AppItem, refused, refused_change
from mockserver.resources.section import SectionError, TakenError
from mockserver.scenario.documents.mistakes import Mistake
from mockserver.views.record import listing
from mockserver.views.workspace_records import App
from mockserver.web.server import loop

OAUTH_APPS = ControlResource("oauth", "/_mock/oauth/apps")


@OAUTH_APPS.call("GET", query=inputs.PartOrAll, answer=listing("OAuthApps", App))
def index(workspace: Workspace, query: dict[str, Any]) -> Any:
    """The registered apps, their secrets included."""
    found = workspace.state.table(AppRow).values()
    part = inputs.part_of(found, query)
    loop.leave_if_long(weight(app.redirect_uris) for app in part)
    return listed(list(map(_shown, part)), len(found))


@OAUTH_APPS.call("POST", body=AppItem, answer=App, status=201, adds=True, problems=(409,))
def create(workspace: Workspace, body: dict[str, Any]) -> App:
    """Register an app; credentials that are left out are drawn, and scopes are the four that a new app has."""
    _refuse(refused(workspace, body, ()))
    return _shown(apps.register(workspace, body))


@OAUTH_APPS.call("GET", "/<client_id>", answer=App)
def show(workspace: Workspace, client_id: str) -> App:
    """One app with its secret."""
    found = _found(workspace, client_id)
    loop.leave_if_long([weight(found.redirect_uris)])
    return _shown(found)


@OAUTH_APPS.call("PUT", "/<client_id>", body=AppChange, answer=App)
def change(workspace: Workspace, client_id: str, body: dict[str, Any]) -> App:
    """Change the given members of an app; its tokens keep their scopes."""
    found = _found(workspace, client_id)
    if not body:
        raise of_mistakes([Mistake((), "the body is empty; give at least one field to change")])
    _refuse(refused_change(workspace, body, ()))
    apps.update(workspace, found, body)
    return _shown(found)


@OAUTH_APPS.call("DELETE", "/<client_id>", status=204)
def remove(workspace: Workspace, client_id: str) -> None:
    """Delete an app; its grants and tokens end."""
    model.remove_apps(workspace, _found(workspace, client_id))


def _found(workspace: Workspace, client_id: str) -> AppRow:
    return existing(
        workspace.state.table(AppRow).get(client_id), "client_id", client_id, "GET /_mock/oauth/apps lists all apps"
    )


def _shown(row: AppRow) -> App:
    uris, scopes = tuple(row.redirect_uris), tuple(row.scopes)
    return App(row.client_id, row.client_secret, row.name, uris, scopes, row.public, row.account)


def _refuse(errors: Iterable[SectionError]) -> None:
    found = list(errors)
    if found:
        status = 409 if all(isinstance(error, TakenError) for error in found) else 400
        raise of_mistakes([Mistake(error.path, error.message) for error in found], status)
