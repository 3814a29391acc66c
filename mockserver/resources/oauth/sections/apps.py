"""Apps in a scenario and in written state."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from marshmallow import ValidationError, fields, validate

from mockserver.core.text.given import shown
from mockserver.core.text.spelling import nearest
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


def _load_apps(workspace: Workspace, data: Mapping[str, Any]) -> Iterator[SectionError]:
    for index, item in enumerate(data.get("oauth_apps", ())):
        found = list(refused(workspace, item, ("oauth_apps", index)))
        yield from found
        if not found:
            apps.register(workspace, item)
    if "behaviour" in data and not workspace.state.behaviour.oauth_public_apps:
        yield from _refuse_public(workspace)


def _refuse_public(workspace: Workspace) -> Iterator[SectionError]:
    """Refuse `oauth_public_apps: false` for a workspace with a public app, as its state could not be loaded again."""
    public = next((app.client_id for app in workspace.state.rows_of(App).values() if app.public), None)
    if public is not None:
        message = f"must be true, as the app {shown(public)} is public: got false"
        yield SectionError(("behaviour", "oauth_public_apps"), message)


def refused(workspace: Workspace, item: Mapping[str, Any], path: tuple[str | int, ...]) -> Iterator[SectionError]:
    """Check a new app: its id, its account, and whether it may be public."""
    if item.get("client_id") in workspace.state.rows_of(App):
        yield TakenError((*path, "client_id"), f"duplicate client_id {shown(item['client_id'])}")
    yield from refused_change(workspace, item, path)


def refused_change(
    workspace: Workspace, item: Mapping[str, Any], path: tuple[str | int, ...]
) -> Iterator[SectionError]:
    """Check the account of an app, and whether it may be public (contract/oauth#rules)."""
    if "account" in item and item["account"] not in workspace.state.names:
        message = f"no account is named {shown(item['account'])}; {nearest(item['account'], workspace.state.names)}"
        yield SectionError((*path, "account"), message, wanted=(item["account"],))
    if item.get("public") and not workspace.state.behaviour.oauth_public_apps:
        message = "public apps are not allowed: got true, expected false, or behaviour.oauth_public_apps: true"
        yield SectionError((*path, "public"), message, wanted=("oauth_public_apps",))


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
