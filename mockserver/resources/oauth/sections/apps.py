"""Apps in a scenario and in written state."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from marshmallow import ValidationError, fields, validate

from mockserver.core.workspaces.workspace import Workspace
from mockserver.resources.oauth import apps
from mockserver.resources.oauth.apps import App
from mockserver.resources.oauth.sections.scope_list import ScopeList
from mockserver.resources.resource import WorkspaceSection
from mockserver.resources.section import Item, SectionError, TakenError, about
from mockserver.web.schemas.fields import Flag, List

#: What a client id and a secret may be (RFC 6749, appendix A); without what Basic and addresses would have to encode.
_CREDENTIAL = validate.Regexp(r"[A-Za-z0-9._~-]{1,200}\Z", error="must be letters, digits, dots, dashes, _ and ~")
#: No longer address is looked at: taking one apart keeps it (`urlsplit` has a cache).
_LONGEST_URI = 2_000
#: How many addresses an app may have registered (proposed): one is compared with all of them.
_MOST_URIS = 100


def _check_uri(uri: str) -> None:
    # The length is checked here as well: all validators of a field run, even after one has failed.
    if len(uri) <= _LONGEST_URI and (reason := apps.reason_against_uri(uri)):
        raise ValidationError(reason)


class AppChange(Item):
    """What can be changed of an app."""

    client_secret = fields.String(
        validate=_CREDENTIAL, allow_none=True, **about("its secret; null for a public app; drawn if left out")
    )
    name = fields.String(validate=validate.Length(1, apps.LONGEST_NAME), **about("the name that users see"))
    redirect_uris = List(
        fields.String(validate=[validate.Length(max=_LONGEST_URI), _check_uri]),
        validate=validate.Length(max=_MOST_URIS),
        **about("the addresses to which browsers may be sent back"),
    )
    scopes = ScopeList(**about("what it may ask for; the four of the specification if left out"))
    public = Flag(**about("whether anybody's users can let it in; needs behaviour.oauth_public_apps"))
    account = fields.String(**about("the name of the account that it belongs to; the first one if left out"))


class AppItem(AppChange):
    """A registered app; what is left out is drawn, or the specification's default."""

    client_id = fields.String(validate=_CREDENTIAL, **about("its id; drawn if left out"))


def _load_apps(workspace: Workspace, data: Mapping[str, Any]) -> None:
    for index, item in enumerate(data.get("oauth_apps", ())):
        add(workspace, item, ("oauth_apps", index))
    if "behaviour" in data and not workspace.state.behaviour.oauth_public_apps:
        _refuse_public(workspace)


def _refuse_public(workspace: Workspace) -> None:
    """Refuse `oauth_public_apps: false` for a workspace with a public app, as its state could not be loaded again.

    Raises:
        SectionError: there is a public app.
    """
    public = next((app.client_id for app in workspace.state.rows_of(App).values() if app.public), None)
    if public is not None:
        raise SectionError(("behaviour", "oauth_public_apps"), f"must be true, as the app {public} is public")


def add(workspace: Workspace, item: dict[str, Any], path: tuple[str | int, ...]) -> App:
    """Register an app.

    Raises:
        SectionError: the client id is taken, there is no such account, or the workspace does not allow public apps.
    """
    if item.get("client_id") in workspace.state.rows_of(App):
        raise TakenError((*path, "client_id"), f"an app with the client_id {item['client_id']} is there already")
    check(workspace, item, path)
    return apps.register(workspace, item)


def check(workspace: Workspace, item: Mapping[str, Any], path: tuple[str | int, ...]) -> None:
    """Check the account of an app, and whether it may be public (contract/oauth#rules).

    Raises:
        SectionError: there is no such account, or the workspace does not allow public apps.
    """
    if "account" in item and item["account"] not in workspace.state.names:
        known = ", ".join(workspace.state.names)
        raise SectionError((*path, "account"), f"there is no account {item['account']!r}; there are: {known}")
    if item.get("public") and not workspace.state.behaviour.oauth_public_apps:
        raise SectionError((*path, "public"), "apps are private only, unless behaviour.oauth_public_apps is true")


def dump_app(app: App) -> dict[str, Any]:
    """An app as a scenario holds it; a public one has no secret."""
    found: dict[str, Any] = {"client_id": app.client_id, **_APP_ITEM.dump(app)}
    return {name: value for name, value in found.items() if value is not None}


def _dump_apps(workspace: Workspace) -> dict[str, Any]:
    rows = workspace.state.rows_of(App).values()
    return {"oauth_apps": [dump_app(app) for app in rows]} if rows else {}


_APP_ITEM = AppItem()

WORKSPACE = WorkspaceSection(
    fields={"oauth_apps": List(fields.Nested(AppItem), **about("registered apps"))}, load=_load_apps, dump=_dump_apps
)
