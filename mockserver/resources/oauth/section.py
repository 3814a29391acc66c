"""OAuth apps and grants in a scenario."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from marshmallow import ValidationError, fields, post_load, validate

from mockserver.core.state.state import Account
from mockserver.core.text.messages import nearest, shown
from mockserver.core.workspaces.workspace import Workspace
from mockserver.resources.oauth import apps, model
from mockserver.resources.oauth.apps import App
from mockserver.resources.oauth.discovery import CATALOGUE
from mockserver.resources.oauth.model import LONGEST_STATE, MACHINE, AccessToken, Challenge, Grant
from mockserver.resources.section import (
    Instant,
    Item,
    Section,
    SectionError,
    TakenError,
    WorkspaceSection,
    about,
    claim,
)
from mockserver.web.schemas.fields import Flag, List


class ScopeList(List):
    """A list of scopes of the catalogue, without duplicates."""

    def __init__(self, **options: Any) -> None:
        super().__init__(fields.String(validate=validate.OneOf(CATALOGUE)), **options)

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> list[Any]:
        return list(dict.fromkeys(super()._deserialize(value, attr, data, **kwargs)))


#: Client ids and secrets (RFC 6749, appendix A), without characters that Basic and addresses encode.
_CREDENTIAL = validate.Regexp(r"[A-Za-z0-9._~-]{1,200}\Z", error="must be letters, digits, dots, dashes, _ and ~")
#: Maximum length of a redirect_uri; `urlsplit` caches addresses.
_LONGEST_URI = 2_000
#: Maximum number of redirect_uris per app (proposed); each request searches all.
_MOST_URIS = 100


def _check_uri(uri: str) -> None:
    # marshmallow runs all validators of a field, even after a failure.
    if len(uri) <= _LONGEST_URI and (reason := apps.redirect_uri_problem(uri)):
        raise ValidationError(reason)


class AppChange(Item):
    """Changes of an app."""

    client_secret = fields.String(validate=_CREDENTIAL, allow_none=True, **about("null if public; drawn if left out"))
    name = fields.String(validate=validate.Length(1, apps.LONGEST_NAME), **about("the name that users see"))
    redirect_uris = List(
        fields.String(validate=[validate.Length(max=_LONGEST_URI), _check_uri]),
        validate=validate.Length(max=_MOST_URIS),
        **about("where browsers may be sent back"),
    )
    scopes = ScopeList(**about("its scopes; the four of the specification if left out"))
    public = Flag(**about("whether users of any organization can allow it; needs behaviour.oauth_public_apps"))
    account = fields.String(**about("the name of its account; the first one if left out"))


class AppItem(AppChange):
    """A registered app; missing members are drawn, or get the specification's default."""

    client_id = fields.String(validate=_CREDENTIAL, **about("its id; drawn if left out"))


def _load_apps(workspace: Workspace, data: Mapping[str, Any]) -> Iterator[SectionError]:
    for index, item in enumerate(data.get("oauth_apps", ())):
        found = list(refused(workspace, item, ("oauth_apps", index)))
        yield from found
        if not found:
            apps.register(workspace, item)
    if "behaviour" in data and not workspace.state.behaviour.oauth_public_apps:
        public = next((app.client_id for app in workspace.state.rows_of(App).values() if app.public), None)
        if public is not None:  # this state could not be loaded again
            message = f"must be true, as the app {shown(public)} is public: got false"
            yield SectionError(("behaviour", "oauth_public_apps"), message)


def refused(workspace: Workspace, item: Mapping[str, Any], path: tuple[str | int, ...]) -> Iterator[SectionError]:
    """Check a new app: client id, account, and whether public apps are allowed."""
    if item.get("client_id") in workspace.state.rows_of(App):
        yield TakenError((*path, "client_id"), f"duplicate client_id {shown(item['client_id'])}")
    yield from refused_change(workspace, item, path)


def refused_change(
    workspace: Workspace, item: Mapping[str, Any], path: tuple[str | int, ...]
) -> Iterator[SectionError]:
    """Check an app's account, and whether public apps are allowed (contract/oauth#rules)."""
    if "account" in item and item["account"] not in workspace.state.names:
        message = f"no account is named {shown(item['account'])}; {nearest(item['account'], workspace.state.names)}"
        yield SectionError((*path, "account"), message, wanted=(item["account"],))
    if item.get("public") and not workspace.state.behaviour.oauth_public_apps:
        message = "public apps are not allowed: got true, expected false, or behaviour.oauth_public_apps: true"
        yield SectionError((*path, "public"), message, wanted=("oauth_public_apps",))


def _dump_apps(workspace: Workspace) -> dict[str, Any]:
    rows = [{"client_id": app.client_id, **_APP_ITEM.dump(app)} for app in workspace.state.rows_of(App).values()]
    found = [{name: value for name, value in row.items() if value is not None} for row in rows]
    return {"oauth_apps": found} if found else {}


_APP_ITEM = AppItem()

WORKSPACE = WorkspaceSection(
    fields={"oauth_apps": List(fields.Nested(AppItem), **about("registered apps"))}, load=_load_apps, dump=_dump_apps
)


class AccessItem(Item):
    id = fields.String(required=True, **about("the id in the token, jti"))
    scopes = ScopeList(required=True, **about("what it allows"))
    issued_at = Instant(required=True, **about("since when"))
    expires_at = Instant(required=True, **about("until when"))

    @post_load
    def _make(self, data: dict[str, Any], **_: Any) -> AccessToken:
        return AccessToken(**{**data, "scopes": tuple(data["scopes"])})


class ChallengeItem(Item):
    value = fields.String(required=True, **about("the challenge itself"))
    method = fields.String(load_default="plain", validate=validate.OneOf(("plain", "S256")), **about("its method"))

    @post_load
    def _make(self, data: dict[str, Any], **_: Any) -> Challenge:
        return Challenge(**data)


class GrantItem(Item):
    """A grant in a written state."""

    id = fields.Integer(required=True, strict=True, validate=validate.Range(min=1, max=2**62), **about("its number"))
    client_id = fields.String(required=True, **about("the app"))
    scopes = ScopeList(required=True, **about("what the app asks for"))
    created_at = Instant(required=True, **about("when the app asked"))
    expires_at = Instant(required=True, **about("when it ends if nothing happens"))
    state = fields.String(required=True, validate=validate.OneOf(MACHINE.states), **about("how far it has come"))
    user = fields.String(allow_none=True, **about("who has given it"))
    redirect_uri = fields.String(allow_none=True, **about("where the browser is sent back to"))
    app_state = fields.String(
        allow_none=True, validate=validate.Length(max=LONGEST_STATE), **about("the app's state, which it gets back")
    )
    nonce = fields.String(allow_none=True, validate=validate.Length(max=LONGEST_STATE), **about("the app's nonce"))
    challenge = fields.Nested(ChallengeItem, allow_none=True, **about("the code challenge (PKCE)"))
    ticket = fields.String(allow_none=True, **about("what the form of the sign-in page carries"))
    browser = fields.String(allow_none=True, **about("what the browser's cookie holds"))
    code = fields.String(allow_none=True, **about("the code for which the app gets tokens"))
    refresh_token = fields.String(allow_none=True, **about("the newest refresh token"))
    refresh_expires_at = Instant(allow_none=True, **about("when that ends"))
    spent = List(fields.String(), **about("refresh tokens that a newer one has replaced"))
    tokens = List(fields.Nested(AccessItem), **about("its access tokens"))

    @post_load
    def _make(self, data: dict[str, Any], **_: Any) -> Grant:
        tokens = {token.id: token for token in data.pop("tokens", ())}
        return Grant(**{**data, "scopes": tuple(data["scopes"])}, tokens=tokens)


def _load_grants(workspace: Workspace, account: Account, data: Mapping[str, Any]) -> Iterator[SectionError]:
    last = workspace.state.last_ids.get("oauth_grant", 0)
    for index, row in enumerate(data.get("oauth_grants", ())):
        if not claim(workspace, Grant, row.id, is_next=row.id > last):
            yield TakenError(("oauth_grants", index, "id"), f"duplicate grant id {row.id}")
            continue
        # An ended grant may be kept longer than its app.
        if row.client_id not in workspace.state.rows_of(App) and MACHINE.allowed(row.state):
            path = ("oauth_grants", index, "client_id")
            yield SectionError(path, f"no app has the client_id {shown(row.client_id)}", wanted=(row.client_id,))
            continue
        workspace.state.claim_id("oauth_grant", row.id)
        account.table(Grant)[row.id] = row
        model.index_secrets(workspace, account, row)
        if MACHINE.allowed(row.state):
            model.set_expiry(workspace, account, row, row.expires_at)
        else:
            model.keep_ended(workspace, account, row)


def _dump_grants(workspace: Workspace, account: Account) -> dict[str, Any]:
    rows = [_written(row) for row in account.rows_of(Grant).values()]
    return {"oauth_grants": rows} if rows else {}


def _written(row: Grant) -> dict[str, Any]:
    found: dict[str, Any] = _GRANT_ITEM.dump(row)
    found["tokens"] = [_ACCESS_ITEM.dump(token) for token in row.tokens.values()]
    return {name: value for name, value in found.items() if value not in (None, []) or name == "scopes"}


_ACCESS_ITEM = AccessItem()
_GRANT_ITEM = GrantItem(exclude=("tokens",))

SECTION = Section(
    fields={
        "oauth_grants": List(fields.Nested(GrantItem), **about("what users have allowed apps, of a written state"))
    },
    load=_load_grants,
    dump=_dump_grants,
)
