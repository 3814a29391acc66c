"""`/_mock/oauth/apps`: the OAuth apps of third parties that are registered in a workspace."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from flask import Response

from mockserver.control.framework import answers, off_loop, parameters, target
from mockserver.control.framework.problem import of_mistakes, unknown
from mockserver.control.framework.resource import ControlResource
from mockserver.core.traffic.ring import weight
from mockserver.core.workspaces.workspace import Workspace
from mockserver.resources.oauth import apps, model
from mockserver.resources.oauth.apps import App
from mockserver.resources.oauth.section import AppChange, AppItem, refused, refused_change
from mockserver.resources.section import SectionError, TakenError
from mockserver.scenario.documents.mistakes import Mistake
from mockserver.views.workspaces.apps import OAuthApp, OAuthApps

OAUTH_APPS = ControlResource("oauth", "/_mock/oauth/apps")


@OAUTH_APPS.call("GET", query=parameters.PartOrAll, answer=OAuthApps)
def index(query: dict[str, Any]) -> Response:
    """The registered apps, their secrets included."""
    workspace = target.workspace()
    with workspace.lock:
        apps = workspace.state.table(App).values()
        part = parameters.part_of(apps, query)
        off_loop.before_showing(weight(app.redirect_uris) for app in part)
        return answers.listed(part, len(apps))


@OAUTH_APPS.call("POST", body=AppItem, answer=OAuthApp, status=201, adds=True, problems=(409,))
def create(body: dict[str, Any]) -> Response:
    """Register an app; credentials that are left out are drawn, and scopes are the four that a new app has."""
    workspace = target.workspace()
    with workspace.lock:
        _refuse(refused(workspace, body, ()))
        return answers.answer(apps.register(workspace, body))


@OAUTH_APPS.call("GET", "/<client_id>", answer=OAuthApp)
def show(client_id: str) -> Response:
    """One app with its secret."""
    workspace = target.workspace()
    with workspace.lock:
        app = _found(workspace, client_id)
        off_loop.before_showing([weight(app.redirect_uris)])
        return answers.answer(app)


@OAUTH_APPS.call("PUT", "/<client_id>", body=AppChange, answer=OAuthApp)
def change(client_id: str, body: dict[str, Any]) -> Response:
    """Change what is named of an app; tokens that it has keep their scopes."""
    workspace = target.workspace()
    with workspace.lock:
        app = _found(workspace, client_id)
        if not body:
            raise of_mistakes([Mistake((), "the body is empty; give at least one field to change")])
        _refuse(refused_change(workspace, body, ()))
        apps.update(workspace, app, body)
        return answers.answer(app)


@OAUTH_APPS.call("DELETE", "/<client_id>", status=204)
def remove(client_id: str) -> Response:
    """Delete an app; its grants and tokens end."""
    workspace = target.workspace()
    with workspace.lock:
        model.remove_apps(workspace, _found(workspace, client_id))
    return answers.done()


def _found(workspace: Workspace, client_id: str) -> App:
    found = workspace.state.table(App).get(client_id)
    if found is None:
        raise unknown("client_id", client_id, "GET /_mock/oauth/apps lists all apps")
    return found


def _refuse(errors: Iterable[SectionError]) -> None:
    found = list(errors)
    if found:
        status = 409 if all(isinstance(error, TakenError) for error in found) else 400
        raise of_mistakes([Mistake(error.path, error.message) for error in found], status)
