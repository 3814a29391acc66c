"""Apps and grants in a scenario and in written state."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from marshmallow import ValidationError, fields, post_load, validate

from mockserver.core.state.account import Account
from mockserver.core.workspaces.workspace import Workspace
from mockserver.resources.oauth import apps, model
from mockserver.resources.oauth.apps import App
from mockserver.resources.oauth.model import LONGEST_STATE, MACHINE, Access, Challenge, Grant
from mockserver.resources.oauth.scopes import CATALOGUE
from mockserver.resources.resource import Section, WorkspaceSection
from mockserver.resources.section import Instant, Item, SectionError, TakenError, claim
from mockserver.web.schemas.fields import Flag, List

#: What a client id and a secret may be (RFC 6749, appendix A); without what Basic and addresses would have to encode.
_CREDENTIAL = validate.Regexp(r"[A-Za-z0-9._~-]{1,200}\Z", error="must be letters, digits, dots, dashes, _ and ~")

#: No longer address is looked at: taking one apart keeps it (`urlsplit` has a cache).
_LONGEST_URI = 2_000
#: How many addresses an app may have registered.
_MOST_URIS = 100


def _check_uri(uri: str) -> None:
    # All validators of a field run, whatever those before have found.
    if len(uri) <= _LONGEST_URI and (flaw := apps.flaw_of_uri(uri)):
        raise ValidationError(flaw)


class _Scopes(List):
    """Scopes, each once: there are no more than the catalogue has."""

    def __init__(self, **options: Any) -> None:
        super().__init__(fields.String(validate=validate.OneOf(CATALOGUE)), **options)

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> list[Any]:
        return list(dict.fromkeys(super()._deserialize(value, attr, data, **kwargs)))


class AppChange(Item):
    """What can be changed of an app."""

    client_secret = fields.String(validate=_CREDENTIAL, allow_none=True)
    name = fields.String(validate=validate.Length(1, apps.LONGEST_NAME))
    redirect_uris = List(
        fields.String(validate=[validate.Length(max=_LONGEST_URI), _check_uri]),
        validate=validate.Length(max=_MOST_URIS),
    )
    scopes = _Scopes()
    public = Flag()
    account = fields.String()


class AppItem(AppChange):
    """A registered app; what is left out is drawn, or SPEC's default."""

    client_id = fields.String(validate=_CREDENTIAL)


def _load_apps(workspace: Workspace, data: Mapping[str, Any]) -> None:
    for index, item in enumerate(data.get("oauth_apps", ())):
        add(workspace, item, ("oauth_apps", index))
    if "behaviour" in data and not workspace.state.behaviour.oauth_public_apps:
        _refuse_public(workspace)


def _refuse_public(workspace: Workspace) -> None:
    """Refuse to do without public apps where one is there already: the state could not be loaded again.

    Raises:
        SectionError: as it says.
    """
    public = next((app.client_id for app in workspace.state.table(App).values() if app.public), None)
    if public is not None:
        raise SectionError(("behaviour", "oauth_public_apps"), f"must be true, as the app {public} is public")


def add(workspace: Workspace, item: dict[str, Any], path: tuple[str | int, ...]) -> App:
    """Register an app.

    Raises:
        SectionError: its client id is taken, its account is not there, or it is public where there are no public apps.
    """
    if item.get("client_id") in workspace.state.table(App):
        raise TakenError((*path, "client_id"), f"an app with the client_id {item['client_id']} is there already")
    check(workspace, item, path)
    return apps.register(workspace, item)


def check(workspace: Workspace, item: Mapping[str, Any], path: tuple[str | int, ...]) -> None:
    """Refuse an account that is not there, and a public app where there are none (SPEC 5.2).

    Raises:
        SectionError: as it says.
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
    rows = workspace.state.table(App).values()
    return {"oauth_apps": [dump_app(app) for app in rows]} if rows else {}


_APP_ITEM = AppItem()

WORKSPACE = WorkspaceSection(fields={"oauth_apps": List(fields.Nested(AppItem))}, load=_load_apps, dump=_dump_apps)


# ---------------------------------------------------------------------- grants


class AccessItem(Item):
    id = fields.String(required=True)
    scopes = _Scopes(required=True)
    issued_at = Instant(required=True)
    expires_at = Instant(required=True)

    @post_load
    def _as_value(self, data: dict[str, Any], **_: Any) -> Access:
        return Access(data["id"], tuple(data["scopes"]), data["issued_at"], data["expires_at"])


class ChallengeItem(Item):
    value = fields.String(required=True)
    method = fields.String(load_default="plain", validate=validate.OneOf(("plain", "S256")))

    @post_load
    def _as_value(self, data: dict[str, Any], **_: Any) -> Challenge:
        return Challenge(**data)


class GrantItem(Item):
    """A grant as state holds it."""

    id = fields.Integer(required=True, strict=True, validate=validate.Range(min=1, max=2**62))
    client_id = fields.String(required=True)
    scopes = _Scopes(required=True)
    created_at = Instant(required=True)
    expires_at = Instant(required=True)
    state = fields.String(required=True, validate=validate.OneOf(MACHINE.states))
    user = fields.String(allow_none=True)
    redirect_uri = fields.String(allow_none=True)
    app_state = fields.String(allow_none=True, validate=validate.Length(max=LONGEST_STATE))
    nonce = fields.String(allow_none=True, validate=validate.Length(max=LONGEST_STATE))
    challenge = fields.Nested(ChallengeItem, allow_none=True)
    ticket = fields.String(allow_none=True)
    browser = fields.String(allow_none=True)
    code = fields.String(allow_none=True)
    refresh_token = fields.String(allow_none=True)
    refresh_expires_at = Instant(allow_none=True)
    spent = List(fields.String())
    tokens = List(fields.Nested(AccessItem))

    @post_load
    def _as_row(self, data: dict[str, Any], **_: Any) -> Grant:
        tokens = {token.id: token for token in data.pop("tokens", ())}
        return Grant(**{**data, "scopes": tuple(data["scopes"])}, tokens=tokens)


def _load_grants(workspace: Workspace, account: Account, data: Mapping[str, Any]) -> None:
    last = workspace.state.last_ids.get("oauth_grant", 0)
    for index, row in enumerate(data.get("oauth_grants", ())):
        if not claim(workspace, Grant, row.id, is_next=row.id > last):
            raise TakenError(("oauth_grants", index, "id"), f"grant {row.id} is there already")
        # What is over may outlive its app.
        if row.client_id not in workspace.state.table(App) and MACHINE.allowed(row.state):
            raise SectionError(("oauth_grants", index, "client_id"), f"there is no app {row.client_id!r}")
        workspace.state.claim_id("oauth_grant", row.id)
        account.table(Grant)[row.id] = row
        model.learn(workspace, account, row)
        if MACHINE.allowed(row.state):
            model.keep_until(workspace, account, row, row.expires_at)
        else:
            model.settle(workspace, account, row)


def _dump_grants(workspace: Workspace, account: Account) -> dict[str, Any]:
    rows = [_written(row) for row in account.table(Grant).values()]
    return {"oauth_grants": rows} if rows else {}


def _written(row: Grant) -> dict[str, Any]:
    found: dict[str, Any] = _GRANT_ITEM.dump(row)
    found["tokens"] = [_ACCESS_ITEM.dump(token) for token in row.tokens.values()]
    return {name: value for name, value in found.items() if value not in (None, []) or name == "scopes"}


_ACCESS_ITEM = AccessItem()
_GRANT_ITEM = GrantItem(exclude=("tokens",))

SECTION = Section(fields={"oauth_grants": List(fields.Nested(GrantItem))}, load=_load_grants, dump=_dump_grants)
